package fetch

import (
	"bytes"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
)

// A mendedConn is a connection of HTTP/1 whose answers are mended before net/http
// reads them: their heads, and bytes beyond a body, which net/http would report to
// the standard logger. It gives out one answer for each request.
type mendedConn struct {
	net.Conn
	max   int         // bytes of a head
	asked atomic.Bool // a request was written, and the head of its answer not read

	// Of the reader alone:
	in   []byte // the beginning of a head, which came
	out  []byte // what is to be given out, perhaps a part of in
	work []fieldLine
	left int64 // bytes of the body to come; -1 if only its end tells
	over bool  // more came than the answer has: nothing can follow

	mu      sync.Mutex
	answers int    // that were read so far
	note    string // what was mended in the last one
}

func newMendedConn(conn net.Conn, max int64) *mendedConn {
	return &mendedConn{Conn: conn, max: int(max)}
}

// Write sends a part of a request. Each begins with its method, which is GET.
func (c *mendedConn) Write(p []byte) (int, error) {
	if bytes.HasPrefix(p, []byte("GET ")) {
		c.asked.Store(true)
	}
	return c.Conn.Write(p)
}

// Read gives out heads that are mended, and bodies as far as they go.
func (c *mendedConn) Read(p []byte) (int, error) {
	for {
		switch {
		case len(c.out) > 0:
			n := copy(p, c.out)
			c.out = c.out[n:]
			return n, nil
		case c.over:
			return 0, io.EOF
		case c.left != 0:
			n, err := c.readBody(p)
			if !c.asked.Load() {
				return n, err
			}
			c.left, c.in = 0, append(c.in[:0], p[:n]...) // of the next answer
			if n == 0 {
				return 0, err
			}
		}
		if err := c.readHead(); err != nil {
			return 0, err
		}
	}
}

func (c *mendedConn) readBody(p []byte) (int, error) {
	if c.left > 0 {
		p = p[:min(int64(len(p)), c.left)]
	}
	n, err := c.Conn.Read(p)
	if c.left > 0 {
		c.left -= int64(n)
	}
	return n, err
}

// readHead reads a whole head. What is no head, or too large, is left to net/http
// to refuse.
func (c *mendedConn) readHead() error {
	for seen := 0; ; {
		if seen == 0 {
			c.in = c.in[:copy(c.in, bytes.TrimLeft(c.in, "\r\n"))] // before an answer, they mean nothing
		}
		if end := endOfHead(c.in, seen); end > 0 {
			m := mend(c.in[:end], c.work)
			if cap(m.lines) <= linesMax {
				c.work = m.lines
			}
			c.take(m, c.in[end:])
			return nil
		}
		if seen = len(c.in); seen > c.max || !mayBeHead(c.in) {
			c.out, c.in, c.left = c.in, nil, -1
			c.asked.Store(false)
			return nil
		}
		if err := c.readMore(); err != nil {
			return err
		}
	}
}

const (
	headRead = 4 << 10 // bytes of a head that are read at once
	linesMax = 128     // lines for which room is kept
)

// readMore adds to c.in. What comes although nobody asked is the server's
// good-bye, or worse: either way the connection is of no more use.
func (c *mendedConn) readMore() error {
	c.in = slices.Grow(c.in, headRead)
	n, err := c.Conn.Read(c.in[len(c.in) : len(c.in)+headRead])
	if n > 0 && !c.asked.Load() {
		return io.EOF
	}
	c.in = c.in[:len(c.in)+n]
	switch {
	case n > 0:
		return nil // an error comes again
	case err == io.EOF && len(c.in) > 0:
		return io.ErrUnexpectedEOF
	}
	return err
}

// mayBeHead reports whether text is, or begins to be, an answer of HTTP/1.
func mayBeHead(text []byte) bool {
	const start = "HTTP/"
	n := min(len(text), len(start))
	return string(text[:n]) == start[:n]
}

// take gives out a head and what has come of its body.
func (c *mendedConn) take(m mending, rest []byte) {
	if c.left = m.length; m.status/100 == 1 && m.status != 101 {
		c.out = m.head
		c.in = bytes.Clone(rest) // of the answer proper, or of the next one like this
		return
	}
	c.asked.Store(false)
	note := m.note()
	if c.left >= 0 && int64(len(rest)) > c.left {
		note, c.over = "content-length: more came", true
		rest = rest[:c.left]
	}
	if c.left > 0 {
		c.left -= int64(len(rest))
	}
	if m.mended == 0 {
		c.out = c.in[:len(m.head)+len(rest)]
	} else {
		c.out = append(m.head, rest...)
	}
	c.in = c.in[:0]
	c.mu.Lock()
	c.answers, c.note = c.answers+1, note
	c.mu.Unlock()
}

// count returns how many answers were read.
func (c *mendedConn) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.answers
}

// defect returns what was mended in an answer, as long as it is the last one.
func (c *mendedConn) defect(answer int) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answers != answer {
		return ""
	}
	return c.note
}

package fetchtest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"os"
	"strconv"
	"strings"
	"time"
)

// conversation is one connection of a client. It is a server of our own, because
// net/http answers 400 to "/100%", which the web is full of, and hides its
// sockets from those who want to break them.
type conversation struct {
	web    *Web
	ctx    context.Context // of the server
	conn   net.Conn
	in     *bufio.Reader
	scheme string
}

func newConversation(s *server, conn net.Conn, scheme string) *conversation {
	return &conversation{web: s.web, ctx: s.ctx, conn: conn, in: bufio.NewReader(conn), scheme: scheme}
}

// run answers requests until one side closes.
func (c *conversation) run() {
	for {
		r, err := c.request()
		if err != nil {
			return
		}
		if !c.exchange(r) {
			return
		}
	}
}

// request reads the next request.
func (c *conversation) request() (*http.Request, error) {
	text := textproto.NewReader(c.in)
	line, err := text.ReadLine()
	if err != nil {
		return nil, err
	}
	words := strings.Split(line, " ")
	if len(words) != 3 {
		return nil, fmt.Errorf("request line %q", line)
	}
	header, err := text.ReadMIMEHeader()
	if err != nil {
		return nil, err
	}
	return c.parse(words[0], words[1], words[2], http.Header(header))
}

// parse makes a request from the parts of its head.
func (c *conversation) parse(method, target, proto string, header http.Header) (*http.Request, error) {
	major, minor, ok := http.ParseHTTPVersion(proto)
	if !ok {
		return nil, fmt.Errorf("protocol %q", proto)
	}
	host := header.Get("Host")
	header.Del("Host")
	r := incoming(method, c.scheme, host, target, header)
	r.Proto, r.ProtoMajor, r.ProtoMinor = proto, major, minor
	r.RemoteAddr = c.conn.RemoteAddr().String()
	r.Close = minor == 0 || strings.EqualFold(header.Get("Connection"), "close")
	if n, err := strconv.ParseInt(header.Get("Content-Length"), 10, 64); err == nil && n > 0 {
		r.ContentLength, r.Body = n, io.NopCloser(io.LimitReader(c.in, n))
	}
	return r, nil
}

// exchange answers r, and reports whether the connection can be used again.
func (c *conversation) exchange(r *http.Request) bool {
	e := c.web.begin(r)
	defer c.web.done(e)
	ctx, unwatch := c.watch(r)
	a := c.web.answerTo(r.WithContext(ctx), e.URL)
	keep, err := c.answer(ctx, &a, e, r.Method)
	_, drained := io.Copy(io.Discard, r.Body)
	return unwatch() == nil && err == nil && drained == nil && keep && !r.Close
}

// watch returns a context that ends when the client goes away. What it returns
// besides stops watching, so that the next request can be read.
func (c *conversation) watch(r *http.Request) (context.Context, func() error) {
	ctx, cancel := context.WithCancelCause(c.ctx)
	if r.ContentLength > 0 {
		return ctx, func() error { cancel(nil); return nil }
	}
	gone := make(chan error, 1)
	go func() {
		_, err := c.in.Peek(1)
		if err != nil {
			cancel(err)
		}
		gone <- err
	}()
	return ctx, func() error {
		defer cancel(nil)
		_ = c.conn.SetReadDeadline(time.Unix(1, 0)) // wakes Peek; its error tells
		err := <-gone
		_ = c.conn.SetReadDeadline(time.Time{})
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil
		}
		return err
	}
}

// answer sends a, or breaks off as it says; it reports whether the connection
// can be used again. The exchange counts as over just before its last byte
// leaves, so that a client that has it never seems to be still busy.
func (c *conversation) answer(ctx context.Context, a *answer, e *Exchange, method string) (bool, error) {
	if err := wait(ctx, a.delay); err != nil {
		c.web.answered(e, 0, failTimeout)
		return false, err
	}
	if a.fail != "" {
		c.web.answered(e, 0, a.fail)
		return false, c.breakOff(ctx, a.fail)
	}
	c.web.answered(e, a.status, "")
	sent, stop := a.sent()
	if method == http.MethodHead {
		sent, stop = nil, endWhole
	}
	if err := c.send(ctx, a, sent, stop, func() { c.web.done(e) }); err != nil {
		return false, err
	}
	switch stop {
	case endStall:
		<-ctx.Done()
	case endReset:
		c.reset()
	}
	return stop == endWhole, nil
}

// send writes the head and the bytes of body that are to be sent.
func (c *conversation) send(ctx context.Context, a *answer, sent []byte, stop stop, last func()) error {
	out := a.head()
	if a.trickle > 0 {
		return c.drip(ctx, a, out, sent, stop, last)
	}
	if stop != endStall {
		last()
	}
	if a.chunked {
		out = appendChunks(out, sent, 4096)
		if stop == endWhole {
			out = append(out, "0\r\n\r\n"...)
		}
		_, err := c.conn.Write(out)
		return err
	}
	_, err := (&net.Buffers{out, sent}).WriteTo(c.conn)
	return err
}

// drip sends a body byte by byte.
func (c *conversation) drip(ctx context.Context, a *answer, out, sent []byte, stop stop, last func()) error {
	if _, err := c.conn.Write(out); err != nil {
		return err
	}
	for i := range sent {
		if err := wait(ctx, a.trickle); err != nil {
			return err
		}
		piece := sent[i : i+1]
		if a.chunked {
			piece = appendChunks(nil, piece, 1)
		}
		if i == len(sent)-1 && stop != endStall {
			last()
			if a.chunked && stop == endWhole {
				piece = append(piece, "0\r\n\r\n"...)
			}
		}
		if _, err := c.conn.Write(piece); err != nil {
			return err
		}
	}
	return nil
}

// breakOff does what a failure says in the place of an answer.
func (c *conversation) breakOff(ctx context.Context, fail string) error {
	switch fail {
	case failTimeout:
		<-ctx.Done()
	case failGarbage:
		_, err := io.WriteString(c.conn, garbage+"\r\n\r\n")
		return err
	case failClose:
	default:
		c.reset()
	}
	return nil
}

// reset closes the connection so that the client's next read fails.
func (c *conversation) reset() {
	conn := c.conn
	if secure, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = secure.NetConn()
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // else Close says goodbye in good order
	}
	_ = conn.Close()
}

// head returns the status line and the header block.
func (a *answer) head() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "HTTP/1.1 %03d %s\r\n", a.status, http.StatusText(a.status))
	_ = a.header.Write(&out) // to memory; cannot fail
	if a.chunked {
		out.WriteString("Transfer-Encoding: chunked\r\n")
	}
	out.WriteString("\r\n")
	return out.Bytes()
}

// appendChunks appends body in chunks of size bytes.
func appendChunks(out, body []byte, size int) []byte {
	for len(body) > 0 {
		n := min(size, len(body))
		out = fmt.Appendf(out, "%x\r\n%s\r\n", n, body[:n])
		body = body[n:]
	}
	return out
}

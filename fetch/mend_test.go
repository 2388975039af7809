package fetch

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestABadLineIsMendedAndAGoodOneIsLeft(t *testing.T) {
	const start = "HTTP/1.1 200 OK\r\n"
	cases := []struct {
		name, raw, want string
		length          int64
	}{
		{"good", "A: b\r\nc:d\r\nContent-Length: 5\r\n", "", 5},
		{"good, with bare line feeds", "A: b\nContent-Length:5\n", "", 5},
		{"good, with blanks around", "A:  b \r\nContent-Length:\t5 \r\n", "", 5},
		{"good, continued", "A: b\r\n c\r\n\td\r\nE: f\r\n", "", -1},
		{"good, with bytes beyond ASCII", "A: \xff\xc3\xa9\r\n", "", -1},
		{"good, twice", "Set-Cookie: a=b\r\nSet-Cookie: c=d\r\n", "", -1},
		{"good, in chunks", "Transfer-Encoding: Chunked\r\nContent-Length: 3\r\n", "", -1},
		{"two lengths", "Content-Length: 5\r\nContent-Length: 6\r\n", "", -1},
		{"a coding that nobody undoes", "Transfer-Encoding: gzip, chunked\r\nContent-Length: x\r\n", "", -1},
		{"no colon", "A: b\r\nnonsense\r\nC: d\r\n", "A: b\r\nC: d\r\n", -1},
		{"no colon, continued", "nonsense\r\n A: b\r\nC: d\r\n", "C: d\r\n", -1},
		{"no name", ": x\r\nC: d\r\n", "C: d\r\n", -1},
		{"a name that is none", "A B: x\r\nC: d\r\n", "C: d\r\n", -1},
		{"continues nothing", " A: b\r\nC: d\r\n", "C: d\r\n", -1},
		{"blank before a colon", "A \t: b\r\n", "A: b\r\n", -1},
		{"blank before the colon of a length", "Content-Length : 5\r\n", "Content-Length: 5\r\n", 5},
		{"controls in a value", "A: b\x00c\x01d\re\x7f\r\n", "A: b c d e \r\n", -1},
		{"controls beside bytes beyond ASCII", "A: \xe9\x00\xc3\xa9\r\n", "A: \xe9 \xc3\xa9\r\n", -1},
		{"controls in a continued value", "A: b\x00\r\n c\r\n", "A: b   c\r\n", -1},
		{"a list of one length", "Content-Length: 5, 5\r\n", "Content-Length: 5\r\n", 5},
		{"one length twice", "Content-Length: 5\r\nA: b\r\ncontent-length: 5\r\n", "Content-Length: 5\r\nA: b\r\n", 5},
		{"no length", "Content-Length: x\r\nA: b\r\n", "A: b\r\n", -1},
		{"a length beyond numbers", "Content-Length: 99999999999999999999\r\n", "", -1},
		{"no length beside chunks", "Content-Length: x\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\r\n", -1},
		{"chunks twice", "Transfer-Encoding: chunked, chunked\r\n", "Transfer-Encoding: chunked\r\n", -1},
		{"identity", "Transfer-Encoding: identity\r\nA: b\r\n", "A: b\r\n", -1},
	}
	for _, c := range cases {
		raw := start + c.raw + "\r\n"
		m := mend([]byte(raw), nil)
		assert.Equal(t, c.length, m.length, c.name)
		want := start + c.want + "\r\n"
		if strings.HasPrefix(c.name, "good") || c.name == "two lengths" || c.name == "a coding that nobody undoes" {
			want = raw
		}
		assert.Equal(t, want, string(m.head), c.name)
		assert.Equal(t, want != raw, m.mended > 0, c.name)
		again := mend(m.head, nil)
		assert.Equal(t, m.head, again.head, "%s: mending twice is mending once", c.name)
		assert.Zero(t, again.mended, c.name)
	}
}

func TestABodyThatMayNotBeHasNoLength(t *testing.T) {
	for status, want := range map[string]int64{"100": 0, "103": 0, "101": -1, "204": 0, "304": 0, "200": -1, "000": -1, "x": -1} {
		m := mend([]byte("HTTP/1.1 "+status+" x\r\n\r\n"), nil)
		assert.Equal(t, want, m.length, status)
	}
}

// wireOf is a connection from which text comes, in pieces as r cuts them.
type wireOf struct {
	net.Conn
	io.Reader
}

func (w wireOf) Read(p []byte) (int, error)  { return w.Reader.Read(p) }
func (w wireOf) Write(p []byte) (int, error) { return len(p), nil }

// readAnswer reads one answer as net/http does, and its body.
func readAnswer(r io.Reader) (*http.Response, []byte, error) {
	answer, err := http.ReadResponse(bufio.NewReader(r), nil)
	if err != nil {
		return nil, nil, err
	}
	body, err := io.ReadAll(answer.Body)
	return answer, body, err
}

// asked returns a connection on which a request was written.
func askedConn(t require.TestingT, r io.Reader) *mendedConn {
	c := newMendedConn(wireOf{Reader: r}, 1<<20)
	_, err := c.Write([]byte("GET / HTTP/1.1\r\n\r\n"))
	require.NoError(t, err)
	return c
}

// FuzzWhatNetHTTPAcceptsIsNotChanged holds an answer that is read through a
// mendedConn to the same answer without: where net/http takes it, nothing differs
// but what the other one has mended.
func FuzzWhatNetHTTPAcceptsIsNotChanged(f *testing.F) {
	for _, raw := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and more",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX: y\r\n\r\n",
		"HTTP/1.0 200 OK\nX: y\n z\n\nhello",
		"HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
		"HTTP/1.1 101 Switching\r\nContent-Length: 3\r\n\r\nhello",
		"HTTP/1.1 100 \nC 0:0\n\n", "HTTP/1.1 200 OK\r\nX : y\r\n\r\n", "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n", "<html>",
	} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		plain, body, plainErr := readAnswer(bytes.NewReader(raw))
		through := askedConn(t, bytes.NewReader(raw))
		mended, mendedBody, err := readAnswer(through)
		slow, slowBody, slowErr := readAnswer(askedConn(t, iotest.OneByteReader(bytes.NewReader(raw))))
		require.Equal(t, err == nil, slowErr == nil, "%v, but byte by byte %v", err, slowErr)
		if mended != nil {
			require.Equal(t, mended.Header, slow.Header, "byte by byte")
			require.Equal(t, mendedBody, slowBody, "byte by byte")
		}
		if plain == nil || strings.HasPrefix(through.defect(1), "header:") {
			return
		}
		if plain.StatusCode/100 == 1 && plain.StatusCode != 101 {
			return // no answer, but a hint before one: what is mended in it is not told
		}
		if err != nil && plainErr != nil {
			return // what came of a body that is broken depends on where it is cut
		}
		require.NoError(t, err)
		require.Equal(t, plain.Status, mended.Status)
		require.Equal(t, plain.Header, mended.Header)
		require.Equal(t, plain.ContentLength, mended.ContentLength)
		require.Equal(t, body, mendedBody)
	})
}

func TestEachRequestHasItsAnswer(t *testing.T) {
	near, far := net.Pipe()
	t.Cleanup(func() { near.Close(); far.Close() })
	conn := newMendedConn(near, 1<<10)
	in := bufio.NewReader(conn)
	ask := func(answer string) (string, error) {
		go func() {
			_, _ = far.Read(make([]byte, 100))
			_, _ = io.WriteString(far, answer)
		}()
		_, err := conn.Write([]byte("GET / HTTP/1.1\r\n\r\n"))
		require.NoError(t, err)
		response, err := http.ReadResponse(in, nil)
		for err == nil && response.StatusCode == 103 {
			response, err = http.ReadResponse(in, nil)
		}
		if err != nil {
			return "", err
		}
		body, err := io.ReadAll(response.Body)
		return string(body), err
	}
	for i, answer := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ntwo\r\n0\r\n\r\n",
		"HTTP/1.1 103 x\r\n\r\nHTTP/1.1 103 x\r\n\r\nHTTP/1.1 200 OK\r\nnonsense\r\nContent-Length: 5\r\n\r\nthree",
		"HTTP/1.1 204 x\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 4, 4\r\n\r\nfour",
	} {
		body, err := ask(answer)
		require.NoError(t, err)
		assert.Equal(t, []string{"one", "two", "three", "", "four"}[i], body)
		assert.Equal(t, i == 2 || i == 4, conn.defect(i+1) != "", answer)
		assert.Empty(t, conn.defect(i), "it is of an answer that is over")
	}
	body, err := ask("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged")
	require.NoError(t, err)
	assert.Equal(t, "ok", body)
	assert.Equal(t, "content-length: more came", conn.defect(6))
	_, err = ask("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF, "nothing can follow")
}

func TestBytesBehindABodyAreNotRead(t *testing.T) {
	near, far := net.Pipe()
	t.Cleanup(func() { near.Close(); far.Close() })
	conn := newMendedConn(near, 1<<10)
	go func() {
		_, _ = far.Read(make([]byte, 100))
		for _, piece := range []string{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "hel", "lo and more"} {
			_, _ = io.WriteString(far, piece)
		}
	}()
	_, err := conn.Write([]byte("GET / HTTP/1.1\r\n\r\n"))
	require.NoError(t, err)
	all, err := io.ReadAll(conn)
	require.NoError(t, err)
	assert.Equal(t, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", string(all))
}

func TestWhatNobodyAskedForEndsTheConnection(t *testing.T) {
	for _, raw := range []string{"HTTP/1.1 408 Request Timeout\r\n\r\n", "SSH-2.0-x\r\n", "\r\n"} {
		conn := newMendedConn(wireOf{Reader: strings.NewReader(raw)}, 1<<10)
		_, err := conn.Read(make([]byte, 100))
		assert.ErrorIs(t, err, io.EOF, raw)
	}
}

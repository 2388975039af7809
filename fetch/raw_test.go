package fetch_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weircrawl/weir/fetch"
)

// piped is a Config whose every connection is a pipe to talk. It has no sockets,
// so that it works in a bubble of synctest.
func piped(talk func(net.Conn)) fetch.Config {
	return fetch.Config{Dial: func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go func() {
			defer far.Close()
			talk(far)
		}()
		return near, nil
	}}
}

// answers reads a request, writes what it is given, and closes.
func answers(raw string) func(net.Conn) {
	return func(conn net.Conn) {
		head(bufio.NewReader(conn))
		_, _ = io.WriteString(conn, raw) // the client may have seen enough
	}
}

// rawAnswers are bytes as a server may send them, and what they count as.
var rawAnswers = []struct {
	name, raw string
	class     fetch.Class
	status    int
	body      string
	truncated string
	err       string // a part of it
}{
	{"whole", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", fetch.Fetched, 200, "hello", "", ""},
	{"until it closes", "HTTP/1.1 200 OK\r\n\r\nhello", fetch.Fetched, 200, "hello", "", ""},
	{"HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\nhello", fetch.Fetched, 200, "hello", "", ""},
	{"bare line feeds", "HTTP/1.1 200 OK\n\nhello", fetch.Fetched, 200, "hello", "", ""},
	{"no reason", "HTTP/1.1 200\r\n\r\nhello", fetch.Fetched, 200, "hello", "", ""},

	// Content-Length that is not the body's.
	{"S-K1 longer than the body", "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello", fetch.Fetched, 200, "hello", "disconnect", "unexpected EOF"},
	{"S-K1 no body at all", "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n", fetch.Fetched, 200, "", "disconnect", "unexpected EOF"},
	{"S-K9 of a redirect", "HTTP/1.1 301 Moved\r\nLocation: /ok\r\nContent-Length: 500\r\n\r\nmoved", fetch.Redirected, 301, "moved", "disconnect", "unexpected EOF"},
	{"shorter than the body", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and more", fetch.Fetched, 200, "hello", "", ""},
	{"of a body that may not be", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello", fetch.Fetched, 204, "", "", ""},
	{"twice the same", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello", fetch.Fetched, 200, "hello", "", ""},
	{"beside chunks", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", fetch.Fetched, 200, "hello", "", ""},
	{"two that differ", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", fetch.Protocol, 0, "", "", "Content-Length"},
	{"negative", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nhello", fetch.Fetched, 200, "hello", "", ""},
	{"no number", "HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\nhello", fetch.Fetched, 200, "hello", "", ""},
	{"beyond 64 bits", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nhello", fetch.Fetched, 200, "hello", "", ""},
	{"63 bits", "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nhello", fetch.Fetched, 200, "hello", "disconnect", "unexpected EOF"},

	// Chunks.
	{"chunks", chunked + "2\r\nhe\r\n3;ext=1\r\nllo\r\n0\r\nX: y\r\n\r\n", fetch.Fetched, 200, "hello", "", ""},
	{"S-K2 no last chunk", chunked + "2\r\nhe\r\n3\r\nllo\r\n", fetch.Fetched, 200, "hello", "disconnect", "unexpected EOF"},
	{"S-K2 closed in a size", chunked + "2\r\nhe\r\n3\r\nllo\r\n5", fetch.Fetched, 200, "hello", "disconnect", "unexpected EOF"},
	{"closed in a chunk", chunked + "5\r\nhel", fetch.Fetched, 200, "hel", "disconnect", "unexpected EOF"},
	{"closed after the last size", chunked + "5\r\nhello\r\n0\r\n", fetch.Fetched, 200, "hello", "disconnect", "unexpected EOF"},
	{"no line break behind a chunk", chunked + "5\r\nhelloX\r\n0\r\n\r\n", fetch.Fetched, 200, "hello", "disconnect", "malformed chunked encoding"},
	{"size that is none", chunked + "5\r\nhello\r\nxyz\r\n", fetch.Fetched, 200, "hello", "disconnect", "invalid byte in chunk length"},
	{"negative size", chunked + "-5\r\nhello\r\n0\r\n\r\n", fetch.Fetched, 200, "", "disconnect", "invalid byte in chunk length"},
	{"empty size", chunked + "\r\n\r\n", fetch.Fetched, 200, "", "disconnect", "empty hex number"},
	{"size beyond 64 bits", chunked + "5\r\nhello\r\nffffffffffffffffff\r\nx", fetch.Fetched, 200, "hello", "disconnect", "chunk length too large"},
	{"size of 63 bits", chunked + "7fffffffffffffff\r\nhello", fetch.Fetched, 200, "hello", "disconnect", "unexpected EOF"},
	{"size with bare line feeds", chunked + "5\nhello\n0\n\n", fetch.Fetched, 200, "", "disconnect", "bare LF"},
	{"endless size", chunked + strings.Repeat("0", 1<<20), fetch.Fetched, 200, "", "disconnect", "line too long"},
	{"endless extension", chunked + "5;" + strings.Repeat("x", 1<<20), fetch.Fetched, 200, "", "disconnect", "too long"},
	{"more extension than data", chunked + strings.Repeat("1;"+strings.Repeat("x", 4000)+"\r\nx\r\n", 100), fetch.Fetched, 200, "xxxx", "disconnect", "too much non-data"},
	{"flood of trailers", chunked + "5\r\nhello\r\n0\r\n" + strings.Repeat("X: y\r\n", 100_000) + "\r\n", fetch.Fetched, 200, "hello", "disconnect", "suspiciously long trailer"},
	{"chunks of HTTP/1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", fetch.Fetched, 200, "5\r\nhello\r\n0\r\n\r\n", "", ""},
	{"coding of the transfer", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", fetch.Protocol, 0, "", "", "transfer encoding"},

	// Heads.
	{"status 000", "HTTP/1.1 000 OK\r\n\r\nhello", fetch.Protocol, 0, "", "", ""},
	{"status 099", "HTTP/1.1 099 OK\r\n\r\nhello", fetch.Protocol, 99, "", "", ""},
	{"status 999", "HTTP/1.1 999 OK\r\n\r\nhello", fetch.Protocol, 999, "hello", "", ""},
	{"status of four digits", "HTTP/1.1 2000 OK\r\n\r\nhello", fetch.Protocol, 0, "", "", "status code"},
	{"status of a word", "HTTP/1.1 OK\r\n\r\nhello", fetch.Protocol, 0, "", "", "status code"},
	{"HTTP/0.9", "<html>hello</html>", fetch.Protocol, 0, "", "", "malformed HTTP response"},
	{"another protocol", "SSH-2.0-OpenSSH_9.2p1 Debian\r\n", fetch.Protocol, 0, "", "", "malformed HTTP"},
	{"TLS alert", "\x15\x03\x01\x00\x02\x02\x28", fetch.Protocol, 0, "", "", "malformed HTTP response"},
	{"NUL in a value", "HTTP/1.1 200 OK\r\nX: a\x00b\r\n\r\nhello", fetch.Fetched, 200, "hello", "", ""},
	{"NUL in a name", "HTTP/1.1 200 OK\r\nX\x00: ab\r\n\r\nhello", fetch.Fetched, 200, "hello", "", ""},
	{"bytes beyond ASCII", "HTTP/1.1 200 OK\r\nX: \xff\xfe\r\n\r\nhello", fetch.Fetched, 200, "hello", "", ""},
	{"folded line", "HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\nhello", fetch.Fetched, 200, "hello", "", ""},
	{"no colon", "HTTP/1.1 200 OK\r\nno colon here\r\nContent-Length: 5\r\n\r\nhello and", fetch.Fetched, 200, "hello", "", ""},
	{"no name", "HTTP/1.1 200 OK\r\n: x\r\n\r\nhello", fetch.Fetched, 200, "hello", "", ""},
	{"name that is none", "HTTP/1.1 200 OK\r\nX(y): z\r\n\r\nhello", fetch.Fetched, 200, "hello", "", ""},
	{"continues nothing", "HTTP/1.1 200 OK\r\n X: y\r\n\r\nhello", fetch.Fetched, 200, "hello", "", ""},
	{"continues what is none", "HTTP/1.1 200 OK\r\nno colon\r\n X: y\r\n\r\nhello", fetch.Fetched, 200, "hello", "", ""},
	{"blank before a colon", "HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nhello", fetch.Fetched, 200, "hello", "", ""},
	{"line feeds before", "\r\n\nHTTP/1.1 200 OK\r\n\r\nhello", fetch.Fetched, 200, "hello", "", ""},
	{"length as a list", "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello", fetch.Fetched, 200, "hello", "", ""},
	{"length as two lists that differ", "HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\nhello", fetch.Protocol, 0, "", "", "Content-Length"},
	{"no length at all", "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nhello", fetch.Fetched, 200, "hello", "", ""},
	{"identity", "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 5\r\n\r\nhello", fetch.Fetched, 200, "hello", "", ""},
	{"chunked twice", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", fetch.Fetched, 200, "hello", "", ""},
	{"chunks beside a length that is none", "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\nContent-Length: x\r\n\r\n5\r\nhello\r\n0\r\n\r\n", fetch.Fetched, 200, "hello", "", ""},
	{"nothing", "", fetch.Connect, 0, "", "", "EOF"},
	{"closed in the status line", "HTTP/1.1 20", fetch.Connect, 0, "", "", "unexpected EOF"},
	{"closed in a header", "HTTP/1.1 200 OK\r\nX: a", fetch.Connect, 0, "", "", "unexpected EOF"},
	{"closed after a header", "HTTP/1.1 200 OK\r\nX: a\r\n", fetch.Connect, 0, "", "", "unexpected EOF"},
	{"another protocol begins", "HTTP/1.1 101 Switching\r\n\r\nhello", fetch.Protocol, 101, "", "", ""},

	// What comes before the answer.
	{"100 first", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", fetch.Fetched, 200, "hello", "", ""},
	{"103 first", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", fetch.Fetched, 200, "hello", "", ""},
	{"flood of 100", strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 100_000), fetch.Protocol, 0, "", "", "headers exceeded"},
	{"flood of 103", strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 100_000), fetch.Protocol, 0, "", "", "headers exceeded"},

	// Heads without end.
	{"huge status line", "HTTP/1.1 200 " + strings.Repeat("x", 4<<20), fetch.Protocol, 0, "", "", "headers exceeded"},
	{"one huge header", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 4<<20) + "\r\n\r\nhello", fetch.Protocol, 0, "", "", "headers exceeded"},
	{"one huge name", "HTTP/1.1 200 OK\r\n" + strings.Repeat("x", 4<<20), fetch.Protocol, 0, "", "", "headers exceeded"},
	{"one huge folded header", "HTTP/1.1 200 OK\r\nX: x\r\n" + strings.Repeat(" x\r\n", 1<<20), fetch.Protocol, 0, "", "", "headers exceeded"},
	{"100,000 tiny headers", "HTTP/1.1 200 OK\r\n" + strings.Repeat("a:b\r\n", 100_000) + "\r\nhello", fetch.Protocol, 0, "", "", "headers exceeded"},
	{"100,000 names", "HTTP/1.1 200 OK\r\n" + manyNames(100_000) + "\r\nhello", fetch.Protocol, 0, "", "", "headers exceeded"},
	{"as many headers as there may be", "HTTP/1.1 200 OK\r\n" + manyNames(25_000) + "\r\nhello", fetch.Fetched, 200, "hello", "", ""},
}

// mended is the defect of those answers that have one.
var mended = map[string]string{
	"shorter than the body":               "content-length: more came",
	"of a body that may not be":           "content-length: more came",
	"negative":                            "header: 1 line mended",
	"no number":                           "header: 1 line mended",
	"beyond 64 bits":                      "header: 1 line mended",
	"NUL in a value":                      "header: 1 line mended",
	"NUL in a name":                       "header: 1 line mended",
	"no colon":                            "content-length: more came",
	"no name":                             "header: 1 line mended",
	"name that is none":                   "header: 1 line mended",
	"continues nothing":                   "header: 1 line mended",
	"continues what is none":              "header: 1 line mended",
	"blank before a colon":                "header: 1 line mended",
	"length as a list":                    "header: 1 line mended",
	"no length at all":                    "header: 1 line mended",
	"identity":                            "header: 1 line mended",
	"chunked twice":                       "header: 1 line mended",
	"twice the same":                      "header: 1 line mended",
	"chunks beside a length that is none": "header: 1 line mended",
}

const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

// manyNames returns n headers of 9 bytes.
func manyNames(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%05x:x\r\n", i)
	}
	return b.String()
}

func TestEveryAnswerHasOneOutcome(t *testing.T) {
	for _, c := range rawAnswers {
		t.Run(c.name, func(t *testing.T) {
			client := open(t, piped(answers(c.raw)))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got := client.Do(t.Context(), fetch.Request{URL: "http://a.test/"})
			runtime.ReadMemStats(&after)
			assert.Equal(t, c.class, got.Class, "%v", got.Err)
			assert.Equal(t, c.status, got.Status)
			assert.Equal(t, c.body, string(got.Body))
			assert.Equal(t, c.truncated, got.Truncated)
			assert.Equal(t, mended[c.name], got.Defect)
			if c.err == "" {
				assert.NoError(t, got.Err)
			} else {
				assert.ErrorContains(t, got.Err, c.err)
				assert.Less(t, len(got.Err.Error()), 1000, "an error is a line, not the answer")
			}
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(32<<20), "bytes allocated in all")
		})
	}
}

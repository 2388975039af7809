package fetch_test

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/weircrawl/weir/fetch"
)

// drip writes text byte by byte, each after a wait, again and again until nobody
// reads.
func drip(conn net.Conn, wait time.Duration, text string) {
	for i := 0; ; i++ {
		time.Sleep(wait)
		if _, err := io.WriteString(conn, text[i%len(text):i%len(text)+1]); err != nil {
			return
		}
	}
}

// silence lasts until the connection is closed.
func silence(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

func TestNobodyIsWaitedForBeyondTheLimits(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	const second = time.Second
	then := func(raw string, rest func(net.Conn)) func(net.Conn) {
		return func(conn net.Conn) {
			head(bufio.NewReader(conn))
			_, _ = io.WriteString(conn, raw)
			rest(conn)
		}
	}
	dripping := func(wait time.Duration, text string) func(net.Conn) {
		return func(conn net.Conn) { drip(conn, wait, text) }
	}
	cases := []struct {
		name      string
		talk      func(net.Conn)
		class     fetch.Class
		truncated string
		bytes     int
		took      time.Duration
	}{
		{"reads nothing", func(net.Conn) { time.Sleep(100 * second) }, fetch.Timeout, "", 0, 60 * second},
		{"never answers", then("", silence), fetch.Timeout, "", 0, 60 * second},
		{"status line byte by byte", then("", dripping(second, "HTTP/1.1 200 "+strings.Repeat("x", 1000))), fetch.Timeout, "", 0, 60 * second},
		{"header byte by byte", then(ok, dripping(14*second, "X: y\r\n")), fetch.Timeout, "", 0, 60 * second},
		{"header line by line for ever", then(ok, dripping(time.Millisecond, "X: y\r\n")), fetch.Timeout, "", 0, 60 * second},
		{"stops in the header", then(ok+"X: y\r\n", silence), fetch.Timeout, "", 0, 60 * second},
		{"103 for ever", then("", dripping(10*time.Millisecond, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")), fetch.Timeout, "", 0, 60 * second},
		{"stops before the body", then(ok+"Content-Length: 5\r\n\r\n", silence), fetch.Timeout, "", 0, 15 * second},
		{"stops in the body", then(ok+"Content-Length: 5\r\n\r\nhel", silence), fetch.Fetched, "time", 3, 15 * second},
		{"body byte by byte", then(ok+"Content-Length: 5000\r\n\r\n", dripping(14*second, "x")), fetch.Fetched, "time", 4, 60 * second},
		{"S-K6 body without end", then(ok+"\r\n", dripping(110*time.Millisecond, "x")), fetch.Fetched, "time", 545, 60 * second},
		{"chunk size byte by byte", then(chunked+"5\r\nhello\r\n", dripping(14*second, "0")), fetch.Fetched, "time", 5, 15 * second},
		{"stops in a chunk size", then(chunked+"5\r\nhello\r\n5", silence), fetch.Fetched, "time", 5, 15 * second},
		{"trailer byte by byte", then(chunked+"5\r\nhello\r\n0\r\n", dripping(second, "X: y\r\n")), fetch.Fetched, "time", 5, 15 * second},
		{"stops in gzip", then(ok+"Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08", silence), fetch.Timeout, "", 0, 15 * second},
		{"redirect that stops", then("HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 5\r\n\r\n", silence), fetch.Redirected, "time", 0, 15 * second},
		{"just in time", then("", func(conn net.Conn) {
			time.Sleep(59 * second)
			_, _ = io.WriteString(conn, ok+"Content-Length: 2\r\n\r\nok")
		}), fetch.Fetched, "", 2, 59 * second},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := open(t, piped(c.talk))
				start := time.Now()
				got := client.Do(t.Context(), fetch.Request{URL: "http://a.test/"})
				assert.Equal(t, c.took, time.Since(start))
				assert.Equal(t, c.class, got.Class, "%v", got.Err)
				assert.Equal(t, c.truncated, got.Truncated)
				assert.Equal(t, c.bytes, len(got.Body))
				assert.Equal(t, c.class == fetch.Timeout || c.truncated != "", got.Err != nil)
				time.Sleep(100 * second) // the server sees that it is alone
			})
		})
	}
}

func TestWhatIsNotWantedIsNotWaitedFor(t *testing.T) {
	for name, rest := range map[string]func(net.Conn){
		"silence": silence, "drip": func(conn net.Conn) { drip(conn, time.Millisecond, "x") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := open(t, piped(func(conn net.Conn) {
					head(bufio.NewReader(conn))
					_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nhello")
					rest(conn)
				}))
				start := time.Now()
				got := client.Do(t.Context(), fetch.Request{URL: "http://a.test/", Limit: 3})
				assert.LessOrEqual(t, time.Since(start), 100*time.Millisecond)
				assert.Equal(t, "hel", string(got.Body))
				assert.Equal(t, fetch.TruncatedLength, got.Truncated)
				time.Sleep(time.Second) // the server sees that it is alone
			})
		})
	}
}

func TestAHandshakeThatDripsHasTheTimeOfAConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := open(t, piped(func(conn net.Conn) {
			go silence(conn)
			drip(conn, time.Second, "\x16\x03\x03\x40\x00")
		}))
		start := time.Now()
		got := client.Do(t.Context(), fetch.Request{URL: "https://a.test/"})
		assert.Equal(t, fetch.TLS, got.Class, "%v", got.Err)
		assert.Equal(t, 10*time.Second, time.Since(start))
		time.Sleep(time.Second) // the server sees that it is alone
	})
}

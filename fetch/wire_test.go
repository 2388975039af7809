package fetch_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/fetch/fetchtest"
)

// listen answers connections on loopback by talk, until the test ends.
func listen(t *testing.T, talk func(net.Conn)) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			talk(conn)
			conn.Close()
		}
	}()
	t.Cleanup(func() {
		listener.Close()
		<-done
	})
	return listener.Addr().String()
}

// head reads one request, and returns its lines.
func head(in *bufio.Reader) []string {
	var lines []string
	for text := textproto.NewReader(in); ; {
		line, err := text.ReadLine()
		if err != nil || line == "" {
			return lines
		}
		lines = append(lines, line)
	}
}

func TestAURLIsRequestedByteForByte(t *testing.T) {
	paths := []string{
		"/", "/?", "/a?b?c", "/_/70%+wool", "/%zz|^{}\"<>`", "/ü", "/caf%c3%A9", "//x", "//x//y?z=//", "/..//./x;y", "/*",
		"/?k=%D6%D0", "/a:b@c", "/\xff", "//x|y",
	}
	const anything = "-- http://a.test/* --\nok\n-- https://s.test/* --\nok\n"
	bothWays(t, anything, fetch.Config{}, func(t *testing.T, web *fetchtest.Web, client *fetch.Client) {
		for _, path := range paths {
			require.Equal(t, fetch.Fetched, client.Do(t.Context(), fetch.Request{URL: "http://a.test" + path}).Class, path)
			assert.Equal(t, 1, web.Log().Hits("http://a.test"+path), path)
		}
	})
	t.Run("over HTTP/2", func(t *testing.T) {
		var got atomic.Pointer[http.Request]
		client, origin := http2Origin(t, func(w http.ResponseWriter, r *http.Request) { got.Store(r) })
		for _, path := range paths {
			if _, err := url.ParseRequestURI(path); err != nil {
				continue // net/http's server never answers these over HTTP/2
			}
			response := client.Do(t.Context(), fetch.Request{URL: origin + path})
			require.Equal(t, fetch.Fetched, response.Class, "%s: %v", path, response.Err)
			assert.Equal(t, "HTTP/2.0", got.Load().Proto)
			assert.Equal(t, path, got.Load().RequestURI)
		}
	})
}

// http2Origin serves h over HTTP/2, and returns a client that trusts it.
func http2Origin(t *testing.T, h http.HandlerFunc) (*fetch.Client, string) {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of connections that the client gives up
	server.StartTLS()
	t.Cleanup(server.Close)
	trust := server.Client().Transport.(*http.Transport).TLSClientConfig
	return open(t, fetch.Config{Allow: loopback, TLS: trust}), server.URL
}

func TestHTTP2IsSpokenWhereItIsOffered(t *testing.T) {
	client, origin := http2Origin(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Seen", r.Proto)
		_, _ = io.WriteString(w, strings.Repeat("x", 100_000))
	})
	for range 3 {
		var sent int
		got := client.Do(t.Context(), fetch.Request{URL: origin, Limit: 1000, OnSent: func(time.Time) { sent++ }})
		require.Equal(t, fetch.Fetched, got.Class, "%v", got.Err)
		assert.Equal(t, "HTTP/2.0", got.Header.Get("Seen"))
		assert.Equal(t, fetch.TruncatedLength, got.Truncated)
		assert.Len(t, got.Body, 1000)
		assert.Equal(t, 1, sent)
		assert.True(t, strings.HasPrefix(string(got.Received), "HTTP/1.1 200 OK\r\n"), "blocks have one form")
	}
}

func TestTheRequestOnTheWireIsTheBlockThatIsKept(t *testing.T) {
	got := make(chan []string, 1)
	address := listen(t, func(conn net.Conn) {
		got <- head(bufio.NewReader(conn))
		fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
	})
	client := open(t, fetch.Config{Allow: loopback})
	response := client.Do(t.Context(), fetch.Request{URL: "http://" + address + "/x?y", LastModified: "yesterday"})
	require.Equal(t, fetch.Fetched, response.Class, "%v", response.Err)
	kept := strings.Split(strings.TrimSpace(string(response.Sent)), "\r\n")
	assert.ElementsMatch(t, kept, <-got)
}

func TestNothingIsEverRequestedTwice(t *testing.T) {
	const archive = `
-- http://a.test/ --
ok
-- http://a.test/x --
! close
-- http://a.test/x --
! reset
-- http://a.test/x --
ok
`
	bothWays(t, archive, fetch.Config{}, func(t *testing.T, web *fetchtest.Web, client *fetch.Client) {
		for n, want := range []fetch.Class{fetch.Connect, fetch.Connect, fetch.Fetched} {
			// A connection that was used before is where net/http repeats a request.
			require.Equal(t, fetch.Fetched, client.Do(t.Context(), fetch.Request{URL: "http://a.test/"}).Class)
			sent := 0
			got := client.Do(t.Context(), fetch.Request{URL: "http://a.test/x", OnSent: func(time.Time) { sent++ }})
			assert.Equal(t, want, got.Class)
			assert.Equal(t, n+1, web.Log().Hits("http://a.test/x"))
			assert.Equal(t, 1, sent, "also a request without an answer was sent")
		}
	})
}

func TestAConnectionThatDiedIdleIsReplaced(t *testing.T) {
	web := parse(t, "-- http://a.test/ --\nok\n")
	dial, closing, err := web.Serve()
	require.NoError(t, err)
	defer closing()
	var conns []net.Conn
	client := open(t, fetch.Config{Allow: loopback, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		conns = append(conns, conn)
		return conn, err
	}})
	for range 3 {
		got := client.Do(t.Context(), fetch.Request{URL: "http://a.test/"})
		require.Equal(t, fetch.Fetched, got.Class, "%v", got.Err)
		conns[len(conns)-1].Close()
	}
	assert.Len(t, conns, 3)
	assert.Equal(t, 3, web.Log().Hits("http://a.test/"))
}

func TestSentIsTheMomentOfTheRequestNotOfTheConnection(t *testing.T) {
	web := parse(t, "-- http://a.test/ --\nok\n")
	dial, closing, err := web.Serve()
	require.NoError(t, err)
	defer closing()
	var connected time.Time
	client := open(t, fetch.Config{Allow: loopback, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		connected = time.Now()
		return conn, err
	}})
	var sent time.Time
	got := client.Do(t.Context(), fetch.Request{URL: "http://a.test/", OnSent: func(at time.Time) { sent = at }})
	require.Equal(t, fetch.Fetched, got.Class)
	assert.True(t, sent.After(connected))
}

func TestNothingIsSentWithoutAConnection(t *testing.T) {
	const archive = `
-- http://gone.test/* --
! dns
-- http://down.test/* --
! refused
-- https://other.test/* --
! tls
`
	web := parse(t, archive)
	dial, closing, err := web.Serve()
	require.NoError(t, err)
	defer closing()
	client := open(t, fetch.Config{Allow: loopback, Dial: dial})
	for url, want := range map[string]fetch.Class{
		"http://gone.test/": fetch.DNS, "http://down.test/": fetch.Connect, "https://other.test/": fetch.TLS,
		"http://user:secret@a.test/": fetch.Malformed, "gopher://a.test/": fetch.Malformed,
	} {
		got := client.Do(t.Context(), fetch.Request{URL: url, OnSent: func(time.Time) { t.Error("sent", url) }})
		assert.Equal(t, want, got.Class, url)
		assert.Error(t, got.Err, url)
		assert.Zero(t, got.Status, url)
	}
}

func TestEveryFailureOfANetworkHasItsClass(t *testing.T) {
	const archive = `
-- http://a.test/reset --
! reset
-- http://a.test/close --
! close
-- http://a.test/garbage --
! garbage
-- http://gone.test/* --
! dns
-- http://down.test/* --
! refused
-- https://other.test/* --
! tls
`
	bothWays(t, archive, fetch.Config{}, func(t *testing.T, _ *fetchtest.Web, client *fetch.Client) {
		for url, want := range map[string]fetch.Class{
			"http://a.test/reset": fetch.Connect, "http://a.test/close": fetch.Connect, "http://a.test/garbage": fetch.Protocol,
			"http://gone.test/": fetch.DNS, "http://down.test/": fetch.Connect, "https://other.test/": fetch.TLS,
		} {
			got := client.Do(t.Context(), fetch.Request{URL: url})
			assert.Equal(t, want, got.Class, "%s: %v", url, got.Err)
			assert.Equal(t, url == "http://gone.test/", isNoHost(got.Err), url)
		}
	})
}

func TestAHeaderBeyondItsLimitIsNoAnswer(t *testing.T) {
	address := listen(t, func(conn net.Conn) {
		head(bufio.NewReader(conn))
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nX: %s\r\nContent-Length: 0\r\n\r\n", strings.Repeat("x", 20<<10))
	})
	for limit, want := range map[int64]fetch.Class{0: fetch.Fetched, 10 << 10: fetch.Protocol} {
		got := open(t, fetch.Config{Allow: loopback, HeaderMax: limit}).Do(t.Context(), fetch.Request{URL: "http://" + address})
		assert.Equal(t, want, got.Class, "%d: %v", limit, got.Err)
	}
}

func TestABodyThatIsCutSaysWhy(t *testing.T) {
	const archive = `
-- http://a.test/S-K1 --
HTTP 200
Content-Length: 1000

0123456789
-- http://a.test/S-K2 --
! chunked
! truncate 10

0123456789abcdef
-- http://a.test/S-K9 --
HTTP 301
Location: /ok
Content-Length: 500

moved
-- http://a.test/nothing --
! truncate 0

0123456789
-- http://a.test/long --
0123456789
-- http://a.test/whole --
0123456
`
	cases := []struct {
		path, body, truncated string
		class                 fetch.Class
	}{
		{"S-K1", "0123456789\n", "disconnect", fetch.Fetched},
		{"S-K2", "0123456789", "disconnect", fetch.Fetched},
		{"S-K9", "moved\n", "disconnect", fetch.Redirected},
		{"nothing", "", "disconnect", fetch.Fetched},
		{"long", "01234567", "length", fetch.Fetched},
		{"whole", "0123456\n", "", fetch.Fetched},
	}
	bothWays(t, archive, fetch.Config{}, func(t *testing.T, _ *fetchtest.Web, client *fetch.Client) {
		for _, c := range cases {
			limit := int64(8)
			if c.truncated == "disconnect" {
				limit = 0
			}
			got := client.Do(t.Context(), fetch.Request{URL: "http://a.test/" + c.path, Limit: limit})
			assert.Equal(t, c.class, got.Class, c.path)
			assert.Equal(t, c.body, string(got.Body), c.path)
			assert.Equal(t, c.truncated, got.Truncated, c.path)
			assert.Equal(t, c.truncated == "disconnect", got.Err != nil, c.path)
		}
	})
}

func TestAnotherProtocolIsNotWaitedFor(t *testing.T) {
	address := listen(t, func(conn net.Conn) {
		in := bufio.NewReader(conn)
		head(in)
		fmt.Fprint(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")
		_, _ = in.ReadByte()
	})
	client := open(t, fetch.Config{Allow: loopback, Stall: time.Minute})
	start := time.Now()
	got := client.Do(t.Context(), fetch.Request{URL: "http://" + address})
	assert.Equal(t, fetch.Protocol, got.Class)
	assert.Equal(t, 101, got.Status)
	assert.Less(t, time.Since(start), 10*time.Second)
}

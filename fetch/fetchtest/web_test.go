package fetchtest_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/weircrawl/weir/fetch/fetchtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func parse(t *testing.T, archive string) *fetchtest.Web {
	t.Helper()
	web, err := fetchtest.Parse("web.txtar", []byte(archive))
	require.NoError(t, err)
	return web
}

// got is what a client saw of one URL.
type got struct {
	status int
	header http.Header
	body   string
	err    error // of the request, or else of the body
}

func get(ctx context.Context, transport http.RoundTripper, url string) got {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return got{err: err}
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return got{err: err}
	}
	body, err := io.ReadAll(response.Body)
	return got{response.StatusCode, response.Header, string(body), errors.Join(err, response.Body.Close())}
}

// bothWays runs check on web as a RoundTripper, and on a fresh copy of it that
// is served on sockets.
func bothWays(t *testing.T, archive string, check func(t *testing.T, web *fetchtest.Web, transport http.RoundTripper)) {
	t.Run("without sockets", func(t *testing.T) {
		web := parse(t, archive)
		check(t, web, web)
	})
	t.Run("on sockets", func(t *testing.T) {
		web := parse(t, archive)
		check(t, web, serve(t, web))
	})
}

// serve returns a transport that reaches web on sockets.
func serve(t *testing.T, web *fetchtest.Web) *http.Transport {
	t.Helper()
	dial, closing, err := web.Serve()
	require.NoError(t, err)
	transport := &http.Transport{
		DialContext:     dial,
		TLSClientConfig: &tls.Config{RootCAs: web.RootCAs()},
	}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		closing()
	})
	return transport
}

func TestAnswersAreWhatTheFileSays(t *testing.T) {
	const archive = `
-- http://a.test/ --
<a href="/one">1</a>
-- http://a.test/robots.txt --
User-agent: *
-- http://a.test/old --
HTTP 301
Location: /one
-- http://a.test/teapot --
HTTP 418
Content-Type:
X-A: 1
x-a: 2

short and stout
-- http://a.test/not-a-head --
HTTP 200

HTTP 500
! reset
-- http://a.test/chunked --
! chunked

0123456789
-- http://a.test/many --
! repeat 3

ab
-- http://a.test/bytes --
! base64

AAH/
-- http://a.test/empty --
-- http://a.test/dir/* --
in the directory
-- http://a.test/dir/deep/* --
deeper
-- http://a.test/dir/known --
known
-- http://b.test:8080/ --
another port
-- https://s.test/ --
secure
-- http://a.test/100%|^ --
odd
`
	cases := []struct {
		url, body string
		status    int
		header    http.Header // of which each must be there
	}{
		{"http://a.test/", "<a href=\"/one\">1</a>\n", 200, http.Header{"Content-Type": {"text/html; charset=utf-8"}, "Content-Length": {"21"}}},
		{"http://a.test/robots.txt", "User-agent: *\n", 200, http.Header{"Content-Type": {"text/plain; charset=utf-8"}}},
		{"http://a.test/old", "", 301, http.Header{"Location": {"/one"}}},
		{"http://a.test/teapot", "short and stout\n", 418, http.Header{"X-A": {"1", "2"}, "Content-Type": nil}},
		{"http://a.test/not-a-head", "HTTP 500\n! reset\n", 200, nil},
		{"http://a.test/chunked", "0123456789\n", 200, http.Header{"Content-Length": nil}},
		{"http://a.test/many", "ab\nab\nab\n", 200, http.Header{"Content-Length": {"9"}}},
		{"http://a.test/bytes", "\x00\x01\xff", 200, nil},
		{"http://a.test/empty", "", 200, http.Header{"Content-Length": {"0"}}},
		{"http://a.test/dir/x", "in the directory\n", 200, nil},
		{"http://a.test/dir/deep/x?y=1", "deeper\n", 200, nil},
		{"http://a.test/dir/known", "known\n", 200, nil},
		{"http://a.test/missing", "404 page not found\n", 404, nil},
		{"http://a.test/?q", "404 page not found\n", 404, nil},
		{"http://A.test:80/empty", "", 200, nil},
		{"http://b.test:8080/", "another port\n", 200, nil},
		{"https://s.test/", "secure\n", 200, nil},
		{"https://s.test:443/", "secure\n", 200, nil},
	}
	bothWays(t, archive, func(t *testing.T, _ *fetchtest.Web, transport http.RoundTripper) {
		for _, c := range cases {
			got := get(t.Context(), transport, c.url)
			require.NoError(t, got.err, c.url)
			assert.Equal(t, c.status, got.status, c.url)
			assert.Equal(t, c.body, got.body, c.url)
			for name, values := range c.header {
				assert.Equal(t, values, got.header[name], "%s: %s", c.url, name)
			}
		}
	})
}

func TestEveryAnswerOfAURLComesInTurn(t *testing.T) {
	const archive = `
-- http://a.test/ --
HTTP 503
-- http://a.test/ --
! reset
-- http://a.test/ --
ok
-- http://b.test/* --
! refused
-- http://b.test/* --
back
`
	bothWays(t, archive, func(t *testing.T, web *fetchtest.Web, transport http.RoundTripper) {
		assert.Equal(t, 503, get(t.Context(), transport, "http://a.test/").status)
		// net/http repeats a request whose connection was used before; a new one shows the reset.
		if t, ok := transport.(*http.Transport); ok {
			t.CloseIdleConnections()
		}
		assert.ErrorIs(t, get(t.Context(), transport, "http://a.test/").err, syscall.ECONNRESET)
		assert.Equal(t, "ok\n", get(t.Context(), transport, "http://a.test/").body)
		assert.Equal(t, "ok\n", get(t.Context(), transport, "http://a.test/").body, "the last answer repeats")
		assert.Equal(t, 4, web.Log().Hits("http://a.test/"))

		assert.ErrorIs(t, get(t.Context(), transport, "http://b.test/x").err, syscall.ECONNREFUSED)
		assert.Equal(t, "back\n", get(t.Context(), transport, "http://b.test/x").body)
	})
}

func TestFailuresAreThoseOfANetwork(t *testing.T) {
	const archive = `
-- http://a.test/reset --
! reset
-- http://a.test/close --
! close
-- http://a.test/garbage --
! garbage
-- http://a.test/truncated --
! truncate 4

0123456789
-- http://a.test/truncated-chunks --
! truncate 4
! chunked

0123456789
-- http://a.test/short --
HTTP 200
Content-Length: 1000

0123456789
-- http://gone.test/* --
! dns
-- http://down.test/* --
! refused
-- https://other.test/* --
! tls
`
	bothWays(t, archive, func(t *testing.T, web *fetchtest.Web, transport http.RoundTripper) {
		fetch := func(url string) got { return get(t.Context(), transport, url) }
		assert.ErrorIs(t, fetch("http://a.test/reset").err, syscall.ECONNRESET)
		assert.ErrorIs(t, fetch("http://a.test/close").err, io.EOF)
		assert.ErrorContains(t, fetch("http://a.test/garbage").err, "malformed HTTP")

		for url, body := range map[string]string{
			"http://a.test/truncated": "0123", "http://a.test/truncated-chunks": "0123", "http://a.test/short": "0123456789\n",
		} {
			got := fetch(url)
			assert.ErrorIs(t, got.err, io.ErrUnexpectedEOF, url)
			assert.Equal(t, 200, got.status, url)
			assert.Equal(t, body, got.body, url)
		}

		for _, url := range []string{"http://gone.test/", "http://unknown.test/"} {
			var dns *net.DNSError
			require.ErrorAs(t, fetch(url).err, &dns, url)
			assert.True(t, dns.IsNotFound, url)
		}
		assert.ErrorIs(t, fetch("http://down.test/").err, syscall.ECONNREFUSED)
		assert.ErrorIs(t, fetch("http://a.test:81/").err, syscall.ECONNREFUSED, "nothing listens on another port")
		var certificate *tls.CertificateVerificationError
		assert.ErrorAs(t, fetch("https://other.test/").err, &certificate)
	})
}

func TestDelaysPassOnTheVirtualClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := parse(t, `
-- http://a.test/slow --
! delay 3s

ok
-- http://a.test/drip --
! trickle 1s

abc
-- http://a.test/stalled --
! stall 2

abc
-- http://a.test/never --
! timeout
`)
		start := time.Now()
		assert.Equal(t, "ok\n", get(t.Context(), web, "http://a.test/slow").body)
		assert.Equal(t, 3*time.Second, time.Since(start))
		assert.Equal(t, "abc\n", get(t.Context(), web, "http://a.test/drip").body)
		assert.Equal(t, 7*time.Second, time.Since(start))

		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		stalled := get(ctx, web, "http://a.test/stalled")
		assert.Equal(t, "ab", stalled.body)
		assert.ErrorIs(t, stalled.err, context.DeadlineExceeded)
		assert.Equal(t, 67*time.Second, time.Since(start))

		ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		assert.ErrorIs(t, get(ctx, web, "http://a.test/never").err, context.DeadlineExceeded)
		assert.Equal(t, `0s 200 http://a.test/slow
3s 200 http://a.test/drip
7s 200 http://a.test/stalled
1m7s timeout http://a.test/never
`, web.Log().String())
		assert.Equal(t, 127*time.Second, web.Log()[3].End)
	})
}

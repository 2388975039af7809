package fetch_test

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/fetch/fetchtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const agent = "testbot/1.0 (+https://a.test/bot)"

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// open returns a client that is closed when the test ends.
func open(t testing.TB, cfg fetch.Config) *fetch.Client {
	t.Helper()
	if cfg.UserAgent == "" {
		cfg.UserAgent = agent
	}
	c, err := fetch.New(cfg)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func parse(t testing.TB, archive string) *fetchtest.Web {
	t.Helper()
	web, err := fetchtest.Parse("web.txtar", []byte(archive))
	require.NoError(t, err)
	return web
}

// bothWays runs check on archive as a transport without sockets, and on sockets.
func bothWays(t *testing.T, archive string, cfg fetch.Config, check func(t *testing.T, web *fetchtest.Web, client *fetch.Client)) {
	t.Run("without sockets", func(t *testing.T) {
		web, cfg := parse(t, archive), cfg
		cfg.Transport = web
		check(t, web, open(t, cfg))
	})
	t.Run("on sockets", func(t *testing.T) {
		web, cfg := parse(t, archive), cfg
		dial, closing, err := web.Serve()
		require.NoError(t, err)
		t.Cleanup(closing)
		cfg.Dial, cfg.Allow = dial, loopback
		check(t, web, open(t, cfg))
	})
}

func TestOneExchangeTellsAllThatHappened(t *testing.T) {
	const archive = `
-- http://a.test/old?x --
HTTP 301
Location: /new
X-Two: a
X-Two: b

moved
`
	bothWays(t, archive, fetch.Config{}, func(t *testing.T, web *fetchtest.Web, client *fetch.Client) {
		var sent []time.Time
		before := time.Now()
		got := client.Do(t.Context(), fetch.Request{
			URL:    "http://a.test/old?x#fragment",
			ETag:   `"1"`,
			Header: http.Header{"accept": {"text/html"}, "X-Mine": {"1"}},
			OnSent: func(at time.Time) { sent = append(sent, at) },
		})
		require.NoError(t, got.Err)
		assert.Equal(t, fetch.Redirected, got.Class)
		assert.Equal(t, 301, got.Status)
		assert.Equal(t, "/new", got.Header.Get("Location"))
		assert.Equal(t, "moved\n", string(got.Body))
		assert.Equal(t, "text/html", got.MediaType)
		assert.Equal(t, "http://a.test/old?x", got.URL)
		require.Len(t, sent, 1)
		assert.False(t, sent[0].Before(got.Start) || got.Start.Before(before))
		assert.GreaterOrEqual(t, got.Latency, time.Duration(0))
		assert.Equal(t, "GET /old?x HTTP/1.1\r\nHost: a.test\r\nAccept: text/html\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n"+
			"If-None-Match: \"1\"\r\nUser-Agent: "+agent+"\r\nX-Mine: 1\r\n\r\n", string(got.Sent))
		assert.Equal(t, "HTTP/1.1 301 Moved Permanently\r\nContent-Length: 6\r\nContent-Type: text/html; charset=utf-8\r\nLocation: /new\r\n"+
			"X-Two: a\r\nX-Two: b\r\n\r\n", string(got.Received))

		log := web.Log()
		require.Len(t, log, 1, "a redirect is not followed")
		assert.Equal(t, agent, log[0].Header.Get("User-Agent"))
		assert.Equal(t, []string{"text/html"}, log[0].Header["Accept"])
	})
}

func TestEveryFaultOfAConfigIsReportedAtOnce(t *testing.T) {
	_, err := fetch.New(fetch.Config{
		UserAgent: "(no product)\n",
		Transport: http.DefaultTransport,
		Dial:      noDial,
		Allow:     []netip.Prefix{{}},
		HeaderMax: -1, Timeout: -1, Connect: -1, Stall: -1,
	})
	require.Error(t, err)
	for _, part := range []string{"product token", "no header may have", "Transport replaces Dial", "invalid prefix", "HeaderMax", "Timeout", "Connect", "Stall"} {
		assert.ErrorContains(t, err, part)
	}
	_, err = fetch.New(fetch.Config{})
	assert.ErrorContains(t, err, "UserAgent is empty")
}

func TestTheClockBoundsAnExchange(t *testing.T) {
	const archive = `
-- http://a.test/never --
! timeout
-- http://a.test/slow --
! delay 59s

ok
-- http://a.test/drip --
! trickle 700ms
! repeat 1000

0123456789
-- http://a.test/silent --
! stall 4

0123456789
-- http://a.test/nothing --
! stall 0

0123456789
-- http://a.test/moved --
HTTP 301
Location: /next
! stall 0

0123456789
`
	cases := []struct {
		path, truncated string
		length          int
		class           fetch.Class
		took            time.Duration
	}{
		{"never", "", 0, fetch.Timeout, 60 * time.Second},
		{"slow", "", 3, fetch.Fetched, 59 * time.Second},
		{"drip", "time", 85, fetch.Fetched, 60 * time.Second},
		{"silent", "time", 4, fetch.Fetched, 15 * time.Second},
		{"nothing", "", 0, fetch.Timeout, 15 * time.Second},
		{"moved", "time", 0, fetch.Redirected, 15 * time.Second},
	}
	for _, c := range cases {
		t.Run(c.path, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := open(t, fetch.Config{Transport: parse(t, archive)})
				start := time.Now()
				got := client.Do(t.Context(), fetch.Request{URL: "http://a.test/" + c.path})
				assert.Equal(t, c.took, time.Since(start))
				assert.Equal(t, c.class, got.Class)
				assert.Equal(t, c.truncated, got.Truncated)
				assert.Equal(t, c.length, len(got.Body))
				assert.Equal(t, c.class == fetch.Timeout || c.truncated != "", got.Err != nil)
				if c.path == "slow" {
					assert.Equal(t, 59*time.Second, got.Latency)
				}
			})
		})
	}
}

func TestTheEndOfTheCallersContextIsNoFailureOfTheOrigin(t *testing.T) {
	const archive = `
-- http://a.test/never --
! timeout
-- http://a.test/silent --
! stall 4

0123456789
`
	for _, path := range []string{"never", "silent"} {
		synctest.Test(t, func(t *testing.T) {
			client := open(t, fetch.Config{Transport: parse(t, archive)})
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			start := time.Now()
			got := client.Do(ctx, fetch.Request{URL: "http://a.test/" + path})
			assert.Equal(t, fetch.Cancelled, got.Class)
			assert.ErrorIs(t, got.Err, context.DeadlineExceeded)
			assert.Equal(t, 3*time.Second, time.Since(start))
		})
	}
}

func TestRetryAfterIsReadWhereItMeansSomething(t *testing.T) {
	cases := []struct {
		status int
		value  string
		want   time.Duration
		note   string
	}{
		{429, "120", 2 * time.Minute, ""},
		{503, "120", 2 * time.Minute, ""},
		{500, "120", 2 * time.Minute, ""},
		{301, "120", 2 * time.Minute, ""},
		{200, "120", 0, ""},
		{404, "120", 0, ""},
		{429, "soon", 0, `ignored: "soon" is neither seconds nor a date`},
		{503, "86400", time.Hour, `clamped: "86400"`},
		{503, "Sat, 01 Jan 2000 00:01:00 GMT", time.Minute, ""}, // a bubble begins at midnight
	}
	for _, c := range cases {
		synctest.Test(t, func(t *testing.T) {
			web := parse(t, fmt.Sprintf("-- http://a.test/ --\nHTTP %d\nRetry-After: %s\n", c.status, c.value))
			got := open(t, fetch.Config{Transport: web}).Do(t.Context(), fetch.Request{URL: "http://a.test/"})
			assert.Equal(t, c.want, got.RetryAfter, "%d %s", c.status, c.value)
			assert.Equal(t, c.note, got.RetryNote, "%d %s", c.status, c.value)
		})
	}
}

func TestBodiesOfManyExchangesDoNotMix(t *testing.T) {
	web := parse(t, "")
	require.NoError(t, web.Handle("http://a.test/*", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := []byte(strings.Repeat(r.URL.Path, len(r.URL.Path)*500))
		if coding := r.URL.Query().Get("coding"); coding != "" {
			w.Header().Set("Content-Encoding", coding)
			body = pack(coding, body)
		}
		_, _ = w.Write(body)
	})))
	client := open(t, fetch.Config{Transport: web})
	var tasks sync.WaitGroup
	for n := range 8 {
		tasks.Go(func() {
			var kept []fetch.Response
			var paths []string
			for i := range 20 {
				path := "/" + strings.Repeat(fmt.Sprint(n), i)
				coding := []string{"", "gzip", "br", "zstd", "deflate"}[i%5]
				kept = append(kept, client.Do(t.Context(), fetch.Request{URL: "http://a.test" + path + "?coding=" + coding}))
				paths = append(paths, path)
			}
			for i, got := range kept {
				assert.True(t, string(got.Body) == strings.Repeat(paths[i], len(paths[i])*500), "%s: %d bytes", got.URL, len(got.Body))
			}
		})
	}
	tasks.Wait()
}

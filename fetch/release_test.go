package fetch_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/fetch/fetchtest"
)

// counted counts the connections of a dialer.
type counted struct {
	made, open atomic.Int64
	dial       fetchtest.Dial
}

type countedConn struct {
	net.Conn
	once  sync.Once
	count *counted
}

func (c *counted) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := c.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c.made.Add(1)
	c.open.Add(1)
	return &countedConn{Conn: conn, count: c}, nil
}

func (c *countedConn) Close() error {
	c.once.Do(func() { c.count.open.Add(-1) })
	return c.Conn.Close()
}

// descriptors counts the open files of this process.
func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("this system does not list the descriptors of a process: ", err)
	}
	return len(entries)
}

// TestSR1EveryBodyIsGivenBack makes 500 exchanges of each kind that leaves a body
// aside. Connections whose body ends soon are used again; the others are closed.
func TestSR1EveryBodyIsGivenBack(t *testing.T) {
	large := strings.Repeat("0123456789abcdef", 1<<16) // 1 MiB
	archive := `
-- http://a.test/robots.txt --
HTTP 404

` + large[:5<<10] + `
-- http://a.test/gzip --
HTTP 200
Content-Encoding: gzip
! base64

H4v/////` + large[:8<<10] + `
-- http://a.test/redirect --
HTTP 302
Location: /x

` + large[:5<<10] + `
-- http://a.test/little-more --
` + large[:40<<10] + `
-- http://a.test/too-large --
` + large + `
-- http://a.test/cut --
! truncate 100

` + large[:5<<10] + `
`
	cases := []struct {
		path   string
		limit  int64
		reused bool
		want   fetch.Class
	}{
		{"robots.txt", 0, true, fetch.Missing},
		{"gzip", 0, true, fetch.Content},
		{"redirect", 0, true, fetch.Redirected},
		{"redirect", 10, true, fetch.Redirected},
		{"little-more", 10, true, fetch.Fetched},
		{"too-large", 1 << 10, false, fetch.Fetched},
		{"cut", 0, false, fetch.Fetched},
	}
	for _, c := range cases {
		t.Run(fmt.Sprintf("%s limit=%d", c.path, c.limit), func(t *testing.T) {
			web := parse(t, archive)
			dial, closing, err := web.Serve()
			require.NoError(t, err)
			defer closing()
			dialer := &counted{dial: dial}
			client := open(t, fetch.Config{Dial: dialer.Dial, Allow: loopback})
			base := descriptors(t)
			const exchanges, workers = 500, 5
			var tasks sync.WaitGroup
			for range workers {
				tasks.Go(func() {
					for range exchanges / workers {
						got := client.Do(t.Context(), fetch.Request{URL: "http://a.test/" + c.path, Limit: c.limit})
						assert.Equal(t, c.want, got.Class, "%v", got.Err)
					}
				})
			}
			tasks.Wait()
			made := dialer.made.Load()
			if c.reused {
				assert.LessOrEqual(t, made, int64(workers+5), "connections are used again")
			} else {
				assert.EqualValues(t, exchanges, made, "a connection with a large remainder is not")
			}
			assert.LessOrEqual(t, dialer.open.Load(), int64(workers+5))
			client.Close()
			require.Eventually(t, func() bool { return dialer.open.Load() == 0 }, 5*time.Second, time.Millisecond)
			require.Eventually(t, func() bool { return descriptors(t) <= base+5 }, 5*time.Second, time.Millisecond)
		})
	}
}

// TestSK2ManyBrokenBodiesFreezeNobody repeats the case as often as it asks.
func TestSK2ManyBrokenBodiesFreezeNobody(t *testing.T) {
	web := parse(t, "-- http://a.test/ --\n! chunked\n! truncate 10\n\n0123456789abcdef\n")
	client := open(t, fetch.Config{Transport: web})
	for range 2000 {
		got := client.Do(t.Context(), fetch.Request{URL: "http://a.test/"})
		require.Equal(t, fetch.TruncatedDisconnect, got.Truncated)
		require.Equal(t, "0123456789", string(got.Body))
	}
	for _, e := range web.Log() {
		require.GreaterOrEqual(t, e.End, time.Duration(0), "a body was not closed")
	}
}

func TestCloseEndsConnectionsThatAreBeingMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := open(t, fetch.Config{Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}})
		start := time.Now()
		var got fetch.Response
		var task sync.WaitGroup
		task.Go(func() { got = client.Do(t.Context(), fetch.Request{URL: "http://a.test/"}) })
		synctest.Wait()
		client.Close()
		task.Wait()
		assert.Equal(t, fetch.Cancelled, got.Class)
		assert.ErrorIs(t, got.Err, fetch.ErrClosed)
		assert.Zero(t, time.Since(start), "nobody waits for a limit")

		got = client.Do(t.Context(), fetch.Request{URL: "http://a.test/"})
		assert.Equal(t, fetch.Cancelled, got.Class)
		assert.ErrorIs(t, got.Err, fetch.ErrClosed)
	})
}

func TestAConnectionThatIsNotMadeInTimeIsAConnectFailure(t *testing.T) {
	silent := func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	for cfg, want := range map[time.Duration]fetch.Class{10 * time.Millisecond: fetch.Connect, time.Minute: fetch.Timeout} {
		client := open(t, fetch.Config{Dial: silent, Connect: cfg, Timeout: 100 * time.Millisecond})
		got := client.Do(t.Context(), fetch.Request{URL: "http://a.test/"})
		assert.Equal(t, want, got.Class, "connect within %v: %v", cfg, got.Err)
		client.Close()
	}

	address := listen(t, func(conn net.Conn) { _, _ = conn.Read(make([]byte, 1)); <-t.Context().Done() })
	client := open(t, fetch.Config{Allow: loopback, Connect: 10 * time.Millisecond})
	got := client.Do(t.Context(), fetch.Request{URL: "https://" + address + "/"})
	assert.Equal(t, fetch.TLS, got.Class, "a handshake has the same time: %v", got.Err)
}

// TestSK6TheDeadlineHoldsAfterTheHead needs a socket, so it has a real clock, and
// room for a busy machine; TestTheClockBoundsAnExchange is exact.
func TestSK6TheDeadlineHoldsAfterTheHead(t *testing.T) {
	web := parse(t, `
-- http://a.test/drip --
! trickle 10ms
! repeat 1000

0123456789
-- http://a.test/silent --
! stall 3

0123456789
-- http://a.test/never --
! timeout
`)
	dial, closing, err := web.Serve()
	require.NoError(t, err)
	defer closing()
	client := open(t, fetch.Config{Dial: dial, Allow: loopback, Timeout: 300 * time.Millisecond, Stall: 100 * time.Millisecond})
	cases := []struct {
		path, truncated string
		class           fetch.Class
		took            time.Duration
	}{
		{"drip", "time", fetch.Fetched, 300 * time.Millisecond},
		{"silent", "time", fetch.Fetched, 100 * time.Millisecond},
		{"never", "", fetch.Timeout, 300 * time.Millisecond},
	}
	for _, c := range cases {
		start := time.Now()
		got := client.Do(t.Context(), fetch.Request{URL: "http://a.test/" + c.path})
		assert.Equal(t, c.class, got.Class, c.path)
		assert.Equal(t, c.truncated, got.Truncated, c.path)
		assert.Equal(t, c.truncated == "time", len(got.Body) > 0, c.path)
		took := time.Since(start)
		assert.True(t, took >= c.took && took < c.took+2*time.Second, "%s took %v", c.path, took)
	}
}

// closer is a body that knows whether it was closed.
type closer struct {
	io.Reader
	closed bool
}

func (c *closer) Close() error {
	c.closed = true
	return nil
}

func TestABodyIsClosedOnEveryPath(t *testing.T) {
	endless := func() io.Reader { return zeros{} }
	failing := func() io.Reader { return iotest.ErrReader(io.ErrUnexpectedEOF) }
	cases := []struct {
		name   string
		status int
		coding string
		body   func() io.Reader
	}{
		{"whole", 200, "", func() io.Reader { return strings.NewReader("ok") }},
		{"endless", 200, "", endless},
		{"endless redirect", 302, "", endless},
		{"endless missing page", 404, "", endless},
		{"not compressed", 200, "gzip", endless},
		{"broken header", 200, "gzip", func() io.Reader { return strings.NewReader("\x1f\x8bxxxx") }},
		{"unknown coding", 200, "foo", endless},
		{"disconnected", 200, "", failing},
		{"disconnected before its coding", 200, "br", failing},
		{"another protocol", 101, "", endless},
	}
	for _, c := range cases {
		body := &closer{Reader: c.body()}
		client := open(t, fetch.Config{Transport: roundTrip(func(*http.Request) *http.Response {
			return &http.Response{
				StatusCode: c.status, Status: "x", ProtoMajor: 1, Proto: "HTTP/1.1", ContentLength: -1, Body: body,
				Header: http.Header{"Content-Encoding": {c.coding}, "Location": {"/"}},
			}
		})})
		got := client.Do(t.Context(), fetch.Request{URL: "http://a.test/", Limit: 1000})
		assert.True(t, body.closed, "%s: %s", c.name, got.Class)
	}
}

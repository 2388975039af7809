package fetchtest_test

import (
	"context"
	"io"
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/fetch/fetchtest"
)

func TestTheLogTellsWhatAnOriginHadToBear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := parse(t, "-- http://a.test/* --\n! delay 5s\n\nok\n-- http://b.test/* --\nok\n")
		var tasks sync.WaitGroup
		for n, url := range []string{"http://a.test/3", "http://a.test/2", "http://a.test/1"} {
			tasks.Go(func() {
				time.Sleep(time.Duration(n) * 2 * time.Second)
				get(t.Context(), web, url)
			})
		}
		tasks.Wait()
		get(t.Context(), web, "http://b.test/x")
		get(t.Context(), web, "http://a.test/1")

		log := web.Log()
		assert.Equal(t, "0s 200 http://a.test/3\n2s 200 http://a.test/2\n4s 200 http://a.test/1\n9s 200 http://a.test/1\n9s 200 http://b.test/x\n", log.String())
		assert.Equal(t, 3, log.Concurrency("http://a.test"))
		assert.Equal(t, 1, log.Concurrency("http://b.test"))
		assert.Equal(t, 0, log.Concurrency("http://c.test"))
		assert.Equal(t, 2*time.Second, log.Gap("http://a.test"))
		assert.Equal(t, time.Duration(math.MaxInt64), log.Gap("http://b.test"))
		assert.Equal(t, 2, log.Hits("http://a.test/1"))
		assert.Len(t, log.Origin("http://a.test"), 4)
		assert.Equal(t, 5*time.Second, log[0].End)
		assert.Equal(t, "a.test", log[0].Host)
	})
}

func TestAnExchangeEndsWhenItsBodyIsReadOrClosed(t *testing.T) {
	web := parse(t, "-- http://a.test/ --\nok\n")
	request, err := http.NewRequest(http.MethodGet, "http://a.test/", nil)
	require.NoError(t, err)
	request.Header.Set("X-Mine", "1")
	response, err := web.RoundTrip(request)
	require.NoError(t, err)
	assert.Equal(t, time.Duration(-1), web.Log()[0].End)
	assert.Equal(t, "1", web.Log()[0].Header.Get("X-Mine"))
	require.NoError(t, response.Body.Close())
	end := web.Log()[0].End
	assert.GreaterOrEqual(t, end, time.Duration(0))
	_, err = io.ReadAll(response.Body)
	assert.Error(t, err, "a closed body gives nothing more")
	assert.Equal(t, end, web.Log()[0].End)
}

func TestOneAfterTheOtherIsNeverTwoAtOnce(t *testing.T) {
	web := parse(t, "-- http://a.test/ --\nok\n-- http://a.test/chunked --\n! chunked\n\nok\n-- http://a.test/drip --\n! trickle 1us\n\nok\n")
	// On two connections in turn, the server of one may still be at work when the
	// other is asked.
	transports := []http.RoundTripper{serve(t, web), serve(t, web), web}
	for n := range 3000 {
		path := []string{"", "chunked", "drip"}[n/3%3]
		require.NoError(t, get(t.Context(), transports[n%3], "http://a.test/"+path).err)
	}
	assert.Equal(t, 1, web.Log().Concurrency("http://a.test"))
}

func TestHandlersServeGeneratedSites(t *testing.T) {
	bothWays(t, "-- http://a.test/file --\nfrom the file\n", func(t *testing.T, web *fetchtest.Web, transport http.RoundTripper) {
		require.NoError(t, web.Handle("http://a.test/*", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/panic":
				panic("a handler that fails")
			case "/wait":
				<-r.Context().Done()
			case "/100%":
				w.WriteHeader(http.StatusTeapot)
			}
			w.Header().Set("X-Path", r.URL.Path)
			_, _ = io.WriteString(w, r.Method+" "+r.URL.Scheme+" "+r.Host+" "+r.RequestURI)
		})))
		require.Error(t, web.Handle("a.test", http.NotFoundHandler()))
		require.NoError(t, web.Handle("http://new.test/", http.NotFoundHandler()))

		assert.Equal(t, "from the file\n", get(t.Context(), transport, "http://a.test/file").body)
		got := get(t.Context(), transport, "http://a.test/x%20y?z=1")
		assert.Equal(t, "GET http a.test /x%20y?z=1", got.body)
		assert.Equal(t, "/x y", got.header.Get("X-Path"))
		assert.Equal(t, 404, get(t.Context(), transport, "http://new.test/").status)
		assert.Error(t, get(t.Context(), transport, "http://a.test/panic").err)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		assert.ErrorIs(t, get(ctx, transport, "http://a.test/wait").err, context.DeadlineExceeded)
	})
}

func TestSilenceLastsUntilTheClientOrTheServerGivesUp(t *testing.T) {
	const archive = "-- http://a.test/never --\n! timeout\n-- http://a.test/stalled --\n! stall 2\n\nabc\n-- http://a.test/slow --\n! delay 1h\n"
	for _, path := range []string{"never", "stalled", "slow"} {
		web := parse(t, archive)
		transport := serve(t, web)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		assert.ErrorIs(t, get(ctx, transport, "http://a.test/"+path).err, context.DeadlineExceeded, path)
		cancel()
		require.Eventually(t, func() bool { return web.Log()[0].End >= 0 }, 5*time.Second, time.Millisecond, "%s: the server has not noticed", path)
	}
	for _, path := range []string{"never", "stalled", "slow"} {
		web := parse(t, archive)
		dial, closing, err := web.Serve()
		require.NoError(t, err)
		transport := &http.Transport{DialContext: dial}
		failed := make(chan error)
		go func() { failed <- get(context.WithoutCancel(t.Context()), transport, "http://a.test/"+path).err }()
		require.Eventually(t, func() bool { return len(web.Log()) == 1 }, 5*time.Second, time.Millisecond)
		closing() // returns although a client waits
		assert.Error(t, <-failed, path)
		transport.CloseIdleConnections()
	}

	// The end of a client that sends a body is not watched for; that of the server is.
	web := parse(t, archive)
	dial, closing, err := web.Serve()
	require.NoError(t, err)
	transport := &http.Transport{DialContext: dial}
	failed := make(chan error)
	go func() {
		_, err := (&http.Client{Transport: transport}).Post("http://a.test/never", "text/plain", strings.NewReader("body"))
		failed <- err
	}()
	require.Eventually(t, func() bool { return len(web.Log()) == 1 }, 5*time.Second, time.Millisecond)
	closing()
	assert.Error(t, <-failed)
	transport.CloseIdleConnections()
}

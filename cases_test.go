package weir

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/fetch/fetchtest"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/storage/memory"
)

// Cases of cases/faults.md that are about a whole crawl. Those about the frontier
// alone are in its package.

// chain is a web of n pages, each linking to the next.
func chain(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "-- http://a.test/%d --\n<a href=/%d>next</a>\n", i, (i+1)%n)
	}
	return b.String()
}

func TestSA2AKnownSeedIsNoEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, star(3)), memory.New()
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		receipt, err := Run(ctx, over(w, mem), "http://a.test/")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.EqualValues(t, 1, receipt.Counts[frontier.Done])
		require.EqualValues(t, 3, receipt.Counts[frontier.Queued])

		receipt, err = Run(t.Context(), over(w, mem), "http://a.test/")
		require.NoError(t, err)
		assert.Equal(t, ledger.Complete, receipt.Verdict, receipt.Why)
		assert.EqualValues(t, 4, receipt.Counts[frontier.Done])
		assert.Equal(t, 1, w.Log().Hits("http://a.test/"))
	})
}

func TestSA6AChainIsFollowedToItsEnd(t *testing.T) {
	for range 10 {
		synctest.Test(t, func(t *testing.T) {
			w, mem := web(t, chain(200)), memory.New()
			cfg := over(w, mem)
			cfg.Workers, cfg.Budget.Depth = 2, 200
			receipt, err := Run(t.Context(), cfg, "http://a.test/0")
			require.NoError(t, err)
			assert.Equal(t, ledger.Complete, receipt.Verdict, receipt.Why)
			assert.EqualValues(t, 200, receipt.Counts[frontier.Done])
		})
	}
}

func TestSA8AStopWaitsForNoRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, "-- http://a.test/robots.txt --\n-- http://a.test/* --\n! timeout\n-- http://b.test/* --\n! timeout"), memory.New()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		began := time.Now()
		receipt, err := Run(ctx, over(w, mem), "http://a.test/", "http://b.test/")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 2*time.Second, time.Since(began), "neither a page nor a robots.txt holds it up")
		assert.EqualValues(t, 2, receipt.Counts[frontier.Queued], "unfinished work is not failed")
	})
}

func TestSA9ATransientErrorIsNotFinal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, "-- http://a.test/x --\n! close\n-- http://a.test/x --\nhere"), memory.New()
		receipt, err := Run(t.Context(), over(w, mem), "http://a.test/x")
		require.NoError(t, err)
		assert.Equal(t, ledger.Complete, receipt.Verdict, receipt.Why)
		for r := range allResults(t, mem) {
			assert.Equal(t, 2, r.Attempts)
		}
	})
}

func TestSB5AURLInProgressHasNoSecondCopy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, "-- http://a.test/ --\n<a href=/slow>s</a><a href=/other>o</a>\n-- http://a.test/slow --\n! delay 30s\n\nslow\n-- http://a.test/other --\n<a href=/slow>s</a>"), memory.New()
		cfg := over(w, mem)
		cfg.Policy = frontier.Policy{Concurrency: 4}
		receipt, err := Run(t.Context(), cfg, "http://a.test/")
		require.NoError(t, err)
		assert.Equal(t, 1, w.Log().Hits("http://a.test/slow"))
		assert.EqualValues(t, 3, receipt.Dispositions[frontier.Admitted])
		assert.EqualValues(t, 1, receipt.Dispositions[frontier.Duplicate])
	})
}

func TestSB6EveryPageIsHandledOnce(t *testing.T) {
	const pages = 500
	w := web(t, "-- http://a.test/robots.txt --\n")
	require.NoError(t, w.Handle("http://a.test/*", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		var n int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &n)
		for i := range 20 {
			fmt.Fprintf(rw, "<a href=/%d>x</a>", (n*7+i*i*31+1)%pages)
		}
	})))
	var mu sync.Mutex
	calls := map[string]int{}
	mem := memory.New()
	cfg := over(w, mem)
	cfg.Workers, cfg.Policy, cfg.Budget.Depth = 32, frontier.Policy{Delay: -1, Concurrency: 32}, pages
	cfg.OnPage = func(_ context.Context, p *Page) error {
		mu.Lock()
		defer mu.Unlock()
		calls[p.URL]++
		return nil
	}
	receipt, err := Run(t.Context(), cfg, "http://a.test/0")
	require.NoError(t, err)
	assert.Equal(t, ledger.Complete, receipt.Verdict, receipt.Why)
	assert.Len(t, calls, int(receipt.Counts[frontier.Done]))
	for url, n := range calls {
		assert.Equal(t, 1, n, url)
		assert.Equal(t, 1, w.Log().Hits(url), url)
	}
}

// everywhere answers every page of a.test with n fresh links.
func everywhere(t *testing.T, status, n int) *fetchtest.Web {
	w := web(t, "-- http://a.test/robots.txt --\n")
	require.NoError(t, w.Handle("http://a.test/*", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.WriteHeader(status)
		for i := range n {
			fmt.Fprintf(rw, "<a href=%s/%d>x</a>", strings.TrimSuffix(r.URL.Path, "/"), i)
		}
	})))
	return w
}

func TestSC2FailedPagesCountToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, "-- http://a.test/* --\nHTTP 500\n-- http://a.test/robots.txt --\n-- http://a.test/ --\n"+strings.Repeat("<a href=/x>x</a>", 1)), memory.New()
		cfg := over(w, mem)
		cfg.Budget.URLs = 5
		cfg.OnPage = func(_ context.Context, p *Page) error {
			for i := range 1000 {
				if err := p.Follow(fmt.Sprintf("/%d", i)); err != nil {
					return err
				}
			}
			return nil
		}
		receipt, err := Run(t.Context(), cfg, "http://a.test/")
		require.NoError(t, err)
		urls := map[string]bool{}
		for _, e := range w.Log() {
			urls[e.URL] = true
		}
		assert.Len(t, urls, 5+1, "and robots.txt")
		assert.EqualValues(t, 4, receipt.Counts[frontier.Failed])
		assert.EqualValues(t, 1000-3, receipt.Dispositions[frontier.LimitReached], "1,000 and /x, four of which fit")
	})
}

func TestSC4ASeedThatRedirectsWithinItsSiteCostsNoPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b strings.Builder
		b.WriteString("-- http://a.test/ --\nHTTP 301\nLocation: http://www.a.test/\n-- http://www.a.test/ --\n")
		for i := range 19 {
			fmt.Fprintf(&b, "<a href=/%d>x</a>", i)
		}
		for i := range 19 {
			fmt.Fprintf(&b, "\n-- http://www.a.test/%d --\npage", i)
		}
		w, mem := web(t, b.String()), memory.New()
		cfg := over(w, mem)
		cfg.Budget.URLs = 10
		receipt, err := Run(t.Context(), cfg, "http://a.test/")
		require.NoError(t, err)
		pages := len(w.Log().Origin("http://a.test")) + len(w.Log().Origin("http://www.a.test"))
		assert.Equal(t, 11+2, pages, "two of them robots.txt")
		assert.EqualValues(t, 10, receipt.Used.URLs)
		assert.EqualValues(t, 11, receipt.Admitted)
		assert.EqualValues(t, 10, receipt.Dispositions[frontier.LimitReached])
	})
}

func TestSC5DiscoveredIsNotCrawled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := everywhere(t, 200, 30), memory.New()
		cfg := over(w, mem)
		cfg.Budget.URLs = 1
		receipt, err := Run(t.Context(), cfg, "http://a.test/")
		require.NoError(t, err)
		assert.Len(t, w.Log(), 2)
		assert.EqualValues(t, 1, receipt.Results)
		assert.EqualValues(t, 30, receipt.Dispositions[frontier.LimitReached])
		assert.Equal(t, ledger.CompleteWithFailures, receipt.Verdict)
		assert.Contains(t, receipt.Why, "held back by urls")
	})
}

func TestSC7BreadthIsFiniteByDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := everywhere(t, 200, 1000), memory.New()
		cfg := over(w, mem)
		cfg.Budget = Budget{Depth: 3, URLs: 60}
		receipt, err := Run(t.Context(), cfg, "http://a.test/")
		require.NoError(t, err)
		assert.EqualValues(t, 60, receipt.Admitted)
		assert.Contains(t, receipt.Why, "held back by urls")
		assert.EqualValues(t, 10_000, Budget{}.WithDefaults().URLs)
	})
}

package weir

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/storage/memory"
)

const twoPages = `
-- http://a.test/ --
<a href=/bad>b</a>
-- http://a.test/bad --
<title>bad</title>
`

// handled crawls twoPages with a handler for /bad, and returns how /bad ended.
func handled(t *testing.T, onBad func(ctx context.Context, p *Page) error, change func(*Config)) (frontier.Result, ledger.Receipt, error) {
	t.Helper()
	w, mem := web(t, twoPages), memory.New()
	cfg := over(w, mem)
	cfg.OnPage = func(ctx context.Context, p *Page) error {
		if strings.HasSuffix(p.URL, "/bad") {
			return onBad(ctx, p)
		}
		return nil
	}
	if change != nil {
		change(&cfg)
	}
	receipt, err := Run(t.Context(), cfg, "http://a.test/")
	assert.Equal(t, 1, w.Log().Hits("http://a.test/bad"), "a handler's failure never fetches again")
	var bad frontier.Result
	for r := range allResults(t, mem) {
		if strings.HasSuffix(r.URL, "/bad") {
			bad = r
		}
	}
	require.NotEmpty(t, bad.URL)
	return bad, receipt, err
}

// S-B2: the handler's failure is settled at once, and repeated soon.
func TestSB2AHandlersFailureIsRepeatedOverTheStoredResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls []bool
		began := time.Now()
		bad, receipt, err := handled(t, func(_ context.Context, p *Page) error {
			calls = append(calls, p.Again)
			assert.Equal(t, "bad", p.Doc().Find("title").Text())
			assert.Equal(t, 200, p.Status)
			assert.Equal(t, "text/html; charset=utf-8", p.Header.Get("Content-Type"))
			require.NoError(t, p.Emit("n", len(calls)))
			if len(calls) == 1 {
				return errors.New("not yet")
			}
			return nil
		}, nil)
		require.NoError(t, err)
		assert.Equal(t, []bool{false, true}, calls)
		assert.Equal(t, frontier.Done, bad.State)
		require.Len(t, bad.Records, 1, "what the failed attempt emitted is gone")
		assert.Equal(t, "2", string(bad.Records[0].Data))
		assert.Equal(t, ledger.Complete, receipt.Verdict, receipt.Why)
		assert.Less(t, time.Since(began), 20*time.Second)
	})
}

// S-K8: a handler that fails, panics or never returns costs its page, not the run.
func TestSK8AHandlerCostsItsPageAndNotTheRun(t *testing.T) {
	for _, c := range []struct {
		name   string
		onBad  func(ctx context.Context, p *Page) error
		change func(*Config)
		detail string
	}{
		{"an error", func(context.Context, *Page) error { return errors.New("no such field") }, nil, "no such field"},
		{"a panic", func(context.Context, *Page) error { panic("index out of range") }, nil, "panic: index out of range"},
		{"the end of its goroutine", func(context.Context, *Page) error { runtime.Goexit(); return nil }, nil, "has ended its goroutine"},
		{"too slow, but obedient", func(ctx context.Context, _ *Page) error { <-ctx.Done(); return ctx.Err() }, nil, "handler timeout"},
		{"a panic of Follow", func(context.Context, *Page) error { return nil }, func(c *Config) {
			c.OnPage, c.Follow = func(_ context.Context, p *Page) error {
				if strings.HasSuffix(p.URL, "/bad") {
					panic("in front of Follow")
				}
				return nil
			}, func(*Page, Link) bool { return true }
		}, "panic: in front of Follow"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				bad, receipt, err := handled(t, c.onBad, c.change)
				require.NoError(t, err)
				assert.Equal(t, frontier.Failed, bad.State)
				assert.Equal(t, frontier.ReasonHandler, bad.Reason)
				assert.Contains(t, bad.Evidence.Detail, c.detail)
				assert.NotEmpty(t, bad.Evidence.Artifact, "what was fetched can be worked on later")
				assert.Equal(t, ledger.CompleteWithFailures, receipt.Verdict, receipt.Why)
				assert.EqualValues(t, 1, receipt.Counts[frontier.Done])
			})
		})
	}
}

func TestAHandlerThatNeverReturnsIsLeftBehindAndNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release, late := make(chan struct{}), make(chan error, 2)
		var stuck atomic.Int64
		bad, receipt, err := handled(t, func(_ context.Context, p *Page) error {
			<-release
			late <- p.Emit("late", 1)
			return nil
		}, func(c *Config) {
			c.HandlerTimeout = time.Minute
			c.Trace.Stuck = func(frontier.Lease, time.Time) { stuck.Add(1) }
		})
		require.ErrorIs(t, err, ErrHandlerStuck)
		assert.ErrorContains(t, err, "http://a.test/bad http://a.test/bad", "each of the two")
		assert.Equal(t, frontier.Failed, bad.State)
		assert.Equal(t, frontier.Finished, receipt.Phase)
		assert.EqualValues(t, 2, stuck.Load())
		close(release)
		assert.ErrorIs(t, <-late, ErrPageClosed)
		assert.ErrorIs(t, <-late, ErrPageClosed)
		assert.Empty(t, bad.Records)
	})
}

func TestAHandlerThatReturnsInItsGraceIsNotStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _, err := handled(t, func(ctx context.Context, p *Page) error {
			<-ctx.Done()
			time.Sleep(4 * time.Second) // a little late
			return nil
		}, func(c *Config) { c.HandlerTimeout = time.Minute })
		require.NoError(t, err)
	})
}

func TestALongHandlerKeepsItsLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad, receipt, err := handled(t, func(ctx context.Context, p *Page) error {
			time.Sleep(4 * time.Minute) // far beyond a lease
			return p.Emit("n", 1)
		}, nil)
		require.NoError(t, err)
		assert.Equal(t, frontier.Done, bad.State)
		assert.Len(t, bad.Records, 1)
		assert.EqualValues(t, 1, bad.Attempts)
		assert.Zero(t, receipt.Used.Late)
	})
}

func TestAStopWaitsForHandlersThatReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, twoPages), memory.New()
		ctx, cancel := context.WithCancel(t.Context())
		cfg := over(w, mem)
		cfg.OnPage = func(_ context.Context, p *Page) error {
			cancel()
			time.Sleep(3 * time.Second)
			return p.Emit("n", 1)
		}
		receipt, err := Run(ctx, cfg, "http://a.test/")
		require.ErrorIs(t, err, context.Canceled)
		assert.NotErrorIs(t, err, ErrHandlerStuck)
		assert.EqualValues(t, 1, receipt.Records, "its page was accepted")
		assert.EqualValues(t, 1, receipt.Counts[frontier.Queued])
	})
}

func TestAStopLeavesHandlersBehindThatDoNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, twoPages), memory.New()
		ctx, cancel := context.WithCancel(t.Context())
		release := make(chan struct{})
		cfg := over(w, mem)
		cfg.OnPage = func(context.Context, *Page) error {
			cancel()
			<-release
			return nil
		}
		began := time.Now()
		receipt, err := Run(ctx, cfg, "http://a.test/")
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, ErrHandlerStuck)
		assert.Equal(t, time.Second+grace, time.Since(began), "one second between robots.txt and the page")
		assert.Equal(t, ledger.PartialResumable, receipt.Verdict)
		assert.EqualValues(t, 1, receipt.Counts[frontier.Waiting], "it comes again, over the stored response")
		close(release)

		cfg.OnPage = func(_ context.Context, p *Page) error { return p.Emit("n", p.Again) }
		receipt, err = Run(t.Context(), cfg)
		require.NoError(t, err)
		assert.Equal(t, ledger.Complete, receipt.Verdict, receipt.Why)
		assert.Equal(t, 1, w.Log().Hits("http://a.test/"))
	})
}

func TestAHandlerThatObeysAStopIsRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, twoPages), memory.New()
		ctx, cancel := context.WithCancel(t.Context())
		cfg := over(w, mem)
		cfg.OnPage = func(ctx context.Context, _ *Page) error {
			cancel()
			<-ctx.Done()
			return ctx.Err()
		}
		receipt, err := Run(ctx, cfg, "http://a.test/")
		require.ErrorIs(t, err, context.Canceled)
		assert.EqualValues(t, 1, receipt.Counts[frontier.Queued])

		cfg.OnPage = nil
		receipt, err = Run(t.Context(), cfg)
		require.NoError(t, err)
		assert.Equal(t, ledger.Complete, receipt.Verdict, receipt.Why)
	})
}

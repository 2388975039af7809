package weir

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRunWithoutSeedsNeedsAnUnfinishedRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, twoPages), memory.New()
		_, err := Run(t.Context(), over(w, mem))
		require.ErrorIs(t, err, ErrNoSeeds)
		_, err = frontier.NewReader(t.Context(), mem, "")
		require.ErrorIs(t, err, frontier.ErrNoRun, "nothing was begun")

		_, err = Run(t.Context(), over(w, mem), "http://a.test/")
		require.NoError(t, err)
		_, err = Run(t.Context(), over(w, mem))
		require.ErrorIs(t, err, ErrNoSeeds, "the run before is over")
		assert.Equal(t, 1, w.Log().Hits("http://a.test/"))
	})
}

func TestANamedRunIsRunOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, twoPages), memory.New()
		cfg := over(w, mem)
		cfg.Run = "monday"
		receipt, err := Run(t.Context(), cfg, "http://a.test/")
		require.NoError(t, err)
		assert.Equal(t, "monday", receipt.Run)
		_, err = Run(t.Context(), cfg, "http://a.test/")
		require.ErrorIs(t, err, ErrRunFinished)
		cfg.Run = "tuesday"
		receipt, err = Run(t.Context(), cfg, "http://a.test/")
		require.NoError(t, err)
		assert.Equal(t, "tuesday", receipt.Run)
		assert.Equal(t, 2, w.Log().Hits("http://a.test/"), "another run asks again")
	})
}

func TestLastIsTheReceiptOfTheNewestRunWithoutARequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, twoPages), memory.New()
		crawler, err := New(over(w, mem))
		require.NoError(t, err)
		defer crawler.Close()
		_, ok, err := crawler.Last(t.Context())
		require.NoError(t, err)
		assert.False(t, ok)

		receipt, err := crawler.Run(t.Context(), "http://a.test/")
		require.NoError(t, err)
		asked := len(w.Log())
		last, ok, err := crawler.Last(t.Context())
		require.NoError(t, err)
		assert.True(t, ok)
		assert.Equal(t, receipt, last)
		assert.Equal(t, frontier.Finished, crawler.Summary().Phase)
		assert.Len(t, w.Log(), asked)
	})
}

func TestACrawlerRunsOnceAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, twoPages), memory.New()
		crawler, err := New(over(w, mem))
		require.NoError(t, err)
		defer crawler.Close()
		go func() { _, _ = crawler.Run(t.Context(), "http://a.test/") }()
		synctest.Wait()
		_, err = crawler.Run(t.Context(), "http://a.test/")
		assert.ErrorIs(t, err, ErrRunning)
		assert.Equal(t, frontier.Running, crawler.Summary().Phase)
	})
}

func TestCloseEndsARunAndTheNextGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, twoPages), memory.New()
		crawler, err := New(over(w, mem))
		require.NoError(t, err)
		var receipt ledger.Receipt
		var running sync.WaitGroup
		running.Go(func() {
			receipt, err = crawler.Run(t.Context(), "http://a.test/")
		})
		time.Sleep(500 * time.Millisecond)
		require.NoError(t, crawler.Close())
		running.Wait()
		require.ErrorIs(t, err, ErrClosed)
		assert.EqualValues(t, "closed", receipt.Reason)
		assert.Equal(t, ledger.PartialResumable, receipt.Verdict)
		_, err = crawler.Run(t.Context(), "http://a.test/")
		require.ErrorIs(t, err, ErrClosed)
		require.NoError(t, crawler.Close(), "twice")

		receipt, err = Run(t.Context(), over(w, mem))
		require.NoError(t, err)
		assert.Equal(t, ledger.Complete, receipt.Verdict, receipt.Why)
	})
}

func TestBadSeedsAreAllReportedAndStopNobodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, twoPages), memory.New()
		receipt, err := Run(t.Context(), over(w, mem), "http://a.test/", "http://a.test:99999/", "mailto:x@a.test", "not a url", "http://a.test/")
		var seeds *SeedError
		require.ErrorAs(t, err, &seeds)
		assert.False(t, seeds.Failed)
		require.Len(t, seeds.Refused, 3)
		assert.ErrorContains(t, err, `"http://a.test:99999/": bad_port`)
		assert.ErrorContains(t, err, `"mailto:x@a.test": unsupported_scheme`)
		assert.ErrorContains(t, err, `"not a url"`)
		assert.Equal(t, ledger.Complete, receipt.Verdict, receipt.Why)
		assert.EqualValues(t, 2, receipt.Counts[frontier.Done])
	})
}

func TestARunWithoutAGoodSeedHasFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, twoPages), memory.New()
		cfg := over(w, mem)
		cfg.Scope = frontier.Scope{Hosts: []string{"b.test"}}
		receipt, err := Run(t.Context(), cfg, "http://a.test/", "nonsense://")
		var seeds *SeedError
		require.ErrorAs(t, err, &seeds)
		assert.True(t, seeds.Failed)
		assert.Len(t, seeds.Refused, 2)
		assert.ErrorContains(t, err, "out_of_scope")
		assert.Equal(t, frontier.FailedRun, receipt.Phase)
		assert.Equal(t, ReasonNoSeed, receipt.Reason)
		assert.Equal(t, ledger.Failed, receipt.Verdict)
		assert.Empty(t, w.Log())

		cfg.Scope = frontier.Scope{}
		receipt, err = Run(t.Context(), cfg, "http://a.test/")
		require.NoError(t, err, "a new run begins")
		assert.Equal(t, ledger.Complete, receipt.Verdict, receipt.Why)
	})
}

func TestABoundThatStopsTheRunIsNamedAndNoError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, star(20)), memory.New()
		cfg := over(w, mem)
		cfg.Budget.Wall = 5 * time.Second
		receipt, err := Run(t.Context(), cfg, "http://a.test/")
		require.NoError(t, err)
		assert.Equal(t, frontier.Stopped, receipt.Phase)
		assert.Equal(t, frontier.ReasonWall, receipt.Reason)
		assert.Equal(t, ledger.PartialResumable, receipt.Verdict, receipt.Why)
		assert.Positive(t, receipt.Counts[frontier.Queued])
	})
}

func TestSummaryIsLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, star(20)), memory.New()
		cfg := over(w, mem)
		var commits atomic.Int64
		cfg.Trace.Commit = func(s frontier.Summary) { commits.Add(1) }
		crawler, err := New(cfg)
		require.NoError(t, err)
		defer crawler.Close()
		var running sync.WaitGroup
		running.Go(func() { _, err = crawler.Run(t.Context(), "http://a.test/") })
		time.Sleep(10500 * time.Millisecond)
		synctest.Wait()
		assert.EqualValues(t, 10, crawler.Summary().States[frontier.Done])
		assert.EqualValues(t, 11, crawler.Summary().Unresolved())
		running.Wait()
		require.NoError(t, err)
		assert.EqualValues(t, 21, crawler.Summary().States[frontier.Done])
		assert.GreaterOrEqual(t, commits.Load(), int64(21))
	})
}

// The default parts: a folder, with real files and real time.
func TestAFolderIsKeptLockedAndResumed(t *testing.T) {
	t.Parallel() // it waits for a lock
	w, dir := web(t, twoPages), filepath.Join(t.TempDir(), "crawl")
	cfg := Config{UserAgent: "weirbot/1.0", Dir: dir, Fetch: fetch.Config{Transport: w}, Policy: frontier.Policy{Delay: -1}}
	crawler, err := New(cfg)
	require.NoError(t, err)
	_, err = New(cfg)
	require.ErrorIs(t, err, storage.ErrLocked)
	assert.ErrorContains(t, err, dir)
	receipt, err := crawler.Run(t.Context(), "http://a.test/")
	require.NoError(t, err)
	assert.Equal(t, ledger.Complete, receipt.Verdict, receipt.Why)
	require.NoError(t, crawler.Close())

	crawler, err = New(cfg)
	require.NoError(t, err)
	last, ok, err := crawler.Last(t.Context())
	require.NoError(t, err)
	assert.True(t, ok)
	assert.Equal(t, receipt, last)
	require.NoError(t, crawler.Close())
}

func TestAnUnfinishedRunIsFinishedBeforeAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, twoPages), memory.New()
		cfg := over(w, mem)
		cfg.Run = "monday"
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		_, err := Run(ctx, cfg, "http://a.test/")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		cfg.Run = "tuesday"
		_, err = Run(t.Context(), cfg, "http://a.test/")
		require.ErrorIs(t, err, frontier.ErrRunActive)
		assert.ErrorContains(t, err, "monday")
		cfg.Run = "monday"
		_, err = Run(t.Context(), cfg)
		require.NoError(t, err)
	})
}

func TestTheCauseOfAnEndIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, twoPages), memory.New()
		ctx, cancel := context.WithCancelCause(t.Context())
		shutdown := errors.New("the host is going down")
		time.AfterFunc(500*time.Millisecond, func() { cancel(shutdown) })
		_, err := Run(ctx, over(w, mem), "http://a.test/")
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, shutdown)
	})
}

// A run gives everything back, however it ends.
func TestNothingIsHeldAfterARun(t *testing.T) {
	for name, change := range map[string]func(cfg *Config, cancel func()){
		"over":    func(*Config, func()) {},
		"stopped": func(_ *Config, cancel func()) { time.AfterFunc(5*time.Second, cancel) },
		"failed": func(cfg *Config, _ func()) {
			cfg.Artifacts = fullDisk(cfg.Artifacts.(*memory.Store), 4)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, mem := web(t, star(20)), memory.New()
				cfg := over(w, mem)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				change(&cfg, cancel)
				crawler, err := New(cfg)
				require.NoError(t, err)
				defer crawler.Close()
				f, err := frontier.Open(ctx, crawler.frontierConfig())
				require.NoError(t, err)
				defer f.Close()
				r := crawler.newRun(f)
				ctx, r.end = context.WithCancelCause(ctx)
				_, err = r.sow(ctx, []string{"http://a.test/"})
				require.NoError(t, err)
				_ = r.pipeline(ctx)
				assert.Empty(t, r.held.leases, "leases")
				assert.Zero(t, r.backlog.bytes, "bytes of completions")
				assert.Zero(t, f.Summary().States[frontier.Leased])
			})
		})
	}
}

func TestAStopMakesNoFurtherRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, star(20)), memory.New()
		cfg := over(w, mem)
		cfg.Workers, cfg.Policy = 1, frontier.Policy{Delay: -1, Concurrency: 20}
		ctx, cancel := context.WithCancel(t.Context())
		pages, reserved, requests := 0, 0, 0
		cfg.OnPage = func(context.Context, *Page) error {
			if pages++; pages == 2 {
				time.Sleep(time.Second) // the reserve fills
				cancel()
			}
			return nil
		}
		cfg.Trace.Leased = func(frontier.Lease) {
			if ctx.Err() != nil {
				reserved++
			}
		}
		cfg.Trace.Fetched = func(frontier.Lease, fetch.Response) {
			if ctx.Err() != nil {
				requests++
			}
		}
		_, err := Run(ctx, cfg, "http://a.test/")
		require.ErrorIs(t, err, context.Canceled)
		assert.Equal(t, 2, pages)
		assert.Positive(t, reserved)
		assert.Zero(t, requests, "what lies in reserve goes back as it is")
	})
}

func TestARunThatABoundHasStoppedIsNoErrorWithSeedsEither(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, chain(50)), memory.New()
		cfg := over(w, mem)
		cfg.Budget = Budget{Wall: 10 * time.Second, Depth: 100}
		for range 20 { // on all but the first Run the bound and the seeds race
			receipt, err := Run(t.Context(), cfg, "http://a.test/0")
			require.NoError(t, err)
			require.Equal(t, frontier.Stopped, receipt.Phase)
			require.Equal(t, frontier.ReasonWall, receipt.Reason)
			require.Equal(t, ledger.PartialResumable, receipt.Verdict)
		}
		cfg.Budget.Wall = time.Hour
		receipt, err := Run(t.Context(), cfg, "http://a.test/0")
		require.NoError(t, err)
		assert.Equal(t, ledger.Complete, receipt.Verdict, "a raised bound: the run goes on")
		assert.EqualValues(t, 50, receipt.Admitted)
	})
}

func TestASmallerBudgetLowersAndZeroKeeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, chain(50)), memory.New()
		cfg := over(w, mem)
		cfg.Budget = Budget{URLs: 40, Wall: 10 * time.Second}
		first, err := Run(t.Context(), cfg, "http://a.test/0")
		require.NoError(t, err)
		require.Equal(t, frontier.ReasonWall, first.Reason)
		cfg.Budget = Budget{URLs: 2, Wall: time.Hour}
		receipt, err := Run(t.Context(), cfg)
		require.NoError(t, err)
		assert.Equal(t, first.Used.URLs, receipt.Limit.URLs, "no bound is below what is spent")
		assert.Equal(t, first.Limit.Depth, receipt.Limit.Depth, "0 keeps")
		assert.Equal(t, time.Hour, receipt.Limit.Wall)
	})
}

func TestARunWhoseContextHasEndedBeforeChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, chain(50)), memory.New()
		c, err := New(over(w, mem))
		require.NoError(t, err)
		defer c.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		before, err := c.Run(ctx, "http://a.test/0")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotZero(t, before.Results)
		for _, seeds := range [][]string{nil, {"http://a.test/0"}} {
			receipt, err := c.Run(ctx, seeds...)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			assert.Zero(t, receipt)
		}
		last, found, err := c.Last(t.Context())
		require.NoError(t, err)
		require.True(t, found)
		assert.Equal(t, before, last)
	})
}

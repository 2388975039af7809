package weir

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/storage/memory"
)

func TestSC3ALargerLimitGoesOnWithWhatTheFirstHeldBack(t *testing.T) {
	for _, c := range []struct {
		name  string
		raise func(t *testing.T, cfg *Config)
	}{
		{"without seeds", func(_ *testing.T, cfg *Config) { cfg.Budget.URLs = 50 }},
		{"by its name", func(_ *testing.T, cfg *Config) { cfg.Budget.URLs, cfg.Run = 50, "1" }},
		{"by an operator", func(t *testing.T, cfg *Config) {
			crawler, err := New(*cfg)
			require.NoError(t, err)
			require.NoError(t, crawler.Admin(t.Context(), "ann", func(a frontier.Admin) error {
				return a.Raise(t.Context(), Budget{URLs: 50}, "S-C3")
			}))
			require.NoError(t, crawler.Close())
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, mem := web(t, star(180)), memory.New()
				cfg := over(w, mem)
				cfg.Budget.URLs = 10
				first, err := Run(t.Context(), cfg, "http://a.test/")
				require.NoError(t, err)
				require.Equal(t, frontier.Finished, first.Phase)
				require.EqualValues(t, 10, first.Counts[frontier.Done])
				require.EqualValues(t, 171, first.Dispositions[frontier.LimitReached], "recorded, not dropped")

				cfg.Budget = Budget{}
				_, err = Run(t.Context(), cfg)
				require.ErrorIs(t, err, ErrNoSeeds, "nothing is raised")
				c.raise(t, &cfg)
				second, err := Run(t.Context(), cfg)
				require.NoError(t, err)
				assert.Equal(t, first.Run, second.Run)
				assert.NotEqual(t, first.Generation, second.Generation)
				assert.EqualValues(t, 50, second.Counts[frontier.Done])
				assert.EqualValues(t, 131, second.Dispositions[frontier.LimitReached])
				assert.Equal(t, 1, w.Log().Hits("http://a.test/"), "what is done is not fetched again")
			})
		})
	}
}

func TestSC3ARunThatNothingHoldsBackIsOverWhateverItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, star(3)), memory.New()
		cfg := over(w, mem)
		_, err := Run(t.Context(), cfg, "http://a.test/")
		require.NoError(t, err)
		cfg.Budget.URLs = 50_000
		_, err = Run(t.Context(), cfg)
		require.ErrorIs(t, err, ErrNoSeeds)
		cfg.Run = "1"
		_, err = Run(t.Context(), cfg)
		require.ErrorIs(t, err, ErrRunFinished)
	})
}

func TestSD4AChangedScopeMovesWhatIsPendingToANamedState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, star(10)), memory.New()
		cfg := over(w, mem)
		var crawler *Crawler
		cfg.OnPage = func(ctx context.Context, p *Page) error {
			if p.URL == "http://a.test/" {
				return nil
			}
			return crawler.Admin(ctx, "ann", func(a frontier.Admin) error {
				return a.SetScope(ctx, frontier.Scope{Hosts: []string{"a.test"}, Exclude: []string{"/[5-9]", "/5", "/6", "/7", "/8", "/9"}}, "S-D4")
			})
		}
		crawler, err := New(cfg)
		require.NoError(t, err)
		defer crawler.Close()
		receipt, err := crawler.Run(t.Context(), "http://a.test/")
		require.NoError(t, err)
		assert.Equal(t, frontier.Finished, receipt.Phase)
		assert.Equal(t, ledger.CompleteWithFailures, receipt.Verdict, receipt.Why)
		assert.EqualValues(t, 6, receipt.Counts[frontier.Done])
		assert.EqualValues(t, 5, receipt.Counts[frontier.Refused])
		assert.EqualValues(t, 5, strings.Count(strings.Join(results(t, mem), "\n"), "refused {scope}"))
		assert.Zero(t, receipt.Expected.Unresolved)
	})
}

func TestSD4ADeadPoolLeavesAPartialRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, star(10)), memory.New()
		ctx, die := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer die()
		receipt, err := Run(ctx, over(w, mem), "http://a.test/")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, frontier.Stopped, receipt.Phase)
		assert.Equal(t, ledger.PartialResumable, receipt.Verdict, receipt.Why)
		assert.NotZero(t, receipt.Expected.Unresolved)
	})
}

func TestAnOperatorPausesAndResumesARunInProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, star(6)), memory.New()
		crawler, err := New(over(w, mem))
		require.NoError(t, err)
		defer crawler.Close()
		ann := func(change func(a frontier.Admin) error) {
			t.Helper()
			require.NoError(t, crawler.Admin(t.Context(), "ann", change))
		}
		ended := make(chan ledger.Receipt)
		run := func(seeds ...string) {
			receipt, err := crawler.Run(t.Context(), seeds...)
			assert.NoError(t, err)
			ended <- receipt
		}
		go run("http://a.test/")
		time.Sleep(3500 * time.Millisecond)
		ann(func(a frontier.Admin) error {
			return a.Pause(t.Context(), frontier.Subject{Origin: "http://a.test"}, "night")
		})
		before := len(w.Log())
		receipt := <-ended
		assert.Equal(t, []any{frontier.Stopped, frontier.Reason("paused: night")}, []any{receipt.Phase, receipt.Reason})
		assert.Len(t, w.Log(), before, "nothing was requested after it")
		ann(func(a frontier.Admin) error {
			return a.Resume(t.Context(), frontier.Subject{Origin: "http://a.test"}, "morning")
		})
		go run()
		receipt = <-ended
		assert.Equal(t, frontier.Finished, receipt.Phase)
		assert.EqualValues(t, 7, receipt.Counts[frontier.Done])
		reader, err := crawler.Reader(t.Context())
		require.NoError(t, err)
		var whys []string
		for a, err := range reader.Audits(t.Context()) {
			require.NoError(t, err)
			whys = append(whys, a.Why)
		}
		assert.Equal(t, []string{"night", "morning"}, whys)
	})
}

func TestACancelledRunEndsAtOnceAndItsVerdictIsFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, star(6)), memory.New()
		cfg := over(w, mem)
		var crawler *Crawler
		cfg.OnPage = func(ctx context.Context, p *Page) error {
			if p.URL == "http://a.test/" {
				return nil
			}
			err := crawler.Admin(ctx, "ann", func(a frontier.Admin) error { return a.Cancel(ctx, "wrong site") })
			<-ctx.Done() // it is aborted, not waited for
			return errors.Join(err, ctx.Err())
		}
		crawler, err := New(cfg)
		require.NoError(t, err)
		defer crawler.Close()
		began := time.Now()
		receipt, err := crawler.Run(t.Context(), "http://a.test/")
		require.NoError(t, err)
		assert.Less(t, time.Since(began), 10*time.Second)
		assert.Equal(t, frontier.CancelledRun, receipt.Phase)
		assert.Equal(t, ledger.Failed, receipt.Verdict)
		assert.EqualValues(t, 6, receipt.Expected.Unresolved)
		assert.Len(t, w.Log(), 3)
		_, err = crawler.Run(t.Context())
		require.ErrorIs(t, err, ErrNoSeeds)
		err = crawler.Admin(t.Context(), "ann", func(a frontier.Admin) error {
			return a.Reopen(t.Context(), frontier.Filter{States: []frontier.State{frontier.Failed}}, "again")
		})
		require.ErrorIs(t, err, frontier.ErrRunFinished)
	})
}

func TestAnOperatorReopensWhatHasFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, "-- http://a.test/ --\n<a href=/gone>x</a><a href=/x>y</a>\n-- http://a.test/gone --\nstatus: 410\n\n-- http://a.test/x --\nx\n"), memory.New()
		crawler, err := New(over(w, mem))
		require.NoError(t, err)
		defer crawler.Close()
		_, err = crawler.Run(t.Context(), "http://a.test/")
		require.NoError(t, err)
		require.NoError(t, crawler.Admin(t.Context(), "ann", func(a frontier.Admin) error {
			return a.Reopen(t.Context(), frontier.Filter{States: []frontier.State{frontier.Done}, Pattern: "a.test/x"}, "look again")
		}))
		receipt, err := crawler.Run(t.Context())
		require.NoError(t, err)
		assert.Equal(t, frontier.Finished, receipt.Phase)
		assert.Equal(t, 2, w.Log().Hits("http://a.test/x"))
		assert.Equal(t, 1, w.Log().Hits("http://a.test/"))
		assert.EqualValues(t, 3, receipt.Used.URLs)
		fmt.Fprint(t.Output(), receipt)
	})
}

func TestAnOperatorWithoutARunIsToldSo(t *testing.T) {
	crawler, err := New(over(web(t, twoPages), memory.New()))
	require.NoError(t, err)
	none := func(frontier.Admin) error { return nil }
	require.ErrorIs(t, crawler.Admin(t.Context(), "ann", none), frontier.ErrNoRun)
	require.NoError(t, crawler.Close())
	require.ErrorIs(t, crawler.Admin(t.Context(), "ann", none), ErrClosed)
}

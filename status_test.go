package weir

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/storage/memory"
	"github.com/weircrawl/weir/urlnorm"
)

// pages is a web of one host with n pages that the first one names.
func pages(n int) string {
	var b strings.Builder
	b.WriteString("-- http://a.test/ --\nHTTP 200\nContent-Type: text/html\n\n")
	for i := range n {
		fmt.Fprintf(&b, "<a href=/%d>x</a>\n", i)
	}
	for i := range n {
		fmt.Fprintf(&b, "-- http://a.test/%d --\nHTTP 200\nContent-Type: text/html\n\npage\n", i)
	}
	return b.String()
}

// idsOf lists the identities of a generation, in order.
func idsOf(t *testing.T, g *ledger.Generation) []string {
	t.Helper()
	var ids []string
	for r, err := range g.All(context.Background()) {
		require.NoError(t, err)
		ids = append(ids, r.URL)
	}
	return ids
}

func TestEachPollOfARunIsOneReadOfNoResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := over(web(t, pages(20)), memory.New())
		var c *Crawler
		var mu sync.Mutex
		var seen []int64
		cfg.OnPage = func(ctx context.Context, p *Page) error {
			st, err := c.Status(ctx)
			assert.NoError(t, err)
			assert.Equal(t, frontier.Running, st.Phase)
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, st.States[frontier.Done])
			return nil
		}
		cfg.Trace.Poll = func(p ledger.Poll) { t.Errorf("%+v", p) }
		c, err := New(cfg)
		require.NoError(t, err)
		receipt, err := c.Run(t.Context(), "http://a.test/")
		require.NoError(t, err)
		assert.Len(t, seen, 21)
		assert.Less(t, seen[0], seen[20], "they see how it goes on")
		assert.Empty(t, receipt.Polls)

		st, err := c.Status(t.Context())
		require.NoError(t, err)
		assert.Equal(t, frontier.Finished, st.Phase)
		assert.Equal(t, receipt.Generation, st.Generation)
		assert.Equal(t, []int64{21, 21, 0}, []int64{st.Polls.Count, st.Polls.Reads, st.Polls.Rows})
		require.NoError(t, c.Close())
	})
}

// TestAnIdleCrawlerShowsTheRunThatSomebodyElseHasBegun polls two Crawlers of one
// store: one that looks at the newest run, and one that looks at the first by name.
func TestAnIdleCrawlerShowsTheRunThatSomebodyElseHasBegun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, pages(3)), memory.New()
		crawler := func(run string) *Crawler {
			cfg := over(w, mem)
			cfg.Run, cfg.Trace.Poll = run, func(p ledger.Poll) { t.Errorf("%+v", p) }
			c, err := New(cfg)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, c.Close()) })
			return c
		}
		newest, first := crawler(""), crawler("first")
		status := func(c *Crawler) ledger.Status {
			st, err := c.Status(t.Context())
			require.NoError(t, err)
			return st
		}
		_, err := first.Run(t.Context(), "http://a.test/")
		require.NoError(t, err)
		for range 2 {
			require.Equal(t, "first", status(newest).Run)
		}
		require.False(t, status(first).Newer)
		require.NotContains(t, status(first).String(), "newer")

		for _, run := range []string{"second", "third", "fourth"} {
			_, err = crawler(run).Run(t.Context(), "http://a.test/")
			require.NoError(t, err)
			if run == "third" {
				continue // two runs later is found as well
			}
			for polls := range int64(2) {
				st := status(newest)
				require.Equal(t, run, st.Run)
				require.False(t, st.Newer)
				require.Equal(t, polls, st.Polls.Count, "the totals are of one run")
			}
		}
		st := status(first)
		assert.Equal(t, "first", st.Run)
		assert.True(t, st.Newer)
		assert.Contains(t, st.String(), "a later run has begun")
	})
}

func TestAReceiptIsOfTheGenerationThatTheEndOfItsRunFroze(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := over(web(t, pages(5)), memory.New())
		c, err := New(cfg)
		require.NoError(t, err)
		_, err = c.Generation(t.Context(), "")
		require.ErrorIs(t, err, frontier.ErrNoRun)
		_, err = c.Freeze(t.Context())
		require.ErrorIs(t, err, frontier.ErrNoRun)
		_, err = c.Status(t.Context())
		require.ErrorIs(t, err, frontier.ErrNoRun)

		receipt, err := c.Run(t.Context(), "http://a.test/")
		require.NoError(t, err)
		g, err := c.Generation(t.Context(), "")
		require.NoError(t, err)
		assert.Equal(t, g.ID, receipt.Generation)
		assert.Equal(t, ledger.Complete, receipt.Verdict)
		assert.Len(t, idsOf(t, g), 6)
		frozen, err := c.Freeze(t.Context())
		require.NoError(t, err)
		assert.Equal(t, g.Generation, frozen.Generation, "a run that is over has frozen its last")
		last, _, err := c.Last(t.Context())
		require.NoError(t, err)
		assert.Equal(t, receipt, last)
		require.NoError(t, c.Close())
	})
}

// TestAGenerationStaysWhatItWasWhateverComesLater freezes one while the run goes on,
// one where it is stopped, and one at its end.
func TestAGenerationStaysWhatItWasWhateverComesLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := memory.New()
		cfg := over(web(t, pages(30)), mem)
		ctx, cancel := context.WithCancel(t.Context())
		var c *Crawler
		var early *ledger.Generation
		n := 0
		cfg.Workers = 1
		cfg.OnPage = func(_ context.Context, p *Page) error {
			var err error
			if n++; n == 10 {
				early, err = c.Freeze(context.Background())
			} else if n == 20 {
				cancel()
			}
			return err
		}
		c, err := New(cfg)
		require.NoError(t, err)
		partial, err := c.Run(ctx, "http://a.test/")
		require.ErrorIs(t, err, context.Canceled)
		assert.Equal(t, ledger.PartialResumable, partial.Verdict)
		require.NotNil(t, early)
		first := idsOf(t, early)
		stopped, err := c.Generation(t.Context(), "")
		require.NoError(t, err)
		second := idsOf(t, stopped)
		assert.Equal(t, partial.Generation, stopped.ID)
		assert.Less(t, len(first), len(second))

		whole, err := c.Run(t.Context())
		require.NoError(t, err)
		assert.Equal(t, ledger.Complete, whole.Verdict)
		assert.Equal(t, first, idsOf(t, early), "a later result is of a later generation")
		assert.Equal(t, second, idsOf(t, stopped))
		final, err := c.Generation(t.Context(), "")
		require.NoError(t, err)
		all := idsOf(t, final)
		assert.Len(t, all, 31)
		assert.Equal(t, [][]string{first, second}, [][]string{all[:len(first)], all[:len(second)]})
		assert.NotEqual(t, partial.Seal, whole.Seal)
		require.NoError(t, c.Close())
	})
}

func TestARunWhoseProcessWasKilledCanBeFrozen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := memory.New()
		f, err := frontier.Open(t.Context(), frontier.Config{Store: mem})
		require.NoError(t, err)
		_, err = f.Enqueue(t.Context(), frontier.Seed, frontier.Reference{Observed: "http://a.test/"}, frontier.Reference{Observed: "http://a.test/1"})
		require.NoError(t, err)
		leases, err := f.Lease(t.Context(), 1)
		require.NoError(t, err)
		_, err = f.Complete(t.Context(), leases[0].Fetched(frontier.Evidence{Status: 200}))
		require.NoError(t, err)
		require.NoError(t, f.Close(), "without a word about the run")

		c, err := New(over(web(t, pages(5)), mem))
		require.NoError(t, err)
		_, err = c.Generation(t.Context(), "")
		require.ErrorIs(t, err, ledger.ErrNotFrozen)
		g, err := c.Freeze(t.Context())
		require.NoError(t, err)
		assert.Len(t, idsOf(t, g), 1)
		receipt, err := c.Run(t.Context())
		require.NoError(t, err)
		assert.EqualValues(t, 2, receipt.Admitted, "it goes on")
		require.NoError(t, c.Close())
	})
}

// TestAPollThatChasesACursorIsNamedFirst has a dashboard that pages through results
// while the run goes on, and the run stopped.
func TestAPollThatChasesACursorIsNamedFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := over(web(t, pages(30)), memory.New())
		ctx, cancel := context.WithCancel(t.Context())
		var c *Crawler
		var alerts []ledger.Poll
		n := 0
		cfg.Workers = 1
		cfg.Trace.Poll = func(p ledger.Poll) { alerts = append(alerts, p) }
		cfg.OnPage = func(context.Context, *Page) error {
			if n++; n != 10 {
				return nil
			}
			defer cancel()
			_, err := c.Freeze(context.Background())
			assert.NoError(t, err)
			_, err = c.Observe(context.Background(), func(ctx context.Context) (ledger.Observation, error) {
				g, err := c.Generation(ctx, "")
				if err != nil {
					return ledger.Observation{}, err
				}
				page, err := g.Page(ctx, ledger.PageRequest{Records: 2})
				if err == nil {
					page, err = g.Page(ctx, ledger.PageRequest{Records: 2, After: page.Next})
				}
				return ledger.Observation{Results: len(page.Results), Generation: g.ID}, err
			})
			return err
		}
		c, err := New(cfg)
		require.NoError(t, err)
		receipt, err := c.Run(ctx, "http://a.test/")
		require.ErrorIs(t, err, context.Canceled)
		assert.Equal(t, ledger.PartialResumable, receipt.Verdict)
		assert.Regexp(t, "^1 of 1 polls followed a cursor of results; .* unresolved; the run is stopped {context};", receipt.Why)
		assert.Len(t, receipt.Polls, 3)
		require.Len(t, alerts, 1)
		assert.Equal(t, []ledger.Breach{ledger.BreachCursor, ledger.BreachResults, ledger.BreachRequests}, alerts[0].Breaches)
		assert.NotEmpty(t, alerts[0].Generation)

		whole, err := c.Run(t.Context())
		require.NoError(t, err)
		assert.Empty(t, whole.Polls, "a Run has its own polls")
		require.NoError(t, c.Close())
	})
}

func TestStatusIsOfTheRunThatRekeyMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := memory.New()
		cfg := over(web(t, sessions()), mem)
		_, err := Run(t.Context(), cfg, "http://a.test/")
		require.NoError(t, err)
		cfg.Normalizer = classed("a.test", "session", urlnorm.Tracking)
		c, err := New(cfg)
		require.NoError(t, err)
		before, err := c.Status(t.Context())
		require.NoError(t, err)
		_, err = c.Rekey(t.Context(), before.Run)
		require.NoError(t, err)
		after, err := c.Status(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []uint32{1, 2}, []uint32{before.Number, after.Number})
		require.NoError(t, c.Close())
	})
}

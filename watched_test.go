package weir

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/internal/faults"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/storage/memory"
)

// TestWatchersOfACrawlerSeeOneRunGoOn asks a Crawler for everything that it can tell,
// while it is opened, runs, is stopped, and is closed under them, again and again.
// Every answer is of one moment, and none is of an earlier one than the answer before.
func TestWatchersOfACrawlerSeeOneRunGoOn(t *testing.T) {
	for life := range uint64(12) {
		t.Run(fmt.Sprint(life), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { watchedLife(t, life) })
		})
	}
}

func watchedLife(t *testing.T, life uint64) {
	chance := rand.New(rand.NewPCG(life, 1))
	cfg := over(web(t, pages(12)), memory.New())
	var slow atomic.Uint64
	cfg.Store = faults.NewStore(cfg.Store, func(context.Context, faults.StorePoint, int64) error {
		time.Sleep(time.Duration(rand.New(rand.NewPCG(life, slow.Add(1))).IntN(60)) * time.Millisecond)
		return nil
	})
	var now atomic.Pointer[Crawler]
	opened := func() *Crawler {
		c, err := New(cfg)
		require.NoError(t, err)
		now.Store(c)
		return c
	}
	c := opened()
	var watchers sync.WaitGroup
	stop := make(chan struct{})
	for i := range uint64(5) {
		w := &watcher{t: t, crawler: &now, chance: rand.New(rand.NewPCG(life, 2+i))}
		watchers.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(time.Duration(w.chance.IntN(400)) * time.Millisecond):
					w.ask()
				}
			}
		})
	}
	for range 6 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(chance.IntN(5000))*time.Millisecond)
		ran := make(chan error, 1)
		go func() {
			_, err := c.Run(ctx, "http://a.test/")
			ran <- err
		}()
		if chance.IntN(3) == 0 {
			time.Sleep(time.Duration(chance.IntN(3000)) * time.Millisecond)
			assert.NoError(t, c.Close())
		}
		err := <-ran
		assert.True(t, err == nil || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrClosed), "%v", err)
		cancel()
		time.Sleep(time.Duration(chance.IntN(1000)) * time.Millisecond)
		if chance.IntN(2) == 0 {
			assert.NoError(t, c.Close())
			c = opened()
		}
	}
	close(stop)
	watchers.Wait()
	assert.NoError(t, c.Close())
}

// watcher asks, and remembers the newest answer of each kind.
type watcher struct {
	t       *testing.T
	crawler *atomic.Pointer[Crawler]
	chance  *rand.Rand

	status     ledger.Status
	explained  ledger.Explanation
	generation frontier.Generation
	last       ledger.Receipt
}

func (w *watcher) ask() {
	c := w.crawler.Load()
	ctx := context.Background()
	switch w.chance.IntN(5) {
	case 0:
		st, err := c.Status(ctx)
		if w.answered("status", err) {
			w.goesOn("status", w.status.Number, st.Number, w.status.Sequence, st.Sequence)
			assert.GreaterOrEqual(w.t, st.Observed, w.status.Observed*same(w.status.Number, st.Number))
			w.status = st
		}
	case 1:
		e, err := c.Explain(ctx, "http://a.test/3")
		if w.answered("explain", err) {
			w.explains(e)
		}
	case 2:
		g, err := c.Freeze(ctx)
		if w.answered("freeze", err) {
			w.froze(g)
		}
	case 3:
		g, err := c.Generation(ctx, "")
		if w.answered("generation", err) {
			w.froze(g)
		}
	case 4:
		r, ok, err := c.Last(ctx)
		if w.answered("last", err) && ok {
			w.goesOn("last", w.last.Number, r.Number, w.last.Sequence, r.Sequence)
			w.last = r
		}
	}
}

// same is 1 if two answers are of one run, else 0.
func same(a, b uint32) int64 {
	if a == b {
		return 1
	}
	return 0
}

// answered reports whether there is an answer; only that there is no run yet, or
// nothing frozen, is a reason for none.
func (w *watcher) answered(what string, err error) bool {
	if err == nil {
		return true
	}
	assert.True(w.t, errors.Is(err, frontier.ErrNoRun) && w.status.Number == 0 || errors.Is(err, ledger.ErrNotFrozen) || errors.Is(err, ErrClosed), "%s: %v", what, err)
	return false
}

func (w *watcher) goesOn(what string, number, newNumber uint32, sequence, newSequence uint64) {
	assert.GreaterOrEqual(w.t, newNumber, number, what)
	if newNumber == number {
		assert.GreaterOrEqual(w.t, newSequence, sequence, what)
	}
}

func (w *watcher) froze(g *ledger.Generation) {
	w.goesOn("generation", w.generation.Number, g.Number, w.generation.Ordinal, g.Ordinal)
	if g.ID == w.generation.ID {
		assert.Equal(w.t, w.generation, g.Generation)
	}
	w.generation = g.Generation
}

// explains requires that an explanation is of one moment.
func (w *watcher) explains(e ledger.Explanation) {
	if e.Run == w.explained.Run && w.explained.Known {
		assert.True(w.t, e.Known)
		assert.GreaterOrEqual(w.t, len(e.History), len(w.explained.History))
	}
	if e.Known {
		assert.Equal(w.t, e.State, e.History[len(e.History)-1].To)
		assert.NotNil(w.t, e.Admission)
		assert.Equal(w.t, e.State.Terminal(), e.Result != nil)
	}
	w.explained = e
}

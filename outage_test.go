package weir

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/internal/faults"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
)

// failing is a store that fails between two moments after it was made.
func failing(mem *memory.Store, from, to time.Duration) storage.Store {
	began := time.Now()
	return faults.NewStore(mem, func(_ context.Context, p faults.StorePoint, _ int64) error {
		if at := time.Since(began); p == faults.BeforeCommit && at > from && at < to {
			return errors.New("the store is away")
		}
		return nil
	})
}

// S-R4: after an outage everything goes on, and nothing is lost or doubled.
func TestSR4AnOutageOfTheStoreCostsTimeAndNothingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, star(20)), memory.New()
		cfg := over(w, mem)
		cfg.Store = failing(mem, 5*time.Second, 35*time.Second)
		cfg.OnPage = func(_ context.Context, p *Page) error { return p.Emit("n", 1) }
		began := time.Now()
		receipt, err := Run(t.Context(), cfg, "http://a.test/")
		require.NoError(t, err)
		assert.Equal(t, ledger.Complete, receipt.Verdict, receipt.Why)
		assert.EqualValues(t, 21, receipt.Records)
		for _, e := range w.Log() {
			assert.Equal(t, 1, w.Log().Hits(e.URL), e.URL)
		}
		assert.Less(t, time.Since(began), 80*time.Second)
	})
}

func TestALongOutageStopsTheRunResumable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, star(20)), memory.New()
		cfg := over(w, mem)
		cfg.Store = failing(mem, 5*time.Second, time.Hour)
		_, err := Run(t.Context(), cfg, "http://a.test/")
		require.ErrorIs(t, err, frontier.ErrStorageFailed)

		receipt, err := Run(t.Context(), over(w, mem))
		require.NoError(t, err)
		assert.Equal(t, ledger.Complete, receipt.Verdict, receipt.Why)
		assert.EqualValues(t, 21, receipt.Counts[frontier.Done])
	})
}

func TestAHandlerEndsWhenItsLeaseIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pageOf(Budget{}, fetch.Response{})
		r := p.run
		r.handlers, r.cfg.HandlerTimeout = newHandlers(), time.Minute
		var ended atomic.Bool
		r.cfg.OnPage = func(ctx context.Context, _ *Page) error {
			<-ctx.Done()
			ended.Store(true)
			return ctx.Err()
		}
		ctx, lose := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { lose(frontier.ErrStale) })
		_, err := r.show(ctx, p.lease.Fetched(frontier.Evidence{}), p)
		require.ErrorIs(t, err, frontier.ErrStale, "there is nobody to report to")
		synctest.Wait()
		assert.True(t, ended.Load())
		assert.ErrorIs(t, p.Emit("n", 1), ErrPageClosed)
		r.handlers.finish()
	})
}

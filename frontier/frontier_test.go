package frontier

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
)

// open opens a frontier without politeness over s.
func open(t testing.TB, s storage.Store, change ...func(*Config)) *Frontier {
	cfg := Config{Store: s, Policy: Policy{Delay: -1, Concurrency: 1000}}
	for _, c := range change {
		c(&cfg)
	}
	f, err := Open(context.Background(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, f.Close())
		verify(t, s)
	})
	return f
}

// verify checks the newest run's rows and rebuilds its state from its log.
func verify(t testing.TB, s storage.Store) {
	t.Helper()
	ctx := context.Background()
	r, err := NewReader(ctx, s, "")
	require.NoError(t, err)
	require.NoError(t, r.Check(ctx))
	require.NoError(t, r.Replay(ctx))
}

func refs(urls ...string) []Reference {
	rs := make([]Reference, len(urls))
	for i, u := range urls {
		rs[i] = Reference{Observed: u, Rule: "a"}
	}
	return rs
}

// page completes l as a page with links.
func page(l Lease, links ...string) Completion {
	c := l.Fetched(Evidence{Status: 200, Bytes: 100, Digest: storage.Sum([]byte(l.URL))})
	c.References = refs(links...)
	return c
}

func TestChainOfPagesIsCrawledToItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		f := open(t, memory.New(), func(c *Config) { c.Budget.Depth = 1000 })
		_, err := f.Enqueue(ctx, Seed, refs("http://a.test/0")...)
		require.NoError(t, err)
		for i := 0; ; i++ {
			leases, err := f.Lease(ctx, 10)
			if errors.Is(err, ErrDone) {
				require.Equal(t, 200, i)
				break
			}
			require.NoError(t, err)
			require.Len(t, leases, 1)
			next := []string{}
			if i < 199 {
				next = append(next, fmt.Sprintf("/%d", i+1), "/0")
			}
			a, err := f.Complete(ctx, page(leases[0], next...))
			require.NoError(t, err)
			require.Equal(t, Accepted, a.Kind)
		}
		s := f.Summary()
		require.EqualValues(t, 200, s.States[Done])
		require.EqualValues(t, 200, s.Slots)
		require.Equal(t, Finished, s.Phase)
		require.EqualValues(t, 1+199*2, s.Observed)
		require.EqualValues(t, 20000, s.Bytes)
		require.Zero(t, s.Reserved)
	})
}

func TestDelayCountsFromTheMomentTheRequestWasSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		f := open(t, memory.New(), func(c *Config) { c.Policy = Policy{Delay: 5 * time.Second, Concurrency: 2} })
		_, err := f.Enqueue(ctx, Seed, refs("http://a.test/0", "http://a.test/1", "http://a.test/2")...)
		require.NoError(t, err)
		began := time.Now()
		var at []time.Duration
		for range 3 {
			leases, err := f.Lease(ctx, 10)
			require.NoError(t, err)
			require.Len(t, leases, 1)
			time.Sleep(time.Second)
			at = append(at, time.Since(began))
			require.NoError(t, f.Sent(leases[0], time.Now()))
			go f.Complete(ctx, page(leases[0]))
		}
		require.Equal(t, []time.Duration{time.Second, 7 * time.Second, 13 * time.Second}, at)
		_, err = f.Lease(ctx, 1)
		require.ErrorIs(t, err, ErrDone)
	})
}

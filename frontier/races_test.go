package frontier

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
)

// TestRacingDiscoveriesAdmitExactlyTheLimit lets 64 goroutines offer ten times
// more distinct URLs than the budget holds, by links of pages and by calls.
func TestRacingDiscoveriesAdmitExactlyTheLimit(t *testing.T) {
	rng := seeded(t)
	for i := range soak(200) {
		const workers, limit = 64, 100
		s := memory.New()
		f, err := Open(t.Context(), Config{Store: s, Policy: Policy{Delay: -1, Concurrency: 1000}, Scope: Scope{Sites: []string{"test"}}, Budget: Budget{URLs: limit}})
		require.NoError(t, err)
		offers := rng.Perm(10 * limit)
		var accepted, limited atomic.Int64
		together(workers, func(w int) {
			for lo := w * len(offers) / workers; lo < (w+1)*len(offers)/workers; {
				n := min(1+lo%3, (w+1)*len(offers)/workers-lo)
				var urls []string
				for _, u := range offers[lo : lo+n] {
					urls = append(urls, fmt.Sprintf("http://h%d.test/%d", u%7, u))
				}
				lo += n
				e, err := f.Enqueue(t.Context(), AdminCall, refs(urls...)...)
				assert.NoError(t, err)
				accepted.Add(int64(e.Accepted))
				limited.Add(int64(e.Limited))
				for _, a := range e.Others {
					assert.Equal(t, ReasonURLs, a.Reason)
					assert.EqualValues(t, limit, a.Slots, "spent when it was decided")
					assert.EqualValues(t, limit, a.Limit)
				}
			}
		})
		got := f.Summary()
		require.EqualValues(t, limit, accepted.Load(), "round %d", i)
		require.EqualValues(t, 9*limit, limited.Load())
		require.EqualValues(t, limit, got.Slots)
		require.EqualValues(t, limit, got.Admitted())
		require.EqualValues(t, 9*limit, decidedAs(got, LimitReached, ReasonURLs))
		require.NoError(t, f.Close())
		verify(t, s)
	}
}

// together runs n goroutines that begin at the same moment and waits for them.
func together(n int, do func(i int)) {
	var ready, over sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		ready.Add(1)
		over.Go(func() {
			ready.Done()
			<-begin
			do(i)
		})
	}
	ready.Wait()
	close(begin)
	over.Wait()
}

// TestSC1PageLimitIsExactUnderConcurrency is case S-C1: one slot is left and 20
// workers discover 20 different URLs at the same instant.
func TestSC1PageLimitIsExactUnderConcurrency(t *testing.T) {
	for range soak(200) {
		s := memory.New()
		f, err := Open(t.Context(), Config{Store: s, Policy: Policy{Delay: -1, Concurrency: 1000}, Budget: Budget{URLs: 100}})
		require.NoError(t, err)
		var urls []string
		for i := range 99 {
			urls = append(urls, fmt.Sprintf("http://a.test/%d", i))
		}
		seed(t, f, urls...)
		leases, err := f.Lease(t.Context(), 20)
		require.NoError(t, err)
		require.Len(t, leases, 20)
		together(20, func(i int) {
			a, err := f.Complete(t.Context(), page(leases[i], fmt.Sprintf("/new%d", i)))
			assert.NoError(t, err)
			assert.Equal(t, Accepted, a.Kind)
		})
		require.NoError(t, f.Close())
		verify(t, s)
		r, err := NewReader(t.Context(), s, "")
		require.NoError(t, err)
		admitted, limited := 0, 0
		for a, err := range r.Admissions(t.Context()) {
			require.NoError(t, err)
			if a.Source != Link {
				continue
			}
			switch a.Decision {
			case Admitted:
				admitted++
				assert.EqualValues(t, 99, a.Slots)
			case LimitReached:
				limited++
				assert.Equal(t, ReasonURLs, a.Reason)
				assert.EqualValues(t, 100, a.Slots, "the count observed at the decision")
			}
			assert.EqualValues(t, 100, a.Limit)
			assert.NotZero(t, a.Claim.Sequence)
		}
		require.Equal(t, 1, admitted)
		require.Equal(t, 19, limited)
	}
}

// TestDeduplicationIsExactUnderConcurrency offers the same URLs from all sides.
func TestDeduplicationIsExactUnderConcurrency(t *testing.T) {
	rng := seeded(t)
	for range soak(50) {
		s := memory.New()
		f, err := Open(t.Context(), Config{Store: s, Policy: Policy{Delay: -1, Concurrency: 1000}, Scope: Scope{Sites: []string{"test"}}, Cache: 1})
		require.NoError(t, err)
		var accepted, known atomic.Int64
		orders := make([][]int, 64)
		for i := range orders {
			orders[i] = rng.Perm(40)
		}
		together(64, func(w int) {
			for _, u := range orders[w] {
				e, err := f.Enqueue(t.Context(), AdminCall, refs(fmt.Sprintf("http://a.test/%d", u))...)
				assert.NoError(t, err)
				accepted.Add(int64(e.Accepted))
				known.Add(int64(e.Known))
			}
		})
		require.EqualValues(t, 40, accepted.Load())
		require.EqualValues(t, 64*40-40, known.Load())
		require.NoError(t, f.Close())
		verify(t, s)
	}
}

// register is one URL's state in the smallest store of leases: who owns it and
// whether it has been completed.
var register = storage.Space{Name: "register", Use: storage.Point}

// careless is a frontier of one URL that is wrong on purpose: Complete reads the
// generation first and commits later, without comparing again in between. Its
// fence is right, its lock is right; only the moment of the comparison is wrong.
type careless struct {
	store storage.Store
	mu    sync.Mutex
	fence storage.Fence
	pause func() // between the check and the act
	lax   bool   // false: the check is repeated in the commit's own turn
}

func newCareless(t *testing.T, lax bool) *careless {
	s := memory.New()
	fence, err := s.Claim(t.Context(), storage.Fence{Name: "f", Owner: "o", TTL: time.Hour})
	require.NoError(t, err)
	return &careless{store: s, fence: fence, lax: lax, pause: func() {}}
}

func (c *careless) read() (gen uint64, owned bool) {
	got, err := c.store.Read(context.Background(), storage.ReadRequest{Space: register, Keys: [][]byte{{1}}})
	if err != nil {
		panic(err)
	}
	v := got[0].Values[0]
	if v == nil {
		return 0, false
	}
	return binary.BigEndian.Uint64(v), v[8] == 1
}

// write stores the register; the caller holds mu.
func (c *careless) write(gen uint64, owned bool) {
	v := binary.BigEndian.AppendUint64(nil, gen)
	v = append(v, 0)
	if owned {
		v[8] = 1
	}
	next := c.fence
	next.Sequence++
	if err := c.store.Commit(context.Background(), next, []storage.Op{{Space: register, Key: []byte{1}, Value: v}}); err != nil {
		panic(err)
	}
	c.fence = next
}

// Lease hands out the next generation, whoever had the last one: it expired.
func (c *careless) Lease() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	gen, _ := c.read()
	c.write(gen+1, true)
	return gen + 1
}

// Complete reports whether generation gen was accepted.
func (c *careless) Complete(gen uint64) bool {
	now, owned := c.read()
	if now != gen || !owned {
		return false
	}
	c.pause()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.lax {
		if now, owned = c.read(); now != gen || !owned {
			return false
		}
	}
	c.write(now, false)
	return true
}

// lateWins lets the lease of gen 1 expire while its completion is under way, and
// reports whether the late result was accepted.
func lateWins(c *careless) bool {
	gen := c.Lease()
	c.pause = func() { c.Lease() }
	return c.Complete(gen)
}

func TestLateResultCannotWin(t *testing.T) {
	t.Run("the frontier compares in the commit that accepts", func(t *testing.T) {
		for range soak(200) {
			s := memory.New()
			f, err := Open(t.Context(), Config{Store: s, Policy: Policy{Delay: -1, Concurrency: 1000}})
			require.NoError(t, err)
			seed(t, f, "http://a.test/")
			l := one(t, f)
			var accepted atomic.Int64
			together(8, func(i int) {
				c := page(l)
				c.Evidence.Digest = storage.Sum([]byte{byte(i)})
				a, err := f.Complete(t.Context(), c)
				assert.NoError(t, err)
				if a.Kind == Accepted {
					accepted.Add(1)
				} else {
					assert.Equal(t, Conflict, a.Kind)
				}
			})
			require.EqualValues(t, 1, accepted.Load())
			require.EqualValues(t, 7, f.Summary().Conflict)
			require.NoError(t, f.Close())
			verify(t, s)
		}
	})
	t.Run("a Complete that reads first and commits later lets it win", func(t *testing.T) {
		assert.True(t, lateWins(newCareless(t, true)), "the control must fail")
		assert.False(t, lateWins(newCareless(t, false)), "the repaired control must pass")
	})
}

package frontier

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/internal/backoff"
	"github.com/weircrawl/weir/internal/faults"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
	"github.com/weircrawl/weir/urlnorm"
)

// TestBackoffStaysWithinItsBound lets the frontier choose the pauses.
func TestBackoffStaysWithinItsBound(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New(), func(c *Config) { c.Budget.Attempts = 12 })
		seed(t, f, "http://a.test/x")
		for i := 1; i < 12; i++ {
			complete(t, f, one(t, f).Retry("timeout", 0, Evidence{}))
			began := time.Now()
			leases, err := f.Lease(t.Context(), 1)
			require.NoError(t, err)
			assert.LessOrEqual(t, time.Since(began), backoff.Bound(i)+time.Microsecond, "after %d failures", i)
			complete(t, f, leases[0].Release("given back"))
		}
	})
}

// TestBackoffHasJitter sees that retries of one moment do not come back as one.
func TestBackoffHasJitter(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New())
		seed(t, f, numbered(50)...)
		for _, l := range lease(t, f, 50) {
			complete(t, f, l.Retry("content", 0, Evidence{})) // says nothing of the origin
		}
		moments := map[time.Time]int{}
		for range 50 {
			one(t, f)
			moments[time.Now().Truncate(time.Millisecond)]++
		}
		assert.Greater(t, len(moments), 20)
	})
}

// TestOneDeepOriginNeverHoldsTheOthers puts a thousand URLs of one origin before
// one of another.
func TestOneDeepOriginNeverHoldsTheOthers(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New())
		seed(t, f, numbered(1000)...)
		seed(t, f, "http://b.test/")
		assert.Contains(t, lease(t, f, 3), "http://b.test/")
	})
}

// TestOriginsTakeTurns leases URL by URL from three origins of equal depth.
func TestOriginsTakeTurns(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New())
		for _, host := range []string{"a", "b", "c"} {
			for i := range 20 {
				seed(t, f, fmt.Sprintf("http://%s.test/%d", host, i))
			}
		}
		count := map[string]int{}
		for i := range 60 {
			count[string(one(t, f).Origin)]++
			for _, n := range count {
				assert.LessOrEqual(t, n, i/3+1, "%v", count)
			}
		}
	})
}

// TestLowestClassIsNeverStarved grants the sixteenth turn of an origin to it.
func TestLowestClassIsNeverStarved(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New())
		rs := refs(numbered(100)...)
		for i := range rs {
			rs[i].Priority = 1
		}
		_, err := f.Enqueue(t.Context(), Seed, append(rs, Reference{Observed: "http://a.test/later", Priority: -1})...)
		require.NoError(t, err)
		var turn int
		for turn = 1; one(t, f).URL != "http://a.test/later"; turn++ {
		}
		assert.Equal(t, 16, turn)
	})
}

// TestRaisedPriorityStays lets a page name itself as urgent: what settles its
// lease must not undo it.
func TestRaisedPriorityStays(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New())
		seed(t, f, "http://a.test/x", "http://a.test/1", "http://a.test/2")
		l := one(t, f)
		c := l.Retry("timeout", time.Second, Evidence{})
		c.References = []Reference{{Observed: "/x", Priority: 1}}
		complete(t, f, c)
		time.Sleep(2 * time.Second)
		seed(t, f, "http://a.test/3")
		assert.Equal(t, "http://a.test/x", one(t, f).URL)
		r, err := NewReader(t.Context(), f.cfg.Store, "")
		require.NoError(t, err)
		_, u, err := r.whereIs(t.Context(), l.ID.place())
		require.NoError(t, err)
		assert.EqualValues(t, 0, u.class)
	})
}

// TestSD6ExpiredLeasesAreNotInProcess is case S-D6: lease ten, complete three,
// fail two, let two expire.
func TestSD6ExpiredLeasesAreNotInProcess(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New(), func(c *Config) { c.TTL = time.Minute })
		seed(t, f, numbered(10)...)
		leases := lease(t, f, 10)
		for i := range 10 {
			l := leases[fmt.Sprintf("http://a.test/%d", i)]
			switch {
			case i < 3:
				complete(t, f, page(l))
			case i < 5:
				complete(t, f, l.Failed("dns", Evidence{}))
			case i < 8:
				defer func() { complete(t, f, page(l)) }()
			}
		}
		time.Sleep(30 * time.Second)
		for i := 5; i < 8; i++ {
			_, err := f.Extend(leases[fmt.Sprintf("http://a.test/%d", i)])
			require.NoError(t, err)
		}
		time.Sleep(31 * time.Second)
		synctest.Wait()
		assert.EqualValues(t, 3, f.Summary().States[Leased])
		assert.EqualValues(t, 2, f.Summary().States[Queued])
	})
}

// TestAbandonedLeaseGoesBack ends the context of a Lease call while its grant is
// being committed.
func TestAbandonedLeaseGoesBack(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShaky(memory.New())
		f := open(t, s)
		seed(t, f, "http://a.test/")
		hold := make(chan struct{})
		s.on(func(p faults.StorePoint) error {
			if p == faults.BeforeCommit {
				<-hold
			}
			return nil
		})
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			_, err := f.Lease(ctx, 1)
			left <- err
		}()
		synctest.Wait()
		cancel()
		require.ErrorIs(t, <-left, context.Canceled)
		s.on(nil)
		close(hold)
		l := one(t, f)
		assert.EqualValues(t, 2, l.ID.Generation)
		assert.Equal(t, 1, l.Attempt, "it was no attempt")
		complete(t, f, page(l))
	})
}

// TestCallerMayLeaveInTheMiddleOfAGrant ends the context of a Lease call between
// the choice of its origin and the grant.
func TestCallerMayLeaveInTheMiddleOfAGrant(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := &asked{}
		f := open(t, memory.New(), func(c *Config) { c.Policy = p })
		seed(t, f, "http://a.test/")
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error, 1)
		p.once.Store(&sync.Once{})
		p.do = func() {
			cancel()
			assert.ErrorIs(t, <-left, context.Canceled)
		}
		go func() {
			_, err := f.Lease(ctx, 1)
			left <- err
		}()
		synctest.Wait()
		complete(t, f, page(one(t, f)))
	})
}

// asked is a PolicySource that does something the next time it is asked.
type asked struct {
	once atomic.Pointer[sync.Once]
	do   func()
}

func (a *asked) Policy(urlnorm.Origin) Policy {
	if once := a.once.Load(); once != nil {
		once.Do(a.do)
	}
	return Policy{Delay: -1}
}

// TestWrongClockMakesNobodyWaitLonger reopens a run whose stored times lie ten
// years ahead.
func TestWrongClockMakesNobodyWaitLonger(t *testing.T) {
	far := func(at int64) int64 { return at + int64(10*365*24*time.Hour/time.Microsecond) }
	for name, change := range map[string]func(t *testing.T, s storage.Store, k keys, o *origin, u *urlRow) []storage.Op{
		"dispatch of an origin": func(t *testing.T, s storage.Store, k keys, o *origin, u *urlRow) []storage.Op {
			old := k.wake(o.wake, o.id)
			o.pace.due, o.wake = far(o.pace.due), far(o.pace.due)
			return []storage.Op{{Space: spaceWake, Key: old, Delete: true}, {Space: spaceWake, Key: k.wake(o.wake, o.id)}, {Space: spaceOrigin, Key: k.origin(o.id), Value: o.encode()}}
		},
		"a URL's retry": func(t *testing.T, s storage.Store, k keys, o *origin, u *urlRow) []storage.Op {
			old := k.ready(u.place, u.class, u.ready)
			u.ready = far(u.ready)
			return []storage.Op{{Space: spaceReady, Key: old, Delete: true}, {Space: spaceReady, Key: k.ready(u.place, u.class, u.ready)}, {Space: spaceURL, Key: k.url(u.place), Value: u.encode()}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				s := memory.New()
				f := openRaw(t, s)
				seed(t, f, "http://a.test/")
				l := one(t, f)
				complete(t, f, l.Retry("timeout", time.Second, Evidence{}))
				require.NoError(t, f.Close())
				r, err := NewReader(t.Context(), s, "")
				require.NoError(t, err)
				o, u, err := r.whereIs(t.Context(), l.ID.place())
				require.NoError(t, err)
				rewrite(t, s, change(t, s, keys{run: 1}, o, u)...)
				f = openRaw(t, s)
				l = within(t, f, time.Hour+time.Minute)
				complete(t, f, page(l))
				require.NoError(t, f.Close())
			})
		})
	}
}

// TestWrongClockMakesNoGateWaitLonger is the same for a gate's retry.
func TestWrongClockMakesNoGateWaitLonger(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s, with := memory.New(), func(c *Config) { c.Gates = true }
		f := openRaw(t, s, with)
		seed(t, f, "http://a.test/")
		l := one(t, f)
		complete(t, f, l.Retry("timeout", time.Second, Evidence{}))
		require.NoError(t, f.Close())
		r, err := NewReader(t.Context(), s, "")
		require.NoError(t, err)
		o, _, err := r.whereIs(t.Context(), l.ID.place())
		require.NoError(t, err)
		o.pace.gate.due += (10 * 365 * 24 * time.Hour).Microseconds()
		rewrite(t, s, storage.Op{Space: spaceOrigin, Key: keys{run: 1}.origin(o.id), Value: o.encode()})
		f = openRaw(t, s, with)
		l = within(t, f, time.Hour+time.Minute)
		assert.True(t, l.Gate)
		complete(t, f, l.Open(nil, time.Now().Add(time.Hour), 0, Evidence{}))
		require.NoError(t, f.Close())
	})
}

// TestIdentityCacheIsBounded admits a thousand times more than it holds.
func TestIdentityCacheIsBounded(t *testing.T) {
	const half = 10
	f := openRaw(t, memory.New(), func(c *Config) { c.Cache = 2 * half * entryCost })
	for i := range 1000 * half {
		if i%100 == 0 {
			seed(t, f, numbered(i + 100)[i:]...)
		}
	}
	require.NoError(t, f.Close())
	assert.EqualValues(t, 1000*half, f.Summary().Slots)
	assert.LessOrEqual(t, len(f.ids.recent)+len(f.ids.older), 2*(half+100), "two halves, and a group each")
}

// TestMoreOriginsThanMemoryHoldsAllGetTheirTurn admits more origins than the heap
// takes.
func TestMoreOriginsThanMemoryHoldsAllGetTheirTurn(t *testing.T) {
	if os.Getenv("WEIR_SOAK") != "1" {
		t.Skip("a minute; WEIR_SOAK=1 runs it")
	}
	const n = maxWakes + 3*wakeBatch
	s := memory.New()
	f := openRaw(t, s, func(c *Config) { c.Budget.Origins, c.Budget.URLs = n, n; c.Scope.Sites = []string{"test"} })
	for lo := 0; lo < n; lo += 1000 {
		var urls []string
		for i := lo; i < min(lo+1000, n); i++ {
			urls = append(urls, fmt.Sprintf("http://h%d.test/", i))
		}
		seed(t, f, urls...)
	}
	assert.Len(t, drain(t, f, nil), n)
	require.NoError(t, f.Close())
	verify(t, s)

	f = openRaw(t, s, func(c *Config) { c.Budget.Origins, c.Budget.URLs = n, n; c.Scope.Sites = []string{"test"} })
	for lo := 0; lo < n; lo += 1000 {
		var urls []string
		for i := lo; i < min(lo+1000, n); i++ {
			urls = append(urls, fmt.Sprintf("http://h%d.test/", i))
		}
		seed(t, f, urls...)
	}
	require.NoError(t, f.Close())
	f = openRaw(t, s)
	assert.Len(t, drain(t, f, nil), n, "also those that stand in the store alone")
	require.NoError(t, f.Close())
}

// TestDeadlineHoldsWhileTheStoreIsAway lets a deadline pass that the writer, in
// the middle of a commit, cannot have noticed.
func TestDeadlineHoldsWhileTheStoreIsAway(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShaky(memory.New())
		f := open(t, s, func(c *Config) { c.TTL = time.Minute })
		seed(t, f, "http://a.test/")
		l := one(t, f)
		hold := make(chan struct{})
		s.on(func(p faults.StorePoint) error {
			if p == faults.BeforeCommit {
				<-hold
			}
			return nil
		})
		over := make(chan error, 1)
		go func() {
			_, err := f.Enqueue(t.Context(), Seed, refs("http://a.test/2")...)
			over <- err
		}()
		time.Sleep(time.Minute)
		require.NoError(t, f.Sent(l, time.Now()))
		time.Sleep(time.Microsecond)
		require.ErrorIs(t, f.Sent(l, time.Now()), ErrStale)
		_, err := f.Extend(l)
		require.ErrorIs(t, err, ErrStale)
		s.on(nil)
		close(hold)
		require.NoError(t, <-over)
	})
}

// TestLeaseCannotBeExtendedForEver moves a deadline as often as it lets.
func TestLeaseCannotBeExtendedForEver(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New(), func(c *Config) { c.TTL = time.Minute })
		seed(t, f, "http://a.test/")
		l := one(t, f)
		began := time.Now()
		var err error
		for err == nil {
			time.Sleep(50 * time.Second)
			l, err = f.Extend(l)
			require.LessOrEqual(t, l.Deadline.Sub(began), 30*time.Minute)
		}
		require.ErrorIs(t, err, ErrStale)
		assert.Equal(t, 30*time.Minute, l.Deadline.Sub(began))
	})
}

package frontier

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/internal/faults"
	"github.com/weircrawl/weir/storage/memory"
)

// inBubble runs a test on virtual time.
func inBubble(t *testing.T, do func(t *testing.T)) { synctest.Test(t, do) }

// within takes one lease and requires that it comes before d has passed.
func within(t *testing.T, f *Frontier, d time.Duration) Lease {
	t.Helper()
	got := make(chan Lease, 1)
	go func() {
		leases, err := f.Lease(t.Context(), 1)
		if err == nil && len(leases) == 1 {
			got <- leases[0]
		}
	}()
	select {
	case l := <-got:
		return l
	case <-time.After(d):
		require.FailNow(t, "no lease", "in %s: %+v", d, f.Summary())
		return Lease{}
	}
}

// waiting starts a Lease call, so that the writer grants in the group of the
// next completion.
func waiting(t *testing.T, f *Frontier, n int) chan []Lease {
	got := make(chan []Lease, 1)
	go func() {
		leases, _ := f.Lease(t.Context(), n)
		got <- leases
	}()
	synctest.Wait()
	return got
}

func soon(t *testing.T, f *Frontier, got chan []Lease, d time.Duration) []Lease {
	t.Helper()
	began := time.Now()
	select {
	case ls := <-got:
		return ls
	case <-time.After(d):
		require.FailNow(t, "no lease", "within %s of %s: %+v", d, began, f.Summary())
		return nil
	}
}

// A group cannot read the ready row that it writes: the origin must look again
// after the commit, whatever else it holds.
func TestShortRetryIsNotHiddenByALongOne(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New())
		seed(t, f, "http://a.test/long", "http://a.test/short")
		leases := lease(t, f, 2)
		complete(t, f, leases["http://a.test/long"].Retry("timeout", 50*time.Minute, Evidence{}))
		got := waiting(t, f, 1)
		complete(t, f, leases["http://a.test/short"].Retry("timeout", time.Second, Evidence{}))
		ls := soon(t, f, got, 2*time.Second)
		require.Equal(t, "http://a.test/short", ls[0].URL)
	})
}

// A ready row that the group has used up does not stand for one that it writes.
func TestReleasedURLIsSeenBesideOneGrantedInTheSameGroup(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New())
		seed(t, f, "http://a.test/1", "http://a.test/2")
		leases := lease(t, f, 2)
		complete(t, f, leases["http://a.test/1"].Release("given back"))
		got := waiting(t, f, 1)
		first := soon(t, f, got, time.Second)
		require.Equal(t, "http://a.test/1", first[0].URL)
		complete(t, f, first[0].Release("given back"))
		// Now 1 stands in a ready row; 2 is released in the group that grants 1.
		a, b := waitingAll(t, f, 2)
		complete(t, f, leases["http://a.test/2"].Release("given back"))
		soon(t, f, a, time.Second)
		soon(t, f, b, time.Second)
	})
}

func waitingAll(t *testing.T, f *Frontier, n int) (chan []Lease, chan []Lease) {
	// Both calls reach the writer with the completion that follows.
	a, b := make(chan []Lease, 1), make(chan []Lease, 1)
	for _, got := range []chan []Lease{a, b} {
		go func() {
			leases, _ := f.Lease(t.Context(), 1)
			got <- leases
		}()
	}
	return a, b
}

// A stored response that comes back in the group that would lease it is found
// after the commit.
func TestReleasedStoredResponseIsLeasedAgain(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New())
		seed(t, f, "http://a.test/")
		complete(t, f, one(t, f).HandlerFailed(Evidence{Status: 200}))
		l := within(t, f, time.Minute)
		require.NotNil(t, l.Stored)
		got := waiting(t, f, 1)
		complete(t, f, l.Release("given back"))
		ls := soon(t, f, got, time.Minute)
		require.NotNil(t, ls[0].Stored)
	})
}

func TestExpiredStoredResponseIsLeasedAgain(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New())
		seed(t, f, "http://a.test/")
		complete(t, f, one(t, f).HandlerFailed(Evidence{Status: 200}))
		l := within(t, f, time.Minute)
		require.NotNil(t, l.Stored)
		l = within(t, f, 2*time.Minute) // the first one has expired
		require.NotNil(t, l.Stored)
	})
}

// A gate that is leased is not open yet, and an origin that takes many requests
// at once still gets one gate.
func TestOneGateAtATime(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New(), func(c *Config) { c.Gates = true })
		seed(t, f, "http://a.test/1")
		g := one(t, f)
		require.True(t, g.Gate)
		_, err := f.Enqueue(t.Context(), Seed, refs("http://a.test/2")...)
		require.NoError(t, err)
		nothing(t, f, time.Second)
		complete(t, f, g.Open(nil, time.Now().Add(time.Hour), 0, Evidence{}))
	})
}

// A URL that was leased while its origin ended ends when it comes back.
func TestURLThatComesBackToAnEndedOriginEndsToo(t *testing.T) {
	for _, how := range []string{"retry", "release", "expire"} {
		t.Run(how, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				f := open(t, memory.New(), func(c *Config) { c.Gates = true; c.TTL = 10 * time.Second; c.Deadline = time.Second })
				seed(t, f, "http://a.test/1", "http://a.test/2")
				complete(t, f, one(t, f).Open(nil, time.Now().Add(2*time.Second), 0, Evidence{}))
				l := one(t, f)
				require.False(t, l.Gate)
				time.Sleep(9 * time.Second)
				l, err := f.Extend(l)
				require.NoError(t, err)
				time.Sleep(3 * time.Second)
				g := one(t, f)
				require.True(t, g.Gate, "no longer fresh")
				complete(t, f, g.Ended(OutcomeRefused, "robots: unreachable", Evidence{}))
				time.Sleep(time.Second) // what the origin holds has ended
				switch how {
				case "retry":
					complete(t, f, l.Retry("timeout", time.Second, Evidence{}))
				case "release":
					complete(t, f, l.Release("given back"))
				}
				over := make(chan error, 1)
				go func() {
					_, err := f.Lease(t.Context(), 1)
					over <- err
				}()
				select {
				case err := <-over:
					require.ErrorIs(t, err, ErrDone)
				case <-time.After(30 * time.Minute):
					require.FailNow(t, "the run never ends", "%+v", f.Summary())
				}
				assert.EqualValues(t, 2, f.Summary().States[Refused])
			})
		})
	}
}

// The slot is held until the request, not the lease, has run out of time.
func TestExpiredLeaseHoldsItsSlotUntilItsRequestIsOver(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New(), func(c *Config) { c.Policy = Policy{Delay: -1}; c.TTL = time.Minute; c.Deadline = 90 * time.Second })
		seed(t, f, "http://a.test/1", "http://a.test/2")
		began := time.Now()
		l := one(t, f)
		time.Sleep(10 * time.Second)
		require.NoError(t, f.Sent(l, time.Now()))
		one(t, f)
		require.Equal(t, 100*time.Second, time.Since(began).Round(time.Millisecond), "Sent + Deadline")
	})
}

// The origin is paused before a URL of it reaches its own limit of busy answers.
func TestTwelveBusyAnswersOfOneURLLeaveItUnresolved(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New())
		seed(t, f, "http://a.test/")
		for range 12 {
			complete(t, f, one(t, f).Busy("status_429", time.Second, Evidence{Status: 429}))
		}
		stopped(t, f, "paused: throttled")
		assert.EqualValues(t, 1, f.Summary().States[Waiting])
	})
}

// Whoever waits for bytes to be returned learns that none will be.
func TestRunStopsForBytesWhenTheLastReservationIsForfeited(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New(), func(c *Config) {
			c.Budget = Budget{Bytes: 1000, Response: 1000, Attempts: 1}
			c.TTL, c.Deadline = 10*time.Second, 10*time.Second
		})
		seed(t, f, "http://a.test/", "http://b.test/")
		one(t, f)
		over := make(chan error, 1)
		go func() {
			_, err := f.Lease(t.Context(), 1)
			over <- err
		}()
		select {
		case err := <-over:
			require.ErrorIs(t, err, ErrStopped)
			require.Equal(t, ReasonBytes, f.Summary().Reason)
		case <-time.After(10 * time.Minute):
			require.FailNow(t, "nobody is told", "%+v", f.Summary())
		}
	})
}

// Bytes that a response did not need let another origin go on.
func TestReturnedBytesAreForAnyOrigin(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New(), func(c *Config) { c.Budget = Budget{Bytes: 150, Response: 100} })
		seed(t, f, "http://a.test/", "http://b.test/")
		l := one(t, f)
		got := waiting(t, f, 1)
		c := page(l)
		c.Evidence.Bytes = 10
		complete(t, f, c)
		ls := soon(t, f, got, time.Second)
		require.NotEqual(t, l.Origin, ls[0].Origin)
	})
}

// A pause that was noticed and is over must not stop the next incarnation before
// its origin has had its turn.
func TestPauseThatIsOverStopsNothing(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s, p := memory.New(), &policies{m: map[string]Policy{}}
		with := func(c *Config) { c.Policy, c.Gates = p, true }
		f := open(t, s, with)
		seed(t, f, "http://a.test/")
		g := one(t, f)
		p.m["http://a.test"] = Policy{Paused: "maintenance"}
		complete(t, f, g.Retry("timeout", 30*time.Second, Evidence{}))
		stopped(t, f, "paused: maintenance")
		require.NoError(t, f.Close())
		p.m["http://a.test"] = Policy{}
		f = open(t, s, with)
		require.True(t, one(t, f).Gate)
	})
}

// TestWhoIsClosedHearsOfItWhileTheStoreIsSlow: Close gives the fence up, and nobody
// else waits for that.
func TestWhoIsClosedHearsOfItWhileTheStoreIsSlow(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShaky(memory.New())
		f := openRaw(t, s)
		seed(t, f, numbered(1)...)
		s.on(func(p faults.StorePoint) error {
			if p == faults.BeforeClaim {
				time.Sleep(3 * time.Second)
			}
			return nil
		})
		began := time.Now()
		closed := make(chan error, 2)
		for range 2 {
			go func() { closed <- f.Close() }()
		}
		synctest.Wait()
		_, err := f.Freeze(t.Context())
		require.ErrorIs(t, err, ErrClosed)
		_, err = f.Lease(t.Context(), 1)
		require.ErrorIs(t, err, ErrClosed)
		require.Zero(t, time.Since(began))
		require.Empty(t, closed, "both wait until the fence is free")
		require.NoError(t, errors.Join(<-closed, <-closed))
		require.Equal(t, 3*time.Second, time.Since(began))
		require.NoError(t, f.Close())
	})
}

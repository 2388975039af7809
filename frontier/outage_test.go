package frontier

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/internal/faults"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
)

// down is a store that answers nothing until a moment.
func down(until time.Time, err error) func(faults.StorePoint) error {
	return func(faults.StorePoint) error {
		if time.Now().Before(until) {
			return err
		}
		return nil
	}
}

// applying is a store that commits and then says that it failed.
func always(p faults.StorePoint, err error) func(faults.StorePoint) error {
	return func(at faults.StorePoint) error {
		if at == p {
			return err
		}
		return nil
	}
}

// TestOneFaultOfTheStoreChangesNoAnswer lets each call of a short crawl meet a
// fault of each kind.
func TestOneFaultOfTheStoreChangesNoAnswer(t *testing.T) {
	for name, p := range map[string]faults.StorePoint{"commit fails": faults.BeforeCommit, "commit is applied and fails": faults.AfterCommit, "read fails": faults.BeforeRead} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				s := newShaky(memory.New())
				f := open(t, s)
				fail := func() { s.on(once(p, errBroken)) }
				fail()
				e, err := f.Enqueue(t.Context(), Seed, refs("http://a.test/", "http://a.test/x")...)
				require.NoError(t, err)
				assert.Equal(t, 2, e.Accepted)
				fail()
				leases := lease(t, f, 2)
				require.Len(t, leases, 2)
				l := leases["http://a.test/"]
				require.NoError(t, f.Sent(l, time.Now()))
				fail()
				a := complete(t, f, page(l, "/x", "/y"))
				s.on(nil)
				again, err := f.Complete(t.Context(), page(l, "/x", "/y"))
				require.NoError(t, err)
				assert.Equal(t, Answer{Kind: Redelivered, State: Done, Reason: "fetched", Sequence: a.Sequence}, again)
				fail()
				complete(t, f, leases["http://a.test/x"].Retry("timeout", time.Second, Evidence{}))
				fail()
				assert.Equal(t, map[string]int{"http://a.test/x": 1, "http://a.test/y": 1}, drain(t, f, nil))
				sum := f.Summary()
				assert.EqualValues(t, 3, sum.States[Done])
				assert.EqualValues(t, 4, sum.Requests)
				assert.EqualValues(t, 4, sum.Observed)
				assert.Zero(t, sum.Reserved)
			})
		})
	}
}

// TestFailedCommitForgetsNoRequest completes a lease in a commit that fails once:
// the delay still counts from Sent.
func TestFailedCommitForgetsNoRequest(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShaky(memory.New())
		f := open(t, s, func(c *Config) { c.Policy = Policy{Delay: 5 * time.Second} })
		seed(t, f, "http://a.test/1", "http://a.test/2")
		l := one(t, f)
		began := time.Now()
		require.NoError(t, f.Sent(l, began))
		time.Sleep(4 * time.Second)
		s.on(once(faults.BeforeCommit, errBroken))
		complete(t, f, page(l))
		one(t, f)
		assert.Equal(t, 5*time.Second, time.Since(began).Round(time.Millisecond))
	})
}

// TestFailedCommitKeepsADeadline completes one lease of two in a commit that
// fails: the deadline that Extend has moved stays.
func TestFailedCommitKeepsADeadline(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShaky(memory.New())
		f := open(t, s)
		seed(t, f, "http://a.test/1", "http://a.test/2")
		leases := lease(t, f, 2)
		l := leases["http://a.test/2"]
		time.Sleep(30 * time.Second)
		l, err := f.Extend(l)
		require.NoError(t, err)
		s.on(once(faults.BeforeCommit, errBroken))
		complete(t, f, page(leases["http://a.test/1"]))
		time.Sleep(59 * time.Second)
		require.NoError(t, f.Sent(l, time.Now()), "it has a second left")
		complete(t, f, page(l))
	})
}

// TestFailedCommitKeepsASlot lets a commit fail while an expired lease's request
// may still be under way: its slot stays taken.
func TestFailedCommitKeepsASlot(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShaky(memory.New())
		f := open(t, s, func(c *Config) {
			c.Policy, c.TTL, c.Deadline = Policy{Delay: -1}, 10*time.Second, time.Minute
		})
		seed(t, f, "http://a.test/1", "http://a.test/2")
		began := time.Now()
		require.NoError(t, f.Sent(one(t, f), began))
		time.Sleep(11 * time.Second)
		s.on(once(faults.BeforeCommit, errBroken))
		seed(t, f, "http://b.test/")
		assert.Equal(t, "http://b.test/", one(t, f).URL)
		one(t, f)
		assert.Equal(t, time.Minute, time.Since(began).Round(time.Millisecond), "Sent + Deadline")
	})
}

// TestLateReportFreesASlotOnce lets the commit of a late report be applied and
// answered with an error: the request is over, whatever the store said.
func TestLateReportFreesASlotOnce(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShaky(memory.New())
		f := open(t, s, func(c *Config) {
			c.Policy, c.TTL, c.Deadline = Policy{Delay: -1}, 10*time.Second, time.Minute
		})
		seed(t, f, "http://a.test/1", "http://a.test/2")
		l := one(t, f)
		require.NoError(t, f.Sent(l, time.Now()))
		time.Sleep(11 * time.Second)
		s.on(once(faults.AfterCommit, errBroken))
		a, err := f.Complete(t.Context(), page(l))
		require.NoError(t, err)
		require.Equal(t, Stale, a.Kind)
		within(t, f, time.Second)
		nothing(t, f, time.Second)
	})
}

// TestSR4OutageCostsNothing is case S-R4: the store is away for 30 s while 16
// workers crawl.
func TestSR4OutageCostsNothing(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShaky(memory.New())
		f := open(t, s, func(c *Config) { c.TTL = time.Minute })
		seed(t, f, numbered(1000)...)
		began := time.Now()
		var doneBy [3]atomic.Int64 // in the first 10 s, until the store is back, and in the 10 s after
		var workers sync.WaitGroup
		for range 16 {
			workers.Go(func() {
				for {
					leases, err := f.Lease(t.Context(), 1)
					if err != nil {
						assert.ErrorIs(t, err, ErrDone)
						return
					}
					time.Sleep(time.Second)
					a, err := f.Complete(t.Context(), page(leases[0]))
					if assert.NoError(t, err) {
						assert.Equal(t, Accepted, a.Kind)
					}
					switch at := time.Since(began); {
					case at <= 10*time.Second:
						doneBy[0].Add(1)
					case at <= 41*time.Second:
						doneBy[1].Add(1)
					case at <= 51*time.Second:
						doneBy[2].Add(1)
					}
				}
			})
		}
		time.Sleep(10*time.Second + time.Millisecond)
		s.on(down(time.Now().Add(30*time.Second), errBroken))
		workers.Wait()
		sum := f.Summary()
		assert.EqualValues(t, 1000, sum.States[Done])
		assert.EqualValues(t, 1000, sum.Requests, "none was asked for twice")
		assert.EqualValues(t, 160, doneBy[0].Load())
		assert.LessOrEqual(t, doneBy[1].Load(), int64(32))
		assert.GreaterOrEqual(t, doneBy[2].Load(), int64(150), "throughput is back")
	})
}

func TestLongOutageEndsTheRunAndAReopenResumesIt(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShaky(memory.New())
		f := openRaw(t, s, func(c *Config) { c.Outage = 10 * time.Second })
		seed(t, f, "http://a.test/1", "http://a.test/2")
		l := one(t, f)
		s.on(down(time.Now().Add(time.Hour), errBroken))
		began := time.Now()
		_, err := f.Complete(t.Context(), page(l))
		require.ErrorIs(t, err, ErrStorageFailed)
		require.ErrorIs(t, err, errBroken)
		assert.Contains(t, err.Error(), "10s")
		assert.InDelta(t, 10, time.Since(began).Seconds(), 1.5)
		_, err = f.Lease(t.Context(), 1)
		require.ErrorIs(t, err, ErrStorageFailed)
		_, err = f.Enqueue(t.Context(), Seed, refs("http://a.test/3")...)
		require.ErrorIs(t, err, ErrStorageFailed)
		_ = f.Close()
		s.on(nil)
		time.Sleep(fenceTTL)
		f = open(t, s)
		assert.Len(t, drain(t, f, nil), 2)
	})
}

func TestCloseDuringAnOutageDoesNotWaitForIt(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShaky(memory.New())
		f := openRaw(t, s)
		s.on(down(time.Now().Add(time.Hour), errBroken))
		failed := make(chan error, 1)
		go func() {
			_, err := f.Enqueue(t.Context(), Seed, refs("http://a.test/")...)
			failed <- err
		}()
		time.Sleep(5 * time.Second)
		began := time.Now()
		assert.ErrorIs(t, f.Close(), errBroken, "the fence could not be given up")
		assert.Less(t, time.Since(began), time.Second)
		require.ErrorIs(t, <-failed, ErrStorageFailed)
	})
}

func TestFullDiskEndsTheRunAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShaky(memory.New())
		f := openRaw(t, s)
		seed(t, f, "http://a.test/")
		l := one(t, f)
		full := fmt.Errorf("write frontier.db: %w", storage.ErrNoSpace)
		s.on(always(faults.BeforeCommit, full))
		began := time.Now()
		_, err := f.Complete(t.Context(), page(l))
		require.ErrorIs(t, err, ErrStorageFailed)
		require.ErrorIs(t, err, storage.ErrNoSpace)
		assert.Zero(t, time.Since(began))
		s.on(nil)
		require.NoError(t, f.Close())
		f = open(t, s)
		assert.Len(t, drain(t, f, nil), 1)
	})
}

func TestStoreThatLostHistoryIsRefused(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		older := memory.New()
		f := openRaw(t, older)
		require.NoError(t, f.Close())
		back := &restored{Store: memory.New()}
		s := newShaky(back)
		f = openRaw(t, s)
		seed(t, f, "http://a.test/")
		s.on(once(faults.BeforeCommit, errBroken))
		back.swap.Store(older) // a backup is put in the file's place
		_, err := f.Enqueue(t.Context(), Seed, refs("http://a.test/2")...)
		require.ErrorIs(t, err, ErrStoreRegressed)
		_, err = f.Lease(t.Context(), 1)
		require.ErrorIs(t, err, ErrStoreRegressed)
		require.NoError(t, f.Close())
		r, err := NewReader(t.Context(), older, "")
		require.NoError(t, err)
		require.NoError(t, r.Check(t.Context()), "nothing was written to it")
	})
}

// restored is a store whose contents are replaced by another's.
type restored struct {
	storage.Store
	swap atomic.Pointer[memory.Store]
}

func (r *restored) now() storage.Store {
	if s := r.swap.Load(); s != nil {
		return s
	}
	return r.Store
}

func (r *restored) Claim(ctx context.Context, want storage.Fence) (storage.Fence, error) {
	return r.now().Claim(ctx, want)
}

func (r *restored) Read(ctx context.Context, requests ...storage.ReadRequest) ([]storage.ReadResult, error) {
	return r.now().Read(ctx, requests...)
}

func (r *restored) Commit(ctx context.Context, f storage.Fence, ops []storage.Op) error {
	return r.now().Commit(ctx, f, ops)
}

func TestAnotherOwnerEndsThisOne(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShaky(memory.New())
		f := openRaw(t, s)
		seed(t, f, "http://a.test/")
		l := one(t, f)
		s.on(func(p faults.StorePoint) error {
			if p == faults.BeforeCommit {
				s.on(nil)
				time.Sleep(fenceTTL + time.Second) // this process was suspended
				_, err := s.Claim(t.Context(), storage.Fence{Name: fenceName, Owner: "other", TTL: time.Minute})
				assert.NoError(t, err)
			}
			return nil
		})
		_, err := f.Complete(t.Context(), page(l))
		require.ErrorIs(t, err, ErrLostOwnership)
		assert.Contains(t, err.Error(), "other")
		_, err = f.Lease(t.Context(), 1)
		require.ErrorIs(t, err, ErrLostOwnership)
		assert.ErrorIs(t, f.Close(), storage.ErrHeld)
	})
}

func TestSecondOpenIsRefusedAndNamesTheHolder(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := memory.New()
		f := open(t, s)
		_, err := Open(t.Context(), Config{Store: s})
		require.ErrorIs(t, err, storage.ErrHeld)
		assert.Contains(t, err.Error(), f.fence.Owner)
		seed(t, f, "http://a.test/")
		assert.Len(t, drain(t, f, nil), 1)
	})
}

// TestOpenMayBeRepeatedAfterItFailed lets the first commit of an incarnation
// fail at each boundary: the next Open finds one run, whatever was applied.
func TestOpenMayBeRepeatedAfterItFailed(t *testing.T) {
	for name, p := range map[string]faults.StorePoint{"claim fails": faults.BeforeClaim, "claim is applied and fails": faults.AfterClaim,
		"commit fails": faults.BeforeCommit, "commit is applied and fails": faults.AfterCommit, "read fails": faults.BeforeRead} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				s := newShaky(memory.New())
				cfg := Config{Store: s, Run: "r", Policy: Policy{Delay: -1}}
				s.on(once(p, errBroken))
				_, err := Open(t.Context(), cfg)
				require.ErrorIs(t, err, errBroken)
				time.Sleep(fenceTTL)
				f := openRaw(t, s, func(c *Config) { c.Run = "r"; c.Budget.URLs = 1 })
				seed(t, f, "http://a.test/")
				complete(t, f, page(one(t, f), "/1", "/2"))
				require.NoError(t, f.Close())

				s.on(once(p, errBroken))
				cfg.Budget.URLs = 2
				_, err = Open(t.Context(), cfg)
				require.ErrorIs(t, err, errBroken)
				time.Sleep(fenceTTL)
				f = open(t, s, func(c *Config) { c.Run = "r"; c.Budget.URLs = 2 })
				assert.EqualValues(t, 1, f.Summary().Number)
				assert.Len(t, drain(t, f, nil), 1)
				assert.EqualValues(t, 1, decidedAs(f.Summary(), LimitReached, ReasonURLs))
			})
		})
	}
}

// TestLargeRecordsTakeSeveralRows emits more than one value of the store holds.
func TestLargeRecordsTakeSeveralRows(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New())
		seed(t, f, "http://a.test/")
		c := page(one(t, f))
		data := []byte(`"` + strings.Repeat("0123456789", 20_000) + `"`)
		c.Records = []Record{{Kind: "page", Data: data}, {Kind: "page", Data: []byte("1")}}
		complete(t, f, c)
		synctest.Wait()
		assert.Equal(t, c.Records, results(t, f)[0].Records)
	})
}

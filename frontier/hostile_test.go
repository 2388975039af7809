package frontier

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/internal/codec"
	"github.com/weircrawl/weir/internal/faults"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
)

func TestRaisedBudgetOffersWhatItHeldBack(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := memory.New()
		f := open(t, s, func(c *Config) { c.Budget.URLs = 1 })
		seed(t, f, "http://a.test/")
		complete(t, f, page(one(t, f), "/1", "/2", "/3"))
		require.NoError(t, f.Stop(t.Context(), "operator"))
		require.NoError(t, f.Close())
		f = open(t, s, func(c *Config) { c.Budget.URLs = 3 })
		require.EqualValues(t, 3, f.Summary().Limit.URLs)
		require.Len(t, drain(t, f, nil), 2)
	})
}

// A redirect spends no slot, and an offer moves counts: neither is a caller's to
// claim.
func TestCallerCannotAdmitWithoutASlot(t *testing.T) {
	for _, kind := range []Source{Redirect, Offer} {
		t.Run(kind.String(), func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				f := open(t, memory.New(), func(c *Config) { c.Budget.URLs = 1 })
				seed(t, f, "http://a.test/")
				if _, err := f.Enqueue(t.Context(), kind, refs("http://a.test/1", "http://a.test/2")...); err != nil {
					return // refused: as good
				}
				require.EqualValues(t, 1, f.Summary().Admitted())
			})
		})
	}
}

// A lease that names no URL of this run is stale; the store is not corrupt.
func TestCompletionOfAStrangersLeaseEndsNothing(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New())
		seed(t, f, "http://a.test/")
		l := one(t, f)
		stranger := l
		stranger.ID.Origin++
		a, err := f.Complete(t.Context(), page(stranger))
		if err == nil {
			require.Equal(t, Stale, a.Kind)
		}
		stranger = l
		stranger.ID.Ordinal++
		a, err = f.Complete(t.Context(), page(stranger))
		if err == nil {
			require.Equal(t, Stale, a.Kind)
		}
		complete(t, f, page(l))
	})
}

// A redirect's target has its source's depth, also when that is lowered.
func TestLoweredDepthReachesARedirectsTarget(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New(), func(c *Config) { c.Budget.Depth = 2 })
		seed(t, f, "http://a.test/")
		site := map[string][]string{"http://a.test/": {"/a"}, "http://a.test/a": {"/moved"}, "http://a.test/there": {"/deep"}}
		hits := drain(t, f, func(l Lease) Completion {
			if l.URL == "http://a.test/moved" {
				return l.Redirected("/there", Evidence{Status: 301})
			}
			return page(l, site[l.URL]...)
		})
		require.NotContains(t, hits, "http://a.test/deep", "at depth 3")
	})
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New(), func(c *Config) { c.Budget.Depth = 2 })
		seed(t, f, "http://a.test/", "http://a.test/late")
		site := map[string][]string{"http://a.test/": {"/a"}, "http://a.test/a": {"/moved"}, "http://a.test/there": {"/deep"}, "http://a.test/late": {"/moved"}}
		leases := lease(t, f, 2)
		complete(t, f, page(leases["http://a.test/"], "/a"))
		for _, want := range []string{"http://a.test/a", "http://a.test/moved", "http://a.test/there"} {
			l := one(t, f)
			require.Equal(t, want, l.URL)
			if want == "http://a.test/moved" {
				complete(t, f, l.Redirected("/there", Evidence{Status: 301}))
				continue
			}
			complete(t, f, page(l, site[want]...))
		}
		require.EqualValues(t, 1, decidedAs(f.Summary(), LimitReached, ReasonDepth))
		complete(t, f, page(leases["http://a.test/late"], "/moved"))
		require.Contains(t, drain(t, f, nil), "http://a.test/deep", "moved and there are at depth 1 now, deep at 2")
	})
}

func TestNegativeBytesSpendNothingAndReturnNothing(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New())
		seed(t, f, "http://a.test/")
		c := page(one(t, f))
		c.Evidence.Bytes = -5
		if _, err := f.Complete(t.Context(), c); err == nil {
			require.GreaterOrEqual(t, f.Summary().Bytes, int64(0))
		}
	})
}

// Beyond 100 reasons new ones fold into "other": the order in which they are
// counted must be the same when they are replayed from several rows.
func TestManyReasonsFoldAlikeWhenReplayed(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New())
		seed(t, f, "http://a.test/")
		c := page(one(t, f))
		for i := range 300 {
			c.References = append(c.References, Reference{Observed: fmt.Sprintf("/%d%s", i, strings.Repeat("x", 80)), Refused: Reason(fmt.Sprintf("reason%d", i))})
		}
		c.Overflow = Overflow{Count: 7, Example: "/more"}
		complete(t, f, c)
	})
}

// Reports that are together beyond the store's limit take more than one commit.
func TestCompleteAllBeyondTheBatchIsSplit(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShaky(memory.New())
		s.batch = 1 << 20
		f := open(t, s)
		seed(t, f, "http://a.test/1", "http://a.test/2", "http://a.test/3")
		var all []Completion
		for _, l := range lease(t, f, 3) {
			c := page(l)
			c.Records = []Record{{Kind: "page", Data: []byte(`"` + strings.Repeat("x", 400<<10) + `"`)}}
			all = append(all, c)
		}
		answers, err := f.CompleteAll(t.Context(), all)
		require.NoError(t, err)
		for _, a := range answers {
			require.Equal(t, Accepted, a.Kind)
		}
	})
}

// A group that was too large must not be decided again on the memory that it
// has changed, not even if the store is away at that moment.
func TestGroupBeyondTheBatchIsDecidedAfreshWhenTheStoreIsAway(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShaky(memory.New())
		f := open(t, s)
		seed(t, f, "http://a.test/1", "http://a.test/2", "http://a.test/3", "http://a.test/4")
		leases := lease(t, f, 4)
		hold := make(chan struct{})
		s.on(func(p faults.StorePoint) error {
			if p == faults.BeforeCommit {
				<-hold
			}
			return nil
		})
		go f.Enqueue(t.Context(), Seed, refs("http://a.test/5")...) // the writer waits in its commit
		synctest.Wait()
		answers := make(chan Answer, 4)
		for _, l := range leases {
			c := page(l)
			go func() {
				a, err := f.Complete(t.Context(), c)
				assert.NoError(t, err)
				answers <- a
			}()
		}
		synctest.Wait()
		stage := 0
		s.on(func(p faults.StorePoint) error {
			switch {
			case stage == 0 && p == faults.BeforeCommit:
				stage = 1
				return storage.ErrTooLarge
			case stage == 1 && p == faults.BeforeClaim:
				stage = 2
				return errBroken
			}
			return nil
		})
		close(hold)
		for range 4 {
			require.Equal(t, Accepted, (<-answers).Kind)
		}
		require.EqualValues(t, 4, f.Summary().States[Done])
	})
}

// A commit of another owner, who came and went meanwhile, has the sequence of
// ours and is not ours.
func TestCommitOfAnotherOwnerIsNotTakenForOurs(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		inner := memory.New()
		s := newShaky(inner)
		f, err := Open(t.Context(), Config{Store: s, Policy: Policy{Delay: -1}})
		require.NoError(t, err)
		seed(t, f, "http://a.test/")
		l := one(t, f)
		s.on(func(p faults.StorePoint) error {
			if p == faults.BeforeCommit {
				s.on(nil)
				time.Sleep(fenceTTL + time.Second) // this process was suspended
				other, err := Open(t.Context(), Config{Store: inner, Policy: Policy{Delay: -1}})
				require.NoError(t, err)
				require.NoError(t, other.Close())
			}
			return nil
		})
		defer f.Close()
		a, err := f.Complete(t.Context(), page(l))
		if err != nil {
			require.ErrorIs(t, err, ErrLostOwnership)
		} else {
			require.NotEqual(t, Accepted, a.Kind, "the other owner took the lease back: %+v", f.Summary())
		}
		_ = f.Close()
		verify(t, inner)
	})
}

// What a commit would have granted is not handed out with its error.
func TestLeaseThatFailsHandsOutNothing(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShaky(memory.New())
		f, err := Open(t.Context(), Config{Store: s, Policy: Policy{Delay: -1}})
		require.NoError(t, err)
		defer f.Close()
		seed(t, f, "http://a.test/")
		s.on(once(faults.BeforeCommit, storage.ErrNoSpace))
		leases, err := f.Lease(t.Context(), 1)
		require.ErrorIs(t, err, ErrStorageFailed)
		require.Empty(t, leases)
		require.NoError(t, f.Close())
	})
}

func TestUnknownPackingIsDamage(t *testing.T) {
	packed := pack([]byte(strings.Repeat("x", 2*packSmall)), new([]byte))
	require.EqualValues(t, 1, packed[0])
	packed[0] = 3
	_, err := unpack(packed)
	require.ErrorIs(t, err, codec.ErrDamaged)
}

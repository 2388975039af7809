package frontier

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/internal/codec"
	"github.com/weircrawl/weir/internal/faults"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
)

func TestARaiseInARunOffersWhatTheBoundHeldBack(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		ctx := t.Context()
		f := open(t, memory.New(), func(c *Config) { c.Budget.URLs = 2 })
		admin := f.Admin("ann")
		seed(t, f, "http://a.test/")
		complete(t, f, page(one(t, f), "/1", "/2", "/3"))
		l := one(t, f)
		require.NoError(t, admin.Raise(ctx, Budget{URLs: 3}, "one more"))
		complete(t, f, page(l))
		assert.Len(t, drain(t, f, nil), 1)
		assert.EqualValues(t, 1, decidedAs(f.Summary(), LimitReached, ReasonURLs))
		assert.Equal(t, []string{"ann raise run: one more"}, audited(t, f.cfg.Store))
	})
}

func TestARaiseAfterTheRunReopensTheNewestFinishedOne(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		ctx, s := t.Context(), memory.New()
		f := open(t, s, func(c *Config) { c.Budget.URLs = 2 })
		seed(t, f, "http://a.test/")
		complete(t, f, page(one(t, f), "/1", "/2", "/3"))
		drain(t, f, nil)
		require.NoError(t, f.Close())
		first := reader(t, s)
		was, err := first.Summary(ctx)
		require.NoError(t, err)
		require.Equal(t, Finished, was.Phase)

		f, err = OpenAttended(ctx, Config{Store: s})
		require.NoError(t, err)
		require.NoError(t, f.Admin("ann").Raise(ctx, Budget{URLs: 10}, "all of it"))
		assert.Equal(t, []any{Stopped, ReasonRaised}, []any{f.Summary().Phase, f.Summary().Reason})
		require.NoError(t, f.Close())
		f = open(t, s)
		assert.Len(t, drain(t, f, nil), 2)
		assert.Equal(t, was.Run, f.Summary().Run)
		assert.NotEqual(t, was.Generation, f.Summary().Generation, "its end freezes another")
	})
}

func TestCancelEndsARunAndMakesItsLeasesStale(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		ctx, s := t.Context(), memory.New()
		f := open(t, s, func(c *Config) { c.Gates = true })
		seed(t, f, "http://a.test/1", "http://a.test/2", "http://b.test/")
		gates := lease(t, f, 2)
		complete(t, f, gates["http://a.test/"].Open(nil, time.Now().Add(time.Hour), 0, Evidence{}))
		got := waiting(t, f, 2)
		l := soon(t, f, got, time.Second)[0]
		require.NoError(t, f.Admin("ann").Cancel(ctx, "the owner has asked"))
		assert.ErrorIs(t, f.Sent(l, time.Now()), ErrStale)
		_, err := f.Extend(l)
		assert.ErrorIs(t, err, ErrStale)
		for _, c := range []Completion{page(l, "/3"), gates["http://b.test/"].Open(nil, time.Time{}, 0, Evidence{})} {
			a, err := f.Complete(ctx, c)
			require.NoError(t, err)
			assert.Equal(t, Stale, a.Kind)
		}
		_, err = f.Lease(ctx, 1)
		require.ErrorIs(t, err, ErrStopped)
		sum := f.Summary()
		assert.Equal(t, []any{CancelledRun, Reason("cancelled: the owner has asked")}, []any{sum.Phase, sum.Reason})
		assert.EqualValues(t, 3, sum.Unresolved(), "no URL was touched")
		for _, err := range []error{f.Admin("ann").Cancel(ctx, "again"), f.Admin("ann").Raise(ctx, Budget{URLs: 1 << 40}, "x"), f.Admin("ann").Pause(ctx, theRun, "x")} {
			assert.ErrorIs(t, err, ErrRunFinished)
		}
		require.NoError(t, f.Close())
		_, active, err := Active(ctx, s)
		require.NoError(t, err)
		assert.False(t, active)
		f = open(t, s)
		assert.NotEqual(t, sum.Run, f.Summary().Run)
	})
}

func TestReopenBeginsANewVisitWithoutASlot(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		ctx := t.Context()
		f := open(t, memory.New(), func(c *Config) { c.Budget.Attempts = 1 })
		seed(t, f, "http://a.test/x/1", "http://a.test/y/1", "http://b.test/x/1", "http://b.test/")
		drain(t, f, func(l Lease) Completion {
			if strings.Contains(l.URL, "/x/") {
				return l.Retry("timeout", 0, Evidence{})
			}
			if strings.Contains(l.URL, "/y/") {
				return l.Refused("login", Evidence{Status: 401})
			}
			return page(l)
		})
		slots, generation := f.Summary().Slots, f.Summary().Generation
		for _, c := range []struct {
			name string
			w    Filter
			want map[string]int
		}{
			{"an origin's failures", Filter{States: []State{Failed}, Origin: "http://a.test"}, map[string]int{"http://a.test/x/1": 1}},
			{"a reason", Filter{States: []State{Failed, Refused, Done}, Reasons: []Reason{"login"}}, map[string]int{"http://a.test/y/1": 1}},
			{"a site's pattern", Filter{States: []State{Done, Failed}, Site: "b.test", Pattern: "b.test/x/{n}"}, map[string]int{"http://b.test/x/1": 1}},
			{"what is done", Filter{States: []State{Done}, Origin: "http://b.test", Pattern: "b.test/"}, map[string]int{"http://b.test/": 1}},
			{"nothing", Filter{States: []State{Cancelled}}, map[string]int{}},
		} {
			require.NoError(t, f.Admin("ann").Reopen(ctx, c.w, c.name))
			assert.Equal(t, Running, f.Summary().Phase, c.name)
			assert.Equal(t, c.want, drain(t, f, nil), c.name)
		}
		s := f.Summary()
		assert.Equal(t, slots, s.Slots)
		assert.EqualValues(t, 4, s.States[Done])
		assert.NotEqual(t, generation, s.Generation)
		var superseded int
		for res, err := range reader(t, f.cfg.Store).Results(ctx, 0) {
			require.NoError(t, err)
			if res.Supersedes != 0 {
				superseded++
			}
		}
		assert.Equal(t, 4, superseded)
		assert.Len(t, audited(t, f.cfg.Store), 5)
	})
}

func TestReopenGivesAnOriginThatHasEndedAnotherChance(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New(), func(c *Config) { c.Gates = true })
		seed(t, f, "http://a.test/1", "http://a.test/2")
		complete(t, f, one(t, f).Ended(OutcomeRefused, "robots: unreachable", Evidence{}))
		done(t, f)
		require.NoError(t, f.Admin("ann").Reopen(t.Context(), Filter{States: []State{Refused}, Reasons: []Reason{"robots"}}, "they are back"))
		g := one(t, f)
		require.True(t, g.Gate)
		complete(t, f, g.Open(nil, time.Now().Add(time.Hour), 0, Evidence{}))
		assert.Len(t, drain(t, f, nil), 2)
	})
}

func TestReopenSurvivesItsProcessAndGoesOnInPieces(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		const n = 2*endPiece + 100
		s := memory.New()
		f := open(t, s)
		var urls []string
		for i := range n {
			urls = append(urls, fmt.Sprintf("http://a.test/%d/x%d", i%7, i))
		}
		seed(t, f, urls...)
		drain(t, f, nil)
		require.NoError(t, f.Close())
		f, err := OpenAttended(t.Context(), Config{Store: s})
		require.NoError(t, err)
		require.NoError(t, f.Admin("ann").Reopen(t.Context(), Filter{States: []State{Done}}, "all again"))
		assert.EqualValues(t, 1, f.Summary().Offers)
		assert.EqualValues(t, n, f.Summary().States[Done], "nothing yet")
		require.NoError(t, f.Close())
		f = open(t, s)
		l := one(t, f)
		require.NoError(t, f.Close())
		f = open(t, s)
		hits := drain(t, f, nil)
		assert.Len(t, hits, n)
		assert.Equal(t, 1, hits[l.URL])
	})
}

func TestAChangeIsMadeOnceWhateverItsCommitComesTo(t *testing.T) {
	for _, at := range []faults.StorePoint{faults.BeforeCommit, faults.AfterCommit} {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				ctx, disk := t.Context(), newShaky(memory.New())
				f := open(t, disk)
				admin := f.Admin("ann")
				seed(t, f, "http://a.test/", "http://b.test/")
				l := one(t, f)
				for _, change := range []func() error{
					func() error { return admin.Pause(ctx, originA, "1") },
					func() error { return admin.SetPolicy(ctx, Subject{Site: "b.test"}, &Policy{Delay: time.Minute}, "2") },
					func() error { return admin.Resume(ctx, originA, "3") },
					func() error { return admin.SetScope(ctx, Scope{Sites: []string{"test"}}, "4") },
					func() error { return admin.Raise(ctx, Budget{URLs: 20_000}, "5") },
					func() error { return admin.Cancel(ctx, "6") },
				} {
					disk.on(once(at, errBroken))
					require.NoError(t, change())
				}
				disk.on(nil)
				assert.ErrorIs(t, f.Sent(l, time.Now()), ErrStale)
				var whys []string
				for a, err := range reader(t, disk).Audits(ctx) {
					require.NoError(t, err)
					whys = append(whys, a.Why)
				}
				assert.Equal(t, []string{"1", "2", "3", "4", "5", "6"}, whys)
				assert.Equal(t, CancelledRun, f.Summary().Phase)
				assert.Equal(t, time.Minute, f.policy("http://b.test").Delay)
				assert.Empty(t, f.policy("http://a.test").Paused)
			})
		})
	}
}

func TestWhatOperatorsHaveSetIsComparedWithTheLog(t *testing.T) {
	ctx, s := t.Context(), memory.New()
	f := open(t, s)
	seed(t, f, "http://a.test/")
	require.NoError(t, f.Admin("ann").Pause(ctx, originA, "night"))
	require.NoError(t, f.Close())
	r, k := reader(t, s), f.keys
	for _, c := range []struct {
		name string
		op   storage.Op
		says string
	}{
		{"another policy", storage.Op{Space: spacePolicy, Key: k.subject(originA), Value: policyRow(originA, Policy{Paused: "day"}.encode())}, "replayed"},
		{"a longer policy", storage.Op{Space: spacePolicy, Key: k.subject(originA), Value: policyRow(originA, Policy{Paused: "nights"}.encode())}, "policies take"},
		{"a policy too many", storage.Op{Space: spacePolicy, Key: k.subject(theRun), Value: policyRow(theRun, Policy{Paused: "day"}.encode())}, "policy has 2 rows, 1 are named"},
		{"no policy", storage.Op{Space: spacePolicy, Key: k.subject(originA), Delete: true}, "in the log alone"},
		{"an audit too many", storage.Op{Space: spaceAudit, Key: k.chunk(1, 9), Value: auditRow(t)}, "audit has 2 rows, 1 are named"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := s.Read(ctx, storage.ReadRequest{Space: c.op.Space, Keys: [][]byte{c.op.Key}})
			require.NoError(t, err)
			rewrite(t, s, c.op)
			fault := fmt.Sprint(r.Check(ctx), r.Replay(ctx))
			assert.Contains(t, fault, c.says)
			rewrite(t, s, storage.Op{Space: c.op.Space, Key: c.op.Key, Value: got[0].Values[0], Delete: got[0].Values[0] == nil})
		})
	}
}

func auditRow(t testing.TB) []byte {
	t.Helper()
	text, err := json.Marshal(Audit{Who: "ann", What: ChangePause, Subject: wholeRun, Why: "x", Before: []byte("{}"), After: []byte("{}")})
	require.NoError(t, err)
	w := codec.NewWriter(rowVersion, nil)
	w.Bytes(text)
	return w.Seal()
}

func TestARaiseOutlivesTheBudgetThatWasGivenBefore(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		ctx, s := t.Context(), memory.New()
		with := func(urls int64) func(*Config) {
			return func(c *Config) { c.Budget = Budget{URLs: urls, Depth: 7} }
		}
		f := open(t, s, with(2))
		seed(t, f, "http://a.test/")
		require.NoError(t, f.Admin("ann").Raise(ctx, Budget{URLs: 10}, "more"))
		require.NoError(t, f.Admin("ann").Raise(ctx, Budget{URLs: 20}, "still more"))
		require.NoError(t, f.Close())
		require.Len(t, audited(t, s), 2)
		for _, c := range []struct{ given, want int64 }{{2, 20}, {0, 20}, {5, 5}, {30, 30}} {
			f = open(t, s, with(c.given))
			assert.Equal(t, c.want, f.Summary().Limit.URLs, "given %d", c.given)
			assert.Equal(t, 7, f.Summary().Limit.Depth)
			require.NoError(t, f.Close())
		}
		assert.Equal(t, "config raise run: a larger Budget was given", audited(t, s)[2])
	})
}

func TestTheNextRunBeginsWithWhatOperatorsHaveSet(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		ctx, s := t.Context(), memory.New()
		f := open(t, s)
		admin := f.Admin("ann")
		seed(t, f, "http://a.test/")
		require.NoError(t, admin.Pause(ctx, originA, "the owner has asked"))
		require.NoError(t, admin.SetPolicy(ctx, theRun, &Policy{Paused: "night", Delay: 3 * time.Second}, "slow"))
		require.NoError(t, admin.Cancel(ctx, "begin anew"))
		require.NoError(t, f.Close())

		f = open(t, s)
		seed(t, f, "http://a.test/", "http://b.test/")
		l := one(t, f)
		assert.Equal(t, "http://b.test/", l.URL)
		assert.Equal(t, 3*time.Second, l.Policy.Delay)
		assert.Equal(t, "static/1+2", l.Policy.Version, "revisions go on")
		complete(t, f, page(l))
		stopped(t, f, "paused: the owner has asked")
		assert.Empty(t, audited(t, s))
		require.NoError(t, f.Close())
		f = open(t, s)
		stopped(t, f, "paused: the owner has asked")
	})
}

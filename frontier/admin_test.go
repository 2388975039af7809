package frontier

import (
	"encoding/json"
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
	"github.com/weircrawl/weir/urlnorm"
)

// audited lists the changes of the newest run: "who what subject: why".
func audited(t testing.TB, s storage.Store) (lines []string) {
	t.Helper()
	for a, err := range reader(t, s).Audits(t.Context()) {
		require.NoError(t, err)
		require.False(t, a.Time.IsZero())
		lines = append(lines, fmt.Sprintf("%s %s %s: %s", a.Who, a.What, a.Subject, a.Why))
	}
	return lines
}

var (
	originA = Subject{Origin: "http://a.test"}
	theRun  = Subject{}
)

func TestAPausedOriginHandsOutNothingUntilItIsResumed(t *testing.T) {
	for _, s := range []Subject{originA, {Site: "a.test"}, theRun} {
		t.Run(s.String(), func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				ctx, store := t.Context(), memory.New()
				f := open(t, store)
				admin := f.Admin("ann")
				seed(t, f, "http://a.test/1", "http://a.test/2")
				require.NoError(t, admin.Pause(ctx, s, "complaint"))
				synctest.Wait()
				assert.EqualValues(t, 2, f.Summary().Paused, "also where nobody asks for a lease")
				_, err := f.Lease(ctx, 1)
				require.ErrorIs(t, err, ErrStopped)
				assert.Equal(t, Reason("paused: complaint"), f.Summary().Reason)
				assert.EqualValues(t, 2, f.Summary().Paused)
				require.NoError(t, f.Close())

				f = open(t, store)
				stopped(t, f, "paused: complaint")
				require.NoError(t, f.Close())

				f, err = OpenAttended(ctx, Config{Store: store})
				require.NoError(t, err)
				require.NoError(t, f.Admin("bob").Resume(ctx, s, "settled"))
				assert.Equal(t, Stopped, f.Summary().Phase)
				require.NoError(t, f.Close())
				f = open(t, store)
				drain(t, f, nil)
				assert.EqualValues(t, 2, f.Summary().States[Done])
				assert.Zero(t, f.Summary().Paused)
				assert.Equal(t, []string{"ann pause " + s.String() + ": complaint", "bob resume " + s.String() + ": settled"}, audited(t, store))
			})
		})
	}
}

func TestResumeGivesAPausedOriginItsTurnAtOnce(t *testing.T) {
	for _, s := range []Subject{originA, {Site: "a.test"}, theRun} {
		t.Run(s.String(), func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				ctx := t.Context()
				f := open(t, memory.New())
				seed(t, f, "http://a.test/", "http://b.test/")
				b := lease(t, f, 2)["http://b.test/"]
				complete(t, f, page(b, "http://a.test/more"))
				require.NoError(t, f.Admin("ann").Pause(ctx, s, "wait"))
				got := waiting(t, f, 1)
				time.Sleep(time.Second)
				require.NoError(t, f.Admin("ann").Resume(ctx, s, "go on"))
				l := soon(t, f, got, time.Millisecond)[0]
				assert.Equal(t, "http://a.test/more", l.URL)
			})
		})
	}
}

func TestResumeGivesAThrottledOriginAnotherChance(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New(), func(c *Config) { c.TTL = 20 * time.Minute })
		seed(t, f, "http://a.test/", "http://b.test/")
		l := lease(t, f, 2)["http://a.test/"]
		for range 11 {
			complete(t, f, l.Busy("status_429", time.Second, Evidence{Status: 429}))
			l = one(t, f)
		}
		complete(t, f, l.Busy("status_429", time.Second, Evidence{Status: 429}))
		nothing(t, f, time.Minute)
		require.NoError(t, f.Admin("ann").Resume(t.Context(), originA, "they have repaired it"))
		assert.Equal(t, "http://a.test/", within(t, f, 2*time.Hour).URL)
		assert.Zero(t, f.Summary().Paused)
	})
}

func TestAnOperatorsPolicyLiesOverTheSourcesFieldByField(t *testing.T) {
	ctx := t.Context()
	s := memory.New()
	base := Policy{Version: "base", Delay: 3 * time.Second, Concurrency: 5}
	f := open(t, s, func(c *Config) { c.Policy = base })
	seed(t, f, "http://a.example.com/")
	admin := f.Admin("ann")
	require.NoError(t, admin.SetPolicy(ctx, theRun, &Policy{Delay: 4 * time.Second, Disallow: []string{"/run"}}, "slower"))
	require.NoError(t, admin.SetPolicy(ctx, Subject{Site: "example.com"}, &Policy{Delay: 5 * time.Second}, "slower still"))
	require.NoError(t, admin.SetPolicy(ctx, Subject{Origin: "http://a.example.com"}, &Policy{Delay: 6 * time.Second}, "slowest"))
	look := func(o urlnorm.Origin) string {
		p := f.policy(o)
		return fmt.Sprintf("%s %v %d %v", p.Version, p.Delay, p.Concurrency, p.Disallow)
	}
	want := map[urlnorm.Origin]string{
		"http://a.example.com": "base+3 6s 5 [/run]",
		"http://b.example.com": "base+3 5s 5 [/run]",
		"http://c.test":        "base+3 4s 5 [/run]",
	}
	for o, is := range want {
		assert.Equal(t, is, look(o))
	}
	assert.Equal(t, "base+3", f.Summary().Versions.Policy)
	require.NoError(t, f.Close())

	f = open(t, s, func(c *Config) { c.Policy = base })
	for o, is := range want {
		assert.Equal(t, is, look(o), "it survives")
	}
	require.NoError(t, f.Admin("ann").SetPolicy(ctx, Subject{Site: "example.com"}, nil, "as before"))
	assert.Equal(t, "base+4 4s 5 [/run]", look("http://b.example.com"))
	var before, after []string
	for a, err := range reader(t, s).Audits(ctx) {
		require.NoError(t, err)
		before, after = append(before, string(a.Before)), append(after, string(a.After))
	}
	assert.Equal(t, []string{"{}", "{}", "{}", `{"delay":"5s"}`}, before)
	assert.Equal(t, []string{`{"delay":"4s","disallow":["/run"]}`, `{"delay":"5s"}`, `{"delay":"6s"}`, "{}"}, after)
}

func TestTheVersionOfAnOperatorsChangeIsRecordedWithEveryDecision(t *testing.T) {
	ctx := t.Context()
	f := open(t, memory.New())
	seed(t, f, "http://a.test/")
	require.NoError(t, f.Admin("ann").SetPolicy(ctx, theRun, &Policy{Disallow: []string{"/x"}}, "no x"))
	complete(t, f, page(one(t, f), "/x", "/y"))
	drain(t, f, nil)
	e := explained(t, reader(t, f.cfg.Store), "http://a.test/y")
	assert.Equal(t, "static/1+1", e.Admission.Policy)
	x := explained(t, reader(t, f.cfg.Store), "http://a.test/x")
	assert.Equal(t, []any{false, "static/1+1", Reason("disallowed: /x")}, []any{x.Known, x.Decisions[0].Policy, x.Decisions[0].Reason})
	assert.Equal(t, "disallowed: /x", x.Policy.String(), "a reader sees what operators have set")
}

func TestAPatternThatIsNoLongerDisallowedIsOfferedAgain(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		ctx := t.Context()
		f := open(t, memory.New())
		admin := f.Admin("ann")
		seed(t, f, "http://a.test/", "http://a.test/hold")
		require.NoError(t, admin.SetPolicy(ctx, originA, &Policy{Disallow: []string{"/x"}}, "no x"))
		held := lease(t, f, 2)
		complete(t, f, page(held["http://a.test/"], "/x/1", "/x/2", "/y"))
		assert.EqualValues(t, 2, decidedAs(f.Summary(), PolicyStop, ReasonDisallowed))
		require.NoError(t, admin.SetPolicy(ctx, originA, nil, "x is fine"))
		complete(t, f, page(held["http://a.test/hold"]))
		assert.Len(t, drain(t, f, nil), 3)
		assert.Zero(t, decidedAs(f.Summary(), PolicyStop, ReasonDisallowed))
	})
}

func TestAChangedScopeRefusesWhatIsOutAndOffersWhatIsIn(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		ctx := t.Context()
		f := open(t, memory.New(), func(c *Config) { c.Scope = Scope{Hosts: []string{"a.test"}} })
		seed(t, f, "http://a.test/", "http://a.test/1", "http://a.test/2")
		l := one(t, f)
		complete(t, f, page(l, "http://b.test/1", "http://b.test/2"))
		require.NoError(t, f.Admin("ann").SetScope(ctx, Scope{Hosts: []string{"b.test"}, Exclude: []string{"/2"}}, "they have moved"))
		assert.Equal(t, map[string]int{"http://b.test/1": 1}, drain(t, f, nil))
		s := f.Summary()
		assert.EqualValues(t, 2, endedAs(s, Refused, ReasonLeftScope))
		assert.EqualValues(t, 1, decidedAs(s, PolicyStop, ReasonScope))
		assert.Equal(t, Finished, s.Phase)
		var a Audit
		for is, err := range reader(t, f.cfg.Store).Audits(ctx) {
			require.NoError(t, err)
			a = is
		}
		assert.JSONEq(t, `{"hosts": ["a.test"]}`, string(a.Before))
		assert.JSONEq(t, `{"hosts": ["b.test"], "exclude": ["/2"]}`, string(a.After))
	})
}

func TestHostsThatSeedsBroughtInLeaveWithANamedScope(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		ctx := t.Context()
		f := open(t, memory.New())
		admin := f.Admin("ann")
		seed(t, f, "http://a.test/")
		l := one(t, f)
		require.NoError(t, admin.SetScope(ctx, Scope{Hosts: []string{"b.test"}}, "elsewhere"))
		require.ErrorAs(t, f.Sent(l, time.Now()), new(*BarredError))
		assert.Equal(t, []string{"b.test"}, f.Summary().Scope.Hosts)
		require.NoError(t, admin.SetScope(ctx, Scope{}, "the seeds again"))
		require.NoError(t, f.Sent(l, time.Now()))
		assert.Equal(t, []string{"a.test"}, f.Summary().Scope.Hosts)
		complete(t, f, page(l, "/2", "http://b.test/"))
		assert.Equal(t, map[string]int{"http://a.test/2": 1}, drain(t, f, nil))
	})
}

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

func TestOriginsAreListedByPressure(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		ctx := t.Context()
		f := open(t, memory.New(), func(c *Config) { c.Policy = Policy{Delay: 10 * time.Second}; c.Scope.Sites = []string{"test"} })
		admin := f.Admin("ann")
		for i := range 5 {
			for j := range i + 1 {
				seed(t, f, fmt.Sprintf("http://o%d.test/%d", i, j))
			}
		}
		require.NoError(t, admin.Pause(ctx, Subject{Origin: "http://o3.test"}, "night"))
		require.NoError(t, f.Sent(within(t, f, time.Second), time.Now()))
		got, err := admin.Origins(ctx, 3)
		require.NoError(t, err)
		var lines []string
		for _, p := range got {
			lines = append(lines, fmt.Sprintf("%s %d %s %v", p.Origin, p.Waiting, p.Paused, p.Delay))
		}
		assert.Equal(t, []string{"http://o4.test 5  10s", "http://o3.test 4 night 10s", "http://o2.test 3  10s"}, lines)
		_, err = admin.Origins(ctx, 0)
		assert.ErrorIs(t, err, ErrBadChange)
		b, err := json.Marshal(got)
		require.NoError(t, err)
		assert.Contains(t, string(b), `"waiting":5`)
	})
}

func TestAChangeThatCannotBeMadeSaysWhatToDoAndChangesNothing(t *testing.T) {
	ctx, s := t.Context(), memory.New()
	f := open(t, s)
	seed(t, f, "http://a.test/")
	before := f.Summary()
	admin := f.Admin("ann")
	for _, c := range []struct {
		name string
		err  error
		is   error
		says string
	}{
		{"nobody", f.Admin("").Pause(ctx, theRun, "x"), ErrUnsigned, "who"},
		{"no reason", admin.Pause(ctx, theRun, ""), ErrUnsigned, "why"},
		{"a long reason", admin.Pause(ctx, theRun, strings.Repeat("x", 1025)), ErrUnsigned, "1,024"},
		{"an unknown origin", admin.Pause(ctx, Subject{Origin: "http://z.test"}, "x"), ErrUnknownOrigin, "SetPolicy"},
		{"an origin that is none", admin.Pause(ctx, Subject{Origin: "z.test"}, "x"), ErrBadChange, "is no origin"},
		{"a default port", admin.Resume(ctx, Subject{Origin: "http://a.test:80"}, "x"), ErrBadChange, `written "http://a.test"`},
		{"a host for a site", admin.Pause(ctx, Subject{Site: "www.a.test"}, "x"), ErrBadChange, `"a.test"`},
		{"two subjects", admin.Pause(ctx, Subject{Site: "a.test", Origin: "http://a.test"}, "x"), ErrBadChange, "name one"},
		{"a bad policy", admin.SetPolicy(ctx, theRun, &Policy{Delay: 48 * time.Hour}, "x"), ErrBadChange, "Delay is 48h"},
		{"a version", admin.SetPolicy(ctx, theRun, &Policy{Version: "v"}, "x"), ErrBadChange, "leave Version empty"},
		{"a bad scope", admin.SetScope(ctx, Scope{Include: []string{"x"}}, "x"), ErrBadChange, "begins with /"},
		{"a lower bound", admin.Raise(ctx, Budget{URLs: 5, Depth: 40}, "x"), ErrBadChange, "does not lower"},
		{"no raise", admin.Raise(ctx, Budget{}, "x"), ErrBadChange, "no bound is larger"},
		{"a bad budget", admin.Raise(ctx, Budget{URLs: -1}, "x"), ErrBadChange, "urls is -1"},
		{"a response beyond all bytes", admin.Raise(ctx, Budget{Response: 1 << 40}, "x"), ErrBadChange, "raise Bytes"},
		{"no states", admin.Reopen(ctx, Filter{}, "x"), ErrBadChange, "States is empty"},
		{"a state that is no end", admin.Reopen(ctx, Filter{States: []State{Queued}}, "x"), ErrBadChange, `"queued" has not ended`},
		{"a reason with its detail", admin.Reopen(ctx, Filter{States: []State{Failed}, Reasons: []Reason{"a: b"}}, "x"), ErrBadChange, "before the colon"},
		{"an unknown origin to reopen", admin.Reopen(ctx, Filter{States: []State{Failed}, Origin: "http://z.test"}, "x"), ErrUnknownOrigin, ""},
	} {
		assert.ErrorIs(t, c.err, c.is, c.name)
		assert.ErrorContains(t, c.err, c.says, c.name)
	}
	assert.Empty(t, audited(t, s))
	after := f.Summary()
	after.Sequence, after.Time, before.Sequence, before.Time, after.Active, before.Active, after.Queue, before.Queue = 0, time.Time{}, 0, time.Time{}, 0, 0, 0, 0
	assert.Equal(t, before, after)
}

func TestAPolicyForAnOriginCanBeSetBeforeItsFirstURL(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New())
		require.NoError(t, f.Admin("ann").SetPolicy(t.Context(), originA, &Policy{Paused: "not yet"}, "a new site"))
		seed(t, f, "http://a.test/", "http://b.test/")
		assert.Equal(t, "http://b.test/", one(t, f).URL)
		nothing(t, f, time.Minute)
	})
}

func TestTenThousandPoliciesAreTheMost(t *testing.T) {
	f := open(t, memory.New())
	seed(t, f, "http://a.test/")
	admin := f.Admin("ann")
	require.NoError(t, admin.SetPolicy(t.Context(), originA, &Policy{URLs: 7}, "few"))
	tx := f.begin(t.Context())
	h := *f.head
	h.contract.Policies = maxSubjects
	tx.f = &Frontier{head: &h}
	tx.f.overlay.Store(f.operators())
	assert.ErrorContains(t, tx.room(Subject{Site: "b.test"}, Policy{URLs: 1}), "which is the most")
	assert.NoError(t, tx.room(originA, Policy{URLs: 1}), "it has one")
	assert.NoError(t, tx.room(Subject{Site: "b.test"}, Policy{}), "it takes none")
	h.contract.Policies, h.contract.Said = 1, maxSaid-5
	assert.ErrorContains(t, tx.room(Subject{Site: "b.test"}, Policy{URLs: 1}), "bytes")
	assert.ErrorContains(t, tx.room(originA, Policy{URLs: 1_000_000}), "bytes")
	assert.NoError(t, tx.room(originA, Policy{URLs: 8}), "it is no longer")
}

// TestAChangeIsMadeOnceWhateverItsCommitComesTo lets the commit of each change fail:
// before it is applied, and after.
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

// auditRow is a whole audit row.
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

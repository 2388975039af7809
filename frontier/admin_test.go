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
	h := &head{contract: contract{Policies: maxSubjects}}
	tx := &tx{f: &Frontier{head: h}}
	tx.f.overlay.Store(&overlay{table: PolicyTable{Origins: map[urlnorm.Origin]Policy{originA.Origin: {URLs: 7}}}})
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
// auditRow is a whole audit row.

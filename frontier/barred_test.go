package frontier

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage/memory"
	"github.com/weircrawl/weir/urlnorm"
)

// swap gives p another policy for one origin.
func (p *policies) swap(o string, to Policy) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.m[o] = to
}

func TestADisallowedReferenceIsNotAdmittedHoweverItIsWritten(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New(), func(c *Config) { c.Policy = Policy{Delay: -1, Disallow: []string{"/private/", "*.pdf$"}} })
		seed(t, f, "http://a.test/")
		drain(t, f, func(l Lease) Completion {
			return page(l, "/private/x", "/%70rivate/y", "/x/../private/z", "/a.pdf", "/public", "/a.pdf?y")
		})
		s := f.Summary()
		assert.EqualValues(t, 3, s.States[Done])
		assert.EqualValues(t, 3*4, decidedAs(s, PolicyStop, ReasonDisallowed))
		stops := map[Reason]string{}
		for _, a := range recorded(t, reader(t, f.cfg.Store)) {
			if a.Decision == PolicyStop {
				stops[a.Reason] = a.URL
			}
		}
		assert.Equal(t, map[Reason]string{"disallowed: /private/": "http://a.test/private/z", "disallowed: *.pdf$": "http://a.test/a.pdf"}, stops)
	})
}

func TestAURLThatIsDisallowedNowIsRefusedAtItsGrant(t *testing.T) {
	for _, gates := range []bool{false, true} {
		inBubble(t, func(t *testing.T) {
			p := &policies{m: map[string]Policy{"http://a.test": {Delay: -1}}}
			f := open(t, memory.New(), func(c *Config) { c.Policy, c.Gates = p, gates })
			seed(t, f, "http://a.test/private/1", "http://a.test/private/2", "http://a.test/")
			p.swap("http://a.test", Policy{Version: "new", Delay: -1, Disallow: []string{"/private/"}})
			l := one(t, f)
			if gates {
				require.True(t, l.Gate)
				complete(t, f, l.Open(nil, time.Now().Add(time.Hour), 0, Evidence{}))
				l = one(t, f)
			}
			require.Equal(t, "http://a.test/", l.URL)
			complete(t, f, page(l))
			done(t, f)
			s := f.Summary()
			assert.EqualValues(t, 2, endedAs(s, Refused, ReasonDisallowed))
			for res, err := range reader(t, f.cfg.Store).Results(t.Context(), 0) {
				require.NoError(t, err)
				if strings.Contains(res.URL, "private") {
					assert.Equal(t, []any{Refused, OutcomeRefused, Reason("disallowed: /private/")}, []any{res.State, res.Outcome, res.Reason})
				}
			}
			e := explained(t, reader(t, f.cfg.Store), "http://a.test/private/1")
			assert.Equal(t, []any{Refused, Reason("disallowed: /private/"), "new"}, []any{e.State, e.Reason, e.History[len(e.History)-1].Policy})
		})
	}
}

func TestAnOriginWithNothingLeftThatMayBeRequestedHasNoGate(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := &policies{m: map[string]Policy{"http://a.test": {Delay: -1}}}
		f := open(t, memory.New(), func(c *Config) { c.Policy, c.Gates = p, true })
		seed(t, f, "http://a.test/1", "http://a.test/2")
		p.swap("http://a.test", Policy{Disallow: []string{"/"}})
		done(t, f)
		assert.EqualValues(t, 0, f.Summary().Requests, "not even its robots.txt")
		assert.EqualValues(t, 2, endedAs(f.Summary(), Refused, ReasonDisallowed))
	})
}

func TestAWaitingURLThatIsDisallowedNowIsRefusedWhenItIsDue(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := &policies{m: map[string]Policy{"http://a.test": {Delay: -1}}}
		f := open(t, memory.New(), func(c *Config) { c.Policy = p })
		seed(t, f, "http://a.test/")
		complete(t, f, one(t, f).Retry("timeout", time.Minute, Evidence{}))
		p.swap("http://a.test", Policy{Delay: -1, Disallow: []string{"*"}})
		done(t, f)
		assert.EqualValues(t, 1, endedAs(f.Summary(), Refused, ReasonDisallowed))
	})
}

func TestNothingIsRequestedThatThePolicyForbidsAfterTheGrant(t *testing.T) {
	for _, c := range []struct {
		name string
		now  Policy
		url  string
		why  Reason
	}{
		{"paused", Policy{Paused: "night"}, "http://a.test/x", "paused: night"},
		{"disallowed", Policy{Disallow: []string{"/x"}}, "http://a.test/x", "disallowed: /x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				p := &policies{m: map[string]Policy{}}
				f := open(t, memory.New(), func(c *Config) { c.Policy = p })
				seed(t, f, c.url)
				l := one(t, f)
				c.now.Version = "later"
				p.swap("http://a.test", c.now)
				var barred *BarredError
				require.ErrorAs(t, f.Sent(l, time.Now()), &barred)
				assert.Equal(t, BarredError{URL: c.url, Reason: c.why, Policy: "later"}, *barred)
				assert.ErrorContains(t, barred, "release its lease")
				complete(t, f, l.Release(barred.Reason))
				_, err := f.Lease(t.Context(), 1)
				require.Error(t, err)
				e := explained(t, reader(t, f.cfg.Store), c.url)
				assert.Len(t, e.Attempts, 1)
				assert.Equal(t, Release, e.Attempts[0].Event)
				p.swap("http://a.test", Policy{})
			})
		})
	}
}

func TestAGateIsBarredByAPause(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := &policies{m: map[string]Policy{}}
		f := open(t, memory.New(), func(c *Config) { c.Policy, c.Gates = p, true })
		seed(t, f, "http://a.test/")
		l := one(t, f)
		require.True(t, l.Gate)
		p.swap("http://a.test", Policy{Paused: "night"})
		var barred *BarredError
		require.ErrorAs(t, f.Sent(l, time.Now()), &barred)
		complete(t, f, l.Release(barred.Reason))
	})
}

// policyFunc is a PolicySource that is a function.
type policyFunc func(urlnorm.Origin) Policy

func (p policyFunc) Policy(o urlnorm.Origin) Policy { return p(o) }

func TestAPolicyThatPanicsJustBeforeARequestIsAnError(t *testing.T) {
	var panics atomic.Bool
	f, err := Open(t.Context(), Config{Store: memory.New(), Policy: policyFunc(func(urlnorm.Origin) Policy {
		if panics.Load() {
			panic("no policy today")
		}
		return Policy{Delay: -1}
	})})
	require.NoError(t, err)
	seed(t, f, "http://a.test/")
	l := one(t, f)
	panics.Store(true)
	require.ErrorIs(t, f.Sent(l, time.Now()), ErrInternal)
	panics.Store(false)
	require.NoError(t, f.Sent(l, time.Now()))
	require.NoError(t, f.Close())
}

func TestARedirectIntoWhatIsDisallowedIsNotFollowed(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New(), func(c *Config) { c.Policy = Policy{Delay: -1, Disallow: []string{"/private/"}} })
		seed(t, f, "http://a.test/")
		hits := drain(t, f, func(l Lease) Completion { return l.Redirected("/private/", Evidence{Status: 301}) })
		assert.Equal(t, map[string]int{"http://a.test/": 1}, hits)
		assert.EqualValues(t, 1, endedAs(f.Summary(), Done, ReasonRedirected))
		assert.EqualValues(t, 1, decidedAs(f.Summary(), PolicyStop, ReasonDisallowed))
	})
}

func TestAScopeIsAboutPathsToo(t *testing.T) {
	s := Scope{Hosts: []string{"a.test"}, Include: []string{"/docs/", "/*.html$"}, Exclude: []string{"/docs/private", "*?print", "http://a.test/docs/old/"}}
	require.NoError(t, s.Validate())
	for url, want := range map[string]bool{
		"http://a.test/docs/":          true,
		"http://a.test/docs/x":         true,
		"http://a.test/x.html":         true,
		"http://a.test/x.html?y":       false,
		"http://a.test/":               false,
		"http://b.test/docs/":          false,
		"http://a.test/docs/private/":  false,
		"http://a.test/docs/%70rivate": false,
		"http://a.test/docs/x?print=1": false,
		"http://a.test/docs/old/1":     false,
		"http://a.test/docs/older":     true,
	} {
		u, err := urlnorm.Standard{}.Normalize(nil, url)
		require.NoError(t, err)
		assert.Equal(t, want, s.Takes(u), url)
	}
	err := Scope{Hosts: []string{"a.test"}, Include: []string{"docs"}, Exclude: []string{"private", ""}}.Validate()
	assert.ErrorContains(t, err, `include: path pattern "docs"`)
	assert.ErrorContains(t, err, `exclude: path pattern "private"`)
	assert.ErrorContains(t, err, "or write a whole URL")
}

func TestAFunctionNarrowsTheScopeAtAdmissionAtHopsAndAtTheGrant(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		var narrow atomic.Bool
		f := open(t, memory.New(), func(c *Config) {
			c.InScope = func(u urlnorm.URL) bool {
				return !strings.Contains(u.Request, "never") && !(narrow.Load() && strings.Contains(u.Request, "later"))
			}
		})
		seed(t, f, "http://a.test/", "http://a.test/later/1", "http://never.test/")
		narrow.Store(true)
		hits := drain(t, f, func(l Lease) Completion {
			if strings.HasSuffix(l.URL, "/hop") {
				return l.Redirected("/never/hop", Evidence{Status: 302})
			}
			return page(l, "/never/1", "/later/2", "/hop")
		})
		assert.Equal(t, map[string]int{"http://a.test/": 1, "http://a.test/hop": 1}, hits)
		s := f.Summary()
		assert.EqualValues(t, 1, endedAs(s, Refused, ReasonLeftScope))
		assert.EqualValues(t, 1+2+1, decidedAs(s, PolicyStop, ReasonScope))
		assert.EqualValues(t, 1, endedAs(s, Done, ReasonRedirected))
	})
}

func TestAURLThatLeavesTheScopeAfterItsGrantIsNotRequested(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		var out atomic.Bool
		f := open(t, memory.New(), func(c *Config) { c.InScope = func(urlnorm.URL) bool { return !out.Load() } })
		seed(t, f, "http://a.test/")
		l := one(t, f)
		out.Store(true)
		var barred *BarredError
		require.ErrorAs(t, f.Sent(l, time.Now()), &barred)
		require.Equal(t, ReasonLeftScope, barred.Reason)
		complete(t, f, l.Release(barred.Reason))
		done(t, f)
		assert.EqualValues(t, 1, endedAs(f.Summary(), Refused, ReasonLeftScope))
	})
}

func TestExplainSaysWhatTheOperatorsRulesSayNow(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New())
		seed(t, f, "http://a.test/")
		drain(t, f, nil)
		r := reader(t, f.cfg.Store)
		r.Policy = Policy{Version: "v7", Disallow: []string{"/private"}}
		for url, want := range map[string]string{
			"http://a.test/":        "allowed",
			"http://a.test/private": "disallowed: /private",
			"http://b.test/":        "out_of_scope",
		} {
			e := explained(t, r, url)
			require.NotNil(t, e.Policy, url)
			assert.Equal(t, want, e.Policy.String(), url)
			assert.Equal(t, want == "allowed", e.Policy.Allowed(), url)
			assert.Equal(t, "v7", e.Policy.Policy.Version)
		}
		assert.Equal(t, Reason("disallowed: /private"), explained(t, r, "http://a.test/private").Preview.Reason)
		r.Policy = Policy{Paused: "night"}
		assert.Equal(t, "paused: night", explained(t, r, "http://a.test/").Policy.String())
		assert.Nil(t, explained(t, r, "mailto:x").Policy)
	})
}

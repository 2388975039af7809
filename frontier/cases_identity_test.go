package frontier

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage/memory"
	"github.com/weircrawl/weir/urlnorm"
)

// The cases of cases/faults.md that are about which references are one URL, and
// which of them a run may request.

func TestSE4RedirectTargetIsNotFetchedAgain(t *testing.T) {
	for name, links := range map[string][]string{"before its source": {"/b", "/a"}, "after it": {"/a", "/b"}} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				f := open(t, memory.New())
				seed(t, f, "http://a.test/")
				hits := drain(t, f, func(l Lease) Completion {
					switch l.URL {
					case "http://a.test/":
						return page(l, links...)
					case "http://a.test/a":
						return l.Redirected("/b", Evidence{Status: 302})
					}
					return page(l)
				})
				assert.Equal(t, map[string]int{"http://a.test/": 1, "http://a.test/a": 1, "http://a.test/b": 1}, hits)
				s := f.Summary()
				assert.EqualValues(t, 3, s.States[Done], "both end")
				assert.EqualValues(t, 1, endedAs(s, Done, ReasonRedirected))
			})
		})
	}
}

func TestSE8LookAlikeHostIsNotInTheSite(t *testing.T) {
	scope := Scope{Sites: []string{"Example.COM."}, Hosts: []string{"one.test", "two.test:8080"}, Prefixes: []string{"https://three.test/docs/"}, Exclude: []string{"/private", "http://example.com/secret"}}
	require.NoError(t, scope.Validate())
	for ref, in := range map[string]bool{
		"http://example.com/":             true,
		"https://sub.example.com/":        true,
		"http://a.b.EXAMPLE.com/":         true,
		"http://EXAMPLE.COM/":             true,
		"http://example.com./":            true, // the same name, said in full
		"http://sub.example.com.:8080/":   true,
		"https://example.com:8443/":       true, // a site is on every port
		"http://evilexample.com/":         false,
		"http://example.com.evil.test/":   false,
		"http://example.comevil/":         false,
		"http://xexample.com.:80/":        false,
		"http://example.com@evil.test/":   false,
		"http://evil.test/?example.com":   false,
		"http://evil.test/.example.com":   false,
		"http://evil.test#.example.com":   false,
		"http://ex\u0430mple.com/":        false, // a Cyrillic letter
		"http://\uff45xample.com/":        true,  // a full-width letter is that letter
		"http://com/":                     false,
		"http://one.test/":                true,
		"https://one.test/":               true, // a host without a port is on the default port of either scheme
		"http://one.test.:80/":            true,
		"http://one.test:443/":            false, // the port of the other scheme
		"https://one.test:8443/":          false,
		"http://sub.one.test/":            false, // a host alone
		"http://two.test:8080/":           true,
		"http://two.test/":                false,
		"http://two.test:80800/":          false,
		"https://three.test/docs/a":       true,
		"https://three.test:443/docs/":    true,
		"https://three.test/docs":         false,
		"http://three.test/docs/":         false,
		"https://three.test/docs/../x":    false,
		"https://three.test/%64ocs/":      false, // not what the prefix says; nothing outside it ever passes
		"http://example.com/private/x":    false,
		"http://example.com/%70rivate/x":  false,
		"http://example.com/x/../private": false,
		"http://example.com/secret":       false,
		"http://sub.example.com/secret":   true,
	} {
		u, err := urlnorm.Standard{}.Normalize(nil, ref)
		assert.Equal(t, in, err == nil && scope.Takes(u), ref)
	}
}

func TestSE11TargetOfManyRedirectsIsFetchedOnce(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New())
		seed(t, f, numbered(100)...)
		hits := drain(t, f, func(l Lease) Completion {
			if l.URL == "http://a.test/login" {
				return page(l)
			}
			return l.Redirected("/login", Evidence{Status: 302})
		})
		assert.Equal(t, 1, hits["http://a.test/login"])
		assert.Len(t, hits, 101)
		s := f.Summary()
		assert.EqualValues(t, 100, s.Slots, "one source gives its slot away")
		assert.EqualValues(t, 1, s.Moved)
		assert.EqualValues(t, 99, decidedAs(s, Duplicate, ReasonKnown))
	})
}

// TestSH9SessionIDsAreKeptApartUntilARuleSaysOtherwise offers the case's three
// references twice each, and a duplicate names the rule that made it one.
func TestSH9SessionIDsAreKeptApartUntilARuleSaysOtherwise(t *testing.T) {
	refs := refs("http://a.test/p;jsessionid=ABC", "http://a.test/p;jsessionid=DEF", "http://a.test/p?osCsid=1",
		"http://a.test/p;jsessionid=ABC", "http://a.test/p;jsessionid=DEF", "http://a.test/p?osCsid=1")
	for _, c := range []struct {
		name     string
		n        urlnorm.Normalizer
		requests map[string]int
		decided  map[Reason]int64
	}{
		{"by default", urlnorm.Standard{}, map[string]int{"http://a.test/p;jsessionid=ABC": 1, "http://a.test/p;jsessionid=DEF": 1, "http://a.test/p?osCsid=1": 1},
			map[Reason]int64{ReasonNew: 3, ReasonKnown: 3}},
		{"with the rule, the first is requested", ruled(urlnorm.FoldSessions), map[string]int{"http://a.test/p;jsessionid=ABC": 1},
			map[Reason]int64{ReasonNew: 1, ReasonKnown: 1, Reason(urlnorm.FoldSessions): 4}},
	} {
		for _, cache := range []int64{0, 1} { // with 1 byte of it every identity is looked up in the store
			t.Run(fmt.Sprint(c.name, cache), func(t *testing.T) {
				inBubble(t, func(t *testing.T) {
					f := open(t, memory.New(), under(c.n), func(cfg *Config) { cfg.Cache = cache })
					for _, ref := range refs {
						_, err := f.Enqueue(t.Context(), Seed, ref)
						require.NoError(t, err)
					}
					got := map[Reason]int64{}
					for _, d := range f.Summary().Decided {
						got[d.Reason] += d.Count
					}
					assert.Equal(t, c.decided, got)
					assert.Equal(t, c.requests, drain(t, f, nil))
				})
			})
		}
	}
}

func TestADuplicateNamesAllRulesThatMadeItOneAndCountsUnderTheFirst(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New(), under(ruled(urlnorm.FoldIndex)))
		e, err := f.Enqueue(t.Context(), Seed, refs("http://a.test/", "http://a.test/index.html?utm_source=x", "http://a.test/?utm_source=x", "http://a.test/#top", "http://A.test")...)
		require.NoError(t, err)
		require.Equal(t, 4, e.Known)
		r := &Reader{Normalizer: f.cfg.Normalizer, store: f.cfg.Store, keys: f.keys}
		var got []Reason
		for a, err := range r.Admissions(t.Context()) {
			require.NoError(t, err)
			got = append(got, a.Reason)
		}
		assert.Equal(t, []Reason{ReasonNew, "index: tracking", "tracking", ReasonKnown, ReasonKnown}, got)
		assert.EqualValues(t, 1, decidedAs(f.Summary(), Duplicate, "index"))
		assert.EqualValues(t, 1, decidedAs(f.Summary(), Duplicate, "tracking"))
	})
}

// TestADuplicateIsComparedWithWhatIsRequestedNow changes the request of an identity
// by a redirect within it.
func TestADuplicateIsComparedWithWhatIsRequestedNow(t *testing.T) {
	for _, cache := range []int64{0, 1} {
		inBubble(t, func(t *testing.T) {
			f := open(t, memory.New(), func(c *Config) { c.Cache = cache })
			seed(t, f, "http://a.test/?utm_source=x")
			complete(t, f, one(t, f).Redirected("/?utm_source=y", Evidence{Status: 302}))
			seed(t, f, "http://a.test/?utm_source=y")
			assert.EqualValues(t, 1, decidedAs(f.Summary(), Duplicate, ReasonKnown), "it is requested as that now")
			seed(t, f, "http://a.test/?utm_source=x")
			assert.EqualValues(t, 1, decidedAs(f.Summary(), Duplicate, "tracking"))
			drain(t, f, nil)
		})
	}
}

func TestReferencesOfTwoCharsetsAreTwo(t *testing.T) {
	cs, err := candidates(t.Context(), urlnorm.Standard{}, "http://a.test/", []Reference{{Observed: "?\u044f"}, {Observed: "?\u044f", Charset: "windows-1251"}, {Observed: "?\u044f", Charset: "koi8-r"},
		{Observed: "?\u044f", Charset: "windows-1251"}, {Observed: "?\u044f"}, {Observed: "http://a.test/?\u044f", Charset: string(make([]byte, 100))}})
	require.NoError(t, err)
	var got []string
	for _, c := range cs {
		got = append(got, c.url.Request)
	}
	assert.Equal(t, []string{"http://a.test/?%D1%8F", "http://a.test/?%FF", "http://a.test/?%D1", "http://a.test/?%FF", "http://a.test/?%D1%8F", "http://a.test/?%D1%8F"}, got)
	assert.Empty(t, cs[5].ref.Charset, "it is none, and is not kept")
}

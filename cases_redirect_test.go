package weir

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/storage/memory"
)

// Cases E of cases/faults.md: redirects and scope.

func TestSE1ARedirectDoesNotLeaveTheScope(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, "-- http://a.test/ --\n<a href=/go>go</a>\n-- http://a.test/go --\nHTTP 302\nLocation: http://b.test/\n\nthis way\n-- http://b.test/ --\nno", nil, "http://a.test/")
		assert.Empty(t, c.web.Log().Origin("http://b.test"), "not even its robots.txt")
		assert.Equal(t, []string{"http://b.test/: policy_stop {out_of_scope}"}, c.admissions(frontier.Redirect))
		hop := c.result("http://a.test/go")
		assert.EqualValues(t, "redirected", hop.Reason)
		assert.Equal(t, "http://b.test/", hop.Target)
		assert.Equal(t, "this way\n", string(c.artifact("http://a.test/go").Body), "the hop is kept with its response")
	})
}

func TestSE2RobotsHoldForTheTargetOfARedirect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, "-- http://a.test/robots.txt --\nUser-agent: *\nDisallow: /private/\n-- http://a.test/go --\nHTTP 302\nLocation: /private/x\n-- http://a.test/private/x --\nno", nil, "http://a.test/go")
		assert.Equal(t, []string{"done {redirected} http://a.test/go", "refused {robots} http://a.test/private/x"}, c.ends())
		assert.Zero(t, c.hits("http://a.test/private/x"))
		assert.Contains(t, string(c.artifact("http://a.test/go").Header), "302")
	})
}

func TestSE2TheTargetsOwnRobotsHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, "-- http://a.test/go --\nHTTP 302\nLocation: http://b.test/x\n-- http://b.test/robots.txt --\nUser-agent: *\nDisallow: /x\n-- http://b.test/x --\nno", hosts("a.test", "b.test"), "http://a.test/go")
		assert.Equal(t, []string{"done {redirected} http://a.test/go", "refused {robots} http://b.test/x"}, c.ends())
		assert.Equal(t, []string{"http://a.test/go"}, c.requested())
	})
}

func TestSE3TheScopeHoldsForSeedsAndPartsOfPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, "-- http://a.test/ --\n<img src=http://c.test/i.png>\n-- http://b.test/ --\nno\n-- http://c.test/i.png --\nno"), memory.New()
		cfg := over(w, mem)
		cfg.Scope.Hosts = []string{"a.test"}
		receipt, err := Run(t.Context(), cfg, "http://a.test/", "http://b.test/")
		var refused *SeedError
		require.ErrorAs(t, err, &refused)
		require.Len(t, refused.Refused, 1)
		assert.Equal(t, frontier.ReasonScope, refused.Refused[0].Reason)
		assert.Len(t, w.Log(), 2, "a.test and its robots.txt: %s", w.Log())
		c := crawled{t, w, mem, receipt}
		assert.Equal(t, []string{"done {fetched} http://a.test/"}, c.ends())
		assert.Equal(t, []string{"http://c.test/i.png: policy_stop {kind}"}, c.admissions(frontier.Link))
		assert.Equal(t, []string{"http://a.test/: admitted {new}", "http://b.test/: policy_stop {out_of_scope}"}, c.admissions(frontier.Seed))
	})
}

func TestSE4TheTargetOfARedirectIsFetchedOnce(t *testing.T) {
	for name, links := range map[string]string{
		"redirect first": "<a href=/a>a</a><a href=/b>b</a>",
		"target first":   "<a href=/b>b</a><a href=/a>a</a>",
		"target later":   "<a href=/a>a</a><a href=/c>c</a>",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := crawl(t, "-- http://a.test/ --\n"+links+"\n-- http://a.test/a --\nHTTP 302\nLocation: /b\n-- http://a.test/b --\nb\n-- http://a.test/c --\n<a href=/b>b</a>", nil, "http://a.test/")
				assert.Equal(t, 1, c.hits("http://a.test/b"))
				assert.Equal(t, "/b", c.result("http://a.test/a").Target)
				assert.Equal(t, frontier.Done, c.result("http://a.test/a").State)
				assert.Equal(t, frontier.Done, c.result("http://a.test/b").State)
				assert.Equal(t, ledger.Complete, c.receipt.Verdict, c.receipt.Why)
			})
		})
	}
}

// greeter sends every visitor without a cookie back to where he came from, once
// he has one.
func greeter(rw http.ResponseWriter, r *http.Request) {
	if _, err := r.Cookie("s"); err == nil {
		fmt.Fprint(rw, "welcome")
		return
	}
	http.SetCookie(rw, &http.Cookie{Name: "s", Value: "1"})
	rw.Header().Set("Location", "/")
	rw.WriteHeader(http.StatusFound)
}

func TestSE5ARedirectToItselfWithACookieIsNoLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := web(t, "-- http://a.test/robots.txt --\n")
		require.NoError(t, w.Handle("http://a.test/", http.HandlerFunc(greeter)))
		c := crawlWeb(t, w, func(cfg *Config) { cfg.Fetch.Cookies = fetch.NewJar() }, "http://a.test/")
		assert.Equal(t, []string{"done {fetched} http://a.test/"}, c.ends())
		assert.Equal(t, 2, c.hits("http://a.test/"))
		assert.Equal(t, "welcome", string(c.artifact("http://a.test/").Body))
	})
}

func TestSE5ARedirectToItselfForEverIsALoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := web(t, "-- http://a.test/robots.txt --\n")
		require.NoError(t, w.Handle("http://a.test/", http.HandlerFunc(greeter)))
		c := crawlWeb(t, w, nil, "http://a.test/")
		assert.Equal(t, []string{"failed {too_many_redirects} http://a.test/"}, c.ends(), "without a jar no cookie comes back")
		assert.Equal(t, 1+Budget{}.WithDefaults().Redirects, c.hits("http://a.test/"))
	})
}

func TestSE6ASeedThatLeavesItsScopeIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, "-- http://a.test/ --\nHTTP 301\nLocation: http://www.a.test/\n-- http://www.a.test/ --\n<a href=/1>1</a>", func(cfg *Config) { cfg.Scope.Prefixes = []string{"http://a.test/"} }, "http://a.test/")
		assert.Equal(t, []string{"refused {seed_left_scope} http://a.test/"}, c.ends())
		assert.Equal(t, "http://www.a.test/", c.result("http://a.test/").Target, "where it leads")
		assert.Equal(t, ledger.CompleteWithFailures, c.receipt.Verdict)
		assert.Contains(t, c.receipt.Why, "seed_left_scope")
		assert.Contains(t, c.receipt.Why, "http://a.test/", "and which it is")
		assert.Empty(t, c.web.Log().Origin("http://www.a.test"))
	})
}

func TestSE6AScopeThatCameFromTheSeedsFollowsThemWithinTheirSite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, "-- http://a.test/ --\nHTTP 301\nLocation: http://www.a.test/\n-- http://www.a.test/ --\n<a href=/1>1</a>\n-- http://www.a.test/1 --\n1", nil, "http://a.test/")
		assert.Equal(t, []string{"done {fetched} http://www.a.test/", "done {fetched} http://www.a.test/1", "done {redirected} http://a.test/"}, c.ends())
		assert.Equal(t, ledger.Complete, c.receipt.Verdict, c.receipt.Why)
	})
}

func TestSE7ALocationIsEncodedOnce(t *testing.T) {
	for location, want := range map[string]string{
		"/café":          "http://a.test/caf%C3%A9",
		"/a b":           "http://a.test/a%20b",
		"/caf%C3%A9":     "http://a.test/caf%C3%A9",
		"/café#fragment": "http://a.test/caf%C3%A9",
		"/caf\xe9":       "http://a.test/caf%E9", // no UTF-8: byte for byte, as browsers do
	} {
		t.Run(location, func(t *testing.T) {
			w := web(t, "-- http://a.test/ --\nHTTP 302\nLocation: "+location+"\n-- http://a.test/* --\nhere")
			c := crawlWeb(t, w, onSockets(t, w), "http://a.test/")
			assert.Equal(t, []string{"http://a.test/", want}, c.requested())
			assert.Equal(t, []string{"done {fetched} " + want, "done {redirected} http://a.test/"}, c.ends())
		})
	}
}

func TestSE8ALookAlikeHostIsNotInTheSite(t *testing.T) {
	const page = `-- http://example.com/ --
<a href=http://example.com/1>1</a> <a href=http://sub.example.com/1>1</a> <a href=http://evilexample.com/1>1</a> <a href=http://example.com.evil.test/1>1</a>
<a href=http://EXAMPLE.COM/2>2</a> <a href=http://example.com./3>3</a> <a href=http://example.com:8443/4>4</a>
-- http://example.com/* --
-- http://example.com./* --
-- http://sub.example.com/* --
-- http://evilexample.com/* --
-- http://example.com.evil.test/* --
-- http://example.com:8443/* --
-- http://example.com/robots.txt --
-- http://sub.example.com/robots.txt --
-- http://example.com:8443/robots.txt --
`
	synctest.Test(t, func(t *testing.T) {
		in := []string{"http://example.com/", "http://example.com/1", "http://example.com/2", "http://example.com./3", "http://sub.example.com/1"}
		c := crawl(t, page, func(cfg *Config) { cfg.Scope.Sites = []string{"example.com"} }, "http://example.com/")
		assert.ElementsMatch(t, append(in, "http://example.com:8443/4"), c.requested(), "a site is on every port")
		assert.Equal(t, []frontier.Tally{{Decision: frontier.PolicyStop, Reason: frontier.ReasonScope, Count: 2, Example: "http://evilexample.com/1"}}, stops(c.receipt))

		c = crawl(t, page, hosts("example.com", "sub.example.com"), "http://example.com/")
		assert.ElementsMatch(t, in, c.requested(), "a host is on one port")
	})
}

// stops are the decisions that a rule has made.
func stops(r ledger.Receipt) (list []frontier.Tally) {
	for _, tally := range r.Decided {
		if tally.Decision == frontier.PolicyStop {
			list = append(list, tally)
		}
	}
	return list
}

func TestSE9TwoCrawlersOfOneConfigObeyTheirOwnScope(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := web(t, "-- http://a.test/go --\nHTTP 302\nLocation: http://b.test/\n-- http://b.test/ --\nb")
		base := over(w, memory.New())
		narrow, wide := base, base
		narrow.Scope.Hosts = []string{"a.test"}
		wide.Scope.Hosts = []string{"a.test", "b.test"}
		mem := memory.New()
		wide.Store, wide.Artifacts = mem, mem

		one, err := New(narrow)
		require.NoError(t, err)
		defer one.Close()
		two, err := New(wide)
		require.NoError(t, err)
		defer two.Close()
		receipt, err := one.Run(t.Context(), "http://a.test/go")
		require.NoError(t, err)
		assert.EqualValues(t, 1, receipt.Counts[frontier.Refused], "the seed left its scope")
		assert.Empty(t, w.Log().Origin("http://b.test"))
		receipt, err = two.Run(t.Context(), "http://a.test/go")
		require.NoError(t, err)
		assert.EqualValues(t, 2, receipt.Counts[frontier.Done])
		assert.Equal(t, 1, w.Log().Hits("http://b.test/"))
	})
}

// A Config takes a Transport alone: the client around it, with its own idea of
// redirects, stays outside.
func TestSE10AClientsOwnRedirectsAreNotUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := web(t, "-- http://a.test/ --\n<a href=/go>go</a>\n-- http://a.test/go --\nHTTP 302\nLocation: http://b.test/\n-- http://b.test/ --\nno")
		supplied := &http.Client{Transport: w}
		c := crawlWeb(t, w, func(cfg *Config) { cfg.Fetch.Transport = supplied.Transport }, "http://a.test/")
		assert.Empty(t, w.Log().Origin("http://b.test"))
		assert.Equal(t, []string{"http://b.test/: policy_stop {out_of_scope}"}, c.admissions(frontier.Redirect))
	})
}

// A Transport that is such a client can only be found out afterwards.
func TestSE10WhatATransportHasFollowedIsNoPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := web(t, "-- http://a.test/robots.txt --\n-- http://a.test/go --\nHTTP 302\nLocation: http://b.test/\n-- http://b.test/ --\nno")
		c := crawlWeb(t, w, func(cfg *Config) {
			cfg.Budget.Attempts, cfg.Fetch.Transport = 1, follower{&http.Client{Transport: w}}
		}, "http://a.test/go")
		assert.Equal(t, frontier.Failed, c.result("http://a.test/go").State)
		assert.Contains(t, c.result("http://a.test/go").Evidence.Detail, "follow")
		assert.Empty(t, c.result("http://a.test/go").Evidence.Artifact)
	})
}

// follower is a client in the place of a Transport.
type follower struct{ *http.Client }

func (f follower) RoundTrip(r *http.Request) (*http.Response, error) { return f.Do(r) }

func TestSE11TheTargetOfManyRedirectsIsFetchedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var links strings.Builder
		for i := range 100 {
			fmt.Fprintf(&links, "<a href=/%d>x</a>", i)
		}
		c := crawl(t, "-- http://a.test/* --\nHTTP 302\nLocation: /login\n-- http://a.test/robots.txt --\n-- http://a.test/login --\nwelcome\n-- http://a.test/ --\n"+links.String(), nil, "http://a.test/")
		assert.Equal(t, 1, c.hits("http://a.test/login"))
		assert.EqualValues(t, 102, c.receipt.Counts[frontier.Done])
		assert.Equal(t, ledger.Complete, c.receipt.Verdict, c.receipt.Why)
		assert.Len(t, c.admissions(frontier.Redirect), 100)
	})
}

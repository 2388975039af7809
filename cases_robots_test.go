package weir

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/robots"
	"github.com/weircrawl/weir/storage/memory"
)

// Cases F of cases/faults.md: robots.txt.

func TestSF1UnreachableRobotsEndTheOriginsURLs(t *testing.T) {
	for answer, want := range map[string]string{
		"HTTP 500":  "refused {robots: unreachable} http://a.test/",
		"HTTP 503":  "refused {robots: unreachable} http://a.test/",
		"HTTP 599":  "refused {robots: unreachable} http://a.test/",
		"! timeout": "failed {timeout} http://a.test/",
		"! close":   "failed {connect} http://a.test/",
	} {
		t.Run(answer, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := crawl(t, "-- http://a.test/robots.txt --\n"+answer+"\n\nUser-agent: *\nAllow: /\n-- http://a.test/ --\nhere", nil, "http://a.test/")
				assert.Equal(t, []string{want}, c.ends())
				assert.Equal(t, 4, c.hits("http://a.test/robots.txt"), "it is asked for again, so often")
				assert.Zero(t, c.hits("http://a.test/"))
				assert.Equal(t, ledger.CompleteWithFailures, c.receipt.Verdict, c.receipt.Why)
			})
		})
	}
}

func TestSF1ARefusedConnectionAllowsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, "-- http://a.test/* --\n! refused", nil, "http://a.test/")
		assert.Equal(t, []string{"failed {connect} http://a.test/"}, c.ends())
		assert.Empty(t, c.requested())
	})
}

func TestSF1RobotsThatComeBackAreObeyed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, "-- http://a.test/robots.txt --\nHTTP 500\n-- http://a.test/robots.txt --\nUser-agent: *\nDisallow: /x\n-- http://a.test/ --\n<a href=/x>x</a>\n-- http://a.test/x --\nno", nil, "http://a.test/")
		assert.Equal(t, []string{"done {fetched} http://a.test/", "refused {robots} http://a.test/x"}, c.ends())
		assert.Equal(t, 2, c.hits("http://a.test/robots.txt"))
	})
}

func TestSF1CachedRulesStayInForce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var pages strings.Builder
		for i := range 100 {
			fmt.Fprintf(&pages, "-- http://a.test/%d --\n<a href=/%d>next</a><a href=/x%d>x</a>\n", i, i+1, i)
		}
		c := crawl(t, pages.String()+"-- http://a.test/robots.txt --\nHTTP 200\nCache-Control: max-age=60\n\nUser-agent: *\nDisallow: /x\n-- http://a.test/robots.txt --\nHTTP 500\n",
			func(cfg *Config) { cfg.Budget.Depth, cfg.Policy = 100, frontier.Policy{Delay: 10 * time.Second} }, "http://a.test/0")
		assert.GreaterOrEqual(t, c.hits("http://a.test/robots.txt"), 2, "it has failed")
		assert.EqualValues(t, 101, c.receipt.Counts[frontier.Done], "/100 is not there")
		assert.EqualValues(t, 100, c.receipt.Counts[frontier.Refused])
		for _, url := range c.requested() {
			assert.NotContains(t, url, "/x")
		}
	})
}

func TestSF2MissingRobotsForbidNothing(t *testing.T) {
	for _, status := range []int{404, 410, 403, 401, 400} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := crawl(t, fmt.Sprintf("-- http://a.test/robots.txt --\nHTTP %d\n\nUser-agent: *\nDisallow: /\n-- http://a.test/ --\nhere", status), nil, "http://a.test/")
				assert.Equal(t, []string{"done {fetched} http://a.test/"}, c.ends())
				assert.Equal(t, 1, c.hits("http://a.test/robots.txt"))
			})
		})
	}
}

func TestSF2AnOperatorMayBeStricterAndSaysSo(t *testing.T) {
	for _, status := range []int{401, 403, 404} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := crawl(t, fmt.Sprintf("-- http://a.test/robots.txt --\nHTTP %d\n-- http://a.test/ --\nhere", status), func(cfg *Config) {
					cfg.Robots = robots.Policy{Forbidden: robots.Deny}
				}, "http://a.test/")
				if status == 404 {
					assert.Equal(t, []string{"done {fetched} http://a.test/"}, c.ends())
					return
				}
				assert.Equal(t, []string{"refused {robots} http://a.test/"}, c.ends())
				assert.Equal(t, fmt.Sprintf("allowed by status %d; disallowed by policy", status), c.result("http://a.test/").Evidence.Detail)
			})
		})
	}
}

func TestSF2ThrottledRobotsAreNotMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, "-- http://a.test/robots.txt --\nHTTP 429\nRetry-After: 9\n-- http://a.test/robots.txt --\nUser-agent: *\nDisallow: /\n-- http://a.test/ --\nno", nil, "http://a.test/")
		assert.Equal(t, []string{"refused {robots} http://a.test/"}, c.ends())
		asked := c.web.Log().Origin("http://a.test")
		require.Len(t, asked, 2)
		assert.GreaterOrEqual(t, asked[1].Start-asked[0].Start, 9*time.Second)
	})
}

// obeys crawls a site with this robots.txt and a page for each path, and looks
// at which are requested.
func obeys(t *testing.T, robots string, allowed, denied []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var site strings.Builder
		fmt.Fprintf(&site, "-- http://a.test/* --\n-- http://a.test/robots.txt --\n%s\n-- http://a.test/start --\n", robots)
		for _, path := range append(allowed, denied...) {
			fmt.Fprintf(&site, "<a href=\"%s\">x</a>\n", path)
		}
		c := crawl(t, site.String(), func(cfg *Config) { cfg.Policy = frontier.Policy{Delay: -1} }, "http://a.test/start")
		want := []string{"http://a.test/start"}
		for _, path := range allowed {
			want = append(want, "http://a.test"+path)
		}
		assert.ElementsMatch(t, want, c.requested())
		assert.EqualValues(t, len(denied), c.receipt.Counts[frontier.Refused], "%v", c.ends())
	})
}

func TestSF3ARuleOnTheQueryHolds(t *testing.T) {
	obeys(t, "User-agent: *\nDisallow: /*s=", []string{"/", "/s/"}, []string{"/?s=asd"})
}

func TestSF4RuleAndURLAreComparedInOneEncoding(t *testing.T) {
	obeys(t, "User-agent: *\nDisallow: /shop/*sort=*price*\nDisallow: /ü\nDisallow: /a:b\nDisallow: /?a:b",
		[]string{"/a%3Ab", "/?a%3Ab"}, // a reserved character is not its encoding (RFC 3986, section 2.2), in path and query
		[]string{"/shop/list/4?sort=%3Aprice%3Aasc", "/%C3%BC", "/a:b", "/?a:b"})
}

func TestSF5OurGroupAloneHolds(t *testing.T) {
	for _, robots := range []string{
		"User-agent: weirbot\nDisallow: /only-us\n\nUser-agent: *\nDisallow: /others",
		"User-agent: *\nDisallow: /others\n\nUser-agent: weirbot\nDisallow: /only-us",
		"User-agent: weirbot\nDisallow: /only-us\nUser-agent: *\nDisallow: /others",
	} {
		obeys(t, robots, []string{"/others"}, []string{"/only-us"})
	}
}

func TestSF6CrawlDelayDoesNotEndAGroup(t *testing.T) {
	obeys(t, "User-agent: weirbot\nCrawl-delay: 5\nUser-agent: b\nDisallow: /x", nil, []string{"/x"})
	obeys(t, "User-agent: a\nCrawl-delay: 5\nUser-agent: weirbot\nDisallow: /x", nil, []string{"/x"})
	obeys(t, "User-agent: weirbot\nSitemap: http://a.test/s.xml\nUser-agent: b\nDisallow: /x", nil, []string{"/x"})
}

func TestSF7TheDelayOfAnotherBotIsNotOurs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, "-- http://a.test/robots.txt --\nUser-agent: *\nDisallow: /x\nSitemap: http://a.test/s.xml\n# comment\nUser-agent: otherbot\nCrawl-delay: 10\n-- http://a.test/ --\n<a href=/x>x</a><a href=/y>y</a>\n-- http://a.test/y --\ny", nil, "http://a.test/")
		assert.Equal(t, []string{"done {fetched} http://a.test/", "done {fetched} http://a.test/y", "refused {robots} http://a.test/x"}, c.ends())
		assert.Equal(t, frontier.DefaultDelay, c.web.Log().Gap("http://a.test"))
	})
}

func TestSF8TheTokenMatchesWithoutItsVersion(t *testing.T) {
	obeys(t, "User-agent: weirbot\nDisallow:\n\nUser-agent: *\nDisallow: /", []string{"/", "/x"}, nil)
}

func TestSF9ARuleMayBeginWithAStar(t *testing.T) {
	obeys(t, "User-agent: *\nDisallow: */test", []string{"/tes", "/a"}, []string{"/test", "/a/test", "/testing"})
	obeys(t, "User-agent: *\nDisallow: /u/*/posts", []string{"/anything", "/u/7"}, []string{"/u/7/posts"})
}

func TestSF10RedirectedRulesHoldForTheOriginThatAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, `-- http://a.test/robots.txt --
HTTP 301
Location: https://b.test/team-a/robots.txt
-- http://a.test/ --
<a href=https://b.test/>b</a>
-- https://b.test/team-a/robots.txt --
User-agent: *
Allow: /
-- https://b.test/robots.txt --
User-agent: *
Disallow: /
-- https://b.test/ --
no
`, hosts("a.test", "b.test"), "http://a.test/")
		assert.Equal(t, []string{"done {fetched} http://a.test/", "refused {robots} https://b.test/"}, c.ends())
		assert.Equal(t, 1, c.hits("https://b.test/robots.txt"))
	})
}

func TestSF11RedirectedRulesAreNotTheTargets(t *testing.T) {
	for name, target := range map[string]string{"with a query": "http://b.test/robots.txt?from=a", "its very own file": "http://b.test/robots.txt"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := crawl(t, "-- http://a.test/robots.txt --\nHTTP 301\nLocation: "+target+"\n-- http://a.test/ --\n<a href=http://b.test/>b</a>\n-- http://b.test/robots.txt?from=a --\n-- http://b.test/robots.txt --\n-- http://b.test/ --\nb", hosts("a.test", "b.test"), "http://a.test/")
				var order []string
				for _, e := range c.web.Log().Origin("http://b.test") {
					order = append(order, e.URL)
				}
				assert.Equal(t, []string{target, "http://b.test/robots.txt", "http://b.test/"}, order, "it is asked for its own")
			})
		})
	}
}

func TestSF12RobotsFollowToAnotherHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, "-- http://a.test/robots.txt --\nHTTP 301\nLocation: https://www.a.test/robots.txt\n-- https://www.a.test/robots.txt --\nUser-agent: *\nDisallow: /x\n-- http://a.test/ --\n<a href=/x>x</a><a href=https://www.a.test/>www</a>\n-- http://a.test/x --\nno", hosts("a.test"), "http://a.test/")
		assert.Equal(t, []string{"done {fetched} http://a.test/", "refused {robots} http://a.test/x"}, c.ends())
		assert.Len(t, c.web.Log().Origin("https://www.a.test"), 1, "its robots.txt alone: pages there are out of scope")
	})
}

func TestSF12RobotsBeyondFiveHopsAreMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := web(t, "-- http://a.test/ --\nhere")
		for i := range 10 {
			to := fmt.Sprintf("http://h%d.test/robots.txt", i+1)
			require.NoError(t, w.Handle(fmt.Sprintf("http://h%d.test/robots.txt", i), http.RedirectHandler(to, http.StatusFound)))
		}
		require.NoError(t, w.Handle("http://a.test/robots.txt", http.RedirectHandler("http://h0.test/robots.txt", http.StatusFound)))
		c := crawlWeb(t, w, nil, "http://a.test/")
		assert.Equal(t, []string{"done {fetched} http://a.test/"}, c.ends())
		assert.Len(t, c.web.Log(), 1+5+1)
	})
}

func TestSF13EachPortAndSchemeHasItsOwnRobots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, "-- http://a.test:8080/robots.txt --\nUser-agent: *\nDisallow: /private/\n-- http://a.test:8080/ --\n<a href=/private/x>x</a><a href=https://a.test/private/x>x</a>\n-- https://a.test/robots.txt --\n-- https://a.test/private/x --\nhere",
			hosts("a.test:8080", "a.test"), "http://a.test:8080/")
		assert.Equal(t, []string{"done {fetched} http://a.test:8080/", "done {fetched} https://a.test/private/x", "refused {robots} http://a.test:8080/private/x"}, c.ends())
		assert.Empty(t, c.web.Log().Origin("http://a.test"))
	})
}

func TestSF14RobotsAreAskedForByTheSameAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := web(t, "")
		require.NoError(t, w.Handle("http://a.test/*", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if r.UserAgent() != "weirbot/1.0" {
				rw.WriteHeader(http.StatusForbidden)
			}
		})))
		c := crawlWeb(t, w, nil, "http://a.test/")
		assert.Equal(t, []string{"done {fetched} http://a.test/"}, c.ends())
		log := c.web.Log()
		require.Len(t, log, 2)
		assert.Equal(t, 200, log[0].Status)
		assert.Equal(t, log[1].Header, log[0].Header)
	})
}

func TestSF15BytesThatAreNoTextLoseNoRuleAndNoPage(t *testing.T) {
	const rules = "\xff\xfe\xd8\nUser-agent: *\nDisallow: /\xfc\nDisallow: /x\n"
	w := web(t, "-- http://a.test/robots.txt --\n"+rules+"-- http://a.test/ --\n<a href=/x>x</a><a href=/y>y</a>\n-- http://a.test/y --\ny\n-- http://a.test/x --\nno")
	c := crawlWeb(t, w, onSockets(t, w), "http://a.test/")
	assert.Equal(t, []string{"done {fetched} http://a.test/", "done {fetched} http://a.test/y", "refused {robots} http://a.test/x"}, c.ends())
}

func TestSF15RulesBeyondTheParsedSizeDoNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, "-- http://a.test/robots.txt --\nUser-agent: *\nDisallow: /x\n"+strings.Repeat("# 500 KiB\n", 500<<10/10)+"Disallow: /y\n-- http://a.test/ --\n<a href=/x>x</a><a href=/y>y</a>\n-- http://a.test/y --\ny", nil, "http://a.test/")
		assert.Equal(t, []string{"done {fetched} http://a.test/", "done {fetched} http://a.test/y", "refused {robots} http://a.test/x"}, c.ends())
	})
}

func TestSF16RobotsAreObeyedByDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, "-- http://a.test/robots.txt --\nUser-agent: *\nDisallow: /\n-- http://a.test/ --\nno", nil, "http://a.test/")
		assert.Equal(t, []string{"refused {robots} http://a.test/"}, c.ends())
		assert.Zero(t, c.hits("http://a.test/"))
	})
}

func TestRobotsOfAnEarlierProcessAreReadFromTheirArtifact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, "-- http://a.test/robots.txt --\nUser-agent: *\nDisallow: /2\n-- http://a.test/0 --\n<a href=/1>1</a> <a href=/2>2</a>\n-- http://a.test/1 --\n1\n-- http://a.test/2 --\n2"), memory.New()
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		_, err := Run(ctx, over(w, mem), "http://a.test/0")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		_, err = Run(t.Context(), over(w, mem))
		require.NoError(t, err)
		assert.Equal(t, []string{"done {fetched} http://a.test/0", "done {fetched} http://a.test/1", "refused {robots} http://a.test/2"}, results(t, mem))
		assert.Equal(t, 1, w.Log().Hits("http://a.test/robots.txt"), "its record is fresh")
	})
}

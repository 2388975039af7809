package robots

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/urlnorm"
)

// file parses a robots.txt that is written in one line, as the cases are.
func file(lines string) Rules { return Parse([]byte(strings.ReplaceAll(lines, "|", "\n"))) }

func TestRuleCases(t *testing.T) {
	const (
		allowed = true
		denied  = false
	)
	for _, row := range []struct {
		name, file, url string
		want            bool
	}{
		{"S-F3 no query", "User-agent: * | Disallow: /*s=", "/", allowed},
		{"S-F3 path only", "User-agent: * | Disallow: /*s=", "/s/", allowed},
		{"S-F3 query", "User-agent: * | Disallow: /*s=", "/?s=asd", denied},
		{"S-F4 encoded colon", "User-agent: * | Disallow: /shop/*sort=*price*", "/shop/list/4?sort=%3Aprice%3Aasc", denied},
		{"S-F4 a reserved character is not its encoding", "User-agent: * | Disallow: /a:b", "/a%3Ab", allowed},
		{"S-F4 nor in a query", "User-agent: * | Disallow: /?a:b", "/?a%3Ab", allowed},
		{"S-F4 the same octets", "User-agent: * | Disallow: /\u00fc", "/%C3%BC", denied},
		{"S-F5 the other group", "User-agent: weirbot | Disallow: /only-us || User-agent: * | Disallow: /others", "/others", allowed},
		{"S-F5 our group", "User-agent: weirbot | Disallow: /only-us || User-agent: * | Disallow: /others", "/only-us", denied},
		{"S-F5 in the other order", "User-agent: * | Disallow: /others || User-agent: weirbot | Disallow: /only-us", "/others", allowed},
		{"S-F5 without the blank line", "User-agent: weirbot | Disallow: /only-us | User-agent: * | Disallow: /others", "/others", allowed},
		{"S-F6 first of the list", "User-agent: weirbot | Crawl-delay: 5 | User-agent: b | Disallow: /", "/x", denied},
		{"S-F6 last of the list", "User-agent: a | Crawl-delay: 5 | User-agent: weirbot | Disallow: /", "/x", denied},
		{"S-F6 sitemap between", "User-agent: weirbot | Sitemap: http://a.example/s | User-agent: b | Disallow: /", "/x", denied},
		{"S-F7", "User-agent: * | Disallow: /x | Sitemap: http://a.example/s | # comment | User-agent: otherbot | Crawl-delay: 10", "/x", denied},
		{"S-F8 empty disallow", "User-agent: weirbot | Disallow: | User-agent: * | Disallow: /", "/x", allowed},
		{"S-F9 star first", "User-agent: * | Disallow: */test", "/test", denied},
		{"S-F9 star first, deeper", "User-agent: * | Disallow: */test", "/a/test", denied},
		{"S-F9 prefix", "User-agent: * | Disallow: */test", "/testing", denied},
		{"S-F9 inner star", "User-agent: * | Disallow: /u/*/posts", "/u/7/posts", denied},
		{"S-F9 elsewhere", "User-agent: * | Disallow: /u/*/posts", "/anything", allowed},
		{"S-F15 lines that are no text", "\xff\xfe\xd8 | User-agent: * | Disallow: /\xfc | Disallow: /x", "/x", denied},
		{"S-F15 other pages", "\xff\xfe\xd8 | User-agent: * | Disallow: /\xfc | Disallow: /x", "/y", allowed},
		{"odd user agent is structural", "User-agent: weirbot | Disallow: /a | User-agent: ??? | Disallow: /", "/b", allowed},
		{"what names nobody holds for nobody", "User-agent: ??? | Disallow: /", "/b", allowed},
		{"longest wins", "User-agent: * | Disallow: / | Allow: /a", "/a/b", allowed},
		{"allow on a tie", "User-agent: * | Disallow: /a | Allow: /a", "/a", allowed},
		{"across merged groups", "User-agent: weirbot | Disallow: /a | User-agent: b | Disallow: / | User-agent: weirbot | Allow: /a/b", "/a/b", allowed},
		{"token is not a prefix", "User-agent: weir | Disallow: /", "/x", allowed},
		{"token in any case", "User-agent: WeirBot | Disallow: /", "/x", denied},
		{"a fragment is not sent", "User-agent: * | Disallow: /a$", "/a#b", denied},
		{"a star that begins a word names nobody", "User-agent: *bot | Disallow: /", "/x", allowed},
		{"a star before other characters is one", "User-agent: *, all | Disallow: /", "/x", denied},
		{"robots.txt itself", "User-agent: * | Disallow: /", "/robots.txt", allowed},
	} {
		t.Run(row.name, func(t *testing.T) {
			rules := file(row.file)
			for _, agent := range []string{"weirbot", "weirbot/1.0 (+https://a.example/bot)"} {
				got := rules.Decide(agent, "http://a.example"+row.url)
				assert.Equal(t, row.want, got.Allowed, "%+v", got)
			}
		})
	}
}

func TestCrawlDelayHoldsForThoseItNames(t *testing.T) {
	delay := func(lines, agent string) string {
		d, ok := file(lines).Delay(agent)
		if !ok {
			return "none"
		}
		assert.Equal(t, d, file(lines).Decide(agent, "/x").Delay)
		return d.String()
	}
	const (
		f6 = "User-agent: a | Crawl-delay: 5 | User-agent: b | Disallow: /x"
		f7 = "User-agent: * | Disallow: /x | Sitemap: http://a.example/s | # comment | User-agent: otherbot | Crawl-delay: 10"
	)
	assert.Equal(t, "5s", delay(f6, "a"), "S-F6")
	assert.Equal(t, "none", delay(f6, "b"), "S-F6")
	assert.Equal(t, "none", delay(f7, "weirbot"), "S-F7")
	assert.Equal(t, "10s", delay(f7, "otherbot"), "S-F7")
	assert.Equal(t, "5s", delay("User-agent: * | Crawl-delay: 5 | Crawl-delay: 2", "a"), "the most polite")
	assert.Equal(t, "0s", delay("User-agent: * | Crawl-delay: 0", "a"), "it is given")
	assert.Equal(t, maxDelay.String(), delay("User-agent: * | Crawl-delay: 99999999999999999999", "a"))
	assert.Equal(t, "7s", delay("Disallow: /x | Crawl-delay: 7", "a"), "a file that names nobody means everybody")
	assert.Equal(t, "none", delay("Crawl-delay: 7 | User-agent: b | Disallow: /x", "b"))
	assert.Equal(t, "none", delay("Crawl-delay: 7 | User-agent: b | Disallow: /x", "a"))
}

func TestADecisionNamesItsRule(t *testing.T) {
	rules := file("User-agent: * | disallow:/priv%61te* # ours | Allow: /private/x || User-agent: b | Disallow:")
	for _, row := range []struct {
		agent, url string
		want       Decision
		text       string
	}{
		{"a", "/private/y", Decision{Rule: "disallow:/priv%61te*", Line: 2, Group: "*"}, `disallowed by line 2 of group *: "disallow:/priv%61te*"`},
		{"a", "/private/x", Decision{Allowed: true, Rule: "Allow: /private/x", Line: 3, Group: "*"}, `allowed by line 3 of group *: "Allow: /private/x"`},
		{"a", "/", Decision{Allowed: true, Group: "*"}, "allowed: no rule of group * matches"},
		{"B/1.0", "/private/y", Decision{Allowed: true, Group: "b"}, "allowed: no rule of group b matches"},
		{"a", "/robots.txt", Decision{Allowed: true, Rule: "/robots.txt", Group: "*"}, "allowed by /robots.txt"},
	} {
		got := rules.Decide(row.agent, row.url)
		assert.Equal(t, row.want, got)
		assert.Equal(t, row.text, got.String())
	}
	none := Decision{Allowed: true}
	assert.Equal(t, none, Rules{}.Decide("a", "/"))
	assert.Equal(t, none, file("User-agent: ??? | Disallow: /").Decide("", "/"), "an agent without a name")
	assert.Equal(t, "allowed: no group holds", none.String())
}

func TestAByteOrderMarkIsNoPartOfTheFirstLine(t *testing.T) {
	assert.False(t, file("\ufeffUser-agent: * | Disallow: /x").Decide("a", "/x").Allowed)
}

func TestSitemapsAreReferencesEachOnce(t *testing.T) {
	rules := file("Sitemap: /s.xml | User-agent: * | Sitemap: https://b.example/S.xml | Disallow: /x | sitemap: /s.xml | https://a.example/lost.xml | Sitemap: ")
	assert.Equal(t, []string{"/s.xml", "https://b.example/S.xml", "https://a.example/lost.xml"}, rules.Sitemaps())
	assert.False(t, rules.Decide("a", "/x").Allowed, "they are of no group")
}

func TestAnAgentWithADotIsNamedWithItAndWithoutIt(t *testing.T) {
	rules := file("User-agent: Archive.org_bot | Disallow: /x")
	for agent, allowed := range map[string]bool{"archive.org_bot": false, "archive": false, "archive.org": true, "org_bot": true} {
		assert.Equal(t, allowed, rules.Decide(agent, "/x").Allowed, agent)
	}
}

func TestALineIsCountedOnceHoweverItEnds(t *testing.T) {
	for _, end := range []string{"\n", "\r", "\r\n"} {
		rules := Parse([]byte(strings.ReplaceAll("# one||User-agent: *|Disallow: /x|", "|", end)))
		assert.Equal(t, 4, rules.Decide("a", "/x").Line, "%q", end)
	}
}

func TestADecisionAllocatesNothing(t *testing.T) {
	rules := Parse(benchFile(100))
	assert.Zero(t, testing.AllocsPerRun(100, func() { rules.Decide(benchAgent, benchURL) }))
	assert.Zero(t, testing.AllocsPerRun(100, func() { rules.Decide(benchAgent, "/section-1/x") }))
}

func TestHostileFilesTakeLinearTimeAndMemory(t *testing.T) {
	path := "/" + strings.Repeat("a", 8<<10-1)
	for _, row := range []struct{ name, line string }{
		{"stars", "Disallow: /" + strings.Repeat("*a", 500) + "*b\n"},
		{"short stars", "Disallow: /*aaaaaaaab\n"},
		{"anchored stars", "Disallow: /*a*a$\n"},
		{"as many stars as fit", "allow:*%dab\n"},
		{"one long pattern", "Disallow: /" + strings.Repeat("a*", 10_000) + "b\n"},
		{"agents", "User-agent: b%d\n"},
		{"one agent, again and again", strings.Repeat("User-agent: *\n", 10_000) + strings.Repeat("Disallow: /a*c\n", 20_000)},
		{"agents and rules", "User-agent: b%d\nDisallow: /%d\n"},
		{"agents and delays", "User-agent: b%d\nCrawl-delay: 1\n"},
		{"sitemaps", "Sitemap: /%d\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString("User-agent: *\n")
			for i := 0; b.Len()+len(row.line) < MaxBody; i++ {
				b.WriteString(strings.ReplaceAll(row.line, "%d", fmt.Sprint(i)))
			}
			start := time.Now()
			rules := Parse([]byte(b.String()))
			for range 4 {
				rules.Decide("weirbot", path)
			}
			assert.Less(t, time.Since(start), 20*time.Second, "temoto takes 5 seconds for one URL of the first file; an idle machine 0.2 s for all of this")
			assert.Less(t, rules.Size(), 10<<20)
		})
	}
}

func TestARuleMatchesWhatItsPathIsRequestedAs(t *testing.T) {
	page := &urlnorm.URL{Request: "http://a.example/"}
	for _, path := range []string{
		"/s?q='x'", "/it's", "/s?q=%27x%27", "/it%27s", `/s?q="x"`, "/s?q=a b", "/s?q=<x>", "/s?q=`x`", "/s?q={x}|^", "/\u00fc?\u00fc", "/a[b]?c[d]=(e),!;:@&=+~",
	} {
		requested, err := urlnorm.Standard{}.Normalize(page, path)
		require.NoError(t, err, path)
		rules := Parse([]byte("User-agent: *\nDisallow: " + path + "$\n"))
		assert.False(t, rules.Decide("weirbot", requested.Request).Allowed, "%s, requested as %s", path, requested.Request)
		assert.True(t, rules.Decide("weirbot", requested.Request+"y").Allowed, path)
	}
}

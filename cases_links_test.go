package weir

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
)

// Cases I of cases/faults.md: the links of a page.

func TestSI1TheBaseIsResolvedAgainstTheFinalURL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, `-- https://a.test/go --
HTTP 302
Location: /x/y
-- https://a.test/x/y --
<base href="/about/"><base href="/not/this/"><a href="static/a.css">a</a> <a href=/z>z</a>
-- https://a.test/z --
<base href=//cdn.test/><a href=/w/b.js>b</a> <a href=https://a.test/bad>bad</a>
-- https://a.test/bad --
<base href="http://[/"><a href=rel>rel</a>
-- https://a.test/* --
here
-- https://cdn.test/* --
here
-- https://a.test/robots.txt --
-- https://cdn.test/robots.txt --
`, hosts("a.test", "cdn.test"), "https://a.test/go")
		assert.ElementsMatch(t, []string{"https://a.test/go", "https://a.test/x/y", "https://a.test/about/static/a.css", "https://a.test/z",
			"https://cdn.test/w/b.js", "https://a.test/bad", "https://a.test/rel"}, c.requested())
	})
}

func TestSI2SpaceAroundAReferenceIsNoPartOfIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, `-- http://a.test/?post=1 --
<a href=" http://b.test/">b</a> <a href="&#10;  /feed.xml&#9;">feed</a> <a href="
 /line	.html ">line</a> <iframe src=" /frame "></iframe> <base href=" / ">
-- http://a.test/* --
here
-- http://b.test/ --
here
-- http://a.test/robots.txt --
`, hosts("a.test", "b.test"), "http://a.test/?post=1")
		assert.ElementsMatch(t, []string{"http://a.test/?post=1", "http://b.test/", "http://a.test/feed.xml", "http://a.test/line.html", "http://a.test/frame"}, c.requested())
		for _, a := range c.decisions() {
			assert.NotRegexp(t, `%20|%0A|%09`, a.Key.Text)
		}
	})
}

func TestSI3OtherSchemesAreCountedAndNotRequested(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, `-- http://a.test/start --
<img src="data:image/png;base64,AAAA"><a href="javascript:void(0)">j</a><a href="mailto:x@a.test">m</a><a href="tel:1">t</a>
<a href="blob:http://a.test/1">b</a><a href=" JavaScript:x">J</a><a href="/good">g</a>
-- http://a.test/good --
good
`, nil, "http://a.test/start")
		c.only("http://a.test/good")
		assert.Equal(t, []frontier.Tally{{Decision: frontier.PolicyStop, Reason: "unsupported_scheme", Count: 6, Example: "data:image/png;base64,AAAA"}}, stops(c.receipt))
	})
}

func TestSI4SpacesInsideAReferenceAreEncoded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		linked(t, nil, "/URL with spaces/").only("http://a.test/URL%20with%20spaces/")
	})
}

func TestSI5ARefreshIsFoundWhateverItsAttributesOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, `-- http://a.test/start --
<meta content="0;url=dummy.html" http-equiv="refresh"><META HTTP-EQUIV=Refresh CONTENT="0; URL='/x'">
<!-- <meta http-equiv="refresh" content="0;url=/commented"> -->
<noscript><meta http-equiv="refresh" content="0;url=/noscript"></noscript>
-- http://a.test/* --
here
-- http://a.test/robots.txt --
`, nil, "http://a.test/start")
		c.only("http://a.test/dummy.html", "http://a.test/x", "http://a.test/noscript") // weir runs no scripts
		for _, a := range c.decisions() {
			if a.Source == frontier.Link {
				assert.Equal(t, "meta[refresh]", a.Reference.Rule)
			}
		}
	})
}

func TestSI6RelativeFormsAreResolvedAsByRFC3986(t *testing.T) {
	const page = `<a href=dos>1</a> <a href=/path-2>2</a> <a href=//b.test/z>3</a> <a href="?p=2">4</a> <a href="">5</a>`
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, "-- http://a.test/uno --\n"+page+"\n<a href=/uno/>6</a>\n-- http://a.test/uno/ --\n"+page, hosts("a.test", "b.test"), "http://a.test/uno")
		var urls []string
		for _, a := range c.decisions() {
			if a.Source == frontier.Link {
				urls = append(urls, a.URL)
			}
		}
		assert.Equal(t, []string{
			"http://a.test/uno/dos", "http://a.test/path-2", "http://b.test/z", "http://a.test/uno/?p=2", "http://a.test/uno/",
		}, urls[6:], "of /uno/")
		assert.Equal(t, []string{
			"http://a.test/dos", "http://a.test/path-2", "http://b.test/z", "http://a.test/uno?p=2", "http://a.test/uno", "http://a.test/uno/",
		}, urls[:6], "of /uno")
		assert.NotEqual(t, ledger.Unknown, c.receipt.Verdict)
	})
}

package weir

import (
	"fmt"
	"html"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/urlnorm"
)

// Cases H of cases/faults.md: what is requested, and what counts as one URL.

// linked crawls a page of a.test that holds these links, each in quotes, where
// every URL of a.test is there.
func linked(t *testing.T, change func(*Config), refs ...string) crawled {
	t.Helper()
	var page strings.Builder
	for _, ref := range refs {
		fmt.Fprintf(&page, "<a href=\"%s\">x</a>\n", html.EscapeString(ref))
	}
	return crawl(t, "-- http://a.test/robots.txt --\n-- http://a.test/* --\nhere\n-- http://a.test/start --\n"+page.String(), change, "http://a.test/start")
}

// only asserts which URLs were requested beside the first page, in order.
func (c crawled) only(want ...string) {
	c.t.Helper()
	assert.Equal(c.t, append([]string{"http://a.test/start"}, want...), c.requested())
}

func TestSH1AStrayPercentSignIsSentAsItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		linked(t, nil, "/_/70%+wool", "/_/70%25+wool", "/%zz%41", "/end%").
			only("http://a.test/_/70%+wool", "http://a.test/_/70%25+wool", "http://a.test/%zz%41", "http://a.test/end%")
	})
}

func TestSH2AnEmptyQueryAndAURLInAQueryStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		linked(t, nil, "http://a.test?", "http://a.test/", "http://a.test/aa?referer=http://b.test").
			only("http://a.test/?", "http://a.test/", "http://a.test/aa?referer=http://b.test")
	})
}

func TestSH3SpellingsOfAHostAreOneHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, `-- http://example.test/ --
<a href="http://exämple.test/">1</a> <a href="http://ex%61mple.test/">2</a> <a href="http://EXAMPLE.test./">3</a>
-- http://xn--exmple-cua.test/ --
here
`, hosts("example.test", "xn--exmple-cua.test"), "http://example.test/")
		assert.Equal(t, []string{"http://example.test/", "http://xn--exmple-cua.test/"}, c.requested())
		assert.Equal(t, []string{
			"http://exämple.test/: admitted {new}",
			"http://ex%61mple.test/: duplicate {known}",
			"http://EXAMPLE.test./: duplicate {known}",
		}, c.admissions(frontier.Link), "as the page wrote them")
	})
}

func TestSH4ReservedCharactersStayEncoded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		linked(t, nil, "/x%2Cy", "/x,y", "/a%2Fb", "/a/b", "/?q=a%26b", "/?q=a&b", "/%7Euser", "/~user", "/%c3%a9", "/%C3%A9").
			only("http://a.test/x%2Cy", "http://a.test/x,y", "http://a.test/a%2Fb", "http://a.test/a/b", "http://a.test/?q=a%26b", "http://a.test/?q=a&b",
				"http://a.test/%7Euser", "http://a.test/%c3%a9")
	})
}

func TestSH5BytesOfAnotherCharsetAreSentUnchanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		linked(t, nil, "/?k=%D6%D0").only("http://a.test/?k=%D6%D0")
	})
}

func TestSH6WWWIsAnotherHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, "-- http://a.test/1 --\n<a href=http://www.a.test/1>1</a>\n-- http://www.a.test/1 --\n1", hosts("a.test", "www.a.test"), "http://a.test/1")
		assert.Equal(t, []string{"http://a.test/1", "http://www.a.test/1"}, c.requested())
	})
}

func TestSH7ASlashAtTheEndIsLeftAsPublished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, `-- http://a.test/ --
<a href=/a>a</a> <a href=/services>s</a>
-- http://a.test/a --
a
-- http://a.test/a/ --
HTTP 500
-- http://a.test/services --
HTTP 301
Location: /services/
-- http://a.test/services/ --
services
`, nil, "http://a.test/")
		assert.Equal(t, []string{"http://a.test/", "http://a.test/a", "http://a.test/services", "http://a.test/services/"}, c.requested())
		assert.Equal(t, ledger.Complete, c.receipt.Verdict, c.receipt.Why)
	})
}

func TestSH8FragmentsAreOnTheEdge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := linked(t, nil, "/p#a", "/p#b", "/p#/route/1")
		c.only("http://a.test/p")
		assert.Equal(t, []string{"/p#a: admitted {new}", "/p#b: duplicate {known}", "/p#/route/1: duplicate {known}"}, c.admissions(frontier.Link))
	})
}

func TestSH9SessionIDsAreKeptApartByDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		linked(t, nil, "/p;jsessionid=ABC", "/p;jsessionid=DEF", "/p?osCsid=1", "/p?osCsid=2").
			only("http://a.test/p;jsessionid=ABC", "http://a.test/p;jsessionid=DEF", "http://a.test/p?osCsid=1", "http://a.test/p?osCsid=2")
	})
}

func TestSH9ARuleMakesSessionIDsOneKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, normalizer := range map[string]urlnorm.Normalizer{
			"the rule of session ids": urlnorm.Standard{Rules: map[string][]urlnorm.Rule{"a.test": {urlnorm.FoldSessions}}},
			"a class of parameters":   urlnorm.Standard{Params: map[string]map[string]urlnorm.Class{"a.test": {"osCsid": urlnorm.Tracking}}},
		} {
			refs := []string{"/p?osCsid=1", "/p?osCsid=2", "/p"}
			want := []string{"/p?osCsid=1: admitted {new}", "/p?osCsid=2: duplicate {params}", "/p: duplicate {known}"}
			if name == "the rule of session ids" {
				refs = append(refs, "/p;jsessionid=ABC", "/p;jsessionid=DEF")
				want = []string{"/p?osCsid=1: admitted {new}", "/p?osCsid=2: duplicate {sessions}", "/p: duplicate {known}",
					"/p;jsessionid=ABC: duplicate {sessions}", "/p;jsessionid=DEF: duplicate {sessions}"}
			}
			c := linked(t, func(cfg *Config) { cfg.Normalizer = normalizer }, refs...)
			c.only("http://a.test/p?osCsid=1")
			assert.Equal(t, want, c.admissions(frontier.Link), name)
		}
	})
}

func TestSH10AMalformedLinkCostsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, `-- http://a.test/start --
<a href=/1>1</a> <a href='http://a.test/"%url%/"'>bad</a> <a href="http://[/">worse</a> <a href=/2>2</a>
-- http://a.test/* --
here
-- http://a.test/robots.txt --
`, nil, "http://a.test/start")
		c.only("http://a.test/1", "http://a.test/%22%url%/%22", "http://a.test/2")
		assert.Contains(t, c.admissions(frontier.Link), "http://[/: policy_stop {bad_host}")
	})
}

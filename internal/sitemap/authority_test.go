package sitemap

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/urlnorm"
)

func urlOf(t testing.TB, text string) urlnorm.URL {
	t.Helper()
	u, err := urlnorm.StandardExact{}.Normalize(nil, text)
	require.NoError(t, err)
	return u
}

// at is the authority of a sitemap there.
func at(t testing.TB, trust Trust, url string, named ...urlnorm.Origin) Authority {
	return Authority{Trust: trust, At: []urlnorm.URL{urlOf(t, url)}, Named: named}
}

func TestASitemapSpeaksForWhomItMay(t *testing.T) {
	const here = "https://a.test/maps/s.xml?x=/y/"
	for _, c := range []struct {
		name, page                string
		byHost, byFolder, byScope Ruling
	}{
		{"the folder", "https://a.test/maps/1", OwnHost, OwnFolder, OwnHost},
		{"below it", "https://a.test/maps/deep/1?q", OwnHost, OwnFolder, OwnHost},
		{"beside it", "https://a.test/mapsheet", OwnHost, OutsideFolder, OwnHost},
		{"S-M4 another folder", "https://a.test/video/1", OwnHost, OutsideFolder, OwnHost},
		{"another scheme", "http://a.test/maps/1", OwnHost, OutsideFolder, OwnHost},
		{"another port", "https://a.test:8443/maps/1", ForeignHost, ForeignHost, LeftToScope},
		{"a host below", "https://www.a.test/maps/1", ForeignHost, ForeignHost, LeftToScope},
		{"a host that begins so", "https://a.test.evil.test/maps/1", ForeignHost, ForeignHost, LeftToScope},
		{"S-M5 a foreign host", "https://b.test/maps/1", ForeignHost, ForeignHost, LeftToScope},
		{"a host that names it", "https://named.test/1", NamedByRobots, NamedByRobots, NamedByRobots},
		{"that host under another scheme", "http://named.test/1", NamedByRobots, ForeignHost, NamedByRobots},
	} {
		t.Run(c.name, func(t *testing.T) {
			for trust, want := range map[Trust]Ruling{ByHost: c.byHost, ByFolder: c.byFolder, ByScope: c.byScope} {
				got := at(t, trust, here, "https://named.test").Page(urlOf(t, c.page))
				assert.Equal(t, want, got)
				assert.Equal(t, want != ForeignHost && want != OutsideFolder, got.Allowed())
			}
		})
	}
}

func TestARedirectSpeaksForBothEnds(t *testing.T) {
	a := Authority{At: []urlnorm.URL{urlOf(t, "http://a.test/s.xml"), urlOf(t, "http://b.test/s.xml")}}
	assert.Equal(t, OwnHost, a.Page(urlOf(t, "http://a.test/")))
	assert.Equal(t, OwnHost, a.Page(urlOf(t, "http://b.test/")))
	assert.Equal(t, ForeignHost, a.Page(urlOf(t, "http://c.test/")))
}

func TestAnIndexNamesItsChildren(t *testing.T) {
	index := at(t, ByHost, "https://a.test/index.xml", "https://robots.test")
	assert.Equal(t, OwnHost, index.Sitemap(urlOf(t, "https://a.test/elsewhere/s.xml")))
	assert.Equal(t, NamedByRobots, index.Sitemap(urlOf(t, "https://robots.test/s.xml")))
	assert.Equal(t, ForeignHost, index.Sitemap(urlOf(t, "https://cdn.test/s.xml")))

	child := index.Child(urlOf(t, "https://cdn.test/s.xml"))
	for url, want := range map[string]Ruling{
		"https://cdn.test/1": OwnHost, "https://a.test/1": NamedByRobots, "https://robots.test/1": NamedByRobots, "https://b.test/1": ForeignHost,
	} {
		assert.Equal(t, want, child.Page(urlOf(t, url)), url)
	}

	strict := at(t, ByFolder, "https://a.test/x/index.xml", "https://robots.test").Child(urlOf(t, "https://a.test/y/s.xml"))
	assert.Equal(t, OwnFolder, strict.Page(urlOf(t, "https://a.test/y/1")))
	assert.Equal(t, OutsideFolder, strict.Page(urlOf(t, "https://a.test/x/1")), "folders count")
	assert.Equal(t, NamedByRobots, strict.Page(urlOf(t, "https://robots.test/1")))
}

func TestAChainOfIndexesNamesNotMoreThanItMay(t *testing.T) {
	a := at(t, ByHost, "https://a.test/index.xml")
	for i := range 300 {
		a = a.Child(urlOf(t, "https://h"+string(rune('a'+i%26))+string(rune('a'+i/26))+".test/index.xml"))
	}
	assert.Len(t, a.Named, namedMax)
	assert.Contains(t, a.Named, urlnorm.Origin("https://a.test"))
}

func TestAReferenceWithoutASchemeIsAHost(t *testing.T) {
	base := urlOf(t, "https://www.a.test/s.xml")
	for loc, want := range map[string]string{
		"http://b.test/1": "http://b.test/1", "www.a.test/1": "https://www.a.test/1", "a.test/1?x": "https://a.test/1?x", "www.a.test": "https://www.a.test/",
		"/1": "https://www.a.test/1", "1": "https://www.a.test/1", "./a.b/1": "https://www.a.test/a.b/1", "1.html": "https://www.a.test/1.html", "//b.test/1": "https://b.test/1",
	} {
		u, err := urlnorm.StandardExact{}.Normalize(&base, Entry{Loc: loc}.Reference())
		require.NoError(t, err)
		assert.Equal(t, want, u.Request, loc)
	}
}

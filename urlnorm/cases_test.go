package urlnorm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The cases of URLs that real crawlers got wrong, by the name under which the
// project keeps them.

func request(t *testing.T, page, ref string) string {
	t.Helper()
	u, err := Standard{}.Normalize(&URL{Request: page}, ref)
	require.NoError(t, err, ref)
	assert.Equal(t, ref, u.Observed)
	return u.Request
}

func TestSH1AStrayPercentSignIsKept(t *testing.T) {
	for ref, want := range map[string]string{
		"/_/70%+wool":           "http://a.test/_/70%+wool",
		"/%zz":                  "http://a.test/%zz",
		"/100%":                 "http://a.test/100%",
		"/%c3%a9%?%41%zz%":      "http://a.test/%c3%a9%?%41%zz%",
		"http://a.test/%":       "http://a.test/%",
		"http://a.test/50%/%7E": "http://a.test/50%/%7E",
	} {
		assert.Equal(t, want, request(t, "http://a.test/", ref))
	}
	same(t, Standard{}, false, "http://a.test/_/70%+wool", "http://a.test/_/70%25+wool")
	same(t, Standard{}, true, "http://a.test/70%+%77ool", "http://a.test/70%+wool")
	same(t, Standard{}, false, "http://a.test/%%411", "http://a.test/%A1")
	same(t, Standard{}, false, "http://a.test/%4%31", "http://a.test/A")
}

func TestSH2AnEmptyQueryAndAURLInAQueryStay(t *testing.T) {
	assert.Equal(t, "http://a.test/?", request(t, "http://a.test/", "http://a.test?"))
	assert.Equal(t, "http://a.test/aa?referer=http://b.test", request(t, "http://a.test/", "aa?referer=http://b.test"))
	same(t, Standard{}, false, "http://a.test/?", "http://a.test/")
	same(t, Standard{}, true, "http://a.test?", "http://a.test/?")
	same(t, Standard{}, false, "http://a.test/aa?referer=http://b.test", "http://a.test/aa?referer=http://b.test/")

	n := Standard{Rules: map[string][]Rule{"a.test": {FoldEmpty}}}
	same(t, n, true, "http://a.test/?", "http://a.test/")
	assert.NotEqual(t, key(t, Standard{}, "http://a.test/").Version, key(t, n, "http://a.test/").Version, "an opt-in rule with a version")
}

func TestSH3ASpellingOfAHostIsOneHost(t *testing.T) {
	for ref, origin := range map[string]Origin{
		"http://ex\u00e4mple.test/":   "http://xn--exmple-cua.test",
		"http://EX\u00c4MPLE.test/":   "http://xn--exmple-cua.test",
		"http://ex%61mple.test/":      "http://example.test",
		"http://EXAMPLE.test./":       "http://example.test",
		"http://example.test.:8080/":  "http://example.test:8080",
		"http://example\u3002test/":   "http://example.test",
		"http://\uff45xample.test:80": "http://example.test",
	} {
		u, err := Standard{}.Normalize(nil, ref)
		require.NoError(t, err, ref)
		assert.Equal(t, origin, u.Origin)
		assert.Equal(t, string(origin)+"/", u.Key.Text)
		assert.Equal(t, ref, u.Observed)
	}
	assert.Equal(t, "http://example.test./", request(t, "http://a.test/", "http://EXAMPLE.test./"), "the dot is requested")
}

func TestSH4ReservedCharactersAreNotDecoded(t *testing.T) {
	for _, row := range []struct {
		a, b string
		same bool
	}{
		{"/x%2Cy", "/x,y", false},
		{"/a%2Fb", "/a/b", false},
		{"/?q=a%26b", "/?q=a&b", false},
		{"/?q=a%2Bb", "/?q=a+b", false},
		{"/?q=a%20b", "/?q=a+b", false},
		{"/?a%3Db", "/?a=b", false},
		{"/a%3Fb", "/a?b", false},
		{"/a%23b", "/a#b", false},
		{"/%7Euser", "/~user", true},
		{"/%c3%a9", "/%C3%A9", true},
		{"/?q=%c3%a9", "/?q=\u00e9", true},
		{"/%61", "/a", true},
		{"/?%61=1", "/?a=1", true},
	} {
		same(t, Standard{}, row.same, "http://a.test"+row.a, "http://a.test"+row.b)
	}
}

func TestSH5BytesOfAnotherCharsetAreNotEncodedAgain(t *testing.T) {
	for _, charset := range []string{"", "utf-8", "gbk", "windows-1252", "iso-2022-jp"} {
		u, err := Standard{}.Normalize(&URL{Request: "http://a.test/", Charset: charset}, "?k=%D6%D0")
		require.NoError(t, err)
		assert.Equal(t, "http://a.test/?k=%D6%D0", u.Request)
	}
}

func TestSH6WWWIsAnotherHost(t *testing.T) {
	same(t, Standard{}, false, "http://www.a.test/1", "http://a.test/1")
	n := Standard{Rules: map[string][]Rule{"a.test": {FoldToBare}}}
	same(t, n, true, "http://www.a.test/1", "http://a.test/1")
	u, err := n.Normalize(nil, "http://www.a.test/1")
	require.NoError(t, err)
	assert.Equal(t, []Rule{FoldToBare}, u.Folded)
}

func TestSH7ATrailingSlashIsRequestedAsPublished(t *testing.T) {
	same(t, Standard{}, false, "http://a.test/a", "http://a.test/a/")
	n := Standard{Rules: map[string][]Rule{"a.test": {FoldTrailingSlash}}}
	same(t, n, true, "http://a.test/a", "http://a.test/a/")
	for _, ref := range []string{"http://a.test/a", "http://a.test/a/"} {
		u, err := n.Normalize(nil, ref)
		require.NoError(t, err)
		assert.Equal(t, ref, u.Request)
	}
}

func TestSH8FragmentsAreOneFetch(t *testing.T) {
	for _, ref := range []string{"/p#a", "/p#b", "/p#/route/1"} {
		assert.Equal(t, "http://a.test/p", request(t, "http://a.test/", ref))
		same(t, Standard{}, true, "http://a.test/p", "http://a.test"+ref)
	}
	routes := Standard{Rules: map[string][]Rule{"a.test": {SplitRoutes}}}
	same(t, routes, true, "http://a.test/p#a", "http://a.test/p#b")
	same(t, routes, false, "http://a.test/p#/route/1", "http://a.test/p#/route/2")
	same(t, routes, false, "http://a.test/p#!a", "http://a.test/p")
	u, err := routes.Normalize(nil, "http://a.test/p#/r\u00e9sum\u00e9/%7E \t")
	require.NoError(t, err)
	assert.Equal(t, "http://a.test/p", u.Request, "a fragment is never sent")
	assert.Equal(t, "#/r%C3%A9sum%C3%A9/~", u.Key.Route())
	assert.Empty(t, u.Folded)
	again, err := routes.Normalize(nil, u.Request+u.Key.Route())
	require.NoError(t, err)
	assert.Equal(t, u.Key, again.Key)
}

func TestSH9SessionIDsFoldOnRequest(t *testing.T) {
	refs := []string{"http://a.test/p;jsessionid=ABC", "http://a.test/p;jsessionid=DEF", "http://a.test/p?osCsid=1"}
	same(t, Standard{}, false, refs[0], refs[1])
	n := Standard{Rules: map[string][]Rule{"a.test": {FoldSessions}}}
	for _, ref := range refs {
		u, err := n.Normalize(nil, ref)
		require.NoError(t, err)
		assert.Equal(t, "http://a.test/p", u.Key.Text)
		assert.Equal(t, ref, u.Request, "it is requested as it was published")
		assert.Equal(t, []Rule{FoldSessions}, u.Folded)
	}
}

func TestSH10AMalformedLinkIsRequestedAsBrowsersWould(t *testing.T) {
	assert.Equal(t, "https://a.test/%22%url%/%22", request(t, "https://a.test/", `https://a.test/"%url%/"`))
	_, err := Standard{}.Normalize(&URL{Request: "https://a.test/"}, "https://a b/")
	assert.Equal(t, BadHost, err, "and one that they would not is refused alone")
}

func TestSE7ALocationIsEncodedOnce(t *testing.T) {
	for location, want := range map[string]string{
		"/caf\xc3\xa9":     "http://a.test/caf%C3%A9",
		"/caf%C3%A9":       "http://a.test/caf%C3%A9",
		"/a b":             "http://a.test/a%20b",
		"/a%20b":           "http://a.test/a%20b",
		"/x#part":          "http://a.test/x",
		"/caf\xe9":         "http://a.test/caf%EF%BF%BD", // no UTF-8
		"?q=\xc3\xa9 %C3":  "http://a.test/from?q=%C3%A9%20%C3",
		"//b.test/\u00fc#": "http://b.test/%C3%BC",
	} {
		assert.Equal(t, want, request(t, "http://a.test/from", location), "%q", location)
	}
}

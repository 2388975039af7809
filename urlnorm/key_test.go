package urlnorm

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// key returns what an absolute reference is compared by.
func key(t *testing.T, n Normalizer, ref string) Key {
	t.Helper()
	u, err := n.Normalize(nil, ref)
	require.NoError(t, err, ref)
	return u.Key
}

func TestKeysFoldOnlyWhatIsEqual(t *testing.T) {
	for _, row := range []struct {
		name, a, b string
		same       bool
	}{
		{"S-H1 a stray percent sign is not its encoding", "http://a.test/_/70%+wool", "http://a.test/_/70%25+wool", false},
		{"S-H1 a valid escape beside it", "http://a.test/70%+%77ool", "http://a.test/70%+wool", true},
		{"a stray percent sign is not completed", "http://a.test/%%411", "http://a.test/%A1", false},
		{"a stray percent sign is not completed by two", "http://a.test/%4%31", "http://a.test/A", false},
		{"S-H2 an empty query", "http://a.test/?", "http://a.test/", false},
		{"S-H2 path or not", "http://a.test?", "http://a.test/?", true},
		{"S-H3 IDNA", "http://ex\u00e4mple.test/", "http://xn--exmple-cua.test/", true},
		{"S-H3 an encoded host", "http://ex%61mple.test/", "http://example.test/", true},
		{"S-H3 a trailing dot", "http://EXAMPLE.test./", "http://example.test/", true},
		{"S-H3 a trailing dot before a port", "http://example.test.:8080/", "http://example.test:8080/", true},
		{"S-H4 comma", "http://a.test/x%2Cy", "http://a.test/x,y", false},
		{"S-H4 slash", "http://a.test/a%2Fb", "http://a.test/a/b", false},
		{"S-H4 ampersand", "http://a.test/?q=a%26b", "http://a.test/?q=a&b", false},
		{"S-H4 tilde", "http://a.test/%7Euser", "http://a.test/~user", true},
		{"S-H4 case of digits", "http://a.test/%c3%a9", "http://a.test/%C3%A9", true},
		{"S-H6 www", "http://www.a.test/1", "http://a.test/1", false},
		{"S-H7 trailing slash", "http://a.test/a", "http://a.test/a/", false},
		{"S-H8 fragments", "http://a.test/p#a", "http://a.test/p#/route/1", true},
		{"S-H9 session ids", "http://a.test/p;jsessionid=ABC", "http://a.test/p;jsessionid=DEF", false},
		{"path case", "http://a.test/A", "http://a.test/a", false},
		{"parameter order", "http://a.test/?a=1&b=2", "http://a.test/?b=2&a=1", false},
		{"default port", "https://a.test:443/", "https://a.test/", true},
		{"scheme", "https://a.test/", "http://a.test/", false},
		{"tracking", "http://a.test/?a=1&utm_source=x", "http://a.test/?a=1", true},
		{"tracking alone", "http://a.test/?fbclid=x", "http://a.test/", true},
		{"tracking under another spelling", "http://a.test/?utm%5Fsource=x", "http://a.test/", true},
		{"tracking in another case", "http://a.test/?UTM_SOURCE=x", "http://a.test/", false},
		{"tracking as a value", "http://a.test/?a=utm_source", "http://a.test/?a=", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			a, b := key(t, Standard{}, row.a), key(t, Standard{}, row.b)
			assert.Equal(t, row.same, a == b, "%q and %q", a.Text, b.Text)
		})
	}
}

func TestARequestIsNeverChangedByARule(t *testing.T) {
	for _, row := range []struct{ ref, request string }{
		{"http://a.test/?a=1&utm_source=x#f", "http://a.test/?a=1&utm_source=x"},
		{"/_/70%+wool", "http://site.test/_/70%+wool"},
		{"/%7Eu/%c3%a9", "http://site.test/%7Eu/%c3%a9"},
		{"http://a.test./", "http://a.test./"},
		{"?k=%D6%D0", "http://site.test/docs/a/page.html?k=%D6%D0"}, // S-H5
		{"http://a.test/aa?referer=http://b.test", "http://a.test/aa?referer=http://b.test"},
		{`https://a.test/"%url%/"`, "https://a.test/%22%url%/%22"}, // S-H10
	} {
		assert.Equal(t, row.request, normalize(t, row.ref).Request)
	}
}

func TestParametersAreClassedBySite(t *testing.T) {
	n := Standard{Params: map[string]map[string]Class{"a.test": {
		"sid": Tracking, "color": Content, "size": Content, "page": Ordered, "utm_source": Unknown,
	}}}
	for _, row := range []struct{ ref, key string }{
		{"http://www.a.test/?sid=1", "http://www.a.test/"},
		{"http://a.test/?size=l&page=2&color=red", "http://a.test/?page=2&color=red&size=l"},
		{"http://a.test/?color=red&size=l&page=2", "http://a.test/?page=2&color=red&size=l"},
		{"http://a.test/?page=2&x=1&page=1", "http://a.test/?page=2&x=1&page=1"},
		{"http://a.test/?utm_source=x&utm_medium=y", "http://a.test/?utm_source=x"},
		{"http://b.test/?sid=1&utm_source=x", "http://b.test/?sid=1"},
	} {
		assert.Equal(t, row.key, key(t, n, row.ref).Text, row.ref)
	}
	u, err := n.Normalize(nil, "http://a.test/?x=1&sid=2&page=3&utm_source=4&x=5&&z")
	require.NoError(t, err)
	assert.Equal(t, []string{"x", "utm_source", "x", "z"}, u.Unknown)

	exact := StandardExact{}
	assert.Equal(t, "http://b.test/?utm_source=x", key(t, exact, "http://b.test/?utm_source=x").Text)
}

func TestARuleChangesTheVersionOfItsSiteAlone(t *testing.T) {
	with := func(class Class) Key {
		return key(t, Standard{Params: map[string]map[string]Class{"a.test": {"p": class, "q": Ordered}}}, "http://www.a.test/x")
	}
	plain := key(t, Standard{}, "http://www.a.test/x")
	assert.NotEqual(t, plain.Version, with(Tracking).Version)
	assert.NotEqual(t, with(Content).Version, with(Tracking).Version)
	many := map[string]Class{"a": Tracking, "b": Content, "c": Ordered, "d": Unknown, "e": Tracking, "f": Content}
	for range 20 {
		assert.Equal(t, digest(many), digest(maps.Clone(many)), "the order of a map does not matter")
	}
	assert.NotEqual(t, plain.Version, key(t, StandardExact{}, "http://www.a.test/x").Version)

	other := Standard{Params: map[string]map[string]Class{"a.test": {"p": Tracking}}}
	assert.Equal(t, key(t, Standard{}, "http://b.test/?p=1"), key(t, other, "http://b.test/?p=1"))

	swapped := Standard{Params: map[string]map[string]Class{"a.test": {"p": Ordered, "q": Tracking}}}
	straight := Standard{Params: map[string]map[string]Class{"a.test": {"p": Tracking, "q": Ordered}}}
	assert.NotEqual(t, key(t, swapped, "http://a.test/").Version, key(t, straight, "http://a.test/").Version)
}

func TestAnOriginIsSchemeHostAndPort(t *testing.T) {
	for _, row := range []struct {
		origin                   Origin
		scheme, host, port, site string
	}{
		{"http://example.com", "http", "example.com", "80", "example.com"},
		{"https://www.example.co.uk:8443", "https", "www.example.co.uk", "8443", "example.co.uk"},
		{"HTTPS://WWW.EXAMPLE.CO.UK.", "https", "www.example.co.uk", "443", "example.co.uk"},
		{"http://xn--bcher-kva.example", "http", "xn--bcher-kva.example", "80", "xn--bcher-kva.example"},
		{"http://www.b\u00fccher.example", "http", "www.xn--bcher-kva.example", "80", "xn--bcher-kva.example"},
		{"http://127.0.0.1:8080", "http", "127.0.0.1", "8080", "127.0.0.1"},
		{"http://[2001:db8::1]:81", "http", "2001:db8::1", "81", "2001:db8::1"},
		{"http://[2001:db8::1]", "http", "2001:db8::1", "80", "2001:db8::1"},
		{"http://localhost:1", "http", "localhost", "1", "localhost"},
		{"http://co.uk", "http", "co.uk", "80", "co.uk"},
		{"http://me.github.io", "http", "me.github.io", "80", "me.github.io"},
	} {
		assert.Equal(t, row.scheme, row.origin.Scheme(), row.origin)
		assert.Equal(t, row.host, row.origin.Host(), row.origin)
		assert.Equal(t, row.port, row.origin.Port(), row.origin)
		assert.Equal(t, row.site, row.origin.Site(), row.origin)
	}
	assert.Equal(t, Origin("http://a.test:8080"), normalize(t, "http://A.test.:8080/x?y").Origin)
	assert.Equal(t, Origin("http://site.test"), normalize(t, "?q").Origin)
}

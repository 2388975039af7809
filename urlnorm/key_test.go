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
		{"a stray percent sign is not completed", "http://a.test/%%411", "http://a.test/%A1", false},
		{"a stray percent sign is not completed by two", "http://a.test/%4%31", "http://a.test/A", false},
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
			same(t, Standard{}, row.same, row.a, row.b)
		})
	}
}

// same asserts that two references have one key, or two.
func same(t *testing.T, n Normalizer, want bool, a, b string) {
	t.Helper()
	x, y := key(t, n, a), key(t, n, b)
	assert.Equal(t, want, x == y, "%q and %q", x.Text, y.Text)
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
		{"http://a.me.github.io", "http", "a.me.github.io", "80", "me.github.io"}, // a private suffix
		{"http://me.github.io", "http", "me.github.io", "80", "me.github.io"},
		{"http://a.b.unknownsuffix", "http", "a.b.unknownsuffix", "80", "b.unknownsuffix"},
		{"http://a.localhost", "http", "a.localhost", "80", "a.localhost"},
		{"http://www.city.kawasaki.jp", "http", "www.city.kawasaki.jp", "80", "city.kawasaki.jp"}, // an exception
		{"http://127.1.2.3", "http", "127.1.2.3", "80", "127.1.2.3"},
		{"http://[::ffff:102:304]:8080", "http", "::ffff:102:304", "8080", "::ffff:102:304"},
		{"http://EXAMPLE.com.:8080", "http", "example.com", "8080", "example.com"},
		{"http://a..b.test", "http", "a..b.test", "80", "a..b.test"}, // no name, and so its own site
		{"http://.", "http", ".", "80", "."},
		{"http://a..", "http", "a..", "80", "a.."},
		{"", "", "", "", ""},
	} {
		assert.Equal(t, row.scheme, row.origin.Scheme(), row.origin)
		assert.Equal(t, row.host, row.origin.Host(), row.origin)
		assert.Equal(t, row.port, row.origin.Port(), row.origin)
		assert.Equal(t, row.site, row.origin.Site(), row.origin)
	}
	assert.Equal(t, Origin("http://a.test:8080"), normalize(t, "http://A.test.:8080/x?y").Origin)
	assert.Equal(t, Origin("http://site.test"), normalize(t, "?q").Origin)
	assert.Equal(t, Origin("http://."), normalize(t, "http://./").Origin, "only a name has a dot to drop")
	assert.Equal(t, Origin("http://a..:8080"), normalize(t, "http://a..:8080/").Origin)
}

func TestWhatSortsParametersIsNamed(t *testing.T) {
	classes := map[string]map[string]Class{"a.test": {"c": Content, "d": Content, "o": Ordered, "p": Ordered, "s": Tracking}}
	order := map[string][]Rule{"a.test": {FoldOrder}}
	for _, row := range []struct {
		ref, key string
		rules    map[string][]Rule
		folded   []Rule
	}{
		{"?z=1&a=2", "?z=1&a=2", nil, nil},
		{"?z=1&a=2", "?a=2&z=1", order, []Rule{FoldOrder}},
		{"?a=2&z=1", "?a=2&z=1", order, nil},
		{"?d=1&c=2", "?c=2&d=1", nil, []Rule{FoldParams}},
		{"?d=1&c=2", "?c=2&d=1", order, []Rule{FoldParams}},
		{"?a=1&c=2&z=3", "?a=1&z=3&c=2", nil, []Rule{FoldParams}},
		{"?a=1&c=2&z=3", "?a=1&c=2&z=3", order, nil},
		{"?a=1&z=2&c=9", "?a=1&c=9&z=2", order, []Rule{FoldOrder}},
		{"?z=1&c=9&a=2", "?a=2&c=9&z=1", order, []Rule{FoldParams, FoldOrder}},
		{"?z=1&o=2&a=3", "?o=2&a=3&z=1", order, []Rule{FoldOrder}},
		{"?p=1&c=2&o=3", "?p=1&o=3&c=2", nil, []Rule{FoldParams}},
		{"?s=1&p=1&o=3", "?p=1&o=3", order, []Rule{FoldParams}},
		{"?utm_source=3&x=1&s=2", "?x=1", order, []Rule{FoldTracking, FoldParams}},
	} {
		u, err := Standard{Params: classes, Rules: row.rules}.Normalize(nil, "http://a.test/"+row.ref)
		require.NoError(t, err)
		assert.Equal(t, "http://a.test/"+row.key, u.Key.Text, "%s, %v", row.ref, row.rules)
		assert.Equal(t, row.folded, u.Folded, "%s, %v", row.ref, row.rules)
	}
}

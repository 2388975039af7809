package urlnorm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const page = "http://site.test/docs/a/page.html?x=/1"

// normalize is the standard normalizer on page.
func normalize(t *testing.T, ref string) URL {
	t.Helper()
	base, err := Standard{}.Normalize(nil, page)
	require.NoError(t, err)
	u, err := Standard{}.Normalize(&base, ref)
	require.NoError(t, err, ref)
	assert.Equal(t, ref, u.Observed)
	return u
}

func TestReferencesResolveAsInABrowser(t *testing.T) {
	for _, row := range []struct{ ref, request string }{
		{"b.html", "http://site.test/docs/a/b.html"},
		{"./b.html", "http://site.test/docs/a/b.html"},
		{"../b/", "http://site.test/docs/b/"},
		{"../../../../b", "http://site.test/b"},
		{"/b", "http://site.test/b"},
		{"//other.test/b", "http://other.test/b"},
		{"?y=2", "http://site.test/docs/a/page.html?y=2"},
		{"", "http://site.test/docs/a/page.html?x=/1"},
		{"#part", "http://site.test/docs/a/page.html?x=/1"},
		{"b#part", "http://site.test/docs/a/b"},
		{"b?c=/../d", "http://site.test/docs/a/b?c=/../d"},
		{"https://other.test", "https://other.test/"},
		{"https://other.test?q", "https://other.test/?q"},
		{"HTTP://Other.TEST:80/B", "http://other.test/B"},
		{"http://other.test:8080/b", "http://other.test:8080/b"},
		{"http:b", "http://site.test/docs/a/b"},
		{`\\other.test\b`, "http://other.test/b"},
		{" \n/b\t\r ", "http://site.test/b"},
		{"/b\n/c", "http://site.test/b/c"},
		{"/a b", "http://site.test/a%20b"},
		{"/%7Eb", "http://site.test/%7Eb"},
		{"/a/%2e%2E/b", "http://site.test/b"},
		{"/a/.../b", "http://site.test/a/.../b"},
		{"/caf\u00e9?\u00e9", "http://site.test/caf%C3%A9?%C3%A9"},
		{"http://b\u00fccher.test/", "http://xn--bcher-kva.test/"},
		{"http://0x7f.1/", "http://127.0.0.1/"},
		{"http://127.0.0.1:8080/b", "http://127.0.0.1:8080/b"},
		{"http://[2001:DB8::1]/", "http://[2001:db8::1]/"},
		{"http://other.test./b", "http://other.test./b"},
	} {
		assert.Equal(t, row.request, normalize(t, row.ref).Request, "%q", row.ref)
	}
}

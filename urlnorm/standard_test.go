package urlnorm

import (
	"strings"
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

func TestEveryRefusalHasItsName(t *testing.T) {
	on := &URL{Request: "https://a.test/b/c"}
	for _, row := range []struct {
		base *URL
		ref  string
		want Reject
	}{
		{on, "mailto:a@a.test", UnsupportedScheme},
		{on, "JaVaScRiPt:alert(1)", UnsupportedScheme},
		{on, "file:///etc/passwd", UnsupportedScheme},
		{nil, "data:" + strings.Repeat("x", MaxLength), UnsupportedScheme}, // not too long
		{&URL{Request: "mailto:x"}, "relative", UnsupportedScheme},
		{on, "https://user:pw@a.test/", UserInfo},
		{on, "https://a.test@evil.test/", UserInfo},
		{&URL{Request: "https://user@a.test/"}, "relative", UserInfo},
		{on, "https://a.test:99999/", BadPort},
		{on, "https://a.test:8a/", BadPort},
		{on, "https://a b.test/", BadHost},
		{on, "https://a%00b.test/", BadHost},
		{on, "https://[::1/", BadHost},
		{on, "https://[fe80::1%25eth0]/", BadHost},
		{on, "https://256.256.256.256/", BadHost},
		{on, "https://1.2.3.4.5/", BadHost},
		{on, "https://x.0x/", BadHost},
		{on, "https:///", BadHost},
		{on, "https://" + strings.Repeat("a", maxLabel+1) + ".test/", BadHost},
		{on, "https://" + strings.Repeat("a.", maxHost/2) + "test/", BadHost},
		{on, "https://a.test/" + strings.Repeat("\u00fc", MaxLength/4), TooLong}, // once it is encoded
		{on, "https://a.test/#" + strings.Repeat("x", MaxLength), TooLong},       // the fragment is kept
		{nil, "relative", Malformed},
		{&URL{Request: "/"}, "relative", Malformed},
	} {
		got, err := Standard{}.Normalize(row.base, row.ref)
		assert.Equal(t, row.want, err, "%.100q", row.ref)
		assert.Zero(t, got)
	}
}

// TestANameIsNotLookedInto: what DNS could hold is DNS's to refuse.
func TestANameIsNotLookedInto(t *testing.T) {
	for _, row := range []struct{ ref, request string }{
		{"http://xn--a/", "http://xn--a/"},
		{"http://XN--POKXNCVKS.test/", "http://xn--pokxncvks.test/"},
		{"http://a..b.test/", "http://a..b.test/"},
		{"http://./", "http://./"},
		{"http://a_b.test/", "http://a_b.test/"},
		{"http://-a-.test/", "http://-a-.test/"},
		{"http://\u10a0.test/", "http://xn--rkj.test/"}, // mapped since Unicode 16
		{"http://fa\u1e9e.test/", "http://xn--fa-hia.test/"},
		{"http://a\u180eb.test/", "http://ab.test/"},
		{"http://[::ffff:1.2.3.4]/", "http://[::ffff:102:304]/"},
		{"http://[1:0::0]/", "http://[1::]/"},
		{"http://0x7F.1/", "http://127.0.0.1/"},
		{"http://1.2.3.4./", "http://1.2.3.4/"},
		{"http://0300.0250.257/", "http://192.168.1.1/"},
	} {
		assert.Equal(t, row.request, normalize(t, row.ref).Request, "%q", row.ref)
	}
}

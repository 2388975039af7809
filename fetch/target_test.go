package fetch

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAURLIsSplitWithoutChangingAByte(t *testing.T) {
	cases := []struct{ raw, host, line string }{
		{"http://a.test", "a.test", "/"},
		{"http://a.test/", "a.test", "/"},
		{"HTTPS://a.test/X", "a.test", "/X"},
		{"http://a.test?q", "a.test", "/?q"},
		{"http://a.test/?", "a.test", "/?"},
		{"http://a.test/a?b?c#d", "a.test", "/a?b?c"},
		{"http://a.test/_/70%+wool", "a.test", "/_/70%+wool"},
		{"http://a.test/%zz|^{}\"<>`", "a.test", "/%zz|^{}\"<>`"},
		{"http://a.test/ü", "a.test", "/ü"},
		{"http://a.test//x", "a.test", "//x"},
		{"http://a.test//x//y?z=//", "a.test", "//x//y?z=//"},
		{"http://a.test/..//./x;y", "a.test", "/..//./x;y"},
		{"http://a.test/*", "a.test", "/*"},
		{"http://a.test:8080/a@b:c", "a.test:8080", "/a@b:c"},
		{"http://[::1]:80/", "[::1]:80", "/"},
		{"http://[::1]/", "[::1]", "/"},
		{"http://a.test./", "a.test.", "/"},
	}
	for _, c := range cases {
		got, err := parseTarget(c.raw)
		require.NoError(t, err, c.raw)
		assert.Equal(t, c.host, got.host, c.raw)
		assert.Equal(t, c.line, got.path+got.query, c.raw)
		assert.Equal(t, c.line, got.url().RequestURI(), c.raw)
	}

	// A path that begins with "//" and that net/url would rewrite goes as an
	// absolute URL: the same request, in the other form of RFC 9112.
	got, err := parseTarget("http://a.test//x|y?z")
	require.NoError(t, err)
	assert.Equal(t, "http://a.test//x|y?z", got.url().RequestURI())
}

func TestAURLThatCannotBeRequestedIsMalformed(t *testing.T) {
	for _, raw := range []string{
		"", "a.test", "/a", "ftp://a.test/", "mailto:x@a.test", "http:/a.test", "http://", "http:///x", "http://:80/",
		"http://a.test:0/", "http://a.test:99999/", "http://a.test:x/", "http://a.test/a b", "http://a.test/\r\nX: y",
		"http://a.test/\x00", "http://a.test/\x7f", "http://a b.test/", "http://user:pw@a.test/", "http://@a.test/",
	} {
		_, err := parseTarget(raw)
		assert.Error(t, err, raw)
	}
}

func FuzzATargetIsItsURL(f *testing.F) {
	f.Add("http://a.test//%zz|^?#x")
	f.Add("https://[::1]:443?")
	f.Fuzz(func(t *testing.T, raw string) {
		to, err := parseTarget(raw)
		if err != nil {
			return
		}
		again, err := parseTarget(to.String())
		if err != nil || again != to {
			t.Fatalf("%q: %+v is %q, which is %+v (%v)", raw, to, to.String(), again, err)
		}
		line := strings.TrimPrefix(to.url().RequestURI(), to.scheme+"://"+to.host)
		if line != to.path+to.query {
			t.Fatalf("%q: requests %q, want %q", raw, line, to.path+to.query)
		}
	})
}

// TestATransportMayReadThePath: one that is no network answers by it.
func TestATransportMayReadThePath(t *testing.T) {
	for raw, want := range map[string]string{
		"http://a.test/":            "/",
		"http://a.test/a/b.html?c":  "/a/b.html",
		"http://a.test/a%20b/%2F":   "/a b//",
		"http://a.test/100%/x":      "/100%/x",
		"http://a.test//x":          "//x",
		"http://a.test//x|y?z":      "//x|y",
		"http://a.test/%e4%bd%a0#f": "/\u4f60",
	} {
		to, err := parseTarget(raw)
		require.NoError(t, err, raw)
		assert.Equal(t, want, to.url().Path, raw)
	}
}

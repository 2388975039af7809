package fetch

import (
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/publicsuffix"
	"pgregory.net/rapid"
)

func at(t require.TestingT, raw string) *url.URL {
	u, err := url.Parse(raw)
	require.NoError(t, err)
	return u
}

// set lets from answer with lines of Set-Cookie, as a response does.
func set(t require.TestingT, jar http.CookieJar, from string, lines ...string) {
	jar.SetCookies(at(t, from), cookiesOf(&http.Response{Header: http.Header{"Set-Cookie": lines}}))
}

// sent is the Cookie line of a request.
func sent(t require.TestingT, jar http.CookieJar, to string) string {
	return cookieLine(jar.Cookies(at(t, to)))
}

func TestACookieGoesWhereItBelongs(t *testing.T) {
	const long = "/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	cases := []struct {
		name, from, line string
		goes, stays      []string // requests with it, and without
	}{
		{"of a host", "https://a.test/", "k=1", []string{"https://a.test/x", "http://a.test/", "http://a.test:8080/"}, []string{"http://b.a.test/", "http://b.test/"}},
		{"of a site", "https://a.shop.test/", "k=1; Domain=.shop.test", []string{"https://shop.test/", "http://b.shop.test/"}, []string{"http://bshop.test/", "http://test/"}},
		{"of a parent that is none", "https://a.shop.test/", "k=1; Domain=b.shop.test", nil, []string{"https://b.shop.test/", "https://a.shop.test/"}},
		{"of another site", "https://a.test/", "k=1; Domain=b.test", nil, []string{"https://b.test/", "https://a.test/"}},
		{"of a look-alike", "https://evilshop.test/", "k=1; Domain=shop.test", nil, []string{"https://shop.test/", "https://evilshop.test/"}},
		{"of a public suffix", "https://a.co.uk/", "k=1; Domain=co.uk", nil, []string{"https://b.co.uk/", "https://a.co.uk/"}},
		{"of a public suffix by a host of it", "https://github.io/", "k=1; Domain=github.io", []string{"https://github.io/"}, []string{"https://a.github.io/"}},
		{"of a private suffix", "https://a.github.io/", "k=1; Domain=github.io", nil, []string{"https://b.github.io/", "https://a.github.io/"}},
		{"of an address", "http://192.0.2.1/", "k=1", []string{"http://192.0.2.1/"}, []string{"http://192.0.2.2/", "http://1/"}},
		{"of an address with its end", "http://192.0.2.1/", "k=1; Domain=2.1", nil, []string{"http://192.0.2.1/", "http://10.0.2.1/"}},
		{"of a host with a dot", "https://a.test./", "k=1", []string{"https://a.test/"}, nil},
		{"in upper case", "https://A.TEST/", "k=1; DOMAIN=A.Test", []string{"https://a.test/"}, nil},
		{"of a path", "https://a.test/", "k=1; Path=/x", []string{"https://a.test/x", "https://a.test/x/y"}, []string{"https://a.test/", "https://a.test/xy"}},
		{"of the folder", "https://a.test/x/y", "k=1", []string{"https://a.test/x", "https://a.test/x/z"}, []string{"https://a.test/"}},
		{"of a path that is none", "https://a.test/x/y", "k=1; Path=z", []string{"https://a.test/x/z"}, []string{"https://a.test/"}},
		{"of a path beyond its bound", "https://a.test/", "k=1; Path=" + strings.Repeat(long, 40), []string{"https://a.test/"}, nil},
		{"Secure", "https://a.test/", "k=1; Secure", []string{"https://a.test/"}, []string{"http://a.test/"}},
		{"Secure from a plain connection", "http://a.test/", "k=1; Secure", nil, []string{"https://a.test/", "http://a.test/"}},
		{"HttpOnly", "http://a.test/", "k=1; HttpOnly", []string{"http://a.test/"}, nil},
		{"SameSite=Strict", "http://a.test/", "k=1; SameSite=Strict", []string{"http://a.test/"}, nil},
		{"SameSite=None", "http://a.test/", "k=1; SameSite=None", []string{"http://a.test/"}, nil},
		{"that has ended", "http://a.test/", "k=1; Max-Age=0", nil, []string{"http://a.test/"}},
		{"that ended long ago", "http://a.test/", "k=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", nil, []string{"http://a.test/"}},
		{"that never ends", "http://a.test/", "k=1; Max-Age=9223372036854775807", []string{"http://a.test/"}, nil},
		{"__Secure-", "https://a.test/", "__Secure-k=1; Secure", []string{"https://a.test/"}, []string{"http://a.test/"}},
		{"__Secure- that is not", "https://a.test/", "__Secure-k=1", nil, []string{"https://a.test/"}},
		{"__Host-", "https://a.test/x/", "__Host-k=1; Secure; Path=/", []string{"https://a.test/"}, []string{"https://b.a.test/"}},
		{"__Host- of a site", "https://a.test/", "__Host-k=1; Secure; Path=/; Domain=a.test", nil, []string{"https://a.test/"}},
		{"__Host- of a path", "https://a.test/", "__host-k=1; Secure; Path=/x", nil, []string{"https://a.test/x"}},
		{"__Host- from a plain connection", "http://a.test/", "__Host-k=1; Secure; Path=/", nil, []string{"https://a.test/"}},
		{"with a comma and blanks", "http://a.test/", `k=a b,c`, []string{"http://a.test/"}, nil},
		{"beyond its bound", "http://a.test/", "k=" + strings.Repeat("x", jarBytes), nil, []string{"http://a.test/"}},
	}
	for _, c := range cases {
		jar := NewJar()
		set(t, jar, c.from, c.line)
		for _, to := range c.goes {
			assert.NotEmpty(t, sent(t, jar, to), "%s: %s", c.name, to)
		}
		for _, to := range c.stays {
			assert.Empty(t, sent(t, jar, to), "%s: %s", c.name, to)
		}
	}
}

func TestAPlainConnectionDoesNotReplaceASecureCookie(t *testing.T) {
	jar := NewJar()
	set(t, jar, "https://a.test/", "k=mine; Secure")
	set(t, jar, "http://a.test/", "k=forged")
	set(t, jar, "http://a.test/", "k=forged; Max-Age=0")
	assert.Equal(t, "k=mine", sent(t, jar, "https://a.test/"))
	set(t, jar, "https://a.test/", "k=; Max-Age=0")
	set(t, jar, "http://a.test/", "k=plain")
	assert.Equal(t, "k=plain", sent(t, jar, "http://a.test/"))
}

func TestAPlainConnectionDoesNotComeBeforeASecureCookie(t *testing.T) {
	cases := []struct {
		name, secure, of string // the cookie that is there, and who set it
		plain, from      string // the one that comes over http
		to, want         string
	}{
		{"a deeper path", "k=mine; Secure; Domain=a.test; Path=/", "https://www.a.test/", "k=forged; Domain=a.test; Path=/login", "http://evil.a.test/login", "https://www.a.test/login/x", "k=mine"},
		{"a deeper path of a folder", "k=mine; Secure; Path=/x/", "https://a.test/", "k=forged; Path=/x/y", "http://a.test/", "https://a.test/x/y", "k=mine"},
		{"a site over a host", "k=mine; Secure; Path=/", "https://www.a.test/", "k=forged; Domain=a.test; Path=/login", "http://evil.a.test/", "https://www.a.test/login", "k=mine"},
		{"a host within a site", "k=mine; Secure; Domain=a.test; Path=/", "https://a.test/", "k=forged; Path=/login", "http://www.a.test/", "https://www.a.test/login", "k=mine"},
		{"a path above", "k=mine; Secure; Path=/login", "https://a.test/", "k=plain; Path=/", "http://a.test/", "https://a.test/login", "k=mine; k=plain"},
		{"a path beside", "k=mine; Secure; Path=/log", "https://a.test/", "k=plain; Path=/login", "http://a.test/", "https://a.test/login", "k=plain"},
		{"a host beside", "k=mine; Secure; Path=/", "https://a.a.test/", "k=plain; Path=/login", "http://b.a.test/", "https://b.a.test/login", "k=plain"},
		{"a look-alike", "k=mine; Secure; Path=/", "https://a.a.test/", "k=plain; Path=/login", "http://aa.a.test/", "https://aa.a.test/login", "k=plain"},
		{"another name", "k=mine; Secure; Path=/", "https://a.test/", "l=plain; Path=/login", "http://a.test/", "https://a.test/login", "l=plain; k=mine"},
		{"one that is not Secure", "k=first; Path=/", "https://a.test/", "k=plain; Path=/login", "http://a.test/", "https://a.test/login", "k=plain; k=first"},
		{"a secure connection", "k=mine; Secure; Path=/", "https://a.test/", "k=too; Path=/login", "https://a.test/", "https://a.test/login", "k=too; k=mine"},
	}
	for _, c := range cases {
		jar := NewJar()
		set(t, jar, c.of, c.secure)
		set(t, jar, c.from, c.plain)
		assert.Equal(t, c.want, sent(t, jar, c.to), c.name)
	}
	synctest.Test(t, func(t *testing.T) {
		jar := NewJar()
		set(t, jar, "https://a.test/", "k=mine; Secure; Max-Age=60")
		time.Sleep(time.Minute)
		set(t, jar, "http://a.test/", "k=plain")
		assert.Equal(t, "k=plain", sent(t, jar, "http://a.test/"), "it has ended")
	})
}

// all returns how many cookies of a site there are, over the paths it used.
func all(t require.TestingT, jar http.CookieJar, urls []string) int {
	seen := map[string]bool{}
	for _, u := range urls {
		for _, c := range jar.Cookies(at(t, u)) {
			seen[u+c.Name] = true
		}
	}
	return len(seen)
}

func TestAFloodOfCookiesIsBounded(t *testing.T) {
	t.Run("names", func(t *testing.T) {
		jar := NewJar()
		for n := range 1000 {
			set(t, jar, "http://a.test/", fmt.Sprintf("k%d=1", n))
		}
		assert.Len(t, jar.Cookies(at(t, "http://a.test/")), jarCookies)
	})
	t.Run("in one response", func(t *testing.T) {
		jar := NewJar()
		var lines []string
		for n := range 10_000 {
			lines = append(lines, fmt.Sprintf("k%d=1", n))
		}
		set(t, jar, "http://a.test/", lines...)
		assert.Empty(t, sent(t, jar, "http://a.test/"), "net/http takes none of more than 3,000")
		set(t, jar, "http://a.test/", lines[:3000]...)
		assert.Len(t, jar.Cookies(at(t, "http://a.test/")), jarCookies)
	})
	t.Run("folders", func(t *testing.T) { // one name, but each page sets it for its own folder
		jar := NewJar()
		var urls []string
		for n := range 1000 {
			urls = append(urls, fmt.Sprintf("http://a.test/%d/x", n))
			set(t, jar, urls[n], "k=1")
		}
		assert.Equal(t, jarCookies, all(t, jar, urls))
	})
	t.Run("hosts of a site", func(t *testing.T) {
		jar := NewJar()
		var urls []string
		for n := range 1000 {
			urls = append(urls, fmt.Sprintf("http://h%d.a.test/", n))
			set(t, jar, urls[n], "k=1")
		}
		assert.Equal(t, jarCookies, all(t, jar, urls))
	})
	t.Run("bytes", func(t *testing.T) {
		jar := NewJar()
		for n := range 100 {
			set(t, jar, "http://a.test/", fmt.Sprintf("k%d=%s", n, strings.Repeat("x", 1000)))
		}
		line := len(sent(t, jar, "http://a.test/"))
		assert.True(t, line <= jarSiteBytes && line > jarSiteBytes-2000, "%d bytes", line)
		set(t, jar, "http://a.test/", "k0=now small")
		assert.Contains(t, sent(t, jar, "http://a.test/"), "k0=", "a known cookie can still change")
	})
}

func TestACookieThatEndsMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jar := NewJar()
		for round := range 5 {
			for n := range jarCookies {
				line := fmt.Sprintf("k%d-%d=1", round, n)
				if n%2 == 0 {
					line += "; Max-Age=60"
				}
				set(t, jar, "http://a.test/", line)
			}
			assert.Len(t, jar.Cookies(at(t, "http://a.test/")), jarCookies, "round %d", round)
			for n := range jarCookies {
				if n%2 == 1 {
					set(t, jar, "http://a.test/", fmt.Sprintf("k%d-%d=; Expires=Thu, 01 Jan 1970 00:00:00 GMT", round, n))
				}
			}
			time.Sleep(time.Minute)
			assert.Empty(t, sent(t, jar, "http://a.test/"))
		}
	})
}

// TestAJarIsTheStandardOneWithinItsBounds compares any history of one site with
// the jar of the standard library, and the account with what is there.
func TestAJarIsTheStandardOneWithinItsBounds(t *testing.T) {
	hosts := []string{"shop.co.uk", "a.shop.co.uk", "b.a.shop.co.uk"}
	paths := []string{"/", "/x", "/x/", "/x/y", "/x/y/z"}
	rapid.Check(t, func(t *rapid.T) {
		ours := NewJar()
		theirs, err := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
		require.NoError(t, err)
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			from := "https://" + rapid.SampledFrom(hosts).Draw(t, "host") + rapid.SampledFrom(paths).Draw(t, "from")
			line := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "name") + "=" + rapid.StringMatching("[a-z]{0,9}").Draw(t, "value")
			if domain := rapid.SampledFrom(append(hosts, "", ".shop.co.uk", "co.uk", "uk", "shop.co.uk.", "x.test")).Draw(t, "domain"); domain != "" {
				line += "; Domain=" + domain
			}
			line += "; Path=" + rapid.SampledFrom(append(paths, "", "none")).Draw(t, "path")
			line += rapid.SampledFrom([]string{"", "; Secure", "; Max-Age=0", "; Max-Age=100"}).Draw(t, "rest")
			set(t, ours, from, line)
			set(t, theirs, from, line)
		}
		site := ours.sites["shop.co.uk"]
		bytes := 0
		for _, h := range site.held {
			bytes += h.bytes
		}
		require.Equal(t, bytes, site.bytes)
		stored := map[string]bool{}
		for _, host := range hosts {
			for _, path := range paths {
				to := "https://" + host + path
				require.Equal(t, sent(t, theirs, to), sent(t, ours, to), to)
			}
		}
		for id := range site.held {
			stored[id.domain+id.path+id.name] = true
			line := sent(t, ours, "https://"+id.domain+id.path)
			require.True(t, slices.ContainsFunc(strings.Split(line, "; "), func(pair string) bool { return strings.HasPrefix(pair, id.name+"=") }),
				"%v is held and not there: %q", id, line)
		}
		require.Len(t, stored, len(site.held))
	})
}

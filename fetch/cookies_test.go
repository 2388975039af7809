package fetch_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/fetch/fetchtest"
)

// needsCookie answers 403 without the cookie s=1.
var needsCookie = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	if c, err := r.Cookie("s"); err != nil || c.Value != "1" {
		w.WriteHeader(http.StatusForbidden)
	}
})

// follow makes an exchange for each hop, as a crawler does.
func follow(t *testing.T, client *fetch.Client, from string) fetch.Response {
	t.Helper()
	for range 10 {
		got := client.Do(t.Context(), fetch.Request{URL: from})
		if got.Class != fetch.Redirected {
			return got
		}
		base, err := url.Parse(from)
		require.NoError(t, err)
		next, err := base.Parse(got.Header.Get("Location"))
		require.NoError(t, err)
		from = next.String()
	}
	t.Fatal("too many redirects")
	return fetch.Response{}
}

func TestSS1CookiesOfAHopAreSentWithTheNext(t *testing.T) {
	const archive = `
-- http://a.test/start --
HTTP 302
Location: /check
Set-Cookie: s=1
-- http://a.test/long --
HTTP 302
Location: /middle
-- http://a.test/middle --
HTTP 302
Location: /end
Set-Cookie: s=1
-- http://a.test/end --
HTTP 302
Location: /check
`
	for _, from := range []string{"/start", "/long"} {
		for jar, want := range map[http.CookieJar]int{nil: 403, fetch.NewJar(): 200} {
			web := parse(t, archive)
			require.NoError(t, web.Handle("http://a.test/check", needsCookie))
			client := open(t, fetch.Config{Transport: web, Cookies: jar})
			assert.Equal(t, want, follow(t, client, "http://a.test"+from).Status, "%s, jar %v", from, jar != nil)
		}
	}
}

func TestSS2AttributesOfCookiesAreNotSentBack(t *testing.T) {
	const archive = `
-- http://a.test/ --
HTTP 200
Set-Cookie: a=1; Path=/; Domain=a.test; HttpOnly
Set-Cookie: b=2
-- http://a.test/next --
ok
`
	bothWays(t, archive, fetch.Config{Cookies: fetch.NewJar()}, func(t *testing.T, web *fetchtest.Web, client *fetch.Client) {
		client.Do(t.Context(), fetch.Request{URL: "http://a.test/"})
		got := client.Do(t.Context(), fetch.Request{URL: "http://a.test/next"})
		log := web.Log()
		assert.Equal(t, []string{"a=1; b=2"}, log[len(log)-1].Header["Cookie"])
		assert.Contains(t, string(got.Sent), "\r\nCookie: a=1; b=2\r\n")
	})
}

func TestSS3CredentialsDoNotLeak(t *testing.T) {
	web := parse(t, "-- http://a.test/* --\nok\n")
	client := open(t, fetch.Config{Transport: web})
	for _, raw := range []string{
		"http://user:pw@a.test/x", "http://:pw@a.test/", "http://user:pw@", "http://pw:pw@@a.test/@/x", "ftp://user:pw@a.test/", "http://user:pw@a.test:x/",
	} {
		got := client.Do(t.Context(), fetch.Request{URL: raw})
		assert.Equal(t, fetch.Malformed, got.Class, raw)
		assert.NotContains(t, got.URL+got.Err.Error()+string(got.Sent), "pw", raw)
	}
	assert.Empty(t, web.Log(), "nothing was requested")

	got := client.Do(t.Context(), fetch.Request{URL: "http://a.test/from"})
	require.NoError(t, got.Err)
	assert.Empty(t, web.Log()[0].Header["Referer"], "no page is told where its visitor came from")
}

func TestAJarKeepsSitesApartAndIsBounded(t *testing.T) {
	at := func(raw string) *url.URL {
		u, err := url.Parse(raw)
		require.NoError(t, err)
		return u
	}
	names := func(jar *fetch.Jar, raw string) (names []string) {
		for _, c := range jar.Cookies(at(raw)) {
			names = append(names, c.Name)
		}
		return names
	}

	jar := fetch.NewJar()
	jar.SetCookies(at("https://a.example.co.uk/"), []*http.Cookie{
		{Name: "site", Value: "1", Domain: "example.co.uk"},
		{Name: "suffix", Value: "1", Domain: "co.uk"},
		{Name: "other", Value: "1", Domain: "other.co.uk"},
		{Name: "host", Value: "1"},
		{Name: "secure", Value: "1", Secure: true},
		{Name: "large", Value: strings.Repeat("x", 4<<10)},
	})
	assert.ElementsMatch(t, []string{"site", "host"}, names(jar, "http://a.example.co.uk/"))
	assert.ElementsMatch(t, []string{"site", "host", "secure"}, names(jar, "https://a.example.co.uk/"))
	assert.ElementsMatch(t, []string{"site"}, names(jar, "http://b.example.co.uk/"))
	assert.Empty(t, names(jar, "http://other.co.uk/"))

	for n := range 1000 {
		jar.SetCookies(at("http://bomb.test/"), []*http.Cookie{{Name: fmt.Sprint(n), Value: "1"}})
	}
	assert.Len(t, names(jar, "http://bomb.test/"), 180)
	jar.SetCookies(at("http://bomb.test/"), []*http.Cookie{{Name: "0", Value: "2"}})
	assert.Equal(t, "2", jar.Cookies(at("http://bomb.test/"))[0].Value, "a known cookie can still change")

	for n := range 10_100 {
		jar.SetCookies(at(fmt.Sprintf("http://s%d.test/", n)), []*http.Cookie{{Name: "s", Value: "1"}})
	}
	kept := 0
	for n := range 10_100 {
		kept += len(names(jar, fmt.Sprintf("http://s%d.test/", n)))
	}
	assert.LessOrEqual(t, kept, 10_000)
	assert.Greater(t, kept, 9_900)
}

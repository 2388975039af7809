package fetch

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"

	"golang.org/x/net/publicsuffix"

	"github.com/weircrawl/weir/internal/header"
)

// The bounds of a Jar: what browsers keep of a site, and sites of one run.
const (
	jarSites   = 10_000
	jarCookies = 180
	jarBytes   = 4 << 10 // of one cookie, name and value
)

// Jar keeps cookies by the rules of RFC 6265, a jar of its own for each
// registrable domain, so that no site can set a cookie for a public suffix or
// push another one's out. It keeps 10,000 sites, 180 cookies of each, 4 KiB a
// cookie; what exceeds that is not kept. It is safe for concurrent use.
type Jar struct {
	mu    sync.Mutex
	sites map[string]*siteJar
}

// siteJar holds the cookies of one site, and the names under which it has set
// any.
type siteJar struct {
	jar   *cookiejar.Jar
	names map[string]bool
}

// NewJar returns an empty Jar, for Config.Cookies.
func NewJar() *Jar { return &Jar{sites: map[string]*siteJar{}} }

// Cookies returns the cookies to send with a request for u.
func (j *Jar) Cookies(u *url.URL) []*http.Cookie {
	j.mu.Lock()
	s := j.sites[siteOf(u)]
	j.mu.Unlock()
	if s == nil {
		return nil
	}
	return s.jar.Cookies(u)
}

// SetCookies takes the cookies of a response to a request for u.
func (j *Jar) SetCookies(u *url.URL, cookies []*http.Cookie) {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := j.site(siteOf(u))
	kept := make([]*http.Cookie, 0, min(len(cookies), jarCookies))
	for _, c := range cookies {
		if s.admits(c) {
			kept = append(kept, c)
		}
	}
	s.jar.SetCookies(u, kept)
}

// site returns the jar of a site. When there are too many, any other one goes.
func (j *Jar) site(name string) *siteJar {
	if s := j.sites[name]; s != nil {
		return s
	}
	if len(j.sites) >= jarSites {
		for other := range j.sites {
			delete(j.sites, other)
			break
		}
	}
	jar, _ := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List}) // never fails
	s := &siteJar{jar: jar, names: map[string]bool{}}
	j.sites[name] = s
	return s
}

// admits reports whether a cookie fits into what its site may keep.
func (s *siteJar) admits(c *http.Cookie) bool {
	if len(c.Name)+len(c.Value) > jarBytes {
		return false
	}
	name := c.Domain + ";" + c.Path + ";" + c.Name
	if !s.names[name] && len(s.names) >= jarCookies {
		return false
	}
	s.names[name] = true
	return true
}

// cookiesOf returns the cookies that a response sets. Their dates are read as
// browsers read them, and not only in the two forms that net/http knows: a date
// that means "delete" in a third one deletes.
func cookiesOf(answer *http.Response) []*http.Cookie {
	cookies := answer.Cookies()
	for _, c := range cookies {
		if c.Expires.IsZero() && c.RawExpires != "" {
			c.Expires, _ = header.CookieDate(c.RawExpires)
		}
	}
	return cookies
}

// siteOf returns the registrable domain of u, or its host where it has none.
func siteOf(u *url.URL) string {
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if site, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return site
	}
	return host
}

package fetch

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/weircrawl/weir/internal/header"
)

// The bounds of a Jar: of a cookie and of their number for a site what browsers
// keep, of their bytes what servers take in one request.
const (
	jarSites     = 10_000
	jarCookies   = 180
	jarBytes     = 4 << 10  // of one cookie, name and value
	jarSiteBytes = 16 << 10 // of all cookies of a site
	jarAttribute = 1024     // of a Path
	jarAge       = 400 * 24 * time.Hour
)

// Jar keeps cookies by the rules of RFC 6265, a jar of its own for each
// registrable domain, so that no site can set a cookie for a public suffix or
// push another one's out. Of its successor (RFC 6265bis) it has what keeps a
// cookie where it belongs: a plain connection neither sets nor replaces one that
// is Secure, nor sets one that would be sent before it, and a name that begins with "__Secure-" or "__Host-" holds what it
// promises. SameSite changes nothing: a crawler goes to each page as a reader
// does who types its address. Nor does HttpOnly: there are no scripts.
//
// It keeps 10,000 sites, 180 cookies and 16 KiB of each, 4 KiB a cookie, for at
// most 400 days; what exceeds that is not kept. It is safe for concurrent use.
type Jar struct {
	mu    sync.Mutex
	sites map[string]*siteJar
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
	now := time.Now()
	j.mu.Lock()
	defer j.mu.Unlock()
	s := j.site(siteOf(u))
	kept := make([]*http.Cookie, 0, min(len(cookies), jarCookies))
	for _, c := range cookies {
		c := withinBounds(*c)
		if s.admits(u, &c, now) {
			kept = append(kept, &c)
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
	s := &siteJar{jar: jar, held: map[cookieID]holding{}}
	j.sites[name] = s
	return s
}

// siteOf returns the registrable domain of u, or its host where it has none.
func siteOf(u *url.URL) string {
	host := hostOf(u)
	if site, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return site
	}
	return host
}

func hostOf(u *url.URL) string { return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".") }

// siteJar holds the cookies of one site, and the account of their bounds.
type siteJar struct {
	jar   *cookiejar.Jar
	held  map[cookieID]holding
	bytes int // sum of held
}

// A cookieID is what makes a cookie replace another one (RFC 6265, section 5.3).
type cookieID struct{ domain, path, name string }

// A holding is what a cookie takes, and until when.
type holding struct {
	bytes   int
	secure  bool
	expires time.Time
}

// admits reports whether a cookie is one that u may set, and fits into what its
// site may keep. It takes account of it.
func (s *siteJar) admits(u *url.URL, c *http.Cookie, now time.Time) bool {
	id, ok := identify(u, c)
	if !ok || !keepsItsWord(u, c) || len(c.Name)+len(c.Value) > jarBytes {
		return false
	}
	if u.Scheme != "https" && s.overlays(id, now) {
		return false
	}
	if expiry(c, now).Compare(now) <= 0 {
		s.drop(id)
		return true
	}
	size := len(id.domain) + len(id.path) + len(c.Name) + len(c.Value)
	if !s.fits(id, size) {
		s.sweep(now)
		if !s.fits(id, size) {
			return false
		}
	}
	s.drop(id)
	s.held[id] = holding{size, c.Secure, expiry(c, now)}
	s.bytes += size
	return true
}

// overlays reports whether a cookie would replace a Secure one, or be sent before
// one to some page that both go to (RFC 6265bis, section 5.7: "leave secure
// cookies alone").
func (s *siteJar) overlays(id cookieID, now time.Time) bool {
	for other, h := range s.held {
		if h.secure && h.expires.After(now) && other.name == id.name && inPath(id.path, other.path) &&
			(inDomain(id.domain, other.domain) || inDomain(other.domain, id.domain)) {
			return true
		}
	}
	return false
}

// inDomain reports whether a host is a domain, or within it.
func inDomain(host, domain string) bool {
	return host == domain || strings.HasSuffix(host, "."+domain)
}

// inPath reports whether a path is a folder, or within it (RFC 6265, section
// 5.1.4).
func inPath(path, folder string) bool {
	rest, ok := strings.CutPrefix(path, folder)
	return ok && (rest == "" || rest[0] == '/' || strings.HasSuffix(folder, "/"))
}

// fits reports whether there is room for a cookie, in place of the one it
// replaces.
func (s *siteJar) fits(id cookieID, size int) bool {
	old, known := s.held[id]
	return s.bytes-old.bytes+size <= jarSiteBytes && (known || len(s.held) < jarCookies)
}

// sweep gives back what cookies took that have expired.
func (s *siteJar) sweep(now time.Time) {
	for id, h := range s.held {
		if !h.expires.After(now) {
			s.drop(id)
		}
	}
}

func (s *siteJar) drop(id cookieID) {
	s.bytes -= s.held[id].bytes
	delete(s.held, id)
}

// identify returns the identity of a cookie that is set by u, and false where it
// is for another host, or for all sites of a public suffix.
func identify(u *url.URL, c *http.Cookie) (cookieID, bool) {
	host := hostOf(u)
	id := cookieID{domain: host, path: c.Path, name: c.Name}
	if domain := strings.ToLower(strings.TrimPrefix(c.Domain, ".")); domain != "" && domain != host {
		suffix, _ := publicsuffix.PublicSuffix(domain)
		if !strings.HasSuffix(host, "."+domain) || suffix == domain {
			return id, false
		}
		id.domain = domain
	}
	if !strings.HasPrefix(id.path, "/") {
		id.path = u.Path[:max(strings.LastIndexByte(u.Path, '/'), 0)]
		if id.path == "" {
			id.path = "/"
		}
	}
	return id, true
}

// keepsItsWord reports whether a cookie is as Secure as it says, and as its name
// promises (RFC 6265bis, sections 4.1.3 and 5.7).
func keepsItsWord(u *url.URL, c *http.Cookie) bool {
	if c.Secure && u.Scheme != "https" {
		return false
	}
	name := strings.ToLower(c.Name)
	switch {
	case strings.HasPrefix(name, "__secure-"):
		return c.Secure
	case strings.HasPrefix(name, "__host-"):
		return c.Secure && c.Domain == "" && c.Path == "/"
	}
	return true
}

// expiry returns when a cookie ends, which may be in the past. One of a session
// ends with the Jar.
func expiry(c *http.Cookie, now time.Time) time.Time {
	switch {
	case c.MaxAge != 0:
		return now.Add(time.Duration(c.MaxAge) * time.Second)
	case !c.Expires.IsZero():
		return c.Expires
	}
	return now.Add(jarAge)
}

// withinBounds returns c with attributes that are within their bounds (RFC
// 6265bis, sections 5.5 and 5.6).
func withinBounds(c http.Cookie) http.Cookie {
	c.MaxAge = min(c.MaxAge, int(jarAge/time.Second))
	if len(c.Path) > jarAttribute {
		c.Path = ""
	}
	return c
}

package frontier

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/weircrawl/weir/urlnorm"
)

// A Scope says which URLs a run may request. It is decided at admission, and so
// again at every hop of a redirect. A URL is in scope if a Host, a Site or a
// Prefix takes it and no Exclude does. The zero Scope stands for the hosts of
// the run's first seeds.
type Scope struct {
	Hosts    []string `json:"hosts,omitempty"`    // exact hosts; without a port, the default port of http or https
	Sites    []string `json:"sites,omitempty"`    // a host and all below it, on any port: "example.com" takes "a.example.com"
	Prefixes []string `json:"prefixes,omitempty"` // beginnings of request URLs: "https://example.com/docs/"
	Exclude  []string `json:"exclude,omitempty"`  // beginnings of request URLs, or of paths where they begin with "/"
}

// Empty reports whether s names nothing that it takes.
func (s Scope) Empty() bool { return len(s.Hosts)+len(s.Sites)+len(s.Prefixes) == 0 }

// Validate returns every entry of s that cannot match.
func (s Scope) Validate() error {
	var faults []error
	for _, h := range append(append([]string{}, s.Hosts...), s.Sites...) {
		if h == "" || strings.ContainsAny(h, "/ ?#@") || !ascii(h) {
			faults = append(faults, fmt.Errorf("scope: %q is not a host; write example.com or example.com:8080, and other letters in punycode", h))
		}
	}
	for _, h := range s.Sites {
		if bareHost(canonicalHost(h)) != canonicalHost(h) {
			faults = append(faults, fmt.Errorf("scope: site %q has a port; a site is on every port", h))
		}
	}
	for _, p := range s.Prefixes {
		scheme, rest, _ := strings.Cut(p, "://")
		host, _, _ := strings.Cut(rest, "/")
		switch {
		case scheme != "http" && scheme != "https":
			faults = append(faults, fmt.Errorf("scope: prefix %q must begin with http:// or https://", p))
		case !ascii(host) || host != strings.ToLower(host) || strings.HasSuffix(host, defaultPort[scheme]):
			faults = append(faults, fmt.Errorf("scope: prefix %q can match nothing: write its host as in a request, lower-case, in punycode and without a default port", p))
		}
	}
	if size, _ := json.Marshal(s); len(size) > maxScope {
		faults = append(faults, fmt.Errorf("scope: it takes %d bytes; %d are allowed: name Sites for many hosts, or leave it to the seeds", len(size), maxScope))
	}
	return errors.Join(faults...)
}

var defaultPort = map[string]string{"http": ":80", "https": ":443"}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// maxScope bounds a Scope as JSON: it lies in one row.
const maxScope = 16 * kib

// Takes reports whether u may be requested.
func (s Scope) Takes(u urlnorm.URL) bool {
	return s.includes(u) && !s.excludes(u)
}

// Takes reports whether the run may request u: its scope with the hosts that its
// seeds have brought into it.
func (f *Frontier) Takes(u urlnorm.URL) bool {
	f.mu.Lock()
	joined := f.hosts[hostPort(u.Origin)]
	f.mu.Unlock()
	s := f.scope.Load()
	return (joined || s.includes(u)) && !s.excludes(u)
}

// takes is Takes for the writer.
func (f *Frontier) takes(u urlnorm.URL) bool {
	s := &f.head.contract.Scope
	return (f.hosts[hostPort(u.Origin)] || s.includes(u)) && !s.excludes(u)
}

func (s Scope) includes(u urlnorm.URL) bool {
	host := hostPort(u.Origin)
	scheme, _, _ := strings.Cut(string(u.Origin), "://")
	for _, h := range s.Hosts {
		if h = canonicalHost(h); h == host || h == host+defaultPort[scheme] {
			return true
		}
	}
	bare := bareHost(host)
	for _, site := range s.Sites {
		site = canonicalHost(site)
		if bare == site || strings.HasSuffix(bare, "."+site) {
			return true
		}
	}
	for _, p := range s.Prefixes {
		if strings.HasPrefix(u.Request, p) {
			return true
		}
	}
	return false
}

// excludes looks at the request and at the key: no way of writing a URL passes.
func (s Scope) excludes(u urlnorm.URL) bool {
	return len(s.Exclude) > 0 && (s.excluded(u.Request) || s.excluded(u.Key.Text))
}

func (s Scope) excluded(text string) bool {
	_, rest, _ := strings.Cut(text, "://")
	path := "/"
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		path = rest[i:]
	}
	for _, e := range s.Exclude {
		if strings.HasPrefix(text, e) || strings.HasPrefix(e, "/") && strings.HasPrefix(path, e) {
			return true
		}
	}
	return false
}

// hostPort returns host and, unless it is its scheme's default, port of o.
func hostPort(o urlnorm.Origin) string {
	_, host, _ := strings.Cut(string(o), "://")
	return canonicalHost(host)
}

// canonicalHost compares hosts by labels: lower-case, without one trailing dot.
func canonicalHost(h string) string {
	h = strings.ToLower(h)
	host, port := h, ""
	if i := strings.LastIndexByte(h, ':'); i > strings.LastIndexByte(h, ']') {
		host, port = h[:i], h[i:]
	}
	return strings.TrimSuffix(host, ".") + port
}

func bareHost(h string) string {
	if i := strings.LastIndexByte(h, ':'); i > strings.LastIndexByte(h, ']') {
		return h[:i]
	}
	return h
}

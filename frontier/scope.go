package frontier

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weircrawl/weir/internal/pathmatch"
	"github.com/weircrawl/weir/urlnorm"
)

// A Scope says which URLs a run may request. It is decided at admission, and so
// again at every hop of a redirect, and once more before each lease. A URL is in
// scope if a Host, a Site or a Prefix takes it, one of Include matches its path where
// there are any, and no Exclude does. Seeds must be in scope, too. Where no Host,
// Site or Prefix is named the hosts of the run's first seeds are.
//
// Patterns are those of robots.txt: what a path and query begin with, * for any
// number of bytes, $ for the end, compared in one percent-encoding.
type Scope struct {
	Hosts    []string `json:"hosts,omitempty"`    // exact hosts; without a port, the default port of http or https
	Sites    []string `json:"sites,omitempty"`    // a host and all below it, on any port: "example.com" takes "a.example.com"
	Prefixes []string `json:"prefixes,omitempty"` // beginnings of request URLs: "https://example.com/docs/"
	Include  []string `json:"include,omitempty"`  // patterns: "/docs/", "/*.html$"
	Exclude  []string `json:"exclude,omitempty"`  // patterns where they begin with / or *, else beginnings of request URLs
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
	for _, p := range s.Include {
		if err := pathmatch.Fault(p); err != nil {
			faults = append(faults, fmt.Errorf("scope: include: %w", err))
		}
	}
	for _, e := range s.Exclude {
		if err := pathmatch.Fault(e); err != nil && !strings.HasPrefix(e, "http") {
			faults = append(faults, fmt.Errorf("scope: exclude: %w, or write a whole URL", err))
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
	c := s.compiled()
	return s.includes(u) && !c.bars(u)
}

// scoped is a Scope whose patterns have been read.
type scoped struct {
	Scope
	include, exclude pathmatch.Set
	begins           []string // of Exclude: beginnings of request URLs
	seeds            bool     // hosts that seeds have brought in are in scope
}

func (s Scope) compiled() *scoped {
	c := &scoped{Scope: s, include: pathmatch.NewSet(s.Include)}
	var patterns []string
	for _, e := range s.Exclude {
		if strings.HasPrefix(e, "/") || strings.HasPrefix(e, "*") {
			patterns = append(patterns, e)
		} else {
			c.begins = append(c.begins, e)
		}
	}
	c.exclude = pathmatch.NewSet(patterns)
	return c
}

// Takes reports whether the run may request u: by its scope with the hosts that its
// seeds have brought into it, and by Config.InScope.
func (f *Frontier) Takes(u urlnorm.URL) bool {
	f.mu.Lock()
	joined := f.hosts[hostPort(u.Origin)]
	f.mu.Unlock()
	s := f.scope.Load()
	return (joined && s.seeds || s.includes(u)) && !s.bars(u) && f.agrees(u)
}

// takes is Takes for the writer.
func (f *Frontier) takes(u urlnorm.URL) bool {
	s := f.head.scope()
	return (s.seeds && f.hosts[hostPort(u.Origin)] || s.includes(u)) && !s.bars(u) && f.agrees(u)
}

// agrees reports whether the caller's own function takes u.
func (f *Frontier) agrees(u urlnorm.URL) bool { return f.cfg.InScope == nil || f.cfg.InScope(u) }

// scope is the run's scope, read once.
func (h *head) scope() *scoped {
	if h.scoped == nil {
		h.scoped = h.contract.Scope.compiled()
		h.scoped.seeds = h.contract.Seeds
	}
	return h.scoped
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

// bars reports whether u's path is not one of those that s is about. It looks at the
// request and at the key: no way of writing a URL passes.
func (s *scoped) bars(u urlnorm.URL) bool {
	if s.include.Empty() && s.exclude.Empty() && len(s.begins) == 0 {
		return false
	}
	request, key := targets(u.Request, u.Key.Text)
	if _, in := s.include.Match(request); !in && !s.include.Empty() {
		return true
	}
	if _, out := s.exclude.Match(request, key); out {
		return true
	}
	return slices.ContainsFunc(s.begins, func(b string) bool {
		return strings.HasPrefix(u.Request, b) || strings.HasPrefix(u.Key.Text, b)
	})
}

// targets are what patterns are compared with: path and query of a request and of
// its key, where that is a URL.
func targets(request, key string) (string, string) {
	r := pathmatch.Target(request)
	if key == request || !strings.Contains(key, "://") {
		return r, r
	}
	return r, pathmatch.Target(key)
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

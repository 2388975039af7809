package robots

import (
	"slices"
	"strings"
	"time"

	"github.com/weircrawl/weir/internal/pathmatch"
)

// Rules answer for every agent and URL of one origin. They never change, and are
// safe for concurrent use. The zero value allows everything.
type Rules struct {
	access   string            // the access rule that stands in for a file; empty if there was one
	allowed  bool              // what it says
	denied   bool              // the operator's policy forbids everything
	groups   map[string]*group // by product token in lower case, or "*"
	sitemaps []string
	size     int
}

// Decide answers for an agent, given by product token or as a whole User-Agent
// header, and a URL of the origin, or its path and query. It does not look at the
// origin of the URL; what has neither that nor a slash is read as a path: "x" as
// "/x".
func (r Rules) Decide(agent, url string) Decision {
	target := pathmatch.Cut(url)
	g := r.group(agent)
	d := Decision{Allowed: true}
	if g != nil {
		d.Group, d.Delay = g.token, g.delay
	}
	switch {
	case target == "/robots.txt": // RFC 9309, section 2.2.2
		d.Rule = target
		return d
	case r.access != "":
		d.Allowed, d.Rule = r.allowed, r.access
	default:
		if rule := g.decide(pathmatch.Normalize(target)); rule != nil {
			d.Allowed, d.Rule, d.Line = rule.allow, rule.text, int(rule.line)
		}
	}
	if d.Allowed && r.denied {
		d.Allowed, d.Policy = false, Deny
	}
	return d
}

// Delay returns the Crawl-delay that holds for agent, and whether the file has
// one.
func (r Rules) Delay(agent string) (delay time.Duration, ok bool) {
	if g := r.group(agent); g != nil {
		return g.delay, g.delayed
	}
	return 0, false
}

// Sitemaps returns the sitemaps that the file names, as written, each once: they
// are references, which the URL of the file resolves.
func (r Rules) Sitemaps() []string { return slices.Clone(r.sitemaps) }

// Size returns the bytes of memory that r takes, about.
func (r Rules) Size() int { return r.size }

// group returns the group of agent, which is nil if no rules hold for it.
func (r Rules) group(agent string) *group {
	var lower [64]byte // keeps the look-up off the heap
	if g, ok := r.groups[string(appendLower(lower[:0], Token(agent)))]; ok {
		return g
	}
	return r.groups["*"]
}

// Token returns the product token that a User-Agent header begins with: what
// stands before a slash or white space.
func Token(userAgent string) string {
	if i := strings.IndexAny(userAgent, "/ \t"); i >= 0 {
		return userAgent[:i]
	}
	return userAgent
}

func appendLower(b []byte, token string) []byte {
	for i := range len(token) {
		c := token[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		b = append(b, c)
	}
	return b
}

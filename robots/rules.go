package robots

import (
	"slices"
	"strings"
	"time"
)

// Rules answer for every agent and URL of one origin. They never change, and are
// safe for concurrent use. The zero value allows everything.
type Rules struct {
	access   string            // the access rule that stands in for a file; empty if there was one
	allowed  bool              // what it says
	groups   map[string]*group // by product token in lower case, or "*"
	sitemaps []string
	size     int
}

// group is what all lists that name one token say. Lists are shared.
type group struct {
	blocks []*block
	delays []*time.Duration
}

// block holds the rules of one list of user agents, in the order in which the
// first match decides: the longest first; of equal ones, allow first.
type block struct {
	rules  []rule
	sorted bool
}

type rule struct {
	text    string // as written
	pattern pattern
	allow   bool
}

// Decision is the answer for one agent and URL.
type Decision struct {
	Allowed bool
	Rule    string        // what decided: "Disallow: /private", "status 503"; empty if nothing matched
	Delay   time.Duration // Crawl-delay, as the file says; 0 if it does not
}

// Decide answers for an agent, given by product token or as a whole User-Agent
// header, and a URL of the origin, or its path and query.
func (r Rules) Decide(agent, url string) Decision {
	target := target(url)
	g := r.group(agent)
	d := Decision{Allowed: true, Delay: g.delay()}
	switch {
	case target == "/robots.txt": // RFC 9309, section 2.2.2
		d.Rule = target
	case r.access != "":
		d.Allowed, d.Rule = r.allowed, r.access
	default:
		if rule, ok := g.decide(normalize(target)); ok {
			d.Allowed, d.Rule = rule.allow, rule.String()
		}
	}
	return d
}

// Delay returns the Crawl-delay that holds for agent, or 0.
func (r Rules) Delay(agent string) time.Duration { return r.group(agent).delay() }

// Sitemaps returns the sitemaps that the file names, as written, each once.
func (r Rules) Sitemaps() []string { return slices.Clone(r.sitemaps) }

// Size returns the bytes of memory that r takes, about.
func (r Rules) Size() int { return r.size }

// group returns the group of agent, which is nil if no rules hold for it.
func (r Rules) group(agent string) *group {
	if g, ok := r.groups[strings.ToLower(Token(agent))]; ok {
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

// target returns path and query of a URL, without its fragment.
func target(url string) string {
	url, _, _ = strings.Cut(url, "#")
	if _, rest, ok := strings.Cut(url, "://"); ok && !strings.HasPrefix(url, "/") {
		url = strings.TrimLeftFunc(rest, inAuthority)
	}
	if !strings.HasPrefix(url, "/") {
		url = "/" + url
	}
	return url
}

func inAuthority(r rune) bool { return r != '/' && r != '?' }

// add makes g one of those that a list names, once even if it names g twice.
func (g *group) add(b *block, delay *time.Duration) {
	if n := len(g.blocks); n == 0 || g.blocks[n-1] != b {
		g.blocks = append(g.blocks, b)
	}
	if n := len(g.delays); n == 0 || g.delays[n-1] != delay {
		g.delays = append(g.delays, delay)
	}
}

func (g *group) delay() (longest time.Duration) {
	if g != nil {
		for _, d := range g.delays {
			longest = max(longest, *d)
		}
	}
	return longest
}

// decide returns the rule that holds for target, if any matches: the longest,
// and of equal ones the one that allows.
func (g *group) decide(target string) (best rule, ok bool) {
	if g == nil {
		return rule{}, false
	}
	for _, b := range g.blocks {
		for _, r := range b.rules {
			if ok && r.compare(best) >= 0 {
				break
			}
			if r.pattern.match(target) {
				best, ok = r, true
				break
			}
		}
	}
	return best, ok
}

// compare is negative if r goes before other.
func (r rule) compare(other rule) int {
	switch d := len(other.pattern) - len(r.pattern); {
	case d != 0 || r.allow == other.allow:
		return d
	case r.allow:
		return -1
	}
	return 1
}

func (r rule) String() string {
	if r.allow {
		return "Allow: " + r.text
	}
	return "Disallow: " + r.text
}

func (b *block) sort() {
	if !b.sorted {
		slices.SortStableFunc(b.rules, rule.compare)
		b.rules, b.sorted = slices.Clone(b.rules), true // without what growing left over
	}
}

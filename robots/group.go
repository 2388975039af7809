package robots

import (
	"slices"
	"time"

	"github.com/weircrawl/weir/internal/pathmatch"
)

// group is what all lists of user agents that name one token say. The lists are
// kept once and shared by their groups.
type group struct {
	token   string // in lower case, or "*"
	blocks  []*block
	delays  []*pause
	delay   time.Duration // the longest of delays, once all are read
	delayed bool          // there is one
}

// block holds the rules of one list of user agents, in the order in which the
// first match decides: the longest first; of equal ones allow first, then the
// earlier.
type block struct {
	rules  []rule
	sorted bool
}

// pause is the Crawl-delay of one run of user-agent lines.
type pause struct {
	delay time.Duration
	given bool
}

type rule struct {
	text    string // the line, as written
	pattern pathmatch.Pattern
	line    int32 // from 1
	allow   bool
}

// add makes g one of those that a list names, once even if it names g twice.
func (g *group) add(b *block, p *pause) {
	if n := len(g.blocks); n == 0 || g.blocks[n-1] != b {
		g.blocks = append(g.blocks, b)
	}
	if n := len(g.delays); n == 0 || g.delays[n-1] != p {
		g.delays = append(g.delays, p)
	}
}

// finish brings what was read into the form that decides.
func (g *group) finish() {
	for _, b := range g.blocks {
		b.sort()
	}
	for _, p := range g.delays {
		g.delay, g.delayed = max(g.delay, p.delay), g.delayed || p.given
	}
	g.blocks, g.delays = slices.Clip(g.blocks), nil
}

// decide returns the rule that holds for target, or nil if none matches: the
// longest, and of equal ones the one that allows.
func (g *group) decide(target string) (best *rule) {
	if g == nil {
		return nil
	}
	for _, b := range g.blocks {
		for i := range b.rules {
			r := &b.rules[i]
			if best != nil && r.compare(best) >= 0 {
				break
			}
			if r.pattern.Match(target) {
				best = r
				break
			}
		}
	}
	return best
}

// compare is negative if r goes before other.
func (r *rule) compare(other *rule) int {
	switch d := len(other.pattern) - len(r.pattern); {
	case d != 0:
		return d
	case r.allow == other.allow:
		return int(r.line) - int(other.line)
	case r.allow:
		return -1
	}
	return 1
}

func (b *block) sort() {
	if !b.sorted {
		slices.SortFunc(b.rules, func(x, y rule) int { return x.compare(&y) })
		b.rules, b.sorted = slices.Clone(b.rules), true // without what growing left over
	}
}

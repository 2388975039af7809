package frontier

import (
	"cmp"
	"slices"

	"github.com/weircrawl/weir/internal/codec"
)

// A PatternTally is how many references of one pattern were held back for one
// reason, with the first of them as example.
type PatternTally struct {
	Pattern  string   `json:"pattern"`
	Decision Decision `json:"decision,omitzero"`
	Reason   Reason   `json:"reason"`
	Count    int64    `json:"count"`
	Example  string   `json:"example,omitempty"`
}

// patterns counts what is held back by pattern and reason, in constant size:
// space-saving, which keeps the heaviest. A count that it tells is a lower bound;
// what it does not tell by pattern is in rest, so that the sum is exact. It is
// deterministic: the same additions leave the same bytes.
type patterns struct {
	total int64 // of everything added and not taken back
	list  []patternCount
}

// patternCount is one counter. What it took over from the pattern that had it
// before is not its own: 0 < count-over <= the pattern's true count.
type patternCount struct {
	pattern string
	reason  Reason
	example string
	count   int64
	over    int64
}

// sure is what the pattern has for certain.
func (c *patternCount) sure() int64 { return c.count - c.over }

// The bounds of a sketch: a counter takes 160 bytes at most.
const (
	maxPatterns     = 64
	maxSketched     = 72  // of a pattern
	maxSketchedBoth = 120 // of a pattern and its example
	maxSketchedWord = 16  // of a reason
)

// add counts n references of a pattern; a negative n takes back what was counted
// before, down to none.
func (p *patterns) add(pattern string, reason Reason, n int64, example string) {
	pattern, example = sketched(pattern, example)
	reason = Reason(clipText(string(reason.Word()), maxSketchedWord))
	i := slices.IndexFunc(p.list, func(c patternCount) bool { return c.pattern == pattern && c.reason == reason })
	p.total = max(p.total+n, 0)
	switch {
	case i < 0 && n > 0:
		p.enter(patternCount{pattern: pattern, reason: reason, count: n, example: example})
	case i >= 0 && p.list[i].sure()+n > 0:
		p.list[i].count += n
	case i >= 0:
		p.list = slices.Delete(p.list, i, i+1)
	}
}

// sketched is what a counter keeps of a pattern and its example.
func sketched(pattern, example string) (string, string) {
	pattern = cutPattern(pattern, maxSketched)
	return pattern, clipText(example, min(exampleSize, maxSketchedBoth-len(pattern)))
}

// enter gives c a counter: a free one, or the lightest, whose count it goes on
// with.
func (p *patterns) enter(c patternCount) {
	if len(p.list) < maxPatterns {
		p.list = append(p.list, c)
		return
	}
	least := 0
	for i := range p.list {
		if p.list[i].count < p.list[least].count {
			least = i
		}
	}
	c.over = p.list[least].count
	c.count += c.over
	p.list[least] = c
}

// heaviest returns the n patterns that hold most back, and how many references
// are not in them.
func (p *patterns) heaviest(n int) (top []PatternTally, rest int64) {
	for i := range p.list {
		c := &p.list[i]
		top = append(top, PatternTally{Pattern: c.pattern, Reason: c.reason, Count: c.sure(), Example: c.example})
	}
	slices.SortFunc(top, heavier)
	top, rest = top[:min(n, len(top))], p.total
	for _, t := range top {
		rest -= t.Count
	}
	return top, max(rest, 0)
}

// heavier orders by count, the largest first, and for certain.
func heavier(a, b PatternTally) int {
	return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Pattern, b.Pattern), cmp.Compare(a.Decision, b.Decision), cmp.Compare(a.Reason, b.Reason))
}

func (p *patterns) write(w *codec.Writer) {
	w.Int(p.total)
	w.Uint(uint64(len(p.list)))
	for i := range p.list {
		c := &p.list[i]
		w.String(c.pattern)
		w.String(string(c.reason))
		w.String(c.example)
		w.Int(c.count)
		w.Int(c.over)
	}
}

func readPatterns(r *codec.Reader) patterns {
	p := patterns{total: r.Int()}
	for range min(r.Uint(), maxPatterns) {
		c := patternCount{pattern: r.String(), reason: Reason(r.String()), example: r.String(), count: r.Int(), over: r.Int()}
		c.pattern, c.example = sketched(c.pattern, c.example)
		p.list = append(p.list, c)
	}
	return p
}

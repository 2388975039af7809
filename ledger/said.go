package ledger

import (
	"cmp"
	"fmt"

	"github.com/weircrawl/weir/frontier"
)

// Said is what one page says of the whole. It stands in the line of the page, so
// that a walk that goes on later knows all that was said before.
type Said struct {
	Ordered bool           `json:"ordered"`
	Phase   frontier.Phase `json:"phase,omitzero"` // of the job
	Counts  Counts         `json:"counts"`
}

func (p Page) said() Said { return Said{p.Ordered, p.Phase, p.Counts} }

// then is what holds once a later page has said now: an order only if every page
// says so, and what now does not say as it was said before.
func (s Said) then(now Said) Said {
	now.Ordered = now.Ordered && s.Ordered
	now.Phase = cmp.Or(now.Phase, s.Phase)
	for i, n := range now.Counts.each() {
		if *n < 0 {
			*n = *s.Counts.each()[i]
		}
	}
	return now
}

// otherwise says how now, of a later page, cannot be of the same job as s; empty: it
// can. A frozen generation says the same on every page. Elsewhere a phase changes
// until it is terminal, and counts grow, but for that of what is not resolved yet.
func (s Said) otherwise(now Said, frozen bool) string {
	switch {
	case frozen && (now.Phase != s.Phase || now.Counts != s.Counts):
		return "says otherwise of the whole than the one before"
	case s.Phase.Terminal() && now.Phase != s.Phase && now.Phase != 0:
		return fmt.Sprintf("says that the job is %s, and it was %s before", now.Phase, s.Phase)
	}
	for i, name := range growing {
		before, after := *s.Counts.each()[i], *now.Counts.each()[i]
		if after >= 0 && after < before {
			return fmt.Sprintf("counts %d %s, and %d were counted before", after, name, before)
		}
	}
	return ""
}

func ofGeneration(id string) string {
	if id == "" {
		return ""
	}
	return " of " + generation(id)
}

// growing names the counts of each that never shrink, in its order.
var growing = [...]string{"identities", "that succeeded", "that failed", "that a policy stopped", "that were skipped"}

// each lists the counts of c.
func (c *Counts) each() [6]*int64 {
	return [...]*int64{&c.Expected, &c.Succeeded, &c.Failed, &c.Stopped, &c.Skipped, &c.Unresolved}
}

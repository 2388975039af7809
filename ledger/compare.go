package ledger

import (
	"fmt"
	"slices"

	"github.com/weircrawl/weir/frontier"
)

// checks collects what does not hold.
type checks []string

func (c *checks) that(ok bool, format string, args ...any) {
	if !ok {
		*c = append(*c, fmt.Sprintf(format, args...))
	}
}

// disagreements names what the source counts and the walk does not confirm, or
// another count of the source: first what was admitted, then what was walked. Of
// a walk that was cut off only the former can be said.
func disagreements(w *walk, whole bool) []string {
	if w.head == nil {
		return nil
	}
	var faults []string
	if s := w.head.Account; s != nil {
		faults = admissions(s)
	} else {
		faults = counts(w.head.Counts)
	}
	faults = append(faults, w.faults...)
	switch s := w.head.Account; {
	case !whole:
	case s != nil:
		faults = append(faults, results(s, w)...)
	default:
		faults = append(faults, found(w.head.Counts, w)...)
	}
	return faults
}

// found compares what any source counts with what a whole walk has counted. How
// many rows there are too few is Missing.
func found(c Counts, w *walk) []string {
	var faults checks
	most := func(counted, found int64, what string) {
		faults.that(counted < 0 || found <= counted, "the source counts %d %s, the walk found %d", counted, what, found)
	}
	most(c.Expected, w.distinct, "identities")
	if w.superseded > 0 {
		return faults // a later row has another state
	}
	most(c.Succeeded, w.states[frontier.Done], "that succeeded")
	most(c.Failed, w.states[frontier.Failed], "that failed")
	most(c.Stopped, w.states[frontier.Refused], "that a policy stopped")
	most(c.Skipped, w.states[frontier.Cancelled], "that were skipped")
	return faults
}

// counts compares what any source says with itself, if it says all of it.
func counts(c Counts) []string {
	var faults checks
	parts := []int64{c.Succeeded, c.Failed, c.Stopped, c.Skipped, c.Unresolved}
	if c.Expected < 0 || slices.Min(parts) < 0 {
		return nil
	}
	sum := c.Succeeded + c.Failed + c.Stopped + c.Skipped + c.Unresolved
	faults.that(sum == c.Expected, "the source counts %d identities, and %d by how they ended", c.Expected, sum)
	return faults
}

// admissions compares a run's admissions with its budget, and its counters among
// one another.
func admissions(s *frontier.Summary) []string {
	var faults checks
	var decided, admitted int64
	for _, t := range s.Decided {
		decided += t.Count
		if t.Decision == frontier.Admitted {
			admitted += t.Count
		}
	}
	faults.that(s.Slots <= s.Limit.URLs, "%d slots are spent of %d", s.Slots, s.Limit.URLs)
	faults.that(s.Bytes+s.Reserved <= s.Limit.Bytes, "%d bytes are spent and %d set aside, of %d", s.Bytes, s.Reserved, s.Limit.Bytes)
	faults.that(s.Slots+s.Moved == s.Admitted(), "%d slots are spent and %d moved, for %d admitted identities", s.Slots, s.Moved, s.Admitted())
	faults.that(decided == s.Observed, "%d references were observed, %d have a disposition", s.Observed, decided)
	faults.that(admitted == s.Admitted(), "%d references were admitted, %d identities stand in a state", admitted, s.Admitted())
	return faults
}

// results compares a run's counters with what a whole walk has counted.
func results(s *frontier.Summary, w *walk) []string {
	var faults checks
	faults.that(w.rows == s.Results, "the counters have %d results, the walk found %d", s.Results, w.rows)
	faults.that(w.records == s.Records, "the counters have %d records, the walk found %d", s.Records, w.records)
	return append(faults, endings(s, w)...)
}

// endings compares how URLs ended, by state and reason. A redirect whose chain
// came back to it is open again: its row stays until another replaces it. The
// counters fold rare reasons into "other", beyond a bound; there nothing is
// compared.
func endings(s *frontier.Summary, w *walk) []string {
	counted := map[end]int64{}
	for _, t := range s.Ends {
		counted[end{t.State, t.Reason}] += t.Count
	}
	var faults []string
	for e, n := range w.ends {
		c := counted[e]
		if e.reason == frontier.ReasonRedirected {
			c += s.Unresolved()
		}
		if c < n && counted[end{e.state, "other"}] == 0 {
			faults = append(faults, fmt.Sprintf("%d URLs are %s {%s} by the counters, %d by the walk", c, e.state, e.reason, n))
		}
	}
	slices.Sort(faults)
	return faults
}

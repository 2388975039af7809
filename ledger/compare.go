package ledger

import (
	"fmt"
	"slices"

	"github.com/weircrawl/weir/frontier"
)

// maxFaults is how many faults of a walk are kept as texts. Any more are a count.
const maxFaults = 8

// faults are what is wrong, as far as texts of it are kept.
type faults struct {
	first []string
	rest  int
}

func (f *faults) add(text string) {
	if len(f.first) >= maxFaults {
		f.rest++
		return
	}
	f.first = append(f.first, clip(text))
}

// that adds a fault unless ok.
func (f *faults) that(ok bool, format string, args ...any) {
	if !ok {
		f.add(fmt.Sprintf(format, args...))
	}
}

// list returns the texts, and how many there are without one.
func (f *faults) list() []string {
	if f.rest == 0 {
		return f.first
	}
	return append(f.first[:len(f.first):len(f.first)], fmt.Sprintf("and %s more", count(int64(f.rest), "fault")))
}

// disagreements names what the source counts and the walk does not confirm, or
// another count of the source: first what was admitted, then what was walked. Of
// a walk that was cut off only the former can be said.
func disagreements(w *walk, whole bool) []string {
	if w.head == nil {
		return nil
	}
	var all faults
	s := w.head.Account
	if s != nil {
		all.admissions(s)
	} else {
		all.counts(w.said.Counts)
	}
	for _, text := range w.faults.first {
		all.add(text)
	}
	all.rest += w.faults.rest
	switch {
	case !whole:
	case s != nil:
		all.results(s, w)
	default:
		all.found(w.said.Counts, w)
	}
	return all.list()
}

// found compares what any source counts with what a whole walk has counted. How
// many rows there are too few is Missing.
func (f *faults) found(c Counts, w *walk) {
	most := func(counted, found int64, what string) {
		f.that(counted < 0 || found <= counted, "the source counts %d %s, the walk found %d", counted, what, found)
	}
	most(c.Expected, w.distinct, "identities")
	most(c.Succeeded, w.states[frontier.Done], "that succeeded")
	most(c.Failed, w.states[frontier.Failed], "that failed")
	most(c.Stopped, w.states[frontier.Refused], "that a policy stopped")
	most(c.Skipped, w.states[frontier.Cancelled], "that were skipped")
}

// counts compares what any source says with itself, if it says all of it.
func (f *faults) counts(c Counts) {
	parts := []int64{c.Succeeded, c.Failed, c.Stopped, c.Skipped, c.Unresolved}
	if c.Expected < 0 || slices.Min(parts) < 0 {
		return
	}
	sum := c.Succeeded + c.Failed + c.Stopped + c.Skipped + c.Unresolved
	f.that(sum == c.Expected, "the source counts %d identities, and %d by how they ended", c.Expected, sum)
}

// admissions compares a run's admissions with its budget, and its counters among
// one another.
func (f *faults) admissions(s *frontier.Summary) {
	var decided, admitted int64
	for _, t := range s.Decided {
		decided += t.Count
		if t.Decision == frontier.Admitted {
			admitted += t.Count
		}
	}
	f.that(s.Slots <= s.Limit.URLs, "%d slots are spent of %d", s.Slots, s.Limit.URLs)
	f.that(s.Bytes+s.Reserved <= s.Limit.Bytes, "%d bytes are spent and %d set aside, of %d", s.Bytes, s.Reserved, s.Limit.Bytes)
	f.that(s.Slots+s.Hints+s.Moved == s.Admitted(), "%d slots and %d of hints are spent and %d moved, for %d admitted identities", s.Slots, s.Hints, s.Moved, s.Admitted())
	f.that(decided == s.Observed, "%d references were observed, %d have a disposition", s.Observed, decided)
	f.that(admitted == s.Admitted(), "%d references were admitted, %d identities stand in a state", admitted, s.Admitted())
}

// results compares a run's counters with what a whole walk has counted.
func (f *faults) results(s *frontier.Summary, w *walk) {
	f.that(w.rows == s.Results, "the counters have %d results, the walk found %d", s.Results, w.rows)
	f.that(w.records == s.Records, "the counters have %d records, the walk found %d", s.Records, w.records)
	for _, text := range endings(s, w) {
		f.add(text)
	}
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

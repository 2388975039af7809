package ledger

import (
	"fmt"
	"strings"

	"github.com/weircrawl/weir/frontier"
)

// Verdict says what may be done with the results of a run.
type Verdict string

const (
	Complete             Verdict = "complete"                        // every admitted URL was fetched whole, and no bound held one back
	CompleteWithFailures Verdict = "complete_with_declared_failures" // over, with failures, refusals, truncations or suppressed references that are counted
	PartialResumable     Verdict = "partial_resumable"               // unfinished; the next Run goes on
	PartialUnstable      Verdict = "partial_unstable"                // results are doubled or missing
	Failed               Verdict = "failed"                          // the run failed or was cancelled; what it has is kept
	Unknown              Verdict = "unknown"                         // unreadable, or the counts cannot be recomputed
)

// Publishable reports whether results under v may be passed on as a whole.
func (v Verdict) Publishable() bool { return v == Complete || v == CompleteWithFailures }

// facts is what a verdict rests on.
type facts struct {
	faults     []string // what cannot be read or does not reconcile
	phase      frontier.Phase
	reason     frontier.Reason // of phase
	duplicates int64
	missing    int64
	unresolved int64           // admitted and not terminal, and sources still to be offered
	failed     int64           // URLs
	refused    int64           // URLs
	leftScope  int64           // of refused: seeds that redirected to another site
	leftFirst  string          // the first of them
	cancelled  int64           // URLs
	truncated  int64           // URLs
	suppressed int64           // references that a bound held back
	bound      frontier.Reason // the one that held most back
}

// verdict returns the first verdict that holds, and why.
func verdict(f facts) (Verdict, string) {
	switch {
	case len(f.faults) > 0:
		return Unknown, f.faults[0]
	case f.phase == frontier.FailedRun, f.phase == frontier.CancelledRun:
		return Failed, reasoned("the run "+was(f.phase), f.reason)
	case f.duplicates > 0, f.missing > 0:
		return PartialUnstable, fmt.Sprintf("%d duplicate and %d missing results", f.duplicates, f.missing)
	case f.unresolved > 0:
		return PartialResumable, reasoned(fmt.Sprintf("%s unresolved; the run is %s", count(f.unresolved, "URL"), f.phase), f.reason)
	case !f.phase.Terminal():
		return PartialResumable, reasoned("the run is "+f.phase.String(), f.reason)
	}
	if why := f.declared(); why != "" {
		return CompleteWithFailures, why
	}
	return Complete, "every admitted URL was fetched whole"
}

// declared lists what keeps a run that is over from being complete.
func (f facts) declared() string {
	var parts []string
	add := func(n int64, text string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, text))
		}
	}
	add(f.failed, "failed")
	add(f.refused, "refused")
	add(f.leftScope, fmt.Sprintf("of them %s (%s)", frontier.ReasonSeedLeftScope, f.leftFirst))
	add(f.cancelled, "cancelled")
	add(f.truncated, "truncated")
	if f.suppressed > 0 {
		parts = append(parts, fmt.Sprintf("%s suppressed, held back by %s", count(f.suppressed, "reference"), f.bound))
	}
	return strings.Join(parts, ", ")
}

func was(p frontier.Phase) string {
	if p == frontier.CancelledRun {
		return "was cancelled"
	}
	return "failed"
}

func reasoned(text string, why frontier.Reason) string {
	if why == "" {
		return text
	}
	return text + " {" + string(why) + "}"
}

func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

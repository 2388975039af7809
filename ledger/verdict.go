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
	PartialResumable     Verdict = "partial_resumable"               // unfinished: the next Run, or the next Materialize, goes on
	PartialUnstable      Verdict = "partial_unstable"                // results are doubled or missing, or may be
	Failed               Verdict = "failed"                          // the run failed or was cancelled; what it has is kept
	Unknown              Verdict = "unknown"                         // unreadable, or the counts cannot be recomputed
)

// Publishable reports whether results under v may be passed on as a whole.
func (v Verdict) Publishable() bool { return v == Complete || v == CompleteWithFailures }

// facts is what a verdict rests on.
type facts struct {
	faults     []string // what cannot be read or does not reconcile
	polls      []string // bounds of observation that were broken
	phase      frontier.Phase
	reason     frontier.Reason // of phase
	unstable   bool            // neither a frozen generation nor a unique order
	cut        CutOff          // of the walk
	page       int             // that was not consumed then
	detail     string          // what it said
	duplicates int64           // results
	missing    int64           // results
	unresolved int64           // admitted and not terminal
	failed     int64           // URLs
	refused    int64           // URLs
	leftScope  int64           // of refused: seeds that redirected to another site
	leftFirst  string          // the first of them
	cancelled  int64           // URLs
	truncated  int64           // URLs
	suppressed int64           // references that a bound held back
	bound      frontier.Reason // the one that held most back
}

// verdict returns the first verdict that holds, and why. Where a dataset may not
// be published, a poll that broke its bounds is named before all that it may have
// caused.
func verdict(f facts) (Verdict, string) {
	v, why := rule(f)
	if len(f.polls) > 0 && !v.Publishable() {
		why = f.polls[0] + "; " + why
	}
	return v, why
}

func rule(f facts) (Verdict, string) {
	switch {
	case len(f.faults) > 0:
		return Unknown, f.faults[0]
	case f.cut == Unreadable:
		return Unknown, f.ended()
	case f.phase == frontier.FailedRun, f.phase == frontier.CancelledRun:
		return Failed, reasoned("the run "+was(f.phase), f.reason)
	case f.cut == CursorLoop, f.cut == GenerationChanged:
		return PartialUnstable, f.ended()
	case f.duplicates > 0, f.missing > 0:
		return PartialUnstable, fmt.Sprintf("%d duplicate and %d missing results", f.duplicates, f.missing)
	case f.unstable:
		return PartialUnstable, "no generation is frozen, and the order is not unique: results may have moved between pages"
	case f.cut != "":
		return PartialResumable, f.ended()
	case f.unresolved > 0:
		return PartialResumable, reasoned(fmt.Sprintf("%s unresolved; the run is %s", count(f.unresolved, "URL"), f.phase), f.reason)
	case f.phase == 0:
		return PartialResumable, "the source does not say that its job is over"
	case !f.phase.Terminal():
		return PartialResumable, reasoned("the run is "+f.phase.String(), f.reason)
	}
	if why := f.declared(); why != "" {
		return CompleteWithFailures, why
	}
	return Complete, "every admitted URL was fetched whole"
}

// ended says what ended the walk before its end.
func (f facts) ended() string {
	switch f.cut {
	case CutPages, CutResults, CutBytes, CutTime:
		return fmt.Sprintf("cut off before page %d by a bound of the export: %s", f.page, f.cut)
	case CutContext:
		return fmt.Sprintf("cut off before page %d by the caller", f.page)
	}
	return fmt.Sprintf("page %d: %s: %s", f.page, f.cut, f.detail)
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

// judged returns r with the verdict on what stands in it, and sealed.
func (r Receipt) judged() Receipt {
	r.Verdict, r.Why = verdict(r.facts())
	return r.sealed()
}

// facts picks from r what its verdict rests on.
func (r Receipt) facts() facts {
	f := facts{
		faults: r.Faults, polls: r.Polls, phase: r.Phase, reason: r.Reason,
		cut: r.CutOff, page: len(consumed(r.Pages)),
		duplicates: r.Duplicates, missing: r.Missing, truncated: r.Truncated,
		unresolved: max(0, r.Expected.Unresolved), failed: max(0, r.Expected.Failed),
		refused: max(0, r.Expected.Stopped), cancelled: max(0, r.Expected.Skipped),
	}
	f.unstable = f.page > 0 && r.Generation == "" && !r.Ordered
	if n := len(r.Pages); n > f.page {
		f.detail = r.Pages[n-1].Detail
	}
	for _, t := range r.Reasons {
		if t.Reason == frontier.ReasonSeedLeftScope {
			f.leftScope += t.Count
			f.leftFirst = t.Example
		}
	}
	most := int64(0)
	for _, t := range r.Decided {
		if t.Decision != frontier.LimitReached && t.Decision != frontier.DeferredBudget {
			continue
		}
		if f.suppressed += t.Count; t.Count > most {
			most, f.bound = t.Count, t.Reason
		}
	}
	return f
}

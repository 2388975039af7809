package ledger

import (
	"fmt"
	"strings"

	"github.com/weircrawl/weir/frontier"
)

// Verdict says what may be done with the results of a run.
type Verdict string

const (
	Complete             Verdict = "complete"                        // every admitted URL was fetched whole, as far as the source says how each ended, and no bound held one back
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
	generation string          // that was walked
	results    int64           // identities that have one
	uncounted  bool            // nobody says how many were admitted
	unsaid     bool            // nobody says that all of them were fetched
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
		return PartialResumable, reasoned(fmt.Sprintf("%s unresolved; the run is %s", count(f.unresolved, "URL"), f.phase), f.reason) + f.early()
	case f.phase == 0:
		return PartialResumable, "the source does not say that its job is over"
	case !f.phase.Terminal():
		return PartialResumable, reasoned("the run is "+f.phase.String(), f.reason) + f.early()
	}
	if why := f.declared(); why != "" {
		return CompleteWithFailures, why
	}
	if f.unsaid {
		return Complete, fmt.Sprintf("the source says that it is over, and all %s that it counts are here; how they ended it does not say", count(f.results, "result"))
	}
	return Complete, "every admitted URL was fetched whole"
}

// early says of a generation that was frozen before the end of its run that no walk
// makes it whole.
func (f facts) early() string {
	if f.generation == "" || f.phase == 0 || f.phase.Terminal() {
		return ""
	}
	return fmt.Sprintf("; generation %q was frozen before the run's end and never becomes whole: deliver the one that is frozen then", f.generation)
}

// ended says what ended the walk before its end.
func (f facts) ended() string {
	switch f.cut {
	case CutPages, CutResults, CutBytes, CutTime:
		return labelled(fmt.Sprintf("cut off before page %d by a bound of the export: %s", f.page, f.cut), f.detail)
	case CutContext:
		return fmt.Sprintf("cut off before page %d by the caller", f.page)
	}
	return fmt.Sprintf("page %d: %s: %s", f.page, f.cut, f.detail)
}

// declared lists what keeps a run that is over from being complete.
//
// That nobody counted what was admitted is one such thing, and not [Unknown]: that is
// of counts which are there and do not bear out. As the first rule it would also hide
// how a job ended, what is doubled, and where a walk was cut off, all of which is
// known without a count. But what was admitted and has no result cannot be known, and
// so nobody can say that nothing is missing.
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
	if f.uncounted {
		parts = append(parts, fmt.Sprintf("nobody counted what was admitted: the source says that it is over, and all %s that it gives are here", count(f.results, "result")))
	}
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

func labelled(text, detail string) string {
	if detail == "" {
		return text
	}
	return text + ": " + detail
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

// facts picks from r what its verdict rests on. Of what has not ended, or badly, it takes what
// the source counts or what was walked, whichever is more.
func (r Receipt) facts() facts {
	ended := func(counted int64, s frontier.State) int64 { return max(0, counted, r.Walked[s]) }
	f := facts{
		faults: r.Faults, polls: r.Polls, phase: r.Phase, reason: r.Reason,
		cut: r.CutOff, page: len(consumed(r.Pages)), generation: r.Generation,
		duplicates: r.Duplicates, missing: r.Missing, truncated: r.Truncated, results: r.Results - r.Superseded - r.Duplicates,
		unresolved: max(0, r.Expected.Unresolved, r.Walked[frontier.Queued]+r.Walked[frontier.Leased]+r.Walked[frontier.Waiting]), failed: ended(r.Expected.Failed, frontier.Failed),
		refused: ended(r.Expected.Stopped, frontier.Refused), cancelled: ended(r.Expected.Skipped, frontier.Cancelled),
	}
	f.uncounted = r.Expected.Expected < 0
	f.unsaid = ended(r.Expected.Succeeded, frontier.Done) < r.Expected.Expected
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

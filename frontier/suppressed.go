package frontier

import (
	"context"
	"slices"
	"strings"
)

// maxTallied is how many patterns Patterns tells apart; what else there is counts
// as "other".
const maxTallied = 100_000

// Patterns counts what is held back, by a bound, for want of credit or by a rule,
// exactly, by pattern, decision and reason, and returns the limit heaviest; no
// limit is 0. What is not among them is rest, one tally for each decision and
// reason, with the pattern "other". It reads all decisions: Summary.Patterns has the
// heaviest at no cost.
func (r *Reader) Patterns(ctx context.Context, limit int) (top, rest []PatternTally, err error) {
	s := suppressed{most: maxTallied}
	for e, err := range r.allEdges(ctx) {
		if err != nil {
			return nil, nil, err
		}
		all, err := r.inForce(ctx, e)
		if err != nil {
			return nil, nil, err
		}
		for i := range all {
			s.add(&all[i])
		}
	}
	top, rest = s.heaviest(limit)
	return top, rest, nil
}

// suppressed counts exactly, up to most patterns.
type suppressed struct {
	most  int
	byKey map[PatternTally]*PatternTally // by pattern, decision and reason
	other map[PatternTally]*PatternTally // by decision and reason
}

// add counts a record, if its reference is held back.
func (s *suppressed) add(a *Admission) {
	if a.Decision == Admitted || a.Decision == Duplicate {
		return
	}
	key := PatternTally{Pattern: a.pattern(), Decision: a.Decision, Reason: a.Reason.Word()}
	if t := s.byKey[key]; t != nil || len(s.byKey) < s.most {
		tallied(&s.byKey, key, a.Count, a.Reference.Observed)
		return
	}
	key.Pattern = string(otherReason)
	tallied(&s.other, key, a.Count, a.Reference.Observed)
}

// tallied counts n under key, with the first example.
func tallied(in *map[PatternTally]*PatternTally, key PatternTally, n int64, example string) {
	if *in == nil {
		*in = map[PatternTally]*PatternTally{}
	}
	t := (*in)[key]
	if t == nil {
		t = &PatternTally{Pattern: key.Pattern, Decision: key.Decision, Reason: key.Reason, Example: strings.Clone(clipText(example, exampleSize))}
		key.Pattern, key.Reason = t.Pattern, t.Reason
		(*in)[key] = t
	}
	t.Count += n
}

// heaviest returns the limit heaviest, and the others as one tally for each
// decision and reason.
func (s *suppressed) heaviest(limit int) (top, rest []PatternTally) {
	top = sorted(s.byKey)
	if limit > 0 && len(top) > limit {
		for _, t := range top[limit:] {
			tallied(&s.other, PatternTally{Pattern: string(otherReason), Decision: t.Decision, Reason: t.Reason}, t.Count, t.Example)
		}
		top = top[:limit]
	}
	return top, sorted(s.other)
}

// sorted lists tallies, the heaviest first; what was taken back whole is none.
func sorted(tallies map[PatternTally]*PatternTally) (all []PatternTally) {
	for _, t := range tallies {
		if t.Count > 0 {
			all = append(all, *t)
		}
	}
	slices.SortFunc(all, heavier)
	return all
}

// pattern is what a's reference is counted under: for one that leads nowhere, its
// scheme; for those beyond the bound of a page, that page's pattern.
func (a *Admission) pattern() string {
	switch {
	case a.URL != "":
		return patternOf(a.URL)
	case a.Claim.Offset == offsetBeyond:
		return patternOf(a.Parent)
	}
	scheme, _, ok := strings.Cut(a.Reference.Observed, ":")
	if !ok || scheme == "" || run(scheme, alnum) < len(scheme) {
		return "*"
	}
	return cutPattern(strings.ToLower(scheme), maxSketched) + ":*"
}

package ledger

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weircrawl/weir/frontier"
)

func TestVerdictIsTheFirstRuleThatHolds(t *testing.T) {
	over := facts{phase: frontier.Finished}
	with := func(f facts, change func(*facts)) facts { change(&f); return f }
	everything := facts{faults: []string{"7 rows, 8 counted"}, phase: frontier.FailedRun, reason: "no_seed_admitted",
		duplicates: 1, missing: 1, unresolved: 1, failed: 1, refused: 1, leftScope: 1, cancelled: 1, truncated: 1, suppressed: 1, bound: "urls"}
	for _, c := range []struct {
		name  string
		facts facts
		want  Verdict
		why   string
	}{
		{"what disagrees comes before all", everything, Unknown, "7 rows, 8 counted"},
		{"a failed run", with(everything, func(f *facts) { f.faults = nil }), Failed, "the run failed {no_seed_admitted}"},
		{"a cancelled run", with(everything, func(f *facts) { f.faults, f.phase, f.reason = nil, frontier.CancelledRun, "" }), Failed, "the run was cancelled"},
		{"a duplicate", with(everything, func(f *facts) { f.faults, f.phase, f.missing = nil, frontier.Finished, 0 }), PartialUnstable, "1 duplicate and 0 missing results"},
		{"a missing identity", with(over, func(f *facts) { f.missing = 2 }), PartialUnstable, "0 duplicate and 2 missing results"},
		{"unresolved URLs", with(over, func(f *facts) { f.phase, f.reason, f.unresolved, f.failed = frontier.Stopped, "bytes", 1, 1 }), PartialResumable, "1 URL unresolved; the run is stopped {bytes}"},
		{"a run that goes on", with(over, func(f *facts) { f.phase = frontier.Running }), PartialResumable, "the run is running"},
		{"a run that stopped with nothing left", with(over, func(f *facts) { f.phase, f.reason = frontier.Stopped, "context" }), PartialResumable, "the run is stopped {context}"},
		{"a failure", with(over, func(f *facts) { f.failed = 11 }), CompleteWithFailures, "11 failed"},
		{"a refusal", with(over, func(f *facts) { f.refused = 4 }), CompleteWithFailures, "4 refused"},
		{"a seed that left", with(over, func(f *facts) { f.refused, f.leftScope, f.leftFirst = 4, 1, "http://a.test/" }), CompleteWithFailures, "4 refused, 1 of them seed_left_scope (http://a.test/)"},
		{"a truncation", with(over, func(f *facts) { f.truncated = 1 }), CompleteWithFailures, "1 truncated"},
		{"a cancelled URL", with(over, func(f *facts) { f.cancelled = 1 }), CompleteWithFailures, "1 cancelled"},
		{"a suppressed reference", with(over, func(f *facts) { f.suppressed, f.bound = 19, "urls" }), CompleteWithFailures, "19 references suppressed, held back by urls"},
		{"nothing of all that", over, Complete, "every admitted URL was fetched whole"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, why := verdict(c.facts)
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.why, why)
		})
	}
}

func TestOnlyACompleteVerdictIsPublishable(t *testing.T) {
	for v, want := range map[Verdict]bool{Complete: true, CompleteWithFailures: true, PartialResumable: false,
		PartialUnstable: false, Failed: false, Unknown: false, "": false} {
		assert.Equal(t, want, v.Publishable(), string(v))
		assert.Equal(t, want, Receipt{Verdict: v}.Publishable(), string(v))
	}
}

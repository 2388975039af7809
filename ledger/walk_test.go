package ledger

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/storage"
)

// run is a small run that reconciles: four URLs of two origins, two records.
func run() (frontier.Summary, []frontier.Result) {
	rows := []frontier.Result{
		row(1, 1, frontier.Done, frontier.OutcomeFetched, "fetched"),
		row(1, 2, frontier.Done, frontier.OutcomeRedirected, frontier.ReasonRedirected),
		row(2, 1, frontier.Failed, frontier.OutcomeFailed, "dns"),
		row(1, 3, frontier.Refused, frontier.OutcomeRefused, "robots: unreachable"),
	}
	rows[0].Records = []frontier.Record{{Kind: "a", Data: []byte("1")}, {Kind: "b", Data: []byte("2")}}
	return frontier.Summary{
		Run: "main", Number: 1, Phase: frontier.Finished, Sequence: 9,
		States: map[frontier.State]int64{frontier.Done: 2, frontier.Failed: 1, frontier.Refused: 1},
		Ends: []frontier.Tally{
			{State: frontier.Done, Reason: "fetched", Count: 1, Example: "http://a.test/"},
			{State: frontier.Done, Reason: frontier.ReasonRedirected, Count: 1},
			{State: frontier.Failed, Reason: "dns", Count: 1},
			{State: frontier.Refused, Reason: "robots", Count: 1},
		},
		Observed: 6,
		Decided: []frontier.Tally{
			{Decision: frontier.Admitted, Reason: frontier.ReasonNew, Count: 4},
			{Decision: frontier.Duplicate, Reason: frontier.ReasonKnown, Count: 2},
		},
		Slots: 3, Moved: 1, Origins: 2, Requests: 5, Bytes: 100, Active: time.Second,
		Limit: frontier.Budget{}.WithDefaults(), Results: 4, Records: 2,
	}, rows
}

func row(origin, ordinal uint64, state frontier.State, outcome frontier.Outcome, why frontier.Reason) frontier.Result {
	return frontier.Result{ID: frontier.LeaseID{Origin: origin, Ordinal: ordinal, Generation: 1},
		URL: "http://a.test/", State: state, Outcome: outcome, Reason: why, Evidence: frontier.Evidence{Digest: storage.Sum(nil)}}
}

func each(rows []frontier.Result, last error) iter.Seq2[frontier.Result, error] {
	return func(yield func(frontier.Result, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
		if last != nil {
			yield(frontier.Result{}, last)
		}
	}
}

// account walks the rows of a run whose counters are s.
func account(t *testing.T, s frontier.Summary, rows iter.Seq2[frontier.Result, error]) Receipt {
	t.Helper()
	r, err := survey(t.Context(), &live{summary: s, rows: func(_ context.Context, after uint64) iter.Seq2[frontier.Result, error] {
		return func(yield func(frontier.Result, error) bool) {
			at := uint64(0)
			for row, err := range rows {
				at++
				row.Position = at
				if at > after && !yield(row, err) {
					return
				}
			}
		}
	}})
	require.NoError(t, err)
	return r.judged()
}

func TestWhatAgreesIsPublishable(t *testing.T) {
	s, rows := run()
	r := account(t, s, each(rows, nil))
	require.Empty(t, r.Faults)
	assert.Equal(t, CompleteWithFailures, r.Verdict)
	assert.Equal(t, "1 failed, 1 refused", r.Why)
	assert.EqualValues(t, 4, r.Results)
	assert.EqualValues(t, 2, r.Records)
	assert.EqualValues(t, 4, r.Admitted)
	assert.Equal(t, map[frontier.Decision]int64{frontier.Admitted: 4, frontier.Duplicate: 2}, r.Dispositions)
}

func TestEveryDisagreementIsNamed(t *testing.T) {
	for _, c := range []struct {
		name string
		harm func(*frontier.Summary)
		want string
	}{
		{"results", func(s *frontier.Summary) { s.Results = 5 }, "the counters have 5 results, the walk found 4"},
		{"records", func(s *frontier.Summary) { s.Records = 3 }, "the counters have 3 records, the walk found 2"},
		{"dispositions", func(s *frontier.Summary) { s.Observed = 7 }, "7 references were observed, 6 have a disposition"},
		{"admissions", func(s *frontier.Summary) { s.Decided[0].Count, s.Decided[1].Count = 3, 3 }, "3 references were admitted, 4 identities stand in a state"},
		{"slots", func(s *frontier.Summary) { s.Moved = 0 }, "3 slots and 0 of hints are spent and 0 moved, for 4 admitted identities"},
		{"budget", func(s *frontier.Summary) { s.Limit.URLs = 2 }, "3 slots are spent of 2"},
		{"bytes", func(s *frontier.Summary) { s.Limit.Bytes, s.Reserved = 100, 1 }, "100 bytes are spent and 1 set aside, of 100"},
		{"endings", func(s *frontier.Summary) { s.Ends[2].Reason = "tls" }, "0 URLs are failed {dns} by the counters, 1 by the walk"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, rows := run()
			c.harm(&s)
			r := account(t, s, each(rows, nil))
			assert.Equal(t, Unknown, r.Verdict)
			assert.Equal(t, []string{c.want}, r.Faults)
			assert.Equal(t, c.want, r.Why)
		})
	}
}

func TestUnreadableResultsAreUnknown(t *testing.T) {
	s, rows := run()
	r := account(t, s, each(rows[:3], errors.New("torn")))
	assert.Equal(t, Unknown, r.Verdict)
	assert.Equal(t, "results are unreadable in the page after 0 rows: torn", r.Why)
}

func TestSecondRowOfAURLIsADuplicate(t *testing.T) {
	s, rows := run()
	s.Results, rows = 5, append(rows, rows[0])
	s.Records = 4
	r := account(t, s, each(rows, nil))
	assert.Equal(t, PartialUnstable, r.Verdict)
	assert.EqualValues(t, 1, r.Duplicates)
}

func TestARowAfterARedirectThatCameBackSupersedesIt(t *testing.T) {
	s, rows := run()
	again := row(1, 2, frontier.Done, frontier.OutcomeFetched, "fetched")
	again.Supersedes, again.Was, again.WasFor = 2, frontier.Done, frontier.ReasonRedirected
	s.Results, rows = 5, append(rows, again)
	s.Ends[0].Count, s.Ends[1].Count = 2, 0
	r := account(t, s, each(rows, nil))
	require.Empty(t, r.Faults)
	assert.Zero(t, r.Duplicates)
	assert.EqualValues(t, 1, r.Superseded)
	assert.Equal(t, CompleteWithFailures, r.Verdict)
}

func TestARedirectThatIsOpenAgainIsNotMissing(t *testing.T) {
	s, rows := run()
	s.States[frontier.Done], s.States[frontier.Queued] = 1, 1
	s.Ends[1].Count = 0
	r := account(t, s, each(rows, nil))
	assert.Equal(t, PartialResumable, r.Verdict, r.Why)
	assert.Zero(t, r.Missing)
}

func TestATerminalURLWithoutARowIsMissing(t *testing.T) {
	s, rows := run()
	s.Results, rows = 3, rows[:3]
	r := account(t, s, each(rows, nil))
	assert.Equal(t, PartialUnstable, r.Verdict)
	assert.EqualValues(t, 1, r.Missing)
}

func TestRowsOfLaterCommitsAreNotOfThisReceipt(t *testing.T) {
	s, rows := run()
	first := account(t, s, each(rows, nil))
	second := account(t, s, each(append(rows, row(2, 9, frontier.Done, frontier.OutcomeFetched, "fetched")), nil))
	assert.Equal(t, first, second)
}

func TestDigestCoversIdentityContentRecordsAndOrder(t *testing.T) {
	s, rows := run()
	sum := func(change func([]frontier.Result)) storage.Digest {
		_, rows := run()
		change(rows)
		return account(t, s, each(rows, nil)).Digest
	}
	same := account(t, s, each(rows, nil)).Digest
	assert.Equal(t, same, sum(func([]frontier.Result) {}))
	for name, change := range map[string]func([]frontier.Result){
		"identity": func(r []frontier.Result) { r[0].ID.Ordinal = 7 },
		"content":  func(r []frontier.Result) { r[0].Evidence.Digest = storage.Sum([]byte("x")) },
		"record":   func(r []frontier.Result) { r[0].Records[1].Data = []byte("3") },
		"border":   func(r []frontier.Result) { r[0].Records[0] = frontier.Record{Kind: "a1", Data: []byte("")} },
		"order":    func(r []frontier.Result) { r[0], r[1] = r[1], r[0] },
	} {
		assert.NotEqual(t, same, sum(change), name)
	}
}

func TestReceiptPrintsEveryCountWithItsReason(t *testing.T) {
	s, rows := run()
	s.Phase, s.Reason = frontier.Stopped, frontier.ReasonBytes
	s.States[frontier.Queued] = 3
	s.Slots, s.Observed, s.Decided[0].Count = 6, 9, 7
	s.Stops = []frontier.Tally{{Reason: frontier.ReasonBytes, Count: 1, Example: "http://a.test/big"}}
	text := account(t, s, each(rows, nil)).String()
	for _, want := range []string{"main", "stopped {bytes}", "partial_resumable", "queued {bytes}", "done {fetched}", "failed {dns}",
		"refused {robots}", "duplicate {known}", "stopped by {bytes}", "http://a.test/big", "6 of 10000 URLs and 1 by redirect,"} {
		assert.Contains(t, text, want)
	}
	assert.Equal(t, 1, strings.Count(text, "done {fetched}"))
	assert.Regexp(t, `(?m)^  duplicate \{known\} +2 +""$`, text, "the empty reference is an example, too")
	assert.Regexp(t, `(?m)^  queued \{bytes\} +3 +-$`, text, "there is no example")
	assert.NotContains(t, text, "rekeyed")
}

func TestAReceiptOfNoRunSaysSo(t *testing.T) {
	assert.Equal(t, "no run\n", Receipt{}.String())
}

func TestAReceiptSaysFromWhichRunItWasRekeyed(t *testing.T) {
	r := Receipt{Run: "third", Number: 3, Verdict: Complete, Rekeyed: &frontier.Rekeyed{From: "second", Answers: 8, Carried: 3}}
	assert.Regexp(t, `(?m)^rekeyed +from second: 3 of 8 answers carried over$`, r.String())
}

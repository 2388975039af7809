package ledger

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/urlnorm"
)

// TestAnExplanationTellsPeopleWhatConcernsThem prints one thing at a time.
func TestAnExplanationTellsPeopleWhatConcernsThem(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	claim := frontier.ClaimID{Sequence: 7}
	admitted := frontier.Admission{Claim: claim, Decision: frontier.Admitted, Reason: "new"}
	again := frontier.Admission{Claim: frontier.ClaimID{Sequence: 8}, Decision: frontier.Duplicate, Reason: "known"}
	id := frontier.LeaseID{Run: 1, Origin: 0xabcdef, Ordinal: 5, Generation: 3}
	held := []frontier.PatternTally{{Pattern: "a.test/p{n}", Reason: "urls", Count: 14}}
	done := func(e frontier.Explained) frontier.Explained {
		e.Asked, e.URL, e.Known, e.State, e.Reason = "/asked", "http://a.test/asked", true, frontier.Done, "fetched"
		e.Time, e.Identity, e.Key = now, "0123456789abcdef", urlnorm.Key{Version: "1", Text: "key"}
		return e
	}
	for _, c := range []struct {
		name  string
		e     frontier.Explained
		want  []string
		never []string
	}{
		{"nothing", frontier.Explained{}, []string{"no URL was asked for\n"}, []string{"references", "admitted"}},
		{"the URL as asked", done(frontier.Explained{}), []string{"/asked is done {fetched}, as http://a.test/asked\n"}, nil},
		{"no hash", done(frontier.Explained{}), []string{"key         key (1)\n"}, []string{"0123456789abcdef"}},
		{"its admission once", done(frontier.Explained{Admission: &admitted, Decisions: []frontier.Admission{admitted, again}}),
			[]string{"admitted    ", "named       0001", "duplicate {known}"}, nil},
		{"the first state", done(frontier.Explained{History: []frontier.Transition{{From: frontier.Unseen, To: frontier.Queued, Event: frontier.Admit, Reason: "link", Time: now}}}),
			[]string{"history     2026-01-02 03:04:05.000: queued by admit {link}\n"}, []string{"->"}},
		{"a later state", done(frontier.Explained{History: []frontier.Transition{{From: frontier.Queued, To: frontier.Leased, Event: frontier.Grant, Time: now}}}),
			[]string{": queued -> leased by grant\n"}, nil},
		{"the last attempt", done(frontier.Explained{Attempts: []frontier.Attempt{{ID: id, Outcome: frontier.OutcomeRetry, Event: frontier.Fail, Reason: "server_error"}}}),
			[]string{"attempt     3: failed {server_error}, and none is left\n"}, []string{"retry", id.String()}},
		{"an attempt before", done(frontier.Explained{Attempts: []frontier.Attempt{{ID: id, Outcome: frontier.OutcomeRetry, Event: frontier.Retry, Reason: "timeout"}}}),
			[]string{"attempt     3: retry {timeout}\n"}, nil},
		{"an attempt that was lost", done(frontier.Explained{Attempts: []frontier.Attempt{{ID: id, Event: frontier.Expire, Reason: "expired"}}}),
			[]string{"attempt     3: expire {expired}\n"}, nil},
		{"an attempt under way", done(frontier.Explained{Attempts: []frontier.Attempt{{ID: id}}}), []string{"attempt     3: goes on\n"}, nil},
		{"a wait that is over", done(frontier.Explained{Origin: &frontier.OriginState{Next: now}}), []string{"origin"}, []string{"no request before"}},
		{"a wait", done(frontier.Explained{Origin: &frontier.OriginState{Next: now.Add(time.Second), Why: "busy"}}),
			[]string{"no request before 2026-01-02 03:04:06.000 {busy}\n"}, nil},
		{"no request", done(frontier.Explained{Result: &frontier.Result{State: frontier.Refused, Reason: "robots", Position: 946684825521367}}),
			[]string{"result      refused {robots}, no response\n"}, []string{"status 0", "946684825521367"}},
		{"no body", done(frontier.Explained{Result: &frontier.Result{State: frontier.Done, Reason: "missing", Evidence: frontier.Evidence{Status: 404, Digest: "sha256:e3b0"}}}),
			[]string{"result      done {missing}, status 404, no body\n"}, nil},
		{"others that are held back", done(frontier.Explained{Held: held}), nil, []string{"held back", "a.test/p{n}"}},
		{"held back itself", frontier.Explained{Asked: "http://a.test/p1", URL: "http://a.test/p1", Held: held, Preview: &frontier.Admission{Decision: frontier.LimitReached, Reason: "urls"}},
			[]string{"http://a.test/p1 was never admitted; offered now it would be limit_reached {urls}\n", "held back   14 references like a.test/p{n} {urls}\n"}, nil},
	} {
		text := Explanation{Explained: c.e}.String()
		for _, want := range c.want {
			assert.Equal(t, 1, strings.Count(text, want), "%s: %q in\n%s", c.name, want, text)
		}
		for _, never := range c.never {
			assert.NotContains(t, text, never, c.name)
		}
	}
}

func TestAStatusSaysWhichOfTheHeldBackItsPatternsAre(t *testing.T) {
	s := frontier.Summary{
		Decided:  []frontier.Tally{{Decision: frontier.LimitReached, Reason: "urls", Count: 14, Example: "/p1"}},
		Patterns: []frontier.PatternTally{{Pattern: "a.test/p{n}", Reason: "urls", Count: 12}}, PatternRest: 2}
	text := statusOf(s, Polls{Count: 1, Reads: 1, Rows: 1}).String()
	for _, want := range []string{"  limit_reached {urls}      14  /p1\n", "    of these {urls}         12  like a.test/p{n}\n", "    of these, other patterns  2\n", "1, 1 read, 0 B, 1 row of results"} {
		assert.Contains(t, strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(want), " "))
	}
}

package allowance

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const second = int64(1e6)

// answer is one answer of an origin, in the words of the tables below.
type answer struct {
	is      string // good, busy, trouble, or quiet: none for a while
	at      int64  // seconds
	since   int64  // its request was sent; 0: just before
	latency time.Duration
}

func play(t Terms, s State, answers ...answer) State {
	for _, a := range answers {
		now, since := a.at*second, a.since*second
		if a.since == 0 {
			since = now
		}
		switch a.is {
		case "good":
			s = s.Good(t, a.latency, now)
		case "busy":
			s, _ = s.Busy(since, now)
		case "trouble":
			s, _ = s.Trouble(since, now)
		}
	}
	return s
}

func TestThePaceFollowsTheAnswers(t *testing.T) {
	polite := Terms{Start: time.Second, Best: time.Second, Concurrency: 4}
	eager := Terms{Start: time.Second, Best: 250 * time.Millisecond, Concurrency: 1}
	unpaced := Terms{Concurrency: 8}
	good := func(n int, from int64) (all []answer) {
		for i := range n {
			all = append(all, answer{is: "good", at: from + int64(i)})
		}
		return all
	}
	for _, c := range []struct {
		name    string
		terms   Terms
		answers []answer
		at      int64
		wait    time.Duration
		at1     int // requests at once
	}{
		{"the start", polite, nil, 1, time.Second, 4},
		{"good answers do not pass the best, which is the start", polite, good(50, 1), 51, time.Second, 4},
		{"good answers raise the rate by a tenth of the start", eager, good(5, 1), 6, 1000 * time.Millisecond * 1000 / 1500, 1},
		{"up to the operator's best", eager, good(100, 1), 101, 250 * time.Millisecond, 1},
		{"or to none", Terms{Start: time.Second}, good(2000, 1), 2001, time.Second * 10 / 2010, 1},
		{"the site's own wait is never passed", Terms{Start: time.Second, Best: 250 * time.Millisecond, Site: 500 * time.Millisecond}, good(100, 1), 101, 500 * time.Millisecond, 1},
		{"the site may ask for more than the operator", Terms{Start: time.Second, Best: time.Second, Site: 5 * time.Second}, good(9, 1), 10, 5 * time.Second, 1},
		{"S-G8 the operator's minimum holds against a shorter one of the site", Terms{Start: 2 * time.Second, Site: 100 * time.Millisecond}, nil, 1, 2 * time.Second, 1},
		{"an incident halves the rate", polite, []answer{{is: "busy", at: 10}}, 10, 2 * time.Second, 2},
		{"answers to what was sent before belong to it", polite, []answer{{is: "busy", at: 10}, {is: "busy", at: 11, since: 9}, {is: "busy", at: 12, since: 10}}, 12, 2 * time.Second, 2},
		{"the next incident halves it again", polite, []answer{{is: "busy", at: 10}, {is: "busy", at: 20, since: 19}}, 20, 4 * time.Second, 1},
		{"down to a floor", polite, []answer{{is: "busy", at: 1}, {is: "busy", at: 2}, {is: "busy", at: 3}, {is: "busy", at: 4}, {is: "busy", at: 5}, {is: "busy", at: 6}, {is: "busy", at: 7}, {is: "busy", at: 8}}, 8, Slowest, 1},
		{"one failure is none", polite, []answer{{is: "trouble", at: 10}}, 10, time.Second, 4},
		{"two in a row are an incident", polite, []answer{{is: "trouble", at: 10}, {is: "trouble", at: 12}}, 12, 2 * time.Second, 2},
		{"a good answer between them keeps them apart", polite, []answer{{is: "trouble", at: 10}, {is: "good", at: 11}, {is: "trouble", at: 12}}, 12, time.Second, 4},
		{"success restores slowly", polite, append([]answer{{is: "busy", at: 10}}, good(4, 20)...), 24, time.Second * 1000 / 900, 3},
		{"and wholly", polite, append([]answer{{is: "busy", at: 10}}, good(5, 20)...), 25, time.Second, 4},
		{"a slow answer restores nothing", polite, []answer{{is: "good", at: 1, latency: time.Second}, {is: "busy", at: 10}, {is: "good", at: 11, latency: 3 * time.Second}}, 11, 2 * time.Second, 2},
		{"a fast one does", polite, []answer{{is: "good", at: 1, latency: time.Second}, {is: "busy", at: 10}, {is: "good", at: 11, latency: 2 * time.Second}}, 11, time.Second * 1000 / 600, 2},
		{"quiet time forgives", polite, []answer{{is: "busy", at: 10}, {is: "busy", at: 20}}, 20 + 300, 2 * time.Second, 2},
		{"more of it wholly", polite, []answer{{is: "busy", at: 10}, {is: "busy", at: 20}}, 20 + 600, time.Second, 4},
		{"and no more than that", polite, []answer{{is: "busy", at: 10}}, 1e6, time.Second, 4},
		{"who has no pause gets one", unpaced, []answer{{is: "busy", at: 10}}, 10, time.Second, 4},
		{"and loses it again", unpaced, append([]answer{{is: "busy", at: 10}}, good(5, 20)...), 25, 0, 8},
		{"a slow start is its own floor", Terms{Start: 5 * time.Minute}, []answer{{is: "busy", at: 10}}, 10, 5 * time.Minute, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := play(c.terms, State{}, c.answers...)
			require.Equal(t, c.wait, s.Wait(c.terms, c.at*second))
			require.Equal(t, c.at1, s.Concurrency(c.terms, c.at*second))
		})
	}
}

func TestST2AnIncidentThatLiesAheadFreezesNothing(t *testing.T) {
	ahead := State{Lag: 500, Incidents: 3, Last: 5 * 365 * 86400 * second, Calm: 5 * 365 * 86400 * second}
	s, fresh := ahead.Busy(10*second, 11*second)
	require.True(t, fresh, "the next incident counts")
	require.Equal(t, 11*second, s.Last)
	require.Equal(t, 2*time.Second, ahead.calmed(10*second).Wait(Terms{Start: time.Second}, 10*second), "and what was slowed stays so until it was quiet")
	s = ahead.calmed(10 * second)
	require.False(t, s.Slowed(10*second+Quiet.Microseconds()))
}

// The model states the rules of DESIGN.md, section 8, once more, as bounds on what
// any answers can do.
func TestNoAnswersBreakTheRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ms := func(name string, most int) time.Duration {
			return time.Duration(rapid.IntRange(0, most).Draw(t, name)) * time.Millisecond
		}
		terms := Terms{Start: ms("start", 90_000), Best: ms("best", 3_000), Site: ms("site", 60_000), Concurrency: rapid.IntRange(0, 20).Draw(t, "concurrency")}
		var s State
		now, last := int64(1), int64(0)
		for range rapid.IntRange(1, 60).Draw(t, "answers") {
			now += rapid.Int64Range(0, int64(time.Hour/time.Microsecond)).Draw(t, "later")
			since := rapid.Int64Range(0, now).Draw(t, "since")
			before := s
			switch rapid.SampledFrom([]string{"good", "busy", "trouble"}).Draw(t, "answer") {
			case "good":
				s = s.Good(terms, ms("latency", 5_000), now)
				require.LessOrEqual(t, s.Wait(terms, now), max(before.Wait(terms, now), terms.start()), "a good answer slows nothing")
				require.Zero(t, s.Incidents+s.Troubles)
			case "busy":
				var fresh bool
				s, fresh = s.Busy(since, now)
				require.Equal(t, since > last, fresh, "one escalation an incident")
			case "trouble":
				var fresh bool
				s, fresh = s.Trouble(since, now)
				require.Equal(t, before.Troubles+1 >= Repeated && since > last, fresh)
			}
			last = s.Last
			wait := s.Wait(terms, now)
			require.GreaterOrEqual(t, wait, min(terms.Site, terms.start()), "never faster than the site says")
			require.GreaterOrEqual(t, wait, terms.best(), "nor than the operator's best")
			require.LessOrEqual(t, wait, max(Slowest, terms.start()), "nor slower than the slowest")
			at := s.Concurrency(terms, now)
			require.True(t, at >= 1 && at <= max(terms.Concurrency, 1))
			later := now + 7*Quiet.Microseconds()
			require.LessOrEqual(t, s.Wait(terms, later), terms.start(), "quiet time forgives all")
		}
	})
}

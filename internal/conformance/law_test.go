package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
)

// counted is a run, and what its edges and its log say.
func counted() (frontier.Summary, recount) {
	return frontier.Summary{
			Observed: 6, Results: 3,
			Decided: []frontier.Tally{{Decision: frontier.Admitted, Count: 4}, {Decision: frontier.Duplicate, Count: 2}},
			States:  map[frontier.State]int64{frontier.Done: 2, frontier.Failed: 1, frontier.Queued: 1, frontier.Leased: 0},
		}, recount{
			observed: 6, results: 3,
			decisions: map[frontier.Decision]int64{frontier.Admitted: 4, frontier.Duplicate: 2, frontier.LimitReached: 0},
			states:    map[frontier.State]int64{frontier.Done: 2, frontier.Failed: 1, frontier.Queued: 1},
		}
}

func TestTheLawOfACrawlFindsEveryCountThatIsOff(t *testing.T) {
	s, c := counted()
	require.NoError(t, c.agrees(s))
	for name, change := range map[string]func(*frontier.Summary, *recount){
		"a reference more":   func(s *frontier.Summary, _ *recount) { s.Observed++ },
		"an edge more":       func(_ *frontier.Summary, c *recount) { c.observed++ },
		"a disposition less": func(s *frontier.Summary, _ *recount) { s.Decided[1].Count-- },
		"another disposition": func(_ *frontier.Summary, c *recount) {
			c.decisions[frontier.Duplicate]--
			c.decisions[frontier.PolicyStop]++
		},
		"an identity in no state":      func(s *frontier.Summary, _ *recount) { s.States[frontier.Queued] = 0 },
		"an identity in another state": func(_ *frontier.Summary, c *recount) { c.states[frontier.Failed]--; c.states[frontier.Refused]++ },
		"an admission of nothing":      func(s *frontier.Summary, c *recount) { s.States[frontier.Queued], c.states[frontier.Queued] = 2, 2 },
		"a result that is not counted": func(_ *frontier.Summary, c *recount) { c.results++ },
		"an end without a result":      func(s *frontier.Summary, c *recount) { s.Results, c.results = 2, 2 },
	} {
		t.Run(name, func(t *testing.T) {
			s, c := counted()
			change(&s, &c)
			assert.Error(t, c.agrees(s))
		})
	}
}

func TestAReferenceThatIsDecidedAgainMovesFromOneDispositionToAnother(t *testing.T) {
	c := recount{decisions: map[frontier.Decision]int64{}}
	c.decide(frontier.Admission{Decision: frontier.LimitReached, Count: 7})
	c.decide(frontier.Admission{Decision: frontier.Admitted, Count: 1, Was: frontier.LimitReached})
	assert.EqualValues(t, 7, c.observed)
	assert.Equal(t, map[frontier.Decision]int64{frontier.LimitReached: 6, frontier.Admitted: 1}, c.decisions)
}

package ledger

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weircrawl/weir/frontier"
)

func TestAResultThatReplacesAnotherIsNoDuplicate(t *testing.T) {
	s, b := newShelf(35), &box{}
	s.page.Counts = Counts{34, 34, 0, 0, 0, 0}
	s.results[0].State = frontier.Failed // at first
	third(func(r *Result) { r.ID, r.Supersedes = "r000", true })(s, nil)
	r := materialize(t, export(s, b))
	assert.Equal(t, Complete, r.Verdict, r.Why)
	assert.EqualValues(t, 1, r.Superseded)
	assert.Zero(t, r.Duplicates)
}

func TestResultsThatReplaceOthersAreNoLoop(t *testing.T) {
	s, b := newShelf(3*maxFruitless), &box{}
	for i := range s.results {
		if i > 0 {
			s.results[i].ID, s.results[i].Supersedes = "r000", true
		}
	}
	s.page.Counts = Counts{1, 1, 0, 0, 0, 0}
	e := export(s, b)
	e.Page.Records = 1
	r := materialize(t, e)
	assert.Equal(t, Complete, r.Verdict, r.Why)
	assert.EqualValues(t, 3*maxFruitless-1, r.Superseded)
}

func TestAnIdentityIsInTheStateOfItsLastResult(t *testing.T) {
	for _, c := range []struct {
		states []frontier.State
		want   Verdict
		why    string
	}{
		{[]frontier.State{frontier.Failed, frontier.Done}, Complete, "every admitted URL was fetched whole"},
		{[]frontier.State{frontier.Failed, frontier.Refused, frontier.Done}, Complete, "every admitted URL was fetched whole"},
		{[]frontier.State{frontier.Done, frontier.Failed}, CompleteWithFailures, "1 failed"},
		{[]frontier.State{frontier.Done, frontier.Failed, frontier.Done, frontier.Refused}, CompleteWithFailures, "1 refused"},
	} {
		s := newShelf(34)
		s.page.Counts = Counts{35, -1, -1, -1, -1, -1}
		for i, state := range c.states {
			s.results = append(s.results, Result{ID: "x", State: state, Supersedes: i > 0, Data: json.RawMessage(`1`)})
		}
		r := materialize(t, export(s, &box{}))
		assert.Equal(t, c.want, r.Verdict, "%s: %s", c.states, r.Why)
		assert.Equal(t, c.why, r.Why, c.states)
	}
}

package ledger

import (
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// TestANameThatComesAgainIsNoGenerationThatComesAgain: the first generation of any
// store is 1.1.
func TestANameThatComesAgainIsNoGenerationThatComesAgain(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, whole := range []bool{true, false} {
		first, other, sink := newShelf(3), newShelf(4), &box{}
		first.page.Frozen, other.page.Frozen = at, at.Add(time.Second)
		if !whole {
			first.page.Counts.Unresolved, first.page.Counts.Expected = 1, 4
		}
		kept := materialize(t, export(first, sink))
		require.Equal(t, whole, kept.Publishable())
		_, err := Materialize(t.Context(), export(other, sink))
		var of *OtherGenerationError
		require.ErrorAs(t, err, &of)
		assert.ErrorContains(t, err, "frozen at another time")
		again := materialize(t, export(first, sink))
		assert.Equal(t, kept.Digest, again.Digest, "nothing was changed")
	}
}

func TestRowsThatHaveNotEndedAreUnresolvedWhateverIsCounted(t *testing.T) {
	for _, s := range []frontier.State{frontier.Queued, frontier.Leased, frontier.Waiting} {
		for _, counts := range []Counts{{4, 4, 0, 0, 0, 0}, {4, -1, -1, -1, -1, -1}} {
			shelf := newShelf(4)
			shelf.results[0].State, shelf.page.Counts = s, counts
			r := materialize(t, export(shelf, &box{}))
			assert.Equal(t, PartialResumable, r.Verdict, "%s %v: %s", s, counts, r.Why)
			assert.Contains(t, r.Why, "1 URL unresolved")
		}
	}
}

func TestAStateThatIsNoneIsNoResult(t *testing.T) {
	for _, state := range []frontier.State{frontier.Cancelled + 1, 99, 128} {
		shelf := newShelf(2)
		shelf.results[1].State = state
		file := &File{Path: filepath.Join(t.TempDir(), "a.jsonl")}
		e := export(shelf, file)
		e.Retries = -1
		r := materialize(t, e)
		assert.Equal(t, InvalidPage, r.CutOff)
		assert.Zero(t, r.Results)
		_, err := file.Receipt()
		assert.NoError(t, err, "it can be read")
	}
}

package ledger

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weircrawl/weir/frontier"
)

// journal is a job that goes on, of a source that can freeze nothing and puts every
// new result behind all others.
func journal(n int) *shelf {
	s := newShelf(n)
	s.page = Page{Ordered: true, Phase: frontier.Running, Counts: NoCounts()}
	return s
}

func (s *shelf) grow(n int) {
	s.results = append(s.results, newShelf(len(s.results) + n).results[len(s.results):]...)
}

func (s *shelf) finish() {
	n := int64(len(s.results))
	s.page.Phase, s.page.Counts = frontier.Finished, Counts{Expected: n, Succeeded: n}
}

func TestTheEndOfAJobThatGoesOnIsNoEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, b := journal(rapid.IntRange(0, 9).Draw(t, "results")), &box{}
		walk := func(pages int) Receipt {
			e := export(s, b)
			e.Page.Records, e.Pages = 4, pages
			r, err := Materialize(t.Context(), e)
			require.NoError(t, err)
			return r
		}
		t.Repeat(map[string]func(*rapid.T){
			"grow": func(rt *rapid.T) { s.grow(rapid.IntRange(1, 6).Draw(rt, "results")) },
			"walk": func(rt *rapid.T) {
				r := walk(rapid.IntRange(1, 20).Draw(rt, "pages"))
				require.Equal(rt, PartialResumable, r.Verdict, r.Why)
			},
		})
		s.grow(rapid.IntRange(0, 3).Draw(t, "late results"))
		s.finish()
		r := walk(0)
		require.Equal(t, Complete, r.Verdict, r.Why)
		require.Equal(t, s.results, b.results)
		require.NoError(t, r.Verify(t.Context(), b))
		clean, err := Materialize(t.Context(), export(s, &box{}))
		require.NoError(t, err)
		require.Equal(t, clean.Digest, r.Digest)
	})
}

func TestAnOpenEndThatNothingFollowsIsOneLineHoweverOftenItIsAskedFor(t *testing.T) {
	s, b := journal(35), &box{}
	want := materialize(t, export(s, b))
	for range 2 * maxFruitless {
		require.Equal(t, want, materialize(t, export(s, b)))
	}
	s.grow(30)
	s.finish()
	r := materialize(t, export(s, b))
	assert.Equal(t, Complete, r.Verdict, r.Why)
	assert.Equal(t, s.results, b.results)
}

func TestAResultThatComesLateIntoAnOpenEndIsTaken(t *testing.T) {
	s, b := journal(35), &box{}
	materialize(t, export(s, b))
	late := Result{ID: "late", State: frontier.Done, Data: json.RawMessage(`1`)}
	s.results = slices.Insert(s.results, 32, late)
	s.finish()
	r := materialize(t, export(s, b))
	assert.Equal(t, Complete, r.Verdict, r.Why)
	assert.Equal(t, late, b.results[35])
}

func TestAnOpenEndThatHasChangedIsNotGoneOnWith(t *testing.T) {
	for name, change := range map[string]func(*shelf){
		"a result is gone":     func(s *shelf) { s.results = slices.Delete(s.results, 32, 33) },
		"a result has changed": func(s *shelf) { s.results[32].Data = json.RawMessage(`{"n":"other"}`) },
		"a result has a state": func(s *shelf) { s.results[32].State = frontier.Failed },
	} {
		t.Run(name, func(t *testing.T) {
			s, b := journal(35), &box{}
			materialize(t, export(s, b))
			s.results = slices.Clone(s.results)
			change(s)
			s.grow(3)
			s.finish()
			before := slices.Clone(b.results)
			r := materialize(t, export(s, b))
			assert.Equal(t, PartialResumable, r.Verdict, r.Why)
			assert.Equal(t, InvalidPage, r.CutOff)
			assert.Contains(t, r.Why, "of the 5 results that this page had are not in it any more: to start over, remove the dataset")
			assert.Equal(t, before, b.results)
		})
	}
}

func TestResultsThatMoveBehindAnOpenEndAreDoubles(t *testing.T) {
	s, b := journal(35), &box{}
	materialize(t, export(s, b))
	s.results = slices.Insert(s.results, 0, newShelf(37).results[35:]...)
	s.finish()
	r := materialize(t, export(s, b))
	assert.Equal(t, PartialUnstable, r.Verdict, r.Why)
	assert.EqualValues(t, 2, r.Duplicates)
	assert.EqualValues(t, 2, r.Missing)
}

// A bound that is reached at an open end says so only once there is more.
func TestABoundOfResultsAtAnOpenEnd(t *testing.T) {
	for _, more := range []int{0, 1} {
		s, b := journal(35), &box{}
		e := export(s, b)
		e.Results, e.Bytes = 35, 1<<20
		materialize(t, e)
		s.grow(more)
		s.finish()
		r := materialize(t, e)
		assert.Equal(t, []CutOff{"", CutResults}[more], r.CutOff, r.Why)
		assert.Len(t, b.results, 35)
	}
}

// The same of another service, whose answers are given in parts.
func TestAServiceWhoseJobGoesOnIsGoneOnWith(t *testing.T) {
	for _, records := range []int{1, 2, 3, 10} {
		s, to := newService(t, 0), &File{Path: t.TempDir() + "/pages.jsonl"}
		walk := func(status string, n int) Receipt {
			s.status, s.n = status, n
			return materialize(t, Export{From: s.remote(), To: to, Page: PageRequest{Records: records}, Retries: -1})
		}
		for n := range 9 {
			r := walk("scraping", n)
			require.Equal(t, PartialResumable, r.Verdict, r.Why)
			require.EqualValues(t, n, r.Results)
		}
		r := walk("completed", 11)
		require.Equal(t, Complete, r.Verdict, r.Why)
		require.EqualValues(t, 11, r.Results)
		require.NoError(t, r.Verify(t.Context(), to))
	}
}

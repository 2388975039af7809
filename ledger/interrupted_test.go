package ledger

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weircrawl/weir/frontier"
)

// goneOnWith interrupts the walk of what plant makes after each page, by a bound and
// by a kill, goes on with it, and asks once more at the end: each time the verdict
// must be want's, the one of a walk without any interruption.
func goneOnWith(t *testing.T, plant func(*shelf, *Export), want Receipt) {
	begin := func(to Sink) Export {
		s := newShelf(35)
		e := export(s, to)
		plant(s, &e)
		return e
	}
	same := func(e Export, how string) {
		for range 2 {
			r := materialize(t, e)
			require.Equal(t, want.Verdict, r.Verdict, "%s: %s", how, r.Why)
			require.Equal(t, want.Why, r.Why, how)
			if r.Publishable() {
				break
			}
		}
	}
	for pages := 1; pages <= len(consumed(want.Pages)); pages++ {
		e := begin(&File{Path: "x.jsonl", disk: newMedium()})
		bounded := e
		bounded.Pages = min(pages, cmp.Or(e.Pages, pages))
		if !materialize(t, bounded).Publishable() {
			same(e, fmt.Sprintf("bounded by %d pages", pages))
		}
		b := &box{fail: pages, late: true}
		e = begin(b)
		_, err := Materialize(t.Context(), e)
		require.ErrorIs(t, err, errKilled)
		same(e, fmt.Sprintf("killed after %d pages", pages))
	}
}

// A source that says otherwise of the whole when a walk goes on: also where nothing is
// left to be asked for.
func TestWhatASourceSaysWhenItIsAskedAgainStands(t *testing.T) {
	for name, c := range map[string]struct {
		generation string
		bend       func(*Page)
		want       string
	}{
		"a generation counts anew": {"g1", func(p *Page) { p.Counts.Expected++ }, `of generation "g1" says otherwise of the whole than the one before`},
		"a generation has failed":  {"g1", func(p *Page) { p.Phase = frontier.FailedRun }, `of generation "g1" says otherwise of the whole than the one before`},
		"a job has failed":         {"", func(p *Page) { p.Phase = frontier.FailedRun }, "says that the job is failed, and it was finished before"},
		"a job has fewer results":  {"", func(p *Page) { p.Counts.Expected = 35 }, "counts 35 identities, and 36 were counted before"},
	} {
		for _, pages := range []int{2, 4} {
			t.Run(fmt.Sprintf("%s after %d pages", name, pages), func(t *testing.T) {
				s, b := newShelf(35), &box{}
				s.page.Generation, s.page.Counts.Expected = c.generation, 36
				e := export(s, b)
				e.Pages = pages
				require.NotEqual(t, Complete, materialize(t, e).Verdict, "a result is missing")

				said, want := s.page, fmt.Sprintf("page %d %s", pages, c.want)
				c.bend(&s.page)
				r := materialize(t, e)
				assert.Equal(t, Unknown, r.Verdict, r.Why)
				assert.Contains(t, r.Faults, want)

				s.page, e.Pages = said, 100
				r = materialize(t, e)
				assert.Equal(t, Unknown, r.Verdict, "a source that agrees again mends nothing: %s", r.Why)
				assert.Contains(t, r.Faults, want)
				require.NoError(t, r.Verify(t.Context(), b))
				assert.Equal(t, s.results, b.results)
			})
		}
	}
}

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
		s, b := journal(rapid.IntRange(0, 25).Draw(t, "results")), &File{Path: "x.jsonl", disk: newMedium()}
		walk := func(pages int) Receipt {
			e := export(s, b)
			e.Pages = pages
			r, err := Materialize(t.Context(), e)
			require.NoError(t, err)
			require.NoError(t, r.Verify(t.Context(), b))
			return r
		}
		t.Repeat(map[string]func(*rapid.T){
			"grow": func(rt *rapid.T) { s.grow(rapid.IntRange(1, 15).Draw(rt, "results")) },
			"walk": func(rt *rapid.T) {
				r := walk(rapid.IntRange(1, 20).Draw(rt, "pages"))
				require.Equal(rt, PartialResumable, r.Verdict, r.Why)
			},
		})
		s.grow(rapid.IntRange(0, 3).Draw(t, "late results"))
		s.finish()
		r := walk(0)
		require.Equal(t, Complete, r.Verdict, r.Why)
		rows, err := collect(b.Results(t.Context()))
		require.NoError(t, err)
		require.Equal(t, len(s.results), len(rows))
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

func TestAWaitThatWouldEndBehindTheBoundOfTimeIsNotBegun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, b := newShelf(35), &box{}
		at("10", func(*Page) error { return &RetryError{After: 40 * time.Second, Err: errors.New("busy")} })(s, nil)
		e := export(s, b)
		e.Wait, e.Time = nil, time.Minute
		began := time.Now()
		r := materialize(t, e)
		assert.Equal(t, 40*time.Second, time.Since(began), "one wait, and not a second one")
		assert.Equal(t, PartialResumable, r.Verdict)
		assert.Equal(t, CutTime, r.CutOff)
		assert.Equal(t, "cut off before page 1 by a bound of the export: time: no time to ask again after 40s: busy; ask again after 40s", r.Why)
		assert.EqualValues(t, "10", r.Next)
		assert.Equal(t, 1, r.Pages[1].Retries)

		s.bend = nil
		assert.Equal(t, materialize(t, export(newShelf(35), &box{})), materialize(t, e))
	})
}

func TestFaultsOfAWalkAreBounded(t *testing.T) {
	s := newShelf(35)
	s.bend = func(_ PageRequest, p *Page) error {
		p.Counts.Expected = int64(1000 + len(s.asked))
		return nil
	}
	e := export(s, &box{})
	e.Page.Records = 1
	r := materialize(t, e)
	assert.Equal(t, Unknown, r.Verdict)
	require.Len(t, r.Faults, maxFaults+1)
	assert.Equal(t, "and 27 faults more", r.Faults[maxFaults])
}

func TestWhatLeadsRoundDoesNotSayThatItGoesOn(t *testing.T) {
	s := newShelf(35)
	at("10", func(p *Page) error { p.Next = "10"; return nil })(s, nil)
	text := materialize(t, export(s, &box{})).String()
	assert.Regexp(t, `(?m)^cut off +page 1: cursor_loop`, text)
	assert.NotContains(t, text, "goes on")
}

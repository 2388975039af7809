package ledger

import (
	"cmp"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// unfrozen lets the source freeze nothing.
func unfrozen(plant func(*shelf, *Export)) func(*shelf, *Export) {
	return func(s *shelf, e *Export) {
		s.page.Generation = ""
		plant(s, e)
	}
}

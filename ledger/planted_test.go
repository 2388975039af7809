package ledger

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/storage"
)

// at bends the page that begins at a cursor.
func at(cursor Cursor, bend func(p *Page) error) func(*shelf, *Export) {
	return func(s *shelf, _ *Export) {
		s.bend = func(r PageRequest, p *Page) error {
			if r.After != cursor {
				return nil
			}
			return bend(p)
		}
	}
}

// says changes what the source says of the whole.
func says(change func(p *Page)) func(*shelf, *Export) {
	return func(s *shelf, _ *Export) { change(&s.page) }
}

func fails(err error) func(*shelf, *Export) {
	return at("10", func(*Page) error { return err })
}

// third changes the third result of the second page.
func third(change func(*Result)) func(*shelf, *Export) {
	return at("10", func(p *Page) error {
		p.Results = slices.Clone(p.Results)
		change(&p.Results[2])
		return nil
	})
}

// ends lets one result say how it ended, and the source count so.
func ends(state frontier.State, c Counts) func(*shelf, *Export) {
	return func(s *shelf, _ *Export) { s.results[7].State, s.page.Counts = state, c }
}

func bound(change func(*Export)) func(*shelf, *Export) {
	return func(_ *shelf, e *Export) { change(e) }
}

// The cases stand in the order of the rules. Each is a fault in a source of 35
// results, ten a page, and what a real Materialize makes of it.
func TestEveryPlantedFaultHasItsVerdict(t *testing.T) {
	for _, c := range []struct {
		name  string
		plant func(*shelf, *Export)
		want  Verdict
		why   string
		cut   CutOff
		next  Cursor
		kept  int // results in the dataset
	}{
		{"1 counts that do not add up", says(func(p *Page) { p.Counts = Counts{35, 30, 1, 1, 1, 1} }), Unknown, "the source counts 35 identities, and 34 by how they ended", "", "", 35},
		{"1 more identities than are counted", says(func(p *Page) { p.Counts = Counts{34, 34, 0, 0, 0, 0} }), Unknown, "the source counts 34 identities, the walk found 35", "", "", 35},
		{"1 other ends than are counted", ends(frontier.Failed, Counts{35, 35, 0, 0, 0, 0}), Unknown, "the source counts 0 that failed, the walk found 1", "", "", 35},
		{"1 a frozen generation that counts anew", at("10", func(p *Page) error { p.Counts = NoCounts(); return nil }), Unknown, `page 1 of generation "g1" says otherwise of the whole than the one before`, "", "", 35},
		{"1 a frozen generation of a job that went on", at("10", func(p *Page) error { p.Phase = frontier.Running; return nil }), Unknown, `page 1 of generation "g1" says otherwise of the whole than the one before`, "", "", 35},
		{"1 a job that failed, and then had not", unfrozen(at("", func(p *Page) error { p.Phase = frontier.FailedRun; return nil })), Unknown, "page 1 says that the job is finished, and it was failed before", "", "", 35},
		{"1 a job that was over, and goes on", unfrozen(at("20", func(p *Page) error { p.Phase = frontier.Running; return nil })), Unknown, "page 2 says that the job is running, and it was finished before", "", "", 35},
		{"1 counts that shrink", unfrozen(at("10", func(p *Page) error { p.Counts.Succeeded = 34; return nil })), Unknown, "page 1 counts 34 that succeeded, and 35 were counted before", "", "", 35},
		{"1 rows that are none", func(s *shelf, e *Export) {
			summary, rows := run()
			p := pageFor(&summary)
			p.Generation, s.page, s.results = "g1", p, nil
			for _, r := range rows {
				row, _ := resultOf(r) // a sound one
				s.results = append(s.results, row)
			}
			s.results[1].Data, e.Page.Records = json.RawMessage(`{"state":"none"}`), 1
		}, Unknown, `result 0.0.0000000000000001.2 is no row of a run: frontier: no such word: "none"`, "", "", 4},
		{"1 a damaged store", fails(fmt.Errorf("row 12: %w", storage.ErrCorrupt)), Unknown, "page 1: unreadable: row 12: storage: store is corrupt", Unreadable, "10", 10},

		{"2 a job that failed", says(func(p *Page) { p.Phase = frontier.FailedRun }), Failed, "the run failed", "", "", 35},
		{"2 a job that was cancelled", says(func(p *Page) { p.Phase = frontier.CancelledRun }), Failed, "the run was cancelled", "", "", 35},
		{"2 a job that failed, cut off", func(s *shelf, e *Export) { s.page.Phase, e.Pages = frontier.FailedRun, 2 }, Failed, "the run failed", CutPages, "20", 20},

		{"3 a cursor that points to itself", at("10", func(p *Page) error { p.Next = "10"; return nil }), PartialUnstable, `page 1: cursor_loop: cursor "10" was followed before`, CursorLoop, "10", 10},
		{"3 a long way round", at("30", func(p *Page) error { p.Next = "10"; return nil }), PartialUnstable, `page 3: cursor_loop: cursor "10" was followed before`, CursorLoop, "30", 30},
		{"3 a page of another generation", at("10", func(p *Page) error { p.Generation = "g2"; return nil }), PartialUnstable, `page 1: generation_changed: generation "g2" after generation "g1"`, GenerationChanged, "10", 10},
		{"3 a page of no generation", at("10", func(p *Page) error { p.Generation = ""; return nil }), PartialUnstable, `page 1: generation_changed: no frozen generation after generation "g1"`, GenerationChanged, "10", 10},
		{"3 an identity twice", third(func(r *Result) { r.ID = "r000" }), PartialUnstable, "1 duplicate and 1 missing results", "", "", 35},
		{"3 an identity without a result", says(func(p *Page) { p.Counts = Counts{36, 36, 0, 0, 0, 0} }), PartialUnstable, "0 duplicate and 1 missing results", "", "", 35},
		{"3 no generation and no order", says(func(p *Page) { p.Generation, p.Ordered = "", false }), PartialUnstable, "no generation is frozen, and the order is not unique: results may have moved between pages", "", "", 35},
		{"3 no generation, and no order at first", func(s *shelf, e *Export) {
			s.page.Generation = ""
			at("", func(p *Page) error { p.Ordered = false; return nil })(s, e)
		}, PartialUnstable, "no generation is frozen, and the order is not unique: results may have moved between pages", "", "", 35},
		{"3 the same, cut off", func(s *shelf, e *Export) { s.page.Generation, s.page.Ordered, e.Pages = "", false, 1 }, PartialUnstable, "no generation is frozen, and the order is not unique: results may have moved between pages", CutPages, "10", 10},

		{"4 a bound of pages", bound(func(e *Export) { e.Pages = 3 }), PartialResumable, "cut off before page 3 by a bound of the export: pages", CutPages, "30", 30},
		{"4 a bound of results", bound(func(e *Export) { e.Results = 17 }), PartialResumable, "cut off before page 2 by a bound of the export: results", CutResults, "17", 17},
		{"4 a bound of results, and a source that gives whole pages", func(s *shelf, e *Export) {
			e.Results = 17
			at("10", func(p *Page) error { p.Results, p.Next = s.results[10:20], "20"; return nil })(s, e)
		}, PartialResumable, "cut off before page 1 by a bound of the export: results", CutResults, "10", 10},
		{"4 a bound of bytes", bound(func(e *Export) { e.Bytes = 150 }), PartialResumable, "cut off before page 1 by a bound of the export: bytes", CutBytes, "10", 10},
		{"4 a page that fails", fails(errors.New("success: false")), PartialResumable, "page 1: page_failed: success: false", PageFailed, "10", 10},
		{"4 a source that refuses", fails(fmt.Errorf("%w: login", ErrRefused)), PartialResumable, "page 1: refused: ledger: the source refuses: login", Refused, "10", 10},
		{"4 a cursor that is none", fails(fmt.Errorf("%w: damaged", ErrCursor)), PartialResumable, "page 1: cursor: ledger: no cursor of this generation: damaged", CursorInvalid, "10", 10},
		{"4 more than was asked for", at("10", func(p *Page) error { p.Results = newShelf(11).results; return nil }), PartialResumable, "page 1: invalid_page: 11 results, at most 10 were asked for", InvalidPage, "10", 10},
		{"4 a result without an ID", third(func(r *Result) { r.ID = "" }), PartialResumable, "page 1: invalid_page: result 2 of the page: it has no ID", InvalidPage, "10", 10},
		{"4 an ID that is no text", third(func(r *Result) { r.ID = "\xff" }), PartialResumable, "page 1: invalid_page: result 2 of the page: ID \"\uFFFD\": an ID is UTF-8 of at most 4096 bytes", InvalidPage, "10", 10},
		{"4 data that is no JSON", third(func(r *Result) { r.Data = json.RawMessage(`{"n":`) }), PartialResumable, `page 1: invalid_page: result 2 of the page: "r012" has data that is no JSON value: unexpected end of JSON input`, InvalidPage, "10", 10},
		{"4 data that is two values", third(func(r *Result) { r.Data = json.RawMessage(`1 2`) }), PartialResumable, `page 1: invalid_page: result 2 of the page: "r012" has data that is no JSON value: invalid character '2' after top-level value`, InvalidPage, "10", 10},
		{"4 no data", third(func(r *Result) { r.Data = nil }), PartialResumable, `page 1: invalid_page: result 2 of the page: "r012" has data that is no JSON value: unexpected end of JSON input`, InvalidPage, "10", 10},
		{"4 data that is no text", third(func(r *Result) { r.Data = json.RawMessage("\"\xff\"") }), PartialResumable, `page 1: invalid_page: result 2 of the page: "r012" has data that is no UTF-8`, InvalidPage, "10", 10},
		{"4 data beyond all bounds", func(s *shelf, e *Export) {
			e.Retries = -1
			third(func(r *Result) { r.Data = make(json.RawMessage, maxData+1) })(s, e)
		}, PartialResumable, `page 1: invalid_page: result 2 of the page: "r012" has 67108865 bytes of data, at most 67108864 are possible`, InvalidPage, "10", 10},
		{"4 a cursor beyond all bounds", at("10", func(p *Page) error { p.Next = Cursor(strings.Repeat("9", maxCursor+1)); return nil }), PartialResumable, "page 1: invalid_page: a cursor of 16385 bytes, at most 16384 are possible", InvalidPage, "10", 10},
		{"4 a cursor that is no text", at("10", func(p *Page) error { p.Next = "\xff"; return nil }), PartialResumable, "page 1: invalid_page: cursor \"\uFFFD\" is no UTF-8", InvalidPage, "10", 10},
		{"4 a generation that is no text", at("10", func(p *Page) error { p.Generation = "\xff"; return nil }), PartialResumable, "page 1: invalid_page: generation \"\uFFFD\" is no UTF-8", InvalidPage, "10", 10},
		{"4 a generation beyond all bounds", at("10", func(p *Page) error { p.Generation = strings.Repeat("g", maxName+1); return nil }), PartialResumable, "page 1: invalid_page: a generation whose name has 4097 bytes, at most 4096 are possible", InvalidPage, "10", 10},
		{"4 a phase that is none", at("10", func(p *Page) error { p.Phase = 77; return nil }), PartialResumable, "page 1: invalid_page: the job is in phase 77, which is none", InvalidPage, "10", 10},
		{"4 a time that is none", at("10", func(p *Page) error { p.Ended = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC); return nil }), PartialResumable, "page 1: invalid_page: a time that no receipt can have: Time.MarshalJSON: year outside of range [0,9999]", InvalidPage, "10", 10},
		{"4 a job that goes on and cannot be frozen", unfrozen(says(func(p *Page) { p.Phase = frontier.Running })), PartialResumable, "the run is running", "", "", 35},
		{"4 a job that never says that it is over", unfrozen(says(func(p *Page) { p.Phase = 0 })), PartialResumable, "the source does not say that its job is over", "", "", 35},
		{"4 unresolved identities", says(func(p *Page) { p.Counts = Counts{37, 35, 0, 0, 0, 2} }), PartialResumable, "2 URLs unresolved; the run is finished", "", "", 35},
		{"4 a job that goes on", says(func(p *Page) { p.Phase = frontier.Running }), PartialResumable, `the run is running; generation "g1" was frozen before the run's end and never becomes whole: deliver the one that is frozen then`, "", "", 35},
		{"4 a job that has stopped", says(func(p *Page) { p.Phase = frontier.Stopped }), PartialResumable, `the run is stopped; generation "g1" was frozen before the run's end and never becomes whole: deliver the one that is frozen then`, "", "", 35},
		{"4 a job that says nothing", says(func(p *Page) { p.Phase = 0 }), PartialResumable, "the source does not say that its job is over", "", "", 35},

		{"5 a failure", ends(frontier.Failed, Counts{35, 34, 1, 0, 0, 0}), CompleteWithFailures, "1 failed", "", "", 35},
		{"5 a policy stop", ends(frontier.Refused, Counts{35, 34, 0, 1, 0, 0}), CompleteWithFailures, "1 refused", "", "", 35},
		{"5 a cancelled identity, with a result", ends(frontier.Cancelled, Counts{35, 34, 0, 0, 1, 0}), CompleteWithFailures, "1 cancelled", "", "", 35},
		{"5 a cancelled identity without one", says(func(p *Page) { p.Counts = Counts{36, 35, 0, 0, 1, 0} }), CompleteWithFailures, "1 cancelled", "", "", 35},
		{"5 failures of a source that says no states", func(s *shelf, _ *Export) {
			s.page.Counts = Counts{38, 35, 2, 1, 0, 0}
			for i := range s.results {
				s.results[i].State = 0
			}
		}, CompleteWithFailures, "2 failed, 1 refused", "", "", 35},

		{"5 nobody counts", says(func(p *Page) { p.Counts = NoCounts() }), CompleteWithFailures, "nobody counted what was admitted: the source says that it is over, and all 35 results that it gives are here", "", "", 35},
		{"5 nobody counts what failed", ends(frontier.Failed, NoCounts()), CompleteWithFailures, "1 failed, nobody counted what was admitted: the source says that it is over, and all 35 results that it gives are here", "", "", 35},
		{"5 nobody counts what was admitted", says(func(p *Page) { p.Counts.Expected = -1 }), CompleteWithFailures, "nobody counted what was admitted: the source says that it is over, and all 35 results that it gives are here", "", "", 35},
		{"5 rows that failed, and only their sum is counted", ends(frontier.Failed, Counts{35, -1, -1, -1, -1, -1}), CompleteWithFailures, "1 failed", "", "", 35},
		{"5 rows that a policy stopped, and only their sum is counted", ends(frontier.Refused, Counts{35, -1, -1, -1, -1, -1}), CompleteWithFailures, "1 refused", "", "", 35},

		{"6 how it ended stands in the rows alone", says(func(p *Page) { p.Counts = Counts{35, -1, -1, -1, -1, -1} }), Complete, "every admitted URL was fetched whole", "", "", 35},
		{"6 how it ended is said nowhere", func(s *shelf, _ *Export) {
			s.page.Counts = Counts{35, -1, -1, -1, -1, -1}
			for i := range s.results {
				s.results[i].State = 0
			}
		}, Complete, "the source says that it is over, and all 35 results that it counts are here; how they ended it does not say", "", "", 35},
		{"6 counts that are said once", unfrozen(at("20", func(p *Page) error { p.Counts, p.Phase = NoCounts(), 0; return nil })), Complete, "every admitted URL was fetched whole", "", "", 35},
		{"6 nothing of all that", func(*shelf, *Export) {}, Complete, "every admitted URL was fetched whole", "", "", 35},
		{"6 an order without a generation", says(func(p *Page) { p.Generation = "" }), Complete, "every admitted URL was fetched whole", "", "", 35},
		{"6 a generation without an order", says(func(p *Page) { p.Ordered = false }), Complete, "every admitted URL was fetched whole", "", "", 35},
		{"6 data in a longer form", third(func(r *Result) { r.Data = json.RawMessage(" { \"n\" : 12 }\n") }), Complete, "every admitted URL was fetched whole", "", "", 35},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, b := newShelf(35), &box{}
			e := export(s, b)
			c.plant(s, &e)
			r := materialize(t, e)
			assert.Equal(t, c.want, r.Verdict)
			assert.Equal(t, c.why, r.Why)
			assert.Equal(t, c.cut, r.CutOff)
			assert.Equal(t, c.next, r.Next)
			assert.Len(t, b.results, c.kept)
			assert.Equal(t, r, b.receipt, "the sink keeps it")
			require.NoError(t, r.Verify(t.Context(), b), "what is kept is as the receipt says")
			goneOnWith(t, c.plant, r)
		})
	}
}

func TestAnEmptyPageInTheMiddleIsNotTheEnd(t *testing.T) {
	s, b := newShelf(34), &box{}
	at("10", func(p *Page) error { p.Results, p.Next = nil, "010"; return nil })(s, nil)
	r := materialize(t, export(s, b))
	assert.Equal(t, Complete, r.Verdict, r.Why)
	assert.Equal(t, s.results, b.results)
}

func TestPagesThatBringNothingNewEndTheWalk(t *testing.T) {
	for name, results := range map[string][]Result{"empty": nil, "the same again": newShelf(10).results} {
		t.Run(name, func(t *testing.T) {
			s, b, n := newShelf(35), &box{}, 0
			s.bend = func(_ PageRequest, p *Page) error {
				n++
				p.Results, p.Next = results, Cursor(fmt.Sprint(n))
				return nil
			}
			r := materialize(t, export(s, b))
			assert.Equal(t, PartialUnstable, r.Verdict, r.Why)
			assert.Equal(t, CursorLoop, r.CutOff)
			assert.LessOrEqual(t, n, maxFruitless+2)
		})
	}
}

func TestAPageThatFailsIsAskedForAgainAfterALongerAndLongerWait(t *testing.T) {
	for _, c := range []struct {
		failures int
		want     Verdict
		waits    []time.Duration
	}{
		{0, Complete, nil},
		{2, Complete, []time.Duration{time.Second, 2 * time.Second}},
		{6, Complete, []time.Duration{1e9, 2e9, 4e9, 8e9, 16e9, 30e9}},
		{7, PartialResumable, []time.Duration{1e9, 2e9, 4e9, 8e9, 16e9, 30e9}},
	} {
		s, b, n := newShelf(35), &box{}, 0
		fail := errors.New("busy")
		at("10", func(*Page) error {
			if n++; n <= c.failures {
				return fail
			}
			return nil
		})(s, nil)
		e := export(s, b)
		var waits []time.Duration
		e.Retries = 6
		e.Wait = func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil }
		r := materialize(t, e)
		assert.Equal(t, c.want, r.Verdict, r.Why)
		assert.Equal(t, c.waits, waits)
		assert.Equal(t, min(c.failures, 6), r.Pages[1].Retries)
	}
}

func TestARefusalIsNotAskedForAgain(t *testing.T) {
	for _, err := range []error{ErrRefused, ErrCursor, storage.ErrCorrupt} {
		s := newShelf(35)
		fails(fmt.Errorf("no: %w", err))(s, nil)
		r := materialize(t, export(s, &box{}))
		assert.Zero(t, r.Pages[1].Retries)
		assert.Len(t, s.asked, 2)
	}
}

func TestATimeBoundCutsOffBetweenPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, b := newShelf(35), &box{}
		s.bend = func(PageRequest, *Page) error { time.Sleep(time.Second); return nil }
		e := export(s, b)
		e.Time = 2 * time.Second
		r := materialize(t, e)
		assert.Equal(t, PartialResumable, r.Verdict, r.Why)
		assert.Equal(t, CutTime, r.CutOff)
		assert.EqualValues(t, "20", r.Next)
		assert.Len(t, b.results, 20)
	})
}

func TestTheEndOfAContextKeepsWhatThereIsAndTheCursor(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	s, b := newShelf(35), &box{}
	fail := errors.New("busy")
	fails(fail)(s, nil)
	e := export(s, b)
	e.Wait = func(context.Context, time.Duration) error { cancel(enough); return context.Cause(ctx) }
	r, err := Materialize(ctx, e)
	require.ErrorIs(t, err, enough)
	assert.Equal(t, PartialResumable, r.Verdict)
	assert.Equal(t, CutContext, r.CutOff)
	assert.EqualValues(t, "10", r.Next)
	assert.Equal(t, r, b.receipt)

	s.bend = nil
	again, want := materialize(t, export(s, b)), materialize(t, export(newShelf(35), &box{}))
	assert.Equal(t, want, again)
}

func TestWhatWasCutOffGoesOnToTheSameEnd(t *testing.T) {
	want := materialize(t, export(newShelf(35), &box{}))
	for name, plant := range map[string]func(*shelf, *Export){
		"pages":   bound(func(e *Export) { e.Pages = 1 }),
		"fault":   fails(errors.New("busy")),
		"loop":    at("10", func(p *Page) error { p.Next = "10"; return nil }),
		"changed": at("10", func(p *Page) error { p.Generation = "g2"; return nil }),
	} {
		s, b := newShelf(35), &box{}
		e := export(s, b)
		plant(s, &e)
		part := materialize(t, e)
		require.False(t, part.Publishable(), name)
		assert.Equal(t, part, materialize(t, e), "as long as the fault is there, nothing changes: %s", name)
		s.bend = nil
		assert.Equal(t, want, materialize(t, export(s, b)), name)
		assert.Equal(t, s.results, b.results, name)
	}
}

func TestADatasetIsOfOneGeneration(t *testing.T) {
	for _, c := range []struct {
		name      string
		held      string
		offered   string
		pages     int
		published bool
	}{
		{"a part", "g1", "g2", 2, false},
		{"a whole", "g1", "g2", 0, true},
		{"a whole of none", "", "g2", 0, true},
		{"a part of none", "", "g2", 2, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, b := newShelf(35), &box{}
			s.page.Generation = c.held
			e := export(s, b)
			e.Pages = c.pages
			materialize(t, e)
			before := *b
			s.page.Generation = c.offered
			_, err := Materialize(t.Context(), export(s, b))
			var other *OtherGenerationError
			require.ErrorAs(t, err, &other)
			assert.Equal(t, OtherGenerationError{c.held, c.offered, c.published}, *other)
			assert.Contains(t, err.Error(), "or write to another sink")
			if c.held != "" {
				assert.Contains(t, err.Error(), `Crawler.Generation(ctx, "g1")`)
			}
			assert.Equal(t, before, *b, "nothing has changed")
		})
	}
}

func TestAPublishedDatasetIsNotMadeAgain(t *testing.T) {
	for _, generation := range []string{"g1", ""} {
		s, b := newShelf(35), &box{}
		s.page.Generation = generation
		want := materialize(t, export(s, b))
		require.True(t, want.Publishable(), want.Why)
		asked := len(s.asked)
		assert.Equal(t, want, materialize(t, export(s, b)))
		assert.Equal(t, 1, b.finished)
		assert.Len(t, s.asked, asked+1, "the generation alone is asked for")
	}
}

func TestAnEditedReceiptIsNotPassedOn(t *testing.T) {
	s, b := newShelf(35), &box{}
	e := export(s, b)
	for range 2 { // of a part, then of the whole
		e.Pages = cmp.Or(2-e.Pages, 100)
		materialize(t, e)
		good := b.receipt
		b.receipt.Duplicates = 7
		r, err := Materialize(t.Context(), export(s, b))
		var damaged *DamagedError
		require.ErrorAs(t, err, &damaged)
		assert.Equal(t, Receipt{}, r)
		b.receipt = good
	}
	require.True(t, b.receipt.Publishable())
}

func TestASinkThatFailsHasNoReceipt(t *testing.T) {
	for call := 1; call <= 5; call++ {
		b := &box{fail: call}
		r, err := Materialize(t.Context(), export(newShelf(35), b))
		require.ErrorIs(t, err, errKilled)
		assert.Equal(t, Receipt{}, r)
		assert.Empty(t, b.receipt)
	}
}

func TestASourceKeepsItsResultsAsTheyWere(t *testing.T) {
	s, b := newShelf(1), &box{}
	s.results[0].Data = json.RawMessage(`{ "n": 0 }`)
	materialize(t, export(s, b))
	assert.Equal(t, `{ "n": 0 }`, string(s.results[0].Data))
	assert.Equal(t, `{"n":0}`, string(b.results[0].Data))
}

func TestAnEmptyJobIsComplete(t *testing.T) {
	b := &box{}
	r := materialize(t, export(newShelf(0), b))
	assert.Equal(t, Complete, r.Verdict)
	assert.Len(t, r.Pages, 1)
}

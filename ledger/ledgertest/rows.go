package ledgertest

import (
	"errors"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
)

// advances is row 3.
func advances(t *trial, open OpenSource) {
	s := t.subject(open, frontier.Finished)
	var d Dataset
	r := t.walk(s, &d, ledger.Export{})
	t.whole(r, &d, jobResults, "of a job that has finished")
	in, seen := ledger.Cursor(""), map[ledger.Cursor]bool{}
	for i, line := range r.Pages {
		require.True(t, line.Consumed, "page %d is consumed", i)
		require.Equal(t, in, line.In, "page %d is asked for by the cursor of the page before", i)
		require.False(t, seen[line.In], "page %d is asked for by cursor %q, which was followed before", i, line.In)
		in, seen[line.In] = line.Out, true
	}
	require.Empty(t, in, "the cursor of the last page")
	require.Greater(t, len(r.Pages), 3, "pages of %d results of %d", pageResults, jobResults)
	if stable(r) {
		t.repeats(s, r)
	}
}

// repeats requires that a source that promises to answers a request for the same
// place with the same results.
func (t *trial) repeats(s Subject, r ledger.Receipt) {
	for i := len(r.Pages) - 1; i >= 0; i-- {
		line := r.Pages[i]
		page, err := s.Source.Page(t.ctx, ledger.PageRequest{After: line.In, Records: pageResults}.WithDefaults())
		require.NoError(t, err, "page %d, asked for again", i)
		require.Equal(t, line.Results, len(page.Results), "results of page %d, asked for again", i)
		require.Equal(t, line.Out, page.Next, "cursor of page %d, asked for again", i)
	}
	var d Dataset
	again := t.walk(s, &d, ledger.Export{Page: ledger.PageRequest{Bytes: max(1, r.Bytes/7)}})
	require.Greater(t, len(again.Pages), len(r.Pages), "pages of fewer bytes")
	require.Equal(t, r.Digest, again.Digest, "the results, cut into other pages")
}

// stops is row 4.
func stops(t *trial, open OpenSource) {
	var d Dataset
	s := t.subject(open, frontier.Finished)
	unbounded := t.walk(s, &d, ledger.Export{})
	for _, bound := range []struct {
		cut     ledger.CutOff
		export  ledger.Export
		results int // in the dataset then; 0: as many as fit
	}{
		{ledger.CutPages, ledger.Export{Pages: 2}, 2 * pageResults},
		{ledger.CutResults, ledger.Export{Results: 2*pageResults + 3}, 2*pageResults + 3},
		{ledger.CutBytes, ledger.Export{Bytes: unbounded.Bytes / 2}, 0},
	} {
		t.stopsAt(t.subject(open, frontier.Finished), bound.cut, bound.export, bound.results)
	}
}

func (t *trial) stopsAt(s Subject, cut ledger.CutOff, e ledger.Export, results int) {
	var d Dataset
	r := t.walk(s, &d, e)
	require.Equal(t, cut, r.CutOff, "what stops the walk: %s", r.Why)
	require.False(t, d.Published(), "a dataset that %s cut off is not published: %s: %s", cut, r.Verdict, r.Why)
	lines := consumed(r)
	require.NotEmpty(t, lines, "pages before %s cut off", cut)
	require.NotEmpty(t, r.Next, "the first cursor that was not consumed, after %s", cut)
	require.Equal(t, lines[len(lines)-1].Out, r.Next, "it follows the last page, after %s", cut)
	if results > 0 {
		require.Equal(t, results, len(d.Rows()), "results up to the bound of %s", cut)
	}
	if stable(r) {
		require.Equal(t, ledger.PartialResumable, r.Verdict, "after %s: %s", cut, r.Why)
	}
	r = t.walk(s, &d, ledger.Export{})
	t.whole(r, &d, jobResults, "gone on with after "+string(cut))
}

// fails is row 5.
func fails(t *trial, open OpenSource) {
	for _, fault := range []Fault{PageFails, PageSaysNo} {
		s := t.subject(open, frontier.Finished)
		heal := spoil(&s, fault)
		var d Dataset
		r := t.walk(s, &d, ledger.Export{})
		require.NotEmpty(t, r.CutOff, "what ends a walk at %s: %s: %s", fault, r.Verdict, r.Why)
		require.False(t, d.Published(), "a dataset that ends at %s is not published: %s: %s", fault, r.Verdict, r.Why)
		require.Equal(t, pageResults, len(d.Rows()), "results before %s", fault)
		require.Equal(t, consumed(r)[0].Out, r.Next, "the cursor of %s survives", fault)
		require.Equal(t, r.CutOff, r.Pages[len(r.Pages)-1].Error, "the line of %s names it", fault)
		if stable(r) {
			require.Equal(t, ledger.PartialResumable, r.Verdict, "at %s: %s", fault, r.Why)
		}
		heal()
		r = t.walk(s, &d, ledger.Export{})
		t.whole(r, &d, jobResults, "gone on with after "+fault.String())
	}
}

// loops is row 6.
func loops(t *trial, open OpenSource) {
	s := t.subject(open, frontier.Finished)
	spoil(&s, CursorLoops)
	var d Dataset
	r := t.walk(s, &d, ledger.Export{})
	require.Equal(t, ledger.CursorLoop, r.CutOff, "what ends a walk at %s: %s: %s", CursorLoops, r.Verdict, r.Why)
	require.Equal(t, ledger.PartialUnstable, r.Verdict, "at %s: %s", CursorLoops, r.Why)
	require.False(t, d.Published(), "a dataset that ends in a loop is not published")
	require.Less(t, len(distinct(&d)), jobResults, "a loop hides results")
}

// grows is row 7.
func grows(t *trial, open OpenSource) {
	s := t.subject(open, frontier.Finished)
	var before, during Dataset
	frozen := t.walk(s, &before, ledger.Export{})
	grown := 0
	var r ledger.Receipt
	for pages := 1; ; pages++ {
		r = t.walk(s, &during, ledger.Export{Pages: pages})
		if r.CutOff != ledger.CutPages {
			break
		}
		if s.Grow != nil {
			require.NoError(t, s.Grow(), "add a result")
			grown++
		}
		require.Less(t, pages, 2*jobResults, "pages of a job that grows by one result a page")
	}
	switch {
	case !stable(r):
		t.unstable(r, "while results were added")
	case r.Generation != "":
		t.whole(r, &during, jobResults, "of a frozen generation, while results were added")
		require.Equal(t, frozen.Digest, r.Digest, "a frozen generation does not change")
		require.Equal(t, frozen.Generation, r.Generation, "and is named for ever")
	default:
		require.Equal(t, len(distinct(&during)), len(during.Rows()), "results of a unique order, each once, while results were added: %s", r.Why)
		require.Subset(t, distinct(&during), distinct(&before), "results of a unique order that were there before, while results were added")
		require.True(t, during.Published() || r.Verdict == ledger.PartialUnstable, "results that a unique order has put before the walk are seen as missing: %s: %s", r.Verdict, r.Why)
	}
	require.True(t, s.Grow == nil || grown > 1, "the job has grown")
}

// ends is row 8.
func ends(t *trial, open OpenSource) {
	known := 0
	for _, phase := range []frontier.Phase{frontier.FailedRun, frontier.CancelledRun} {
		s, err := open(Job{Results: jobResults, Ended: phase})
		if errors.Is(err, ErrCannot) {
			continue
		}
		require.NoError(t, err, "open a source over a job that is %s", phase)
		known++
		var d Dataset
		r := t.walk(s, &d, ledger.Export{})
		require.Equal(t, phase, r.Phase, "how the job has ended: %s", r.Why)
		require.Equal(t, ledger.Failed, r.Verdict, "of a job that is %s: %s", phase, r.Why)
		require.False(t, d.Published(), "the results of a job that is %s are not published", phase)
		require.Equal(t, jobResults, len(distinct(&d)), "the results of a job that is %s are kept", phase)
		require.Empty(t, r.CutOff, "and all are had: %s", r.Why)
	}
	require.Positive(t, known, "jobs that can end badly")
}

package ledgertest

import (
	"context"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
)

// What the jobs of the rows have, and how much a walk asks for at a time: several
// pages, of which the last is not full.
const (
	jobResults  = 35
	pageResults = 10
)

// subject opens a source over a job that has ended so.
func (t *trial) subject(open OpenSource, ended frontier.Phase) Subject {
	s, err := open(Job{Results: jobResults, Ended: ended})
	require.NoError(t, err, "open a source over %d results of a job that is %s", jobResults, ended)
	return s
}

// walk materializes s into d under the bounds of e, and says what came of it.
func (t *trial) walk(s Subject, d *Dataset, e ledger.Export) ledger.Receipt {
	e.From, e.To = s.Source, d
	e.Page.Records = pageResults
	e.Retries = 1
	e.Wait = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	r, err := ledger.Materialize(t.ctx, e)
	require.NoError(t, err, "materialize")
	require.NoError(t, r.Verify(t.ctx, d), "verify the dataset by its receipt: %s", r.Why)
	return r
}

// stable reports whether r's source promises that a cursor stands for one place
// whatever is added.
func stable(r ledger.Receipt) bool { return r.Generation != "" || r.Ordered }

// whole requires that the dataset in d has exactly n results, each once, and that
// its verdict says so, if the source promises that.
func (t *trial) whole(r ledger.Receipt, d *Dataset, n int, when string) {
	require.Equal(t, n, len(distinct(d)), "different results %s: %s", when, r.Why)
	require.Equal(t, n, len(d.Rows()), "results %s: %s", when, r.Why)
	require.Empty(t, r.CutOff, "%s: %s", when, r.Why)
	if stable(r) {
		require.True(t, d.Published(), "a whole dataset %s is published: %s: %s", when, r.Verdict, r.Why)
		return
	}
	t.unstable(r, when)
}

// unstable requires the verdict on a source that promises nothing.
func (t *trial) unstable(r ledger.Receipt, when string) {
	require.Equal(t, ledger.PartialUnstable, r.Verdict, "without a frozen generation or a unique order, %s: %s", when, r.Why)
}

// distinct is the set of identities in d.
func distinct(d *Dataset) map[string]bool {
	set := map[string]bool{}
	for _, r := range d.Rows() {
		set[r.ID] = true
	}
	return set
}

// consumed are the lines of r whose results are in the dataset.
func consumed(r ledger.Receipt) (lines []ledger.PageReceipt) {
	for _, l := range r.Pages {
		if l.Consumed {
			lines = append(lines, l)
		}
	}
	return lines
}

package ledger

import (
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/weircrawl/weir/frontier"
)

// Reconcile reads the counters of a run, walks its results once, and returns the
// receipt: what cannot be read or does not agree stands in its Faults, under the
// verdict Unknown. An error means that there is no receipt: there is no such
// run, its counters cannot be read, or ctx has ended.
func Reconcile(ctx context.Context, reader *frontier.Reader) (Receipt, error) {
	summary, err := reader.Summary(ctx)
	if err != nil {
		return Receipt{}, fmt.Errorf("ledger: %w", err)
	}
	rekeyed, ok, err := reader.Rekeyed(ctx)
	if err != nil {
		return Receipt{}, fmt.Errorf("ledger: %w", err)
	}
	receipt, err := survey(ctx, &live{summary: summary, rows: reader.Results})
	if ok {
		receipt.Rekeyed = &rekeyed
	}
	if err != nil {
		return Receipt{}, fmt.Errorf("ledger: walk of run %s: %w", summary.Run, err)
	}
	return receipt.judged(), nil
}

// survey walks all of a run's results into nowhere. What cannot be read is not
// asked for again: the receipt says so.
func survey(ctx context.Context, s Source) (Receipt, error) {
	r, err := Materialize(ctx, Export{From: s, To: nowhere{}, Retries: -1,
		Pages: math.MaxInt, Results: math.MaxInt64, Bytes: math.MaxInt64, Time: math.MaxInt64})
	if n := len(r.Pages); r.CutOff != "" && err == nil {
		r.Faults = append(r.Faults, fmt.Sprintf("results are unreadable in the page after %d rows: %s", r.Results, r.Pages[n-1].Detail))
	}
	return r, err
}

// live is the results of a run that goes on, as far as its counters count: later
// commits are not of it. It gives each page once.
type live struct {
	summary frontier.Summary
	rows    func(ctx context.Context, after uint64) iter.Seq2[frontier.Result, error]

	given int64
	at    uint64 // the first position that was not given; 0 at the start
}

// Page returns the next page.
func (l *live) Page(ctx context.Context, r PageRequest) (Page, error) {
	p := Page{Ordered: true, Phase: l.summary.Phase, Ended: l.summary.Since, Counts: countsOf(l.summary), Account: &l.summary}
	results, next, err := pageOf(l.rows(ctx, max(l.at, 1)-1), r, math.MaxUint64, l.summary.Results-l.given)
	if err != nil {
		return p, err
	}
	p.Results, l.at = results, next
	l.given += int64(len(results))
	if next != 0 && l.given < l.summary.Results {
		p.Next = Cursor(fmt.Sprint(next))
	}
	return p, nil
}

// nowhere is a sink that keeps nothing: the walk alone is wanted.
type nowhere struct{}

func (nowhere) Resume(context.Context) (Receipt, error)            { return Receipt{}, nil }
func (nowhere) Write(context.Context, PageReceipt, []Result) error { return nil }
func (nowhere) Finish(context.Context, Receipt) error              { return nil }
func (nowhere) Results(context.Context) iter.Seq2[Result, error] {
	return func(func(Result, error) bool) {}
}

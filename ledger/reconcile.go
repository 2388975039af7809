package ledger

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/weircrawl/weir/frontier"
)

// Reconcile walks the results of a run once, compares them with what the run
// counts, and returns the receipt, which says whether they may be published. The
// order is that of the operator's rule: admissions against the budget, then polls,
// then the walk. What cannot be read or does not agree stands in Faults, under the
// verdict Unknown.
//
// It walks the newest frozen generation, if nothing has happened since it was
// frozen: always so where the run has stopped or is over. Of a run that goes on it
// walks what the last commit counts, and no generation is named.
//
// polls says which bounds of observation a poll has broken. An error means that
// there is no receipt: there is no such run, its counters cannot be read, or ctx
// has ended.
func Reconcile(ctx context.Context, reader *frontier.Reader, polls ...string) (Receipt, error) {
	source, err := present(ctx, reader)
	if err != nil {
		return Receipt{}, fmt.Errorf("ledger: %w", err)
	}
	rekeyed, ok, err := reader.Rekeyed(ctx)
	if err != nil {
		return Receipt{}, fmt.Errorf("ledger: %w", err)
	}
	receipt, err := survey(ctx, source)
	if err != nil {
		return Receipt{}, within("walk of run "+reader.Run(), err)
	}
	if receipt.Polls = polls; ok {
		receipt.Rekeyed = &rekeyed
	}
	return receipt.judged(), nil
}

// present is the run as of its last commit.
func present(ctx context.Context, reader *frontier.Reader) (Source, error) {
	summary, err := reader.Summary(ctx)
	if err != nil {
		return nil, err
	}
	g, err := reader.Generation(ctx, "")
	switch {
	case errors.Is(err, frontier.ErrNoGeneration), err == nil && g.Sequence != summary.Sequence:
		return &live{summary: summary, rows: reader.Results}, nil
	case err != nil:
		return nil, err
	}
	return At(reader, g), nil
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

// nowhere is a sink that keeps nothing: the walk alone is wanted.
type nowhere struct{}

func (nowhere) Resume(context.Context) (Receipt, error)            { return Receipt{}, nil }
func (nowhere) Write(context.Context, PageReceipt, []Result) error { return nil }
func (nowhere) Finish(context.Context, Receipt) error              { return nil }
func (nowhere) Results(context.Context) iter.Seq2[Result, error] {
	return func(func(Result, error) bool) {}
}

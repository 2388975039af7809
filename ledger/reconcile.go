package ledger

import (
	"context"
	"fmt"

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
	receipt := account(summary, reader.Results(ctx, 0))
	if ok {
		receipt.Rekeyed = &rekeyed
	}
	if ctx.Err() != nil {
		return Receipt{}, fmt.Errorf("ledger: walk of run %s: %w", summary.Run, context.Cause(ctx))
	}
	return receipt, nil
}

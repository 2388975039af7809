package ledgertest

import (
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/weircrawl/weir/ledger"
)

// A Dataset is a [ledger.Sink] that keeps everything in memory. The zero Dataset
// is empty. It is safe for concurrent use.
type Dataset struct {
	mu        sync.Mutex
	rows      []ledger.Result
	lines     []ledger.PageReceipt
	receipt   ledger.Receipt // what Finish has kept; zero since the last Write
	published bool
}

// Resume implements ledger.Sink.
func (d *Dataset) Resume(context.Context) (ledger.Receipt, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.receipt.Verdict != "" {
		return d.receipt, nil
	}
	return ledger.Receipt{Pages: slices.Clone(d.lines)}, nil
}

// Write implements ledger.Sink.
func (d *Dataset) Write(_ context.Context, line ledger.PageReceipt, results []ledger.Result) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if line.Ordinal == 0 {
		d.rows, d.lines, d.published = nil, nil, false
	}
	d.receipt = ledger.Receipt{}
	d.rows, d.lines = append(d.rows, results...), append(d.lines, line)
	return nil
}

// Finish implements ledger.Sink.
func (d *Dataset) Finish(_ context.Context, r ledger.Receipt) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.receipt, d.published = r, r.Publishable()
	return nil
}

// Results implements ledger.Sink.
func (d *Dataset) Results(context.Context) iter.Seq2[ledger.Result, error] {
	rows := d.Rows()
	return func(yield func(ledger.Result, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Rows returns what was written, in order.
func (d *Dataset) Rows() []ledger.Result {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.rows)
}

// Published reports whether the dataset was published.
func (d *Dataset) Published() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.published
}

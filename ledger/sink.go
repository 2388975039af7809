package ledger

import (
	"context"
	"iter"
)

// A Sink keeps one dataset and the receipt of how it was made. It is used by one
// [Materialize] at a time.
//
// Whatever ends a Materialize, the next one goes on: Write keeps a page and its
// line both or neither, durably, and Resume says what was kept. A Sink that holds
// something meanwhile, as a lock, is an io.Closer too: Materialize closes it when it
// ends, and the next Resume opens it again.
type Sink interface {
	// Resume returns the receipt that an earlier Materialize has left: what Finish has
	// kept, or the lines that Write has kept since, all of each, without a verdict. The zero Receipt
	// means that there is nothing.
	Resume(ctx context.Context) (Receipt, error)
	// Write keeps one page and its line, which is consumed. A line of ordinal 0 starts
	// the dataset over.
	Write(ctx context.Context, line PageReceipt, results []Result) error
	// Finish keeps the receipt, and publishes the dataset under its name if
	// r.Publishable, in one step; else it keeps it as partial, with the receipt and the
	// cursor to go on from beside it. It may come without any Write.
	Finish(ctx context.Context, r Receipt) error
	// Results reads back what was written, in order, published or partial.
	Results(ctx context.Context) iter.Seq2[Result, error]
}

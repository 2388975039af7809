package ledger

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/weircrawl/weir/frontier"
)

// A Generation is the frozen results of a run, in the order in which they were
// accepted, and a [Source] of them: the same request is answered with the same
// page, whatever the run does meanwhile, and from any process that opens its
// store. It reads in short batches: no reader holds the store back, however slow.
//
// It may be used from any goroutine. Its fields are not to be changed.
type Generation struct {
	frontier.Generation

	reader *frontier.Reader
}

// At returns the generation g of the run that reader reads, which has it from
// [frontier.Reader.Generation] or Generations.
func At(reader *frontier.Reader, g frontier.Generation) *Generation {
	return &Generation{Generation: g, reader: reader}
}

// Latest returns the newest generation of the run that reader reads. The error
// wraps [ErrNotFrozen] where it has none.
func Latest(ctx context.Context, reader *frontier.Reader) (*Generation, error) {
	g, err := reader.Generation(ctx, "")
	switch {
	case errors.Is(err, frontier.ErrNoGeneration):
		return nil, fmt.Errorf("%w: run %s: let it stop or end, or call Freeze", ErrNotFrozen, reader.Run())
	case err != nil:
		return nil, fmt.Errorf("ledger: %w", err)
	}
	return At(reader, g), nil
}

// String is one line for people.
func (g *Generation) String() string { return g.Generation.String() }

// Page returns the results from r.After on. A cursor of another generation, of
// another store, or of none is answered with [ErrCursor], and what it is of.
func (g *Generation) Page(ctx context.Context, r PageRequest) (Page, error) {
	from, err := g.position(r.After)
	if err != nil {
		return Page{}, err
	}
	meterOf(ctx).follow(r.After)
	p := pageFor(&g.Summary)
	p.Generation, p.Frozen = g.ID, g.Frozen
	results, next, err := pageOf(g.reader.Results(ctx, from-1), r.WithDefaults(), g.Last, math.MaxInt64)
	if err != nil {
		return Page{}, fmt.Errorf("ledger: generation %s: %w", g.ID, err)
	}
	if p.Results = results; next != 0 {
		p.Next = g.cursor(next)
	}
	return p, nil
}

// All yields every result, in order, each with its records.
func (g *Generation) All(ctx context.Context) iter.Seq2[frontier.Result, error] {
	return func(yield func(frontier.Result, error) bool) {
		for r, err := range g.reader.Results(ctx, 0) {
			if err == nil && r.Position > g.Last {
				return
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// live is the results of a run that goes on, as far as its counters count: later
// commits are not of it. It gives each page once, in order.
type live struct {
	summary frontier.Summary
	rows    func(ctx context.Context, after uint64) iter.Seq2[frontier.Result, error]

	given int64
	at    uint64 // the first position that was not given; 0 at the start
}

// Page returns the next page.
func (l *live) Page(ctx context.Context, r PageRequest) (Page, error) {
	p := pageFor(&l.summary)
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

package frontier

import (
	"context"
	"iter"
	"math"
)

// edgeCount adds up what the edges say, commit by commit.
type edgeCount struct {
	next func() ([2][]byte, error, bool)
	stop func()
	row  *edgeRow // read and not counted yet
	seq  uint64   // of row; MaxUint64: nothing is left
}

func (r *Reader) edgeCount(ctx context.Context) *edgeCount {
	next, stop := iter.Pull2(r.all(ctx, spaceEdge))
	return &edgeCount{next: next, stop: stop}
}

// before counts in h what was decided in commits before seq.
func (c *edgeCount) before(seq uint64, h *head) error {
	for c.seq < seq {
		if c.row != nil {
			h.countEdge(c.row)
			c.row = nil
		}
		row, err, ok := c.next()
		if err != nil {
			return err
		}
		if !ok {
			c.seq = math.MaxUint64
			break
		}
		at, _ := edgeKey(row[0])
		if c.row, err = decodeEdge(row[1]); err != nil {
			return err
		}
		c.seq = at.seq
	}
	return nil
}

// countEdge counts the decisions of one row.
func (h *head) countEdge(edge *edgeRow) {
	if n := edge.source.overflow.Count; n > 0 {
		h.count(tallyKey{tallyDecided, uint8(LimitReached), ReasonReferences}, n, edge.source.overflow.Example)
		h.observed += n
	}
	for _, d := range edge.lines {
		if edge.source.kind == Offer {
			h.count(tallyKey{tallyDecided, uint8(d.was), d.wasFor}, -1, "")
			h.observed--
		}
		h.count(tallyKey{tallyDecided, uint8(d.decision), d.reason}, 1, d.ref.Observed)
		h.observed++
	}
}

// frozenRest goes through the generations beside what they are true of.
type frozenRest struct {
	next func() (*head, error, bool)
	stop func()
	head *head // of the next generation; nil: not read yet
	done bool
}

func (r *Reader) frozenRest(ctx context.Context) *frozenRest {
	next, stop := iter.Pull2(r.frozen(ctx))
	return &frozenRest{next: next, stop: stop}
}

// peek returns the head of the next generation, or nil after the last.
func (g *frozenRest) peek() (*head, error) {
	if g.head == nil && !g.done {
		h, err, ok := g.next()
		if err != nil {
			return nil, err
		}
		g.head, g.done = h, !ok
	}
	return g.head, nil
}

// before compares the generations that were frozen before commit seq with what log
// and edges add up to until then.
func (g *frozenRest) before(seq uint64, again *head, edges *edgeCount, faults *Faults) error {
	for {
		kept, err := g.peek()
		if err != nil || kept == nil || kept.seq >= seq {
			return err
		}
		if err := edges.before(kept.seq+1, again); err != nil {
			return err
		}
		compareHeads("generation "+generationID(kept.name, kept.frozen), again, kept, faults)
		g.head = nil
	}
}

// resultsBefore compares the generations whose last result is before a position with
// what was counted until then.
func (g *frozenRest) resultsBefore(position uint64, sum *head, faults *Faults) error {
	for {
		kept, err := g.peek()
		if err != nil || kept == nil || kept.finish >= position {
			return err
		}
		if kept.finish != sum.finish || kept.results != sum.results || kept.records != sum.records {
			faults.add("generation %s: %d results, %d records and the last at %d are found; %d, %d and %d are kept",
				generationID(kept.name, kept.frozen), sum.results, sum.records, sum.finish, kept.results, kept.records, kept.finish)
		}
		g.head = nil
	}
}

// generations checks that they follow one another, within what the run has.
func (c *checker) generations(ctx context.Context) error {
	last := &head{}
	for h, err := range c.frozen(ctx) {
		if err != nil {
			c.faults.add("%v", err)
			return nil
		}
		if h.frozen != last.frozen+1 || h.seq <= last.seq || h.seq > c.head.seq || h.finish < last.finish || h.name != c.head.name || h.began != c.head.began {
			c.faults.add("generation %s of commit %d follows %d of commit %d; the run %s is at commit %d", generationID(h.name, h.frozen), h.seq, last.frozen, last.seq, c.head.name, c.head.seq)
		}
		if h.held.total != h.limited() {
			c.faults.add("generation %s: %d references are held back, %d by pattern", generationID(h.name, h.frozen), h.limited(), h.held.total)
		}
		last = h
	}
	if last.frozen != c.head.frozen {
		c.faults.add("%d generations are frozen, the run says %d", last.frozen, c.head.frozen)
	}
	return nil
}

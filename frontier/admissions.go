package frontier

import (
	"context"
	"errors"
	"fmt"
	"iter"
)

// ErrNoClaim means that the run has made no such decision: the claim is of another
// run, or of another store. It cannot be mended by trying again.
var ErrNoClaim = errors.New("frontier: the run has made no such claim")

// Admissions yields the decision on every reference of the run, in order: the
// admission ledger. A reference that was decided again appears again, with Source
// Offer. The Counts of all are the references that were observed, less those that
// have a Was.
func (r *Reader) Admissions(ctx context.Context) iter.Seq2[Admission, error] {
	return r.admissions(ctx, ClaimID{})
}

// AdmissionsAfter yields the decisions after one, which it finds at once, however
// many are before it. The zero claim is before the first. It answers ErrNoClaim
// where the run has made no such decision.
func (r *Reader) AdmissionsAfter(ctx context.Context, after ClaimID) iter.Seq2[Admission, error] {
	return func(yield func(Admission, error) bool) {
		if err := r.hasClaim(ctx, after); err != nil {
			yield(Admission{}, err)
			return
		}
		for a, err := range r.admissions(ctx, after) {
			if !yield(a, err) {
				return
			}
		}
	}
}

// hasClaim looks for the source of a claim.
func (r *Reader) hasClaim(ctx context.Context, c ClaimID) error {
	if c == (ClaimID{}) {
		return nil
	}
	first := r.keys.edge(c.Sequence, c.Index, 0)
	for row, err := range r.between(ctx, spaceEdge, first, append(first, 0)) {
		if err != nil {
			return err
		}
		edge, err := decodeEdge(row[1])
		if err != nil {
			return err
		}
		if edge.gen == c.Generation && r.keys.partition == c.Partition {
			return nil
		}
	}
	return fmt.Errorf("read after %s: %w %q", c, ErrNoClaim, r.name)
}

func (r *Reader) admissions(ctx context.Context, after ClaimID) iter.Seq2[Admission, error] {
	return func(yield func(Admission, error) bool) {
		for s, err := range r.edges(ctx, r.keys.edge(after.Sequence, after.Index, 0), end(r.keys.prefix(0))) {
			if err != nil {
				yield(Admission{}, err)
				return
			}
			all, err := r.decisions(ctx, s)
			if err != nil {
				yield(Admission{}, err)
				return
			}
			for _, a := range all {
				if s.ref.seq == after.Sequence && s.ref.source == after.Index && a.Claim.Offset <= after.Offset && after != (ClaimID{}) {
					continue
				}
				if !yield(a, nil) {
					return
				}
			}
		}
	}
}

// An edgeAt is an edge row with its place, and what it owes at its end: the
// references beyond the bound of its page.
type edgeAt struct {
	*edgeRow
	key    []byte
	ref    admissionRef
	size   int // as it is kept
	beyond Overflow
}

// allEdges yields every edge row of the run.
func (r *Reader) allEdges(ctx context.Context) iter.Seq2[edgeAt, error] {
	return r.edges(ctx, r.keys.prefix(0), end(r.keys.prefix(0)))
}

// edges yields the edge rows from a key on, which is that of a source, and before
// last.
func (r *Reader) edges(ctx context.Context, from, last []byte) iter.Seq2[edgeAt, error] {
	return func(yield func(edgeAt, error) bool) {
		var held edgeAt // until it is known whether it is the last of its source
		var beyond Overflow
		for row, err := range r.between(ctx, spaceEdge, from, last) {
			if err != nil {
				yield(edgeAt{}, err)
				return
			}
			edge, err := decodeEdge(row[1])
			if err != nil {
				yield(edgeAt{}, err)
				return
			}
			next := edgeAt{edgeRow: edge, key: row[0], size: len(row[0]) + len(row[1])}
			next.ref, _ = edgeKey(row[0])
			if held.edgeRow != nil {
				if held.ref != next.ref {
					held.beyond, beyond = beyond, Overflow{}
				}
				if !yield(held, nil) {
					return
				}
			}
			if edge.first == 0 {
				beyond = edge.source.overflow
			}
			held = next
		}
		if held.edgeRow != nil {
			held.beyond = beyond
			yield(held, nil)
		}
	}
}

// of is what the decisions of one edge row share.
func (r *Reader) of(e edgeAt) shared {
	return shared{common: r.common, at: e.at, gen: e.gen, ref: e.ref, source: &e.source}
}

// decisions makes the records of one edge row.
func (r *Reader) decisions(ctx context.Context, e edgeAt) ([]Admission, error) {
	refs := make([]Reference, len(e.lines))
	for i := range e.lines {
		refs[i] = e.lines[i].ref
	}
	cs, err := candidates(ctx, r.Normalizer, e.source.base, refs)
	if err != nil {
		return nil, err
	}
	of, slots := r.of(e), e.source.slots
	all := make([]Admission, 0, len(cs)+1)
	for i := range cs {
		d := &e.lines[i]
		all = append(all, of.admission(&cs[i], d, e.first+uint32(i), slots))
		slots += e.source.spends(d)
	}
	if e.beyond.Count > 0 {
		all = append(all, of.beyond(e.beyond))
	}
	return all, nil
}

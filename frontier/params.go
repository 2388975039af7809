package frontier

import (
	"context"

	"github.com/weircrawl/weir/urlnorm"
)

// Params reports the query parameters that no rule of r.Normalizer classes, in the
// references of the run that were admitted, known, or held back by a bound alone.
// It reads every reference of the run once, and its memory is bounded, as the
// report is. With another Normalizer than the run's it says what that one would
// leave unclassed.
func (r *Reader) Params(ctx context.Context) (*urlnorm.ParamReport, error) {
	report := &urlnorm.ParamReport{}
	for row, err := range r.all(ctx, spaceEdge) {
		if err != nil {
			return nil, err
		}
		edge, err := decodeEdge(row[1])
		if err != nil {
			return nil, err
		}
		if edge.source.kind == Offer {
			continue // decided again: it was here before
		}
		cs, err := candidates(ctx, r.Normalizer, edge.source.base, edge.open())
		if err != nil {
			return nil, err
		}
		for i := range cs {
			if cs[i].reject == "" {
				report.Add(cs[i].url)
			}
		}
	}
	return report, nil
}

// open lists the references that no rule holds back.
func (e *edgeRow) open() []Reference {
	refs := make([]Reference, 0, len(e.lines))
	for _, d := range e.lines {
		if d.decision != PolicyStop {
			refs = append(refs, d.ref)
		}
	}
	return refs
}

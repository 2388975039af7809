package frontier

import (
	"context"
	"slices"
	"time"
)

// scan looks through the decisions, from the first on, for references to the URL
// and for what else its pattern holds back.
func (x *explaining) scan(ctx context.Context, o ExplainOptions) error {
	if o.Time < 0 || o.Bytes < 0 {
		return nil
	}
	began, held := time.Now(), suppressed{most: maxTold}
	for e, err := range x.allEdges(ctx) {
		if err != nil {
			return err
		}
		s := &x.is.Scanned
		if s.Bytes+int64(e.size) > o.Bytes || time.Since(began) > o.Time {
			x.is.Held, _ = held.heaviest(0)
			return nil
		}
		s.Rows, s.Bytes, s.References = s.Rows+1, s.Bytes+int64(e.size), s.References+int64(len(e.lines))
		if err := x.row(ctx, e, &held); err != nil {
			return err
		}
	}
	x.is.Scanned.Whole = true
	x.is.Held, _ = held.heaviest(0)
	return nil
}

// row looks through one row.
func (x *explaining) row(ctx context.Context, e edgeAt, held *suppressed) error {
	if e.beyond.Count > 0 {
		x.hold(held, e.source.base, &decided{ref: Reference{Observed: e.beyond.Example}, decision: LimitReached, reason: ReasonReferences}, e.beyond.Count)
	}
	var lines []int
	var refs []Reference
	var found []int
	for i := range e.lines {
		switch d := &e.lines[i]; {
		case x.named(d):
			found = append(found, i)
		case x.mayLead(e.source.kind, d):
			lines, refs = append(lines, i), append(refs, d.ref)
		}
	}
	cs, err := candidates(ctx, x.Normalizer, e.source.base, refs)
	if err != nil {
		return err
	}
	for i := range cs {
		d := &e.lines[lines[i]]
		if x.want.reject == "" && cs[i].reject == "" && cs[i].id == x.want.id {
			found = append(found, lines[i])
		}
		x.hold(held, cs[i].url.Request, d, 1)
	}
	return x.tell(ctx, e, found)
}

// named reports whether a line says itself that it is the URL: it admitted it, or
// what it rejected is written alike.
func (x *explaining) named(d *decided) bool {
	if x.want.reject != "" {
		return !d.keyed() && d.ref.Observed == x.is.Asked
	}
	return x.url != nil && d.decision == Admitted && d.to == x.url.place && d.was == 0
}

// mayLead reports whether only the normalizer can say if a line leads to the URL, or
// if it is held back with it. A URL that was never admitted has no duplicate.
func (x *explaining) mayLead(kind Source, d *decided) bool {
	switch {
	case !d.keyed():
		return false
	case kind == Offer:
		return true // it was held back
	case d.decision == Admitted:
		return false
	case d.decision == Duplicate:
		return x.url != nil
	}
	return true
}

// hold counts a line that is held back under the URL's pattern; what was decided
// again no longer is.
func (x *explaining) hold(held *suppressed, request string, d *decided, n int64) {
	if x.is.Pattern == "" || request == "" || patternOf(request) != x.is.Pattern {
		return
	}
	held.add(&Admission{URL: request, Decision: d.decision, Reason: d.reason, Count: n, Reference: d.ref})
	if d.was != 0 {
		held.add(&Admission{URL: request, Decision: d.was, Reason: d.wasFor, Count: -n, Reference: d.ref})
	}
}

// tell adds the decisions on lines of a row.
func (x *explaining) tell(ctx context.Context, e edgeAt, lines []int) error {
	if len(lines) == 0 {
		return nil
	}
	slices.Sort(lines)
	if e.source.kind != Offer {
		x.is.Seen += int64(len(lines))
	}
	if len(x.is.Decisions) >= maxTold && len(x.is.Observed) >= maxTold {
		return nil
	}
	all, err := x.decisions(ctx, e)
	if err != nil {
		return err
	}
	for _, i := range lines {
		if len(x.is.Decisions) < maxTold {
			x.is.Decisions = append(x.is.Decisions, all[i])
		}
		if form := all[i].Reference.Observed; len(x.is.Observed) < maxTold && !slices.Contains(x.is.Observed, form) {
			x.is.Observed = append(x.is.Observed, form)
		}
	}
	return nil
}

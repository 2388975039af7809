package weir

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/weircrawl/weir/frontier"
)

// A SeedError is returned by Run when seeds were refused: it holds the decision
// on each (the first 1,000). If no seed was admitted to a new run, the run has
// failed {no_seed_admitted}: correct the seeds or the scope, and run again.
// Otherwise the run went on without them, and the receipt that comes with the
// error is whole.
type SeedError struct {
	Refused []frontier.Admission
	Failed  bool // no seed was admitted, and the run is over
}

func (e *SeedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "weir: %d seed(s) refused", len(e.Refused))
	if e.Failed {
		b.WriteString(", none admitted")
	}
	for _, a := range e.Refused {
		fmt.Fprintf(&b, "\n\t%q: %s", a.Reference.Observed, a.Reason)
	}
	return b.String()
}

// ReasonNoSeed is why a run fails none of whose seeds was admitted.
const ReasonNoSeed frontier.Reason = "no_seed_admitted"

// sow offers the seeds. It returns those that were refused apart from the error
// that ends the run.
func (r *run) sow(ctx context.Context, seeds []string) (refused, err error) {
	refs := make([]frontier.Reference, 0, len(seeds)+len(r.cfg.Sitemaps.URLs))
	for _, s := range seeds {
		refs = append(refs, frontier.Reference{Observed: s, Rule: "seed"})
	}
	for _, s := range r.cfg.Sitemaps.URLs {
		refs = append(refs, frontier.Reference{Observed: s, Rule: "sitemap", Hint: true, Priority: 1})
	}
	if len(refs) == 0 {
		return nil, nil
	}
	answer, err := r.f.Enqueue(ctx, frontier.Seed, refs...)
	if errors.Is(err, frontier.ErrStopped) || errors.Is(err, frontier.ErrDone) {
		return nil, nil // as without seeds: the receipt names the bound
	}
	if err != nil {
		return nil, fmt.Errorf("weir: seeds: %w", err)
	}
	if len(answer.Others) == 0 {
		return nil, nil
	}
	seedError := &SeedError{Refused: answer.Others, Failed: r.f.Summary().Admitted() == 0}
	r.cfg.Log.Warn("seeds refused", "count", len(answer.Others), "first", answer.Others[0].Reference.Observed, "reason", answer.Others[0].Reason)
	if !seedError.Failed {
		return seedError, nil
	}
	return nil, errors.Join(seedError, r.f.Fail(ctx, ReasonNoSeed))
}

package frontier

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// Pressure is how an origin stands, for who looks after a run.
type Pressure struct {
	OriginState
	Waiting int64         `json:"waiting"` // URLs that wait for a request
	Delay   time.Duration `json:"delay"`   // between two requests now: the policy's, the site's, and what its answers have made of that
	Policy  Policy        `json:"policy"`  // in force
}

// maxOriginsShown bounds one answer of Origins.
const maxOriginsShown = 10_000

// Origins returns the n origins for which most URLs wait, at most 10,000, the first
// of all first. It reads every origin once, in short batches, and holds n.
func (a Admin) Origins(ctx context.Context, n int) ([]Pressure, error) {
	if n < 1 || n > maxOriginsShown {
		return nil, fmt.Errorf("origins: %w: %d is not between 1 and %d", ErrBadChange, n, maxOriginsShown)
	}
	r := &Reader{store: a.f.cfg.Store, keys: a.f.keys}
	var top []*origin
	for row, err := range r.all(ctx, spaceOrigin) {
		if err != nil {
			return nil, err
		}
		o, err := decodeOrigin(field(row[0], 0), row[1])
		if err != nil {
			return nil, err
		}
		if top = append(top, o); len(top) >= 2*n {
			top = heaviestOrigins(top, n)
		}
	}
	var all []Pressure
	for _, o := range heaviestOrigins(top, n) {
		all = append(all, a.f.pressure(o))
	}
	return all, nil
}

func heaviestOrigins(all []*origin, n int) []*origin {
	slices.SortFunc(all, func(a, b *origin) int {
		return cmp.Or(cmp.Compare(b.live(), a.live()), cmp.Compare(a.text, b.text))
	})
	return all[:min(n, len(all))]
}

func (f *Frontier) pressure(o *origin) Pressure {
	p := f.policy(o.text)
	return Pressure{OriginState: *o.state(), Waiting: o.live(), Delay: o.pace.allowance.Wait(o.terms(p), f.now()), Policy: p}
}

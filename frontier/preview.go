package frontier

import (
	"context"
	"fmt"

	"github.com/weircrawl/weir/storage"
)

// Preview says what would be decided if a reference were offered now: the code that
// decides decides, over what the store holds, and everything is dropped. It claims
// nothing and changes nothing, and works on a run that goes on, has stopped or is
// over. The answer has no Claim and no Cursor. It rests on Reader.Normalizer and
// Reader.Policy.
func (r *Reader) Preview(ctx context.Context, s Source, ref Reference) (Admission, error) {
	if err := admits(s); err != nil {
		return Admission{}, fmt.Errorf("preview: %w", err)
	}
	f, err := r.imagined(ctx)
	if err != nil {
		return Admission{}, fmt.Errorf("preview: %w", err)
	}
	cs, err := candidates(ctx, f.cfg.Normalizer, "", []Reference{ref})
	if err != nil {
		return Admission{}, err
	}
	if err := f.joined(ctx, &cs[0]); err != nil {
		return Admission{}, fmt.Errorf("preview: %w", err)
	}
	t := f.begin(ctx)
	var a Admission
	err = t.lookUp(cs)
	if err == nil {
		_, err = t.decideAll(source{kind: s}, cs, nil, func(s *source, c *candidate, d decided, at admissionRef) error {
			a = t.admission(s, c, d, at)
			return nil
		})
	}
	if err != nil {
		return Admission{}, fmt.Errorf("preview: %w", err)
	}
	a.Claim, a.Cursor = ClaimID{}, ""
	return a, nil
}

// admits refuses the sources that the frontier alone admits by.
func admits(s Source) error {
	if s == Redirect || s == Offer {
		return fmt.Errorf("the frontier alone admits by %s; name another source", s)
	}
	return nil
}

// imagined is a frontier over the run's rows that nothing writes for.
func (r *Reader) imagined(ctx context.Context) (*Frontier, error) {
	h, err := readHead(ctx, r.store, r.keys)
	if err != nil {
		return nil, err
	}
	f := newFrontier(Config{Store: r.store, Normalizer: r.Normalizer, Policy: r.Policy, InScope: r.InScope, Cache: 1}.withDefaults())
	if err := sameNormalizer(h, f.cfg.Normalizer); err != nil {
		return nil, err
	}
	f.head, f.keys = h, r.keys
	f.forget()
	return f, f.loadPolicies(ctx)
}

// joined reads whether a seed has brought the candidate's host into the scope.
func (f *Frontier) joined(ctx context.Context, c *candidate) error {
	if c.reject != "" {
		return nil
	}
	host := hostPort(c.url.Origin)
	got, err := f.cfg.Store.Read(ctx, storage.ReadRequest{Space: spaceScope, Keys: [][]byte{f.keys.scope(host)}})
	if err != nil {
		return fmt.Errorf("read scope: %w", err)
	}
	f.hosts[host] = got[0].Values[0] != nil
	return nil
}

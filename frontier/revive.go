package frontier

import (
	"context"
	"fmt"
	"slices"
)

// offerAgain makes the run owe all that is held back a new decision: by a bound, where
// one was raised, also by scope and policy, where they have changed.
func (t *tx) offerAgain(since offerKind) error {
	return t.offer(offer{kind: since, to: admissionRef{seq: t.seq}})
}

// offering lists the bounds that hold references back: raising one offers them.
var offering = []Reason{ReasonURLs, ReasonHints, ReasonOrigins, ReasonDepth, ReasonPattern}

// offers reports whether raising one of some bounds may admit something.
func offers(raised []Reason) bool {
	return slices.ContainsFunc(raised, func(r Reason) bool { return slices.Contains(offering, r) })
}

// mayRevive declines where a run is over for good: it was cancelled or has failed, or
// a later one has begun.
func (t *tx) mayRevive() error {
	h := t.f.head
	switch {
	case !h.phase.Terminal():
		return nil
	case h.phase != Finished:
		return decline("%w: run %q is %s", ErrRunFinished, h.name, h.phase)
	case t.f.book.latest != h.number:
		return decline("%w: run %q has been followed by another", ErrRunFinished, h.name)
	}
	return nil
}

// revive makes the newest finished run go on: it is active again, and its end will
// freeze another generation.
func (t *tx) revive(why Reason) error {
	h := t.f.head
	if !h.phase.Terminal() {
		return nil
	}
	t.f.book.active = h.number
	to := Running
	if t.f.attended {
		to = Stopped
	}
	return t.run(entry{phase: to, reason: why})
}

// RaisedBy reports whether b raises a bound that holds references of the run back, so
// that opening it by its name with b goes on with it, also where it has finished.
func (s Summary) RaisedBy(b Budget) bool {
	_, raised := s.Limit.raised(b)
	for _, t := range s.Decided {
		if t.Decision != LimitReached || t.Count <= 0 {
			continue
		}
		if slices.Contains(raised, t.Reason) && slices.Contains(offering, t.Reason) {
			return true
		}
	}
	return false
}

// newest reads the newest run for an operator, or ErrNoRun.
func (f *Frontier) newest(ctx context.Context, named uint32) (*head, error) {
	switch {
	case f.book.latest == 0, named == 0 && f.cfg.Run != "":
		return nil, fmt.Errorf("%w: %q", ErrNoRun, f.cfg.Run)
	case named != 0 && named != f.book.latest:
		return nil, f.isOver(ctx)
	}
	h, err := readHead(ctx, f.cfg.Store, keys{run: f.book.latest})
	if err != nil {
		return nil, err
	}
	return h, sameNormalizer(h, f.cfg.Normalizer)
}

// revivable reads the run of this number if it is the newest, has finished, and given
// raises what it holds back; nil: it is over.
func (f *Frontier) revivable(ctx context.Context, named uint32, given Budget) (*head, error) {
	if named != f.book.latest {
		return nil, nil
	}
	h, err := readHead(ctx, f.cfg.Store, keys{run: named})
	if err != nil || h.phase != Finished || !h.summary().RaisedBy(given) {
		return nil, err
	}
	return h, sameNormalizer(h, f.cfg.Normalizer)
}

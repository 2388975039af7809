package frontier

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/urlnorm"
)

// ReasonReopened is why a URL that had ended is queued again.
const ReasonReopened Reason = "reopened"

// A Filter chooses URLs that have ended. States must name at least one; another zero
// field chooses all.
type Filter struct {
	States  []State        `json:"states"`            // Done, Refused, Failed, Cancelled
	Reasons []Reason       `json:"reasons,omitempty"` // their words, without what follows a colon
	Origin  urlnorm.Origin `json:"origin,omitempty"`
	Site    string         `json:"site,omitempty"`    // registrable domain
	Pattern string         `json:"pattern,omitempty"` // as weir prints them
}

const maxFilter = 8 * kib

// Validate returns every fault of w.
func (w Filter) Validate() error {
	var faults []error
	if len(w.States) == 0 {
		faults = append(faults, errors.New("filter: States is empty; name what is to be reopened: failed, refused, done or cancelled"))
	}
	for _, s := range w.States {
		if !s.Terminal() || int(s) >= len(stateNames) {
			faults = append(faults, fmt.Errorf("filter: a URL that is %q has not ended", s))
		}
	}
	for _, r := range w.Reasons {
		if r == "" || r != r.Word() {
			faults = append(faults, fmt.Errorf("filter: reason %.80q; name the word before the colon", r))
		}
	}
	if text, _ := json.Marshal(w); len(text) > maxFilter {
		faults = append(faults, fmt.Errorf("filter: it takes %d bytes; %d are allowed", len(text), maxFilter))
	}
	return errors.Join(faults...)
}

// takes reports whether w chooses u, which is of o.
func (w *Filter) takes(o *origin, u *urlRow) bool {
	switch {
	case !slices.Contains(w.States, u.state):
	case len(w.Reasons) > 0 && !slices.Contains(w.Reasons, u.reason.Word()):
	case w.Origin != "" && w.Origin != o.text:
	case w.Site != "" && w.Site != o.text.Site():
	case w.Pattern != "" && w.Pattern != patternOf(u.url):
	default:
		return true
	}
	return false
}

// Reopen queues the URLs that w chooses for a new visit, with all its attempts and
// without a slot of the budget: their results stand until the next ones supersede
// them. An origin that has ended gets another chance. It goes through the run in
// pieces while that goes on, and needs no memory; Summary.Offers says whether it is
// through. The newest finished run goes on with it.
func (a Admin) Reopen(ctx context.Context, w Filter, why string) error {
	if err := w.Validate(); err != nil {
		return fmt.Errorf("%s: %w: %w", ChangeReopen, ErrBadChange, err)
	}
	s := Subject{Origin: w.Origin, Site: w.Site}
	return a.change(ctx, ChangeReopen, s, why, func(t *tx) (any, any, error) {
		if err := t.mayRevive(); err != nil {
			return nil, nil, err
		}
		o := offer{kind: offerReopen, filter: &w}
		if w.Origin != "" {
			is, err := t.originOf(candidateOf(w.Origin))
			if err != nil {
				return nil, nil, err
			}
			if is == nil {
				return nil, nil, decline("%w", ErrUnknownOrigin)
			}
			o.origin = is.id
		}
		if err := t.revive(ReasonReopened); err != nil {
			return nil, nil, err
		}
		return nil, w, t.offer(o)
	})
}

// candidateOf stands for an origin alone.
func candidateOf(o urlnorm.Origin) *candidate { return &candidate{url: urlnorm.URL{Origin: o}} }

// reopenPiece looks at the next URLs, of one origin where w names one.
func (t *tx) reopenPiece(w *offer) (bool, error) {
	f := t.f
	last := end(f.keys.prefix(0))
	if w.origin != 0 {
		last = end(f.keys.origin(w.origin))
		w.parent.origin = w.origin
	}
	from := f.keys.url(place{w.parent.origin, w.parent.n + 1})
	got, err := f.cfg.Store.Read(t.ctx, storage.ReadRequest{Space: spaceURL, From: from, To: last, Limit: endPiece})
	if err != nil {
		return false, fmt.Errorf("read urls: %w", err)
	}
	for i, key := range got[0].Keys {
		w.parent = place{field(key, 0), field(key, 1)}
		u, err := t.rowOf(w.parent, got[0].Values[i])
		if err != nil {
			return false, err
		}
		if err := t.reopen(w.filter, u); err != nil {
			return false, err
		}
	}
	return len(got[0].Keys) < endPiece, nil
}

// reopen begins a new visit of u, if w chooses it.
func (t *tx) reopen(w *Filter, u *urlRow) error {
	if !slices.Contains(w.States, u.state) {
		return nil
	}
	o, err := t.loadOrigin(u.place.origin)
	if err != nil || o == nil || !w.takes(o, u) {
		return err
	}
	if o.pace.gate.state == gateEnded {
		if err := t.gateDo(o, Reopen, ReasonReopened, entry{}, func(g *gate) { g.state, g.attempts, g.losses = gateClosed, 0, 0 }); err != nil {
			return err
		}
	}
	e := u.entry(Reopen, ReasonReopened, t.policyOf(o).Version)
	e.attempts, e.losses, e.busies, e.handlers, e.hop = 0, 0, 0, 0, 0
	e.ready, e.stored = t.now, nil
	if err := t.do(e); err != nil {
		return err
	}
	o.fresh = true
	t.f.rouse(o, t.now)
	return nil
}

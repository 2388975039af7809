package frontier

import (
	"fmt"

	"github.com/weircrawl/weir/storage"
)

// repauseNow brings what s is about to the policy that is in force since just now: an
// origin, which is o, in this commit; a site or the run in pieces, right after it. No
// lease passes a pause until its origin has noticed.
func (t *tx) repauseNow(s Subject, o *origin) error {
	if o != nil {
		return t.repauseOrigin(o)
	}
	return t.offer(offer{kind: offerPause})
}

// repauseOrigin is one transition of o, if its policy pauses it now and did not, or
// the reverse.
func (t *tx) repauseOrigin(o *origin) error {
	if t.pauseOf(o) == o.pace.pause {
		return nil
	}
	if err := t.paused(o); err != nil {
		return err
	}
	if o.pace.pause == "" {
		delete(t.f.paused, o.id)
		t.f.rouse(o, t.now)
	}
	return nil
}

// pausePiece looks at the next origins.
func (t *tx) pausePiece(w *offer) (bool, error) {
	f := t.f
	from := append(f.keys.origin(w.origin), 0)
	got, err := f.cfg.Store.Read(t.ctx, storage.ReadRequest{Space: spaceOrigin, From: from, To: end(f.keys.prefix(0)), Limit: endPiece})
	if err != nil {
		return false, fmt.Errorf("read origins: %w", err)
	}
	for _, key := range got[0].Keys {
		w.origin = field(key, 0)
		o, err := t.loadOrigin(w.origin)
		if err != nil {
			return false, err
		}
		if o == nil {
			continue
		}
		if err := t.repauseOrigin(o); err != nil {
			return false, err
		}
	}
	return len(got[0].Keys) < endPiece, nil
}

// whyPaused is why a run stops of which only paused work is left.
func (t *tx) whyPaused() Reason {
	why := Reason(t.f.operators().table.Default.Paused)
	var first *origin
	for id := range t.f.paused {
		if o := t.f.origins[id]; o != nil && (first == nil || o.text < first.text) {
			first = o
		}
	}
	if why == "" && first != nil {
		why = first.pace.pause
	}
	if why == "" {
		return ReasonPaused
	}
	return cleanReason(ReasonPaused + ": " + why)
}

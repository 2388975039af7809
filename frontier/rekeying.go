package frontier

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/weircrawl/weir/internal/codec"
	"github.com/weircrawl/weir/storage"
)

// rekeying is how far a run has replayed an earlier one. It is the run's row in
// rekey, and committed with the decisions that it counts.
type rekeying struct {
	earlier uint32 // number of the earlier run
	at      toldAt
	Rekeyed

	told *told // reads the earlier run from at on; nil: not yet
}

// pending reports whether the earlier run is not replayed to its end. Until then
// nothing is leased: it may be answered already.
func (k *rekeying) pending() bool { return k != nil && !k.Done }

func (k *rekeying) encode() []byte {
	w := codec.NewWriter(rowVersion, nil)
	w.Uint(uint64(k.earlier))
	k.at.write(w)
	report, _ := json.Marshal(k.Rekeyed) // plain values: it cannot fail
	w.Bytes(report)
	return w.Seal()
}

func decodeRekeying(v []byte) (*rekeying, error) {
	r := codec.NewReader(v, rowVersion)
	k := &rekeying{earlier: uint32(r.Uint()), at: readToldAt(r)}
	report := r.Bytes()
	if err := r.Close(); err != nil {
		return nil, damaged(spaceRekey, err)
	}
	return k, damaged(spaceRekey, json.Unmarshal(report, &k.Rekeyed))
}

// readRekeying returns the run's row in rekey, or nil.
func readRekeying(ctx context.Context, s storage.Store, k keys) (*rekeying, error) {
	got, err := s.Read(ctx, storage.ReadRequest{Space: spaceRekey, Keys: [][]byte{k.head()}})
	if err != nil {
		return nil, fmt.Errorf("frontier: read rekey: %w", err)
	}
	if got[0].Values[0] == nil {
		return nil, nil
	}
	return decodeRekeying(got[0].Values[0])
}

// beginRekey makes the new run owe the replay of the earlier one, after all else
// that it may owe: what a replayed decision brings about comes before the next.
func (t *tx) beginRekey() error {
	f := t.f
	f.rekey = &rekeying{earlier: f.earlier.number, Rekeyed: Rekeyed{Run: f.head.name, From: f.earlier.name,
		Normalizer: f.head.contract.Normalizer, Was: f.earlier.contract.Normalizer, Total: f.earlier.observed}}
	t.put(spaceRekey, f.keys.head(), f.rekey.encode())
	last := offer{kind: offerRekey}
	t.put(spaceOffer, f.keys.chunk(math.MaxUint64, 0), last.encode())
	return t.run(entry{offers: 1})
}

// rekeyLines is how many lines of the earlier run's log are looked at in one
// commit.
const rekeyLines = 10_000

// rekeyPiece replays the next part of the earlier run, and reports whether it was
// the last. It ends early where a decision has made the run owe something.
func (t *tx) rekeyPiece() (bool, error) {
	k := t.f.rekey
	if k == nil {
		return false, damaged(spaceOffer, fmt.Errorf("run %q was not rekeyed, and owes it", t.f.head.name))
	}
	if k.told == nil {
		k.told = newTold(t.f.cfg.Store, keys{run: k.earlier}, k.at)
	}
	h, room, owed := t.f.head, t.f.cfg.Store.Limits().Batch/8, t.owed
	last := h.observed + offerPiece
	for range rekeyLines {
		if h.observed >= last || t.bytes+t.weight >= room || t.owed > owed {
			break
		}
		next, err := k.told.next(t.ctx)
		if err != nil {
			return false, err
		}
		if k.Done = next.last; k.Done {
			break
		}
		k.Read += next.read
		if err := t.replay(next); err != nil {
			return false, err
		}
	}
	k.at = k.told.at
	k.count(h)
	t.put(spaceRekey, t.f.keys.head(), k.encode())
	return k.Done, nil
}

// count takes over what the run's references came to.
func (k *rekeying) count(h *head) {
	k.Admitted, k.Duplicates, k.Limited, k.Stopped = 0, 0, 0, 0
	for key, n := range h.tallies {
		if key.kind != tallyDecided {
			continue
		}
		switch Decision(key.code) {
		case Admitted:
			k.Admitted += n.count
		case Duplicate:
			k.Duplicates += n.count
		case LimitReached, DeferredBudget:
			k.Limited += n.count
		case PolicyStop:
			k.Stopped += n.count
		}
	}
}

// note compares what became of a reference with what it was before.
func (t *tx) note(was Decision, c *candidate, d decided) error {
	k := t.f.rekey
	switch {
	case was == Duplicate && d.decision == Admitted:
		if k.Split++; len(k.SplitOff) < maxExamples {
			k.SplitOff = append(k.SplitOff, clipText(c.url.Request, maxDetail))
		}
	case was == Admitted && d.decision == Duplicate:
		if k.Merged++; len(k.MergedAs) < maxExamples {
			u, err := t.peek(d.to)
			if err != nil {
				return err
			}
			k.MergedAs = append(k.MergedAs, Merger{URL: clipText(c.url.Request, maxDetail), Into: clipText(u.url, maxDetail)})
		}
	}
	return nil
}

// rekeys is how many rows the run has in rekey.
func (h *head) rekeys() int64 {
	if h.contract.From == "" {
		return 0
	}
	return 1
}

// rekeying compares the run's row in rekey with what it counts.
func (c *checker) rekeying(ctx context.Context) error {
	k, err := readRekeying(ctx, c.store, c.keys)
	if err != nil || k == nil {
		return err // orphans has said that it is absent
	}
	terms := &c.head.contract
	if k.Run != c.head.name || k.From != terms.From || k.Normalizer != terms.Normalizer {
		c.faults.add("rekey: it made %q of %q under %q, the run is %q of %q under %q", k.Run, k.From, k.Normalizer, c.head.name, terms.From, terms.Normalizer)
	}
	if k.pending() != c.owed {
		c.faults.add("rekey: pending is %v, and owed %v", k.pending(), c.owed)
	}
	if k.Carried != c.carry {
		c.faults.add("rekey: %d answers are carried, and %d results", k.Carried, c.carry)
	}
	return nil
}

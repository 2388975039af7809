package frontier

import (
	"encoding/json"
	"fmt"

	"github.com/weircrawl/weir/internal/codec"
	"github.com/weircrawl/weir/storage"
)

// offer is work that the run owes: references to be decided again, the URLs of an
// ended origin, those that an operator reopens, or origins whose policy has changed.
// It is done in pieces, one a commit.
type offer struct {
	kind   offerKind
	origin uint64       // offerEnd
	n      uint64       // offerEnd: ordinals up to this one are done
	from   admissionRef // offerSource, offerRaised: the next source
	to     admissionRef // the last one
	chunk  uint32       // of from: the next one
	depth  uint32       // offerSource: of its references now
	parent place        // offerSource; offerReopen: done up to this one
	filter *Filter      // offerReopen
	key    []byte       // of its row; nil: not written yet
}

type offerKind uint8

const (
	offerEnd     offerKind = iota + 1 // an origin's URLs end
	offerSource                       // one source's references, whose depth has been lowered
	offerRaised                       // every reference that a bound holds back
	offerRekey                        // what an earlier run was told; its row in rekey says how far
	offerReopen                       // URLs that have ended and that a filter chooses
	offerChanged                      // every reference that a bound, the scope or a policy holds back
	offerPause                        // every origin, since a policy has changed
)

const (
	offerPiece = 1_000 // references decided again in one commit
	endPiece   = 500   // rows looked at in one commit
	edgePiece  = 16    // edge rows read at once
)

// offer adds o to what the run owes.
func (t *tx) offer(o offer) error {
	o.key = t.f.keys.chunk(t.seq, t.owed)
	t.owed++
	t.put(spaceOffer, o.key, o.encode())
	return t.run(entry{offers: 1})
}

// offerVersion2 is the version of an offer's row with a filter.
const offerVersion2 = 2

func (o *offer) encode() []byte {
	version := byte(rowVersion)
	if o.filter != nil {
		version = offerVersion2
	}
	w := codec.NewWriter(version, nil)
	w.Byte(byte(o.kind))
	w.Fixed(o.origin)
	w.Fixed(o.n)
	o.from.write(w)
	o.to.write(w)
	w.Uint(uint64(o.chunk))
	w.Uint(uint64(o.depth))
	w.Fixed(o.parent.origin)
	w.Fixed(o.parent.n)
	if o.filter != nil {
		text, _ := json.Marshal(o.filter) // plain values: it cannot fail
		w.Bytes(text)
	}
	return w.Seal()
}

func decodeOffer(key, v []byte) (*offer, error) {
	r := codec.NewReader(v, offerVersion2)
	o := &offer{key: key, kind: offerKind(r.Byte()), origin: r.Fixed(), n: r.Fixed(), from: readRef(r), to: readRef(r),
		chunk: uint32(r.Uint()), depth: uint32(r.Uint()), parent: place{r.Fixed(), r.Fixed()}}
	if r.Version < offerVersion2 {
		return o, damaged(spaceOffer, r.Close())
	}
	text := r.Bytes()
	if err := r.Close(); err != nil {
		return o, damaged(spaceOffer, err)
	}
	return o, damaged(spaceOffer, json.Unmarshal(text, &o.filter))
}

// serve does one piece of the first offer.
func (t *tx) serve() error {
	f := t.f
	if f.head.offers == 0 || f.head.phase != Running {
		return nil
	}
	prefix := f.keys.prefix(0)
	got, err := f.cfg.Store.Read(t.ctx, storage.ReadRequest{Space: spaceOffer, From: prefix, To: end(prefix), Limit: 1})
	if err != nil {
		return fmt.Errorf("read offers: %w", err)
	}
	if len(got[0].Keys) == 0 && t.owed > 0 {
		return nil // it is in this group
	}
	if len(got[0].Keys) == 0 {
		return damaged(spaceOffer, fmt.Errorf("%d offers are owed and none is there", f.head.offers))
	}
	o, err := decodeOffer(got[0].Keys[0], got[0].Values[0])
	if err != nil {
		return err
	}
	var done bool
	switch o.kind {
	case offerEnd:
		done, err = t.endPiece(o)
	case offerSource, offerRaised, offerChanged:
		done, err = t.edgePiece(o)
	case offerRekey:
		done, err = t.rekeyPiece()
	case offerReopen:
		done, err = t.reopenPiece(o)
	case offerPause:
		done, err = t.pausePiece(o)
	}
	if err != nil {
		return err
	}
	if done {
		t.drop(spaceOffer, o.key)
		return t.run(entry{offers: -1})
	}
	t.put(spaceOffer, o.key, o.encode())
	return nil
}

// endPiece ends the next URLs of an ended origin.
func (t *tx) endPiece(w *offer) (bool, error) {
	o, err := t.originAt(w.origin)
	if err != nil || o.pace.gate.state != gateEnded {
		return true, err
	}
	f := t.f
	req := storage.ReadRequest{Space: spaceURL, From: f.keys.url(place{w.origin, w.n + 1}), To: end(f.keys.origin(w.origin)), Limit: endPiece}
	got, err := f.cfg.Store.Read(t.ctx, req)
	if err != nil {
		return false, fmt.Errorf("read queue: %w", err)
	}
	for i, key := range got[0].Keys {
		p := place{w.origin, field(key, 1)}
		w.n = p.n
		u, err := t.rowOf(p, got[0].Values[i])
		if err == nil {
			err = t.endURL(o, u)
		}
		if err != nil {
			return false, err
		}
	}
	return len(got[0].Keys) < endPiece, nil
}

// endURL ends one URL as its origin has ended.
func (t *tx) endURL(o *origin, u *urlRow) error {
	if u.state != Queued && u.state != Waiting {
		return nil
	}
	ev, outcome := Refuse, OutcomeRefused
	if o.pace.gate.ends == Failed {
		ev, outcome = Fail, OutcomeFailed
	}
	e := u.entry(ev, o.pace.gate.reason, t.policyOf(o).Version)
	e.ready, e.stored = 0, nil
	t.result(&Completion{Outcome: outcome}, u, o, e, o.pace.gate.ends)
	return t.do(e)
}

// edgePiece decides the next references again.
func (t *tx) edgePiece(w *offer) (bool, error) {
	k := t.f.keys
	last := end(k.chunk(w.to.seq, w.to.source))
	from, count := k.edge(w.from.seq, w.from.source, w.chunk), 0
	for count < offerPiece {
		got, err := t.f.cfg.Store.Read(t.ctx, storage.ReadRequest{Space: spaceEdge, From: from, To: last, Limit: edgePiece})
		if err != nil {
			return false, fmt.Errorf("read edges: %w", err)
		}
		for i, key := range got[0].Keys {
			n, err := t.offerChunk(w, key, got[0].Values[i])
			if err != nil {
				return false, err
			}
			count += n
			from = append(append([]byte(nil), key...), 0)
			w.from, w.chunk = edgeKey(key)
			w.chunk++
			if count >= offerPiece {
				return false, nil
			}
		}
		if len(got[0].Keys) < edgePiece {
			return true, nil
		}
	}
	return false, nil
}

func edgeKey(key []byte) (admissionRef, uint32) {
	return admissionRef{seq: field(key, 0), source: beUint32(key[14:])}, beUint32(key[18:])
}

// offerChunk decides again what one edge row holds back, and lowers the depth
// of what it had admitted; it returns how many references it looked at.
func (t *tx) offerChunk(w *offer, key, value []byte) (int, error) {
	row, err := decodeEdge(value)
	if err != nil {
		return 0, err
	}
	s := row.source
	if s.depth, err = t.depthNow(w, row); err != nil {
		return 0, err
	}
	moved, err := t.moved(key)
	if err != nil {
		return 0, err
	}
	var again []Reference
	var olds []old
	for i, d := range row.lines {
		held := (d.decision == LimitReached || w.kind == offerChanged && d.revisable()) && !moved.has(i)
		if held || w.kind == offerSource && (d.decision == Admitted || d.decision == Duplicate) {
			again = append(again, d.ref)
			olds = append(olds, old{decision: d.decision, reason: d.reason, line: i})
		}
	}
	if len(again) == 0 {
		return 0, nil
	}
	cs, err := candidates(t.ctx, t.f.cfg.Normalizer, s.base, again)
	if err != nil {
		return 0, err
	}
	if err := t.lookUp(cs); err != nil {
		return 0, err
	}
	s.again, _ = edgeKey(key)
	s.first = s.named()
	s.kind, s.overflow = Offer, Overflow{}
	if _, err = t.decideAll(s, cs, olds, nil); err != nil {
		return 0, err
	}
	return len(again), t.markMoved(key, moved, olds)
}

// movedLines are the lines of one edge row that no bound holds back any more,
// as bits: each is decided again at most until then, so that its counts move
// once.
type movedLines []byte

func (m movedLines) has(line int) bool { return line/8 < len(m) && m[line/8]&(1<<(line%8)) != 0 }

// moved reads the marks of an edge row.
func (t *tx) moved(key []byte) (movedLines, error) {
	got, err := t.f.cfg.Store.Read(t.ctx, storage.ReadRequest{Space: spaceMoved, Keys: [][]byte{key}})
	if err != nil {
		return nil, fmt.Errorf("read moved lines: %w", err)
	}
	return decodeMoved(got[0].Values[0])
}

func decodeMoved(v []byte) (movedLines, error) {
	if v == nil {
		return nil, nil
	}
	r := codec.NewReader(v, rowVersion)
	m := movedLines(r.Bytes())
	return m, damaged(spaceMoved, r.Close())
}

func (t *tx) markMoved(key []byte, m movedLines, olds []old) error {
	changed := false
	for _, o := range olds {
		if !o.moved {
			continue
		}
		for o.line/8 >= len(m) {
			m = append(m, 0)
		}
		m[o.line/8] |= 1 << (o.line % 8)
		changed = true
	}
	if changed {
		w := codec.NewWriter(rowVersion, nil)
		w.Bytes(m)
		t.put(spaceMoved, key, w.Seal())
	}
	return nil
}

// isTarget reports whether a row is where the redirect of an answer leads that no
// page has taken over. Only a Rekey writes such rows.
func (row *edgeRow) isTarget() bool {
	return row.source.named() == Link && row.source.gen == 0 && len(row.lines) == 1 && row.lines[0].ref.Rule == ruleRedirect
}

// depthNow is the depth that a source's references have now.
func (t *tx) depthNow(w *offer, row *edgeRow) (uint32, error) {
	s := &row.source
	if w.kind == offerSource {
		if s.named() == Redirect {
			return w.depth - 1, nil
		}
		return w.depth, nil
	}
	if s.parent == (place{}) {
		return s.depth, nil
	}
	u, err := t.peek(s.parent)
	if err != nil {
		return 0, err
	}
	if s.named() == Redirect || row.isTarget() {
		return u.depth, nil
	}
	return u.depth + 1, nil
}

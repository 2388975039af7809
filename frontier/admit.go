package frontier

import (
	"fmt"
	"strings"

	"github.com/weircrawl/weir/internal/codec"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/urlnorm"
)

// sourceOf begins the source of what u's response refers to.
func (t *tx) sourceOf(u *urlRow, kind Source, depth uint32, hop uint8) source {
	return source{kind: kind, parent: u.place, gen: u.gen, base: u.url, depth: depth, hop: hop}
}

// old is what an offer decides again.
type old struct {
	decision Decision
	reason   Reason
	line     int  // in its row
	moved    bool // no bound holds it back any more
}

// revisable reports whether a raised bound, or a changed scope or policy, may change
// a decision.
func (o *old) revisable() bool {
	d := decided{decision: o.decision, reason: o.reason}
	return d.revisable()
}

func (d *decided) revisable() bool {
	why := d.reason.Word()
	return d.decision == LimitReached || d.decision == PolicyStop && (why == ReasonScope || why == ReasonDisallowed)
}

// decision is told what became of one reference.
type decision func(s *source, c *candidate, d decided, at admissionRef) error

// decideAll decides every reference of a source, in order, and writes the
// source's edge rows. With olds it decides again: a line is written for each
// reference that no bound holds back any more, and its counts move. each, if not
// nil, is told every decision.
func (t *tx) decideAll(s source, cs []candidate, olds []old, each decision) (admissionRef, error) {
	h := t.f.head
	s.limit, s.slots = h.contract.Budget.URLs, h.slots
	s.policy = t.f.policy("").Version
	at := admissionRef{seq: t.seq, source: t.sources}
	t.sources++
	edges := newEdgeWriter(t.now, t.f.fence.Generation, edgeVersionOf(cs), s, &t.f.room)
	if n := s.overflow.Count; n > 0 {
		h.observed += n
		h.count(tallyKey{tallyDecided, uint8(LimitReached), ReasonReferences}, n, s.overflow.Example)
		h.hold(LimitReached, ReasonReferences, n, s.base, s.overflow.Example)
	}
	for i := range cs {
		at.offset, s.slots = edges.lines, h.slots
		d, err := t.decide(&s, &cs[i], at)
		if err != nil {
			return at, err
		}
		if olds != nil {
			if d.decision == olds[i].decision || !olds[i].revisable() {
				continue // as it was
			}
			olds[i].moved = true
			d.was, d.wasFor = olds[i].decision, olds[i].reason
			h.count(tallyKey{tallyDecided, uint8(d.was), d.wasFor}, -1, "")
			h.hold(d.was, d.wasFor, -1, cs[i].url.Request, "")
			h.observed--
		}
		h.observed++
		h.count(tallyKey{tallyDecided, uint8(d.decision), d.reason}, 1, cs[i].ref.Observed)
		h.hold(d.decision, d.reason, 1, cs[i].url.Request, cs[i].ref.Observed)
		edges.add(d)
		if each == nil {
			continue
		}
		if err := each(&s, &cs[i], d, at); err != nil {
			return at, err
		}
	}
	if edges.lines > 0 || olds == nil {
		t.putEdges(at.source, edges.finish())
	}
	at.offset = 0
	return at, nil
}

// admission is a decision as its caller sees it: as the ledger will say.
func (t *tx) admission(s *source, c *candidate, d decided, at admissionRef) Admission {
	of := shared{common: t.f.head.common(t.f.keys), at: t.now, gen: t.f.fence.Generation, ref: at, source: s}
	return of.admission(c, &d, at.offset, s.slots)
}

// lookUp brings what the store knows of the candidates' identities into memory,
// in two reads at most. Identities that memory knows are not read.
func (t *tx) lookUp(sources ...[]candidate) error {
	if t.found == nil {
		t.found = map[identity]known{}
	}
	var ids []identity
	var places []place
	var want [][]byte
	for _, cs := range sources {
		for i := range cs {
			c := &cs[i]
			if !t.unknown(c) {
				continue
			}
			t.found[c.id] = known{}
			ids, want = append(ids, c.id), append(want, t.f.keys.dedupe(c.origin, c.id))
			places = append(places, place{origin: c.origin})
		}
	}
	if len(want) == 0 {
		return nil
	}
	got, err := t.f.cfg.Store.Read(t.ctx, storage.ReadRequest{Space: spaceDedupe, Keys: want})
	if err != nil {
		return fmt.Errorf("read identities: %w", err)
	}
	var have []place
	var haveIDs []identity
	for i, v := range got[0].Values {
		if v == nil {
			continue
		}
		n, err := decodeDedupe(v)
		if err != nil {
			return err
		}
		have, haveIDs = append(have, place{places[i].origin, n}), append(haveIDs, ids[i])
	}
	if err := t.fetchURLs(have); err != nil {
		return err
	}
	for i, p := range have {
		u, err := t.peek(p)
		if err != nil {
			return err
		}
		t.f.ids.put(haveIDs[i], known{n: p.n, form: t.f.formOf(u.url), rank: ranked(u.class, u.depth)})
	}
	return nil
}

// decodeDedupe is the ordinal of an identity.
func decodeDedupe(v []byte) (uint64, error) {
	r := codec.NewReader(v, rowVersion)
	class := r.Byte()
	n := ordinal(class, r.Uint())
	return n, damaged(spaceDedupe, r.Close())
}

// unknown reports whether only the store can say if c is new.
func (t *tx) unknown(c *candidate) bool {
	if c.reject != "" || c.ref.Refused != "" || t.f.ids.whole {
		return false
	}
	if _, ok := t.f.ids.get(c.id); ok {
		return false
	}
	_, ok := t.found[c.id]
	return !ok
}

// decide gives one reference its disposition. Deduplication, the comparison
// with the budget and the claim are one step, in one commit.
func (t *tx) decide(s *source, c *candidate, at admissionRef) (decided, error) {
	d := decided{ref: c.ref, decision: PolicyStop}
	switch {
	case c.reject != "":
		d.reason = c.reject
		return d, nil
	case c.ref.Refused != "":
		d.reason = cleanReason(c.ref.Refused)
		return d, nil
	}
	if k, ok := t.f.ids.get(c.id); ok {
		d.decision, d.reason = Duplicate, t.f.whyKnown(c, k)
		d.to = place{c.origin, k.n}
		return d, t.repeat(s, c, k)
	}
	return t.decideNew(s, c, at, d)
}

func (t *tx) decideNew(s *source, c *candidate, at admissionRef, d decided) (decided, error) {
	f, h := t.f, t.f.head
	b := &h.contract.Budget
	joins := false
	if !f.takes(c.url) {
		joins = s.named() == Seed && h.contract.Seeds && !h.scope().bars(c.url) && f.agrees(c.url)
		if d.reason = ReasonScope; !joins {
			return d, nil
		}
	}
	p := f.policy(c.url.Origin)
	if d.reason = t.disallowed(p, c.url.Origin, c.url.Request, c.url.Key.Text); d.reason != "" {
		return d, nil
	}
	d.decision = LimitReached
	if h.slots > b.URLs { // something is wrong: an operator must look, and raise the limit
		d.reason = ReasonOverBudget
		return d, nil
	}
	if int64(s.depth) > int64(b.Depth) {
		d.reason = ReasonDepth
		return d, nil
	}
	o, err := t.originOf(c)
	if err != nil {
		return d, err
	}
	if full, err := t.patternFull(s, c, p); err != nil || full {
		d.reason = ReasonPattern
		return d, err
	}
	if o == nil && h.origins >= b.Origins {
		d.reason = ReasonOrigins
		return d, nil
	}
	moved := s.kind == Redirect
	if d.reason = h.slot(c, moved); d.reason != "" {
		return d, nil
	}
	if o != nil {
		if p.URLs > 0 && o.total() >= p.URLs {
			d.reason = "origin_urls"
			return d, nil
		}
		if g := &o.pace.gate; g.state == gateEnded {
			if t.now < g.until {
				d.decision, d.reason = PolicyStop, ReasonOriginEnded
				return d, nil
			}
			if err := t.gateDo(o, Reopen, ReasonOriginEnded, entry{}, func(g *gate) { g.state, g.attempts, g.losses = gateClosed, 0, 0 }); err != nil {
				return d, err
			}
		}
	} else {
		if err := t.do(&entry{kind: entryOrigin, place: place{origin: c.origin}, text: urlnorm.Origin(strings.Clone(string(c.url.Origin)))}); err != nil {
			return d, err
		}
		o = f.origins[c.origin]
	}
	if joins {
		if err := t.adopt(c.url); err != nil {
			return d, err
		}
	}
	if d.to, err = t.claim(s, c, o, at, p, moved); err != nil {
		return d, err
	}
	d.decision, d.reason = Admitted, ReasonNew
	return d, nil
}

// total is the number of URLs admitted of o.
func (o *origin) total() int64 {
	var n int64
	for _, c := range o.states {
		n += c
	}
	return n
}

// originOf finds a candidate's origin, or nil if it is new; a collision of
// hashes moves the candidate to the next one.
func (t *tx) originOf(c *candidate) (*origin, error) {
	for try := byte(0); ; try++ {
		c.origin = originID(c.url.Origin, try)
		o, err := t.loadOrigin(c.origin)
		if err != nil || o == nil || o.text == c.url.Origin {
			return o, err
		}
		if try == 255 {
			return nil, fmt.Errorf("frontier: no room for origin %s", c.url.Origin)
		}
	}
}

// claim admits a new identity: it is queued behind its class in its origin.
func (t *tx) claim(s *source, c *candidate, o *origin, at admissionRef, p Policy, moved bool) (place, error) {
	f := t.f
	class := classFor(c.ref.Priority)
	pl := place{o.id, ordinal(class, o.next[class]+1)}
	row := &urlRow{place: pl, key: c.url.Key, url: strings.Clone(c.url.Request), seed: s.named() == Seed || s.named() == Redirect && s.seed,
		source: at, state: Queued, reason: Reason(s.kind.String()), class: class, depth: s.depth, hop: s.hop, back: t.seq}
	row.key.Text = row.url // the row must not hold the page that the reference is a part of
	if c.url.Key.Text != row.url {
		row.key.Text = strings.Clone(c.url.Key.Text)
	}
	if s.named() == Redirect {
		row.from = s.parent
	}
	if err := t.do(&entry{kind: entryURL, event: Admit, place: pl, reason: row.reason, policy: p.Version, class: class, depth: s.depth,
		hop: s.hop, row: row, moved: moved}); err != nil {
		return pl, err
	}
	w := codec.NewWriter(rowVersion, make([]byte, 0, 16))
	w.Byte(class)
	w.Uint(pl.n & countMask)
	t.put(spaceDedupe, f.keys.dedupe(o.id, c.id), w.Seal())
	f.ids.put(c.id, known{n: pl.n, form: f.formOf(row.url), rank: ranked(class, s.depth)})
	o.fresh = true
	f.rouse(o, t.now)
	return pl, nil
}

// repeat lets a repeated reference raise its identity's priority or lower its
// depth; it never does the reverse.
func (t *tx) repeat(s *source, c *candidate, k known) error {
	class, depth := min(k.class(), classFor(c.ref.Priority)), min(k.depth(), s.depth)
	if ranked(class, depth) == k.rank {
		return nil
	}
	u, err := t.peek(place{c.origin, k.n})
	if err != nil {
		return err
	}
	class, depth = min(u.class, class), min(u.depth, depth)
	t.f.ids.put(c.id, known{n: k.n, form: k.form, rank: ranked(class, depth)})
	if class == u.class && depth == u.depth {
		return nil
	}
	why := ReasonPriorityRaised
	if depth < u.depth {
		why = ReasonDepthLowered
	}
	lowered := depth < u.depth && u.settled.seq > 0 && u.state.Terminal()
	e := u.entry(Raise, why, t.f.policy(c.url.Origin).Version)
	e.class, e.depth = class, depth
	if class != u.class && u.state == Queued && u.ready == 0 {
		e.ready = t.now
	}
	if err := t.do(e); err != nil {
		return err
	}
	if o := t.f.origins[u.place.origin]; o != nil && u.state == Queued {
		o.fresh = true
		t.f.rouse(o, t.now)
	}
	if lowered {
		return t.offer(offer{kind: offerSource, from: u.settled, to: u.settled, depth: depth + 1, parent: u.place})
	}
	return nil
}

func originText(s string) urlnorm.Origin { return urlnorm.Origin(s) }

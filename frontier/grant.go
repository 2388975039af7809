package frontier

import (
	"fmt"

	"github.com/weircrawl/weir/storage"
)

// A waiter is one Lease call: it takes what is granted to it, once that is
// committed.
type waiter struct {
	max  int
	got  []Lease
	done chan error

	// Guarded by Frontier.mu.
	abandoned bool // its caller asks to be left out
	answered  bool
	gone      bool // nobody listens any more
}

const (
	windowSize = 64    // rows of an origin looked at, at most, for one grant
	maxGranted = 1_000 // leases of one commit: they are one row
	turnLow    = 16    // every so many grants an origin's lowest class comes first
)

// grant hands out leases to whoever waits, origin by origin in the order in
// which their time came, one URL a turn.
func (t *tx) grant() error {
	f := t.f
	if t.now >= f.lookAt {
		if err := t.lookAgain(); err != nil {
			return err
		}
	}
	for len(f.waiters) > 0 && len(t.granted) < maxGranted && t.weight < t.f.cfg.Store.Limits().Batch/4 {
		if err := t.grantAgain(); err != nil || f.head.phase != Running {
			return err
		}
		if t.taker = f.waiter(); t.taker == nil {
			return nil
		}
		if _, due := f.wakes.first(); due > f.horizon {
			if err := t.loadWakes(); err != nil {
				return err
			}
		}
		id, due := f.wakes.first()
		if due > t.now {
			return nil
		}
		if err := t.turn(id); err != nil {
			return err
		}
	}
	return nil
}

// waiter is the first that still takes a lease, or nil.
func (f *Frontier) waiter() *waiter {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, w := range f.waiters {
		if len(w.got) < w.max && !w.abandoned {
			return w
		}
	}
	return nil
}

// turn gives one origin its turn: at most one lease, then it stands behind the
// others.
func (t *tx) turn(id uint64) error {
	f := t.f
	o, err := t.loadOrigin(id)
	if err != nil {
		return err
	}
	if o == nil || o.live() <= 0 {
		f.wakes.remove(id)
		return nil
	}
	p := t.policyOf(o)
	if p.Paused != "" || o.pace.pause != "" {
		return t.paused(o)
	}
	if o.inflight >= o.pace.allowance.Concurrency(o.terms(p), t.now) || o.unsent > 0 && t.delay(o) > 0 {
		f.wakes.remove(id) // whatever settles a lease of it puts it back
		return nil
	}
	if due := f.look(o); due > t.now {
		f.wakes.set(id, due)
		return nil
	}
	if f.sites.full(o, p.SiteConcurrency) {
		f.wakes.remove(id) // whatever leaves the site puts it back
		return nil
	}
	if o.pace.gate.state == gateEnded { // a URL has come back to it
		f.wakes.remove(id)
		return t.offer(offer{kind: offerEnd, origin: id})
	}
	if f.cfg.Gates && !o.open(t.now) {
		if o.pace.gate.state == gateLeased {
			f.wakes.remove(id) // whatever settles it puts it back
			return nil
		}
		if barred, err := t.barFirst(o); err != nil || barred {
			return err
		}
		return t.grantGate(o)
	}
	if ok, err := t.reserve(o, f.head.contract.Budget.Response); err != nil || !ok {
		return err
	}
	u, again, err := t.pick(o)
	switch {
	case err != nil:
		return err
	case u != nil:
		if barred, err := t.bar(o, u); err != nil || barred {
			return err
		}
		return t.grantURL(o, u)
	case again <= t.now:
		t.later = append(t.later, id)
		f.wakes.remove(id)
	case again == never:
		f.wakes.remove(id)
	default:
		f.wakes.set(id, again)
	}
	return nil
}

// open reports whether o's gate lets URLs pass.
func (o *origin) open(now int64) bool {
	return o.pace.gate.state == gateOpen && o.pace.gate.until > now
}

// pick finds the next URL of o: by class the due ready rows, then discovery; or
// the time at which to look again.
func (t *tx) pick(o *origin) (*urlRow, int64, error) {
	again := never
	if o.fresh {
		again = t.now
	}
	for i := range uint8(classes) {
		class := i
		if o.grants%turnLow == turnLow-1 {
			class = classes - 1 - i
		}
		u, due, err := t.pickReady(o, class)
		if u == nil && err == nil {
			u, err = t.pickInOrder(o, class)
		}
		if u != nil || err != nil {
			return u, 0, err
		}
		again = min(again, due)
	}
	return nil, again, nil
}

// pickReady returns a due URL that stands out of order, or the time of the
// first that is not due.
func (t *tx) pickReady(o *origin, class uint8) (*urlRow, int64, error) {
	if o.ready[class] == 0 {
		return nil, never, nil
	}
	f := t.f
	from := f.keys.readyClass(o.id, class)
	got, err := f.cfg.Store.Read(t.ctx, storage.ReadRequest{Space: spaceReady, From: from, To: end(from), Limit: windowSize})
	if err != nil {
		return nil, never, fmt.Errorf("read ready: %w", err)
	}
	again := never
	if len(got[0].Keys) < int(o.ready[class]) {
		again = t.now // this group's own rows can be read once it has committed
	}
	for _, key := range got[0].Keys {
		at, n := readyKey(key)
		u, err := t.peek(place{o.id, n})
		if err != nil {
			return nil, never, err
		}
		if u.class != class || u.ready != at || u.stored != nil || u.state != Queued && u.state != Waiting {
			continue // moved in this group
		}
		if due := f.plausible(at, 0); due > t.now {
			return nil, due, nil
		}
		return u, 0, nil
	}
	return nil, again, nil
}

func readyKey(key []byte) (at int64, n uint64) {
	return int64(beUint64(key[15:])), beUint64(key[23:])
}

// pickInOrder returns the next URL in order of discovery. It passes over those
// that stand elsewhere, and keeps the head that it reached.
func (t *tx) pickInOrder(o *origin, class uint8) (*urlRow, error) {
	for o.inOrder(class) {
		if len(o.window[class]) == 0 {
			if err := t.fillWindow(o, class); err != nil {
				return nil, err
			}
			if len(o.window[class]) == 0 {
				return nil, nil
			}
		}
		n := o.window[class][0]
		o.window[class] = o.window[class][1:]
		t.repace(o, func(p *pace) { p.head[class] = n & countMask })
		u, err := t.peek(place{o.id, n})
		if err != nil {
			return nil, err
		}
		if u.state == Queued && u.ready == 0 {
			return u, nil
		}
	}
	return nil, nil
}

// fillWindow reads the next rows of an origin in order: those of commits before
// this one.
func (t *tx) fillWindow(o *origin, class uint8) error {
	f := t.f
	from := place{o.id, ordinal(class, o.pace.head[class]+1)}
	to := place{o.id, ordinal(class, o.next[class]) + 1}
	got, err := f.cfg.Store.Read(t.ctx, storage.ReadRequest{Space: spaceURL, From: f.keys.url(from), To: f.keys.url(to), Limit: windowSize})
	if err != nil {
		return fmt.Errorf("read queue: %w", err)
	}
	for i, key := range got[0].Keys {
		p := place{o.id, field(key, 1)}
		if _, err := t.rowOf(p, got[0].Values[i]); err != nil {
			return err
		}
		o.window[class] = append(o.window[class], p.n)
	}
	return nil
}

// reserve reports whether bytes can be set aside for one response of o. While
// leases under way may return some, o waits for them; else the run stops: the
// budget is never exceeded.
func (t *tx) reserve(o *origin, limit int64) (bool, error) {
	h := t.f.head
	if h.bytes+h.reserved+limit <= h.contract.Budget.Bytes {
		return true, nil
	}
	t.f.wakes.remove(o.id)
	t.f.short[o.id] = true
	if h.reserved > 0 {
		return false, nil
	}
	return false, t.stop(Stopped, ReasonBytes, string(o.text))
}

func (t *tx) grantURL(o *origin, u *urlRow) error {
	f := t.f
	due, why := o.waited(u)
	limit := f.head.contract.Budget.Response
	p := t.policyOf(o)
	if u.state == Waiting {
		if err := t.due(u, p); err != nil {
			return err
		}
	}
	e := u.entry(Grant, ReasonReady, p.Version)
	e.gen, e.ready, e.reserved = u.gen+1, 0, limit
	if err := t.do(e); err != nil {
		return err
	}
	v := t.hand(o, u.place, u.gen, limit, false)
	t.give(Lease{ID: v.id, URL: u.url, Key: u.key, Origin: o.text, Attempt: int(u.attempts) + 1, Depth: int(u.depth), Hop: int(u.hop),
		Seed: u.seed, Hint: isHint(u.key), Limit: limit, Note: o.pace.gate.note, Policy: p, Due: due, Why: why}, t.delay(o), v)
	f.rouse(o, t.now)
	return nil
}

// due moves a waiting URL whose time has come.
func (t *tx) due(u *urlRow, p Policy) error {
	e := u.entry(Due, ReasonDue, p.Version)
	return t.do(e)
}

// entry begins a transition of u that changes nothing but its state.
func (u *urlRow) entry(ev Event, why Reason, policy string) *entry {
	return &entry{kind: entryURL, event: ev, place: u.place, reason: why, policy: policy, back: u.back,
		gen: u.gen, class: u.class, depth: u.depth, hop: u.hop, attempts: u.attempts, losses: u.losses,
		busies: u.busies, handlers: u.handlers, ready: u.ready, stored: u.stored}
}

// grantAgain hands out stored responses whose handler gets its second try.
func (t *tx) grantAgain() error {
	f := t.f
	if f.againDue > t.now {
		return nil
	}
	prefix := f.keys.prefix(0)
	got, err := f.cfg.Store.Read(t.ctx, storage.ReadRequest{Space: spaceAgain, From: prefix, To: end(prefix), Limit: windowSize})
	if err != nil {
		return fmt.Errorf("read again: %w", err)
	}
	f.againDue = never
	for _, key := range got[0].Keys {
		at, p := int64(field(key, 0)), place{field(key, 1), field(key, 2)}
		u, err := t.peek(p)
		if err != nil {
			return err
		}
		if !u.again() || u.ready != at {
			f.againDue = min(f.againDue, t.now+1)
			continue
		}
		t.taker = f.waiter()
		if due := f.plausible(at, 0); due > t.now || t.taker == nil {
			f.againDue = max(due, 1)
			return nil
		}
		if err := t.grantStored(u); err != nil {
			return err
		}
	}
	if len(got[0].Keys) == windowSize {
		f.againDue = t.now + 1
	}
	return nil
}

func (t *tx) grantStored(u *urlRow) error {
	o, err := t.loadOrigin(u.place.origin)
	if err != nil || o == nil {
		return err
	}
	p := t.policyOf(o)
	if u.state == Waiting {
		if err := t.due(u, p); err != nil {
			return err
		}
	}
	stored := *u.stored
	e := u.entry(Grant, ReasonHandler, p.Version)
	e.gen, e.ready = u.gen+1, 0
	if err := t.do(e); err != nil {
		return err
	}
	v := t.hand(o, u.place, u.gen, 0, true)
	t.give(Lease{ID: v.id, URL: u.url, Key: u.key, Origin: o.text, Attempt: int(u.attempts) + 1, Depth: int(u.depth), Hop: int(u.hop),
		Seed: u.seed, Stored: &stored, Note: o.pace.gate.note, Policy: p}, 0, v)
	return nil
}

// hand records a lease in memory and for the commit's lease row.
func (t *tx) hand(o *origin, p place, gen uint64, limit int64, stored bool) *live {
	f := t.f
	v := &live{id: LeaseID{f.keys.partition, f.keys.run, p.origin, p.n, gen}, row: t.seq, limit: limit,
		granted: t.now, deadline: t.now + f.cfg.TTL.Microseconds(), last: t.now + longest, stored: stored}
	f.mu.Lock()
	f.live[v.id] = v
	f.mu.Unlock()
	if !stored {
		o.inflight++
		f.sites.take(o)
		o.unsent++
		o.grants++
	}
	t.granted = append(t.granted, grantItem{p, gen, limit, v.last, stored})
	return v
}

// give hands l to the waiter that this turn is for; it is answered after the
// commit, and gives l back if it has left meanwhile.
func (t *tx) give(l Lease, delay int64, v *live) {
	l.Deadline, l.Delay = t.f.time(v.deadline), micros(delay)
	t.taker.got = append(t.taker.got, l)
}

// rouse puts an origin into the heap, if it may grant something from due on.
func (f *Frontier) rouse(o *origin, due int64) {
	if o.live() <= 0 {
		f.wakes.remove(o.id)
		return
	}
	due = max(due, f.look(o))
	if f.wakes.byID[o.id] == nil && f.wakes.Len() >= maxWakes {
		f.horizon = min(f.horizon, due)
		f.wakeFrom = f.keys.prefix(0) // its durable row is found by the next walk
		return
	}
	f.wakes.set(o.id, due)
}

// rouseID is rouse for an origin that memory may not hold.
func (f *Frontier) rouseID(id uint64, due int64) {
	if o := f.origins[id]; o != nil {
		f.rouse(o, due)
	} else {
		f.wakes.set(id, due)
	}
}

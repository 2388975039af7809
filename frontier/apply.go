package frontier

import (
	"encoding/json"
	"fmt"
)

// A projection is the current state that transitions add up to. The frontier
// keeps it while it decides; Replay makes a second one from the log.
type projection interface {
	urlAt(p place) (*urlRow, error)
	putURL(u *urlRow)
	admitPattern(u *urlRow) error
	originAt(id uint64) (*origin, error)
	putOrigin(o *origin)
	putHost(host string)
	putPolicy(s Subject, p Policy)
	runHead() *head
}

// apply changes p by one entry of commit seq, made at the time at. It decides
// nothing: a pair of state and event that cannot happen is an error.
func apply(p projection, e *entry, seq uint64, at int64) error {
	switch e.kind {
	case entryURL:
		return applyURL(p, e, seq)
	case entryOrigin:
		p.putOrigin(&origin{id: e.place.origin, text: e.text})
		p.runHead().origins++
		return nil
	case entryScope:
		p.putHost(string(e.text))
		p.runHead().join(string(e.text))
		return nil
	case entryPace:
		return applyPace(p, e)
	case entryGate:
		return applyGate(p, e, seq)
	case entryRun:
		return applyRun(p.runHead(), e, at)
	case entryPolicy:
		return applyPolicy(p, e)
	case entryFreeze:
		return p.runHead().freeze(e.gen)
	}
	return fmt.Errorf("frontier: no such entry: %d", e.kind)
}

func applyURL(p projection, e *entry, seq uint64) error {
	if e.event == Admit {
		row := *e.row // the log's copy must not change with the row
		p.putURL(&row)
		if err := p.admitPattern(&row); err != nil {
			return err
		}
	}
	u, err := p.urlAt(e.place)
	if err != nil {
		return err
	}
	o, err := p.originAt(e.place.origin)
	if err != nil {
		return err
	}
	from := u.state
	if e.event == Admit {
		from = Unseen
	}
	if e.was != from {
		return fmt.Errorf("frontier: %s is %s, the entry says %s", u.url, from, e.was)
	}
	to, err := from.Next(e.event)
	if err != nil {
		return err
	}
	h := p.runHead()
	h.paused -= o.held()
	o.leave(u, from)
	if from.Terminal() && e.event == Reopen {
		h.count(tallyKey{tallyEnd, uint8(from), u.reason}, -1, u.url)
	}
	u.take(e, to, seq)
	o.enter(u, to, e.event == Admit)
	h.paused += o.held()
	h.follow(u, e, from, to)
	return nil
}

// take gives u the values that e decided.
func (u *urlRow) take(e *entry, to State, seq uint64) {
	if e.event == Raise {
		u.class, u.depth, u.ready, u.back = e.class, e.depth, e.ready, seq
		return
	}
	u.state, u.reason, u.gen, u.back = to, e.reason, e.gen, seq
	u.class, u.depth, u.hop = e.class, e.depth, e.hop
	u.attempts, u.losses, u.busies, u.handlers = e.attempts, e.losses, e.busies, e.handlers
	u.ready, u.stored = e.ready, e.stored
	if e.try != nil {
		t := *e.try
		t.seq = seq
		u.remember(t)
	}
	if e.result != 0 {
		u.result, u.ended, u.endedFor = e.result, to, e.reason
	}
	if e.settled != (admissionRef{}) {
		u.settled = e.settled
	}
	if e.url != "" {
		u.url = e.url
	}
	if e.via != (place{}) {
		u.from = e.via
	}
}

// outOfOrder reports whether u stands in its origin's ready rows.
func (u *urlRow) outOfOrder() bool { return u.ready != 0 && u.stored == nil }

// again reports whether u waits for its handler alone, outside its origin.
func (u *urlRow) again() bool { return u.ready != 0 && u.stored != nil }

func (o *origin) leave(u *urlRow, from State) {
	if from == Unseen {
		return
	}
	o.states[from]--
	if u.outOfOrder() {
		o.ready[u.class]--
	}
	if u.again() {
		o.again--
	}
}

func (o *origin) enter(u *urlRow, to State, admitted bool) {
	o.states[to]++
	if u.outOfOrder() {
		o.ready[u.class]++
	}
	if u.again() {
		o.again++
	}
	if admitted {
		c := classOf(u.place.n)
		o.next[c] = max(o.next[c], u.place.n&countMask)
	}
}

// follow moves the run's counters with a URL's transition.
func (h *head) follow(u *urlRow, e *entry, from, to State) {
	if from != Unseen {
		h.states[from]--
	}
	h.states[to]++
	h.bytes += e.bytes
	h.reserved += e.reserved
	h.records += e.records
	switch e.event {
	case Admit:
		h.spend(u.key, e.moved)
	case Grant:
		h.requests++
	}
	if to.Terminal() && e.event != Raise {
		h.count(tallyKey{tallyEnd, uint8(to), e.reason}, 1, u.url)
	}
	if e.result != 0 {
		h.results++
		h.finish = e.result
	}
}

func applyPace(p projection, e *entry) error {
	o, err := p.originAt(e.place.origin)
	if err != nil {
		return err
	}
	p.runHead().repace(o, *e.pace, o.pace.gate.note)
	return nil
}

// repace gives o a new pace, and keeps the number of URLs at paused origins.
func (h *head) repace(o *origin, to pace, note []byte) {
	h.paused -= o.held()
	o.pace = to
	o.pace.gate.note = note
	h.paused += o.held()
}

func applyGate(p projection, e *entry, seq uint64) error {
	o, err := p.originAt(e.place.origin)
	if err != nil {
		return err
	}
	h := p.runHead()
	h.repace(o, *e.pace, e.pace.gate.note)
	o.pace.gate.back = seq
	if e.try != nil {
		o.gateTry = *e.try
		o.gateTry.seq = seq
	}
	h.bytes += e.bytes
	h.reserved += e.reserved
	if e.event == Grant {
		h.requests++
	}
	return nil
}

func applyRun(h *head, e *entry, at int64) error {
	if e.phase != 0 && (e.phase != h.phase || e.reason != h.reason) {
		h.phase, h.reason, h.since = e.phase, e.reason, at
	}
	if len(e.contract) > 0 {
		h.contract, h.terms, h.scoped = contract{}, nil, nil
		if err := json.Unmarshal(e.contract, &h.contract); err != nil {
			return err
		}
	}
	h.active += e.active
	h.offers += e.offers
	h.late += e.late
	h.conflict += e.conflict
	if e.stop != "" {
		h.count(tallyKey{tallyStop, 0, e.stop}, 1, e.example)
	}
	return nil
}

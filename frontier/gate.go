package frontier

import (
	"time"

	"github.com/weircrawl/weir/internal/backoff"
)

const (
	maxNote      = 1 * kib
	maxSiteDelay = int64(60e6)   // what a site may ask for between two requests
	endedFor     = int64(3600e6) // so long an ended origin's new references are stopped
	maxOpen      = int64(24 * 3600e6)
)

// grantGate hands out an origin's one gate lease.
func (t *tx) grantGate(o *origin) error {
	f := t.f
	if ok, err := t.reserve(o, f.cfg.GateLimit); err != nil || !ok {
		return err
	}
	p, due := t.policyOf(o), o.pace.gate.due
	why := ReasonReady
	if o.pace.gate.state == gateRetry {
		why = o.pace.gate.reason
	}
	if err := t.gateDo(o, Grant, why, entry{reserved: f.cfg.GateLimit}, func(g *gate) {
		if g.state == gateOpen { // it is no longer fresh
			g.attempts, g.losses = 0, 0
		}
		g.state, g.due = gateLeased, 0
		g.gen++
	}); err != nil {
		return err
	}
	v := t.hand(o, place{o.id, 0}, o.pace.gate.gen, f.cfg.GateLimit, false)
	t.give(Lease{ID: v.id, Gate: true, URL: string(o.text) + "/", Origin: o.text, Attempt: int(o.pace.gate.attempts) + 1,
		Limit: v.limit, Note: o.pace.gate.note, Policy: p, Due: moment(max(o.pace.due, due)), Why: o.pace.waits()}, t.delay(o), v)
	f.wakes.remove(o.id)
	return nil
}

// gateDo logs one transition of a gate: e with what change makes of it.
func (t *tx) gateDo(o *origin, ev Event, why Reason, e entry, change func(g *gate)) error {
	p := o.pace
	from := p.gate.state
	change(&p.gate)
	p.gate.reason = why
	e.kind, e.event, e.place, e.reason, e.from = entryGate, ev, place{origin: o.id}, why, from
	e.policy, e.back, e.pace = t.policyOf(o).Version, o.pace.gate.back, &p
	return t.do(&e)
}

// settleGate accepts the report of a gate lease.
func (t *tx) settleGate(c *completing, o *origin, v *live) error {
	f, g := t.f, &o.pace.gate
	add := entry{bytes: min(c.Evidence.Bytes, v.limit), reserved: -v.limit, evidence: c.Evidence.Artifact,
		try: &try{gen: g.gen, outcome: c.Outcome, hash: c.hash, seq: t.seq}}
	sent := t.pass(o, v, c)
	why := c.Reason
	switch c.Outcome {
	case OutcomeOpen:
		err := t.gateDo(o, Finish, why, add, func(g *gate) {
			until := f.micros(c.Until)
			g.state, g.until = gateOpen, min(max(until, t.now+1e6), t.now+maxOpen)
			g.delay = min(max(c.Delay.Microseconds(), 0), maxSiteDelay)
			next := t.now + o.pace.allowance.Wait(g.terms(t.policyOf(o)), t.now).Microseconds()
			g.until = max(g.until, next+f.cfg.TTL.Microseconds()) // it serves one URL at least
			g.note, g.attempts, g.losses = c.Note, 0, 0
		})
		if sent != 0 {
			t.space(o, sent) // by the delay that the site has just asked for
		}
		return err
	case OutcomeEnded:
		return t.endOrigin(o, add, stateOf(c.Target), why)
	case OutcomeReleased:
		return t.gateDo(o, Release, why, add, func(g *gate) { g.state = gateClosed })
	}
	if int(g.attempts)+1 >= f.head.contract.Budget.Attempts {
		return t.endOrigin(o, add, endOf(c.Outcome), why)
	}
	return t.gateDo(o, Retry, why, add, func(g *gate) {
		g.attempts++
		g.state = gateRetry
		g.due = t.now + t.wait(c.After, int(g.attempts))
	})
}

// endOf is how an origin's URLs end when its gate gives up: the site said
// no for the time being, or could not be reached.
func endOf(o Outcome) State {
	if o == OutcomeBusy || o == OutcomeRefused {
		return Refused
	}
	return Failed
}

func stateOf(outcome string) State {
	if outcome == OutcomeFailed.String() {
		return Failed
	}
	return Refused
}

// endOrigin ends a gate, and offers the origin's URLs their end in pieces.
func (t *tx) endOrigin(o *origin, add entry, ends State, why Reason) error {
	if err := t.gateDo(o, Fail, why, add, func(g *gate) {
		g.state, g.ends, g.until, g.attempts = gateEnded, ends, t.now+endedFor, 0
	}); err != nil {
		return err
	}
	if o.states[Queued]+o.states[Waiting] == 0 {
		return nil
	}
	return t.offer(offer{kind: offerEnd, origin: o.id})
}

// wait is how long a retry waits: what was asked for, within the local maximum,
// or a backoff. The value is decided here and logged.
func (t *tx) wait(asked time.Duration, attempt int) int64 {
	if asked > 0 {
		return min(asked, backoff.MaxAsked).Microseconds()
	}
	return max(backoff.Jitter(attempt).Microseconds(), 1)
}

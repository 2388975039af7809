package frontier

import "cmp"

// sweep ends the leases whose deadline has passed, and frees the slots that
// expired ones have held long enough.
func (t *tx) sweep() error {
	for _, v := range t.f.overdue(t.now) {
		if err := t.end(v); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) end(v *live) error {
	switch {
	case v.expired:
		t.free(v)
		return nil
	case v.foreign:
		return t.lose(v)
	}
	return t.expire(v)
}

// overdue lists the leases that sweep must look at.
func (f *Frontier) overdue(now int64) []*live {
	f.mu.Lock()
	defer f.mu.Unlock()
	var due []*live
	for _, v := range f.live {
		if v.moment() < now {
			due = append(due, v)
		}
		if len(due) == maxGranted {
			break // the next group goes on: what ends takes rows
		}
	}
	return due
}

// moment is when sweep has to look at v.
func (v *live) moment() int64 {
	if v.expired {
		return v.held
	}
	return v.deadline
}

// expire takes a URL back from its owner. The origin's slot stays taken until
// the request cannot be under way any more.
func (t *tx) expire(v *live) error {
	f := t.f
	f.mu.Lock()
	v.expired = true
	v.held = cmp.Or(v.sent, v.deadline) + f.cfg.Deadline.Microseconds()
	f.mu.Unlock()
	t.settled = append(t.settled, v.row)
	if err := t.forfeit(v, Expire, ReasonExpired); err != nil {
		return err
	}
	if v.stored {
		t.free(v)
	}
	return nil
}

// lose takes a URL back from an incarnation that is gone.
func (t *tx) lose(v *live) error {
	t.settled = append(t.settled, v.row)
	o, err := t.originAt(v.id.Origin)
	if err != nil {
		return err
	}
	if !v.stored {
		if due := t.now + t.delay(o); due > o.pace.due {
			t.repace(o, func(p *pace) { p.due, p.why = due, ReasonLost })
		}
	}
	err = t.forfeit(v, Lose, ReasonLost)
	t.free(v)
	return err
}

// forfeit moves what a lease that ends without a report was for. It spends all
// that the lease had set aside.
func (t *tx) forfeit(v *live, ev Event, why Reason) error {
	t.refill()
	o, err := t.originAt(v.id.Origin)
	if err != nil {
		return err
	}
	if v.id.Ordinal == 0 {
		return t.forfeitGate(o, v, ev, why)
	}
	u, err := t.peek(v.id.place())
	if err != nil {
		return err
	}
	if u.state != Leased || u.gen != v.id.Generation {
		return nil
	}
	b := &t.f.head.contract.Budget
	e := u.entry(ev, why, t.policyOf(o).Version)
	e.ready = t.now
	e.bytes, e.reserved = v.limit, -v.limit
	e.try = &try{gen: u.gen, seq: t.seq}
	if ev == Lose {
		e.losses++
	} else {
		e.attempts++
	}
	if int(e.losses) >= b.Losses || int(e.attempts) >= b.Attempts {
		e.event, e.ready, e.stored = Fail, 0, nil
		if ev == Expire {
			e.reason = ReasonExhausted
		}
		t.result(&Completion{}, u, o, e, Failed)
	}
	if err := t.do(e); err != nil {
		return err
	}
	t.f.rouse(o, t.now)
	return nil
}

func (t *tx) forfeitGate(o *origin, v *live, ev Event, why Reason) error {
	if o.pace.gate.state != gateLeased || o.pace.gate.gen != v.id.Generation {
		return nil
	}
	b := &t.f.head.contract.Budget
	g := o.pace.gate
	if ev == Lose {
		g.losses++
	} else {
		g.attempts++
	}
	spent := entry{bytes: v.limit, reserved: -v.limit}
	if int(g.losses) >= b.Losses || int(g.attempts) >= b.Attempts {
		return t.endOrigin(o, spent, Failed, why)
	}
	if err := t.gateDo(o, ev, why, spent, func(to *gate) {
		to.state, to.attempts, to.losses = gateRetry, g.attempts, g.losses
		to.due = t.now + t.wait(0, int(g.attempts))
	}); err != nil {
		return err
	}
	t.f.rouse(o, t.now)
	return nil
}

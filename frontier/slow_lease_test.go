package frontier

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weircrawl/weir/urlnorm"
)

// ready tells why an origin may hand out nothing at the moment; "" if it may.
func (m *slow) ready(o *slowOrigin) string {
	used, unsent := 0, 0
	for _, l := range m.leases {
		if l.o == o && !l.stored {
			used++
			if !l.spaced {
				unsent++
			}
		}
	}
	p := m.policyOf(o.text)
	switch {
	case p.Paused != "" || o.throttled:
		return "paused"
	case used >= o.allowance.Concurrency(m.terms(o), m.now):
		return "no slot"
	case unsent > 0 && m.delay(o) > 0:
		return "a request has not been sent"
	case o.due > m.now:
		return "delay"
	case o.gate.due.earliest > m.now:
		return "gate waits"
	case o.gate.state == gateEnded:
		return "ended"
	}
	return ""
}

// granted checks that a lease may be handed out, and hands it out.
func (m *slow) granted(l Lease, cfg Config) error {
	o := m.origins[string(l.Origin)]
	if o == nil {
		return fmt.Errorf("lease of %s, whose origin is unknown", l.URL)
	}
	if l.Stored == nil {
		if why := m.ready(o); why != "" {
			return fmt.Errorf("lease of %s, whose origin is not ready: %s", l.URL, why)
		}
	}
	v := &slowLease{id: l.ID, o: o, granted: m.now, limit: m.budget.Response, deadline: m.now + cfg.TTL.Microseconds(), last: m.now + longest, delay: m.delay(o)}
	if l.Gate {
		if err := m.grantGate(l, o, v, cfg); err != nil {
			return err
		}
	} else if err := m.grantURL(l, o, v); err != nil {
		return err
	}
	if m.bytes+m.reserved+v.limit > m.budget.Bytes {
		return fmt.Errorf("lease of %s: %d bytes spent and %d set aside of %d, and %d more", l.URL, m.bytes, m.reserved, m.budget.Bytes, v.limit)
	}
	m.reserved += v.limit
	m.requests++
	m.leases[l.ID] = v
	if l.Limit != v.limit || l.Delay != time.Duration(v.delay)*time.Microsecond || string(l.Note) != o.gate.note {
		return fmt.Errorf("lease %+v: limit %d, delay %d, note %q are wanted", l, v.limit, v.delay, o.gate.note)
	}
	return nil
}

func (m *slow) grantGate(l Lease, o *slowOrigin, v *slowLease, cfg Config) error {
	g := &o.gate
	switch {
	case !m.gates:
		return fmt.Errorf("gate of %s, and there are none", o.text)
	case g.state == gateLeased, g.state == gateOpen && g.until > m.now:
		return fmt.Errorf("gate of %s is %s", o.text, g.state)
	case len(m.live(o)) == 0:
		return fmt.Errorf("gate of %s, where nothing waits", o.text)
	}
	if g.state == gateOpen {
		g.attempts, g.losses = 0, 0
	}
	g.state, g.due = gateLeased, span{}
	g.gen++
	v.limit = cfg.GateLimit
	if l.ID.Generation != g.gen || l.Attempt != g.attempts+1 {
		return fmt.Errorf("gate of %s: generation %d, attempt %d; want %d, %d", o.text, l.ID.Generation, l.Attempt, g.gen, g.attempts+1)
	}
	return nil
}

func (m *slow) grantURL(l Lease, o *slowOrigin, v *slowLease) error {
	u := m.urls[l.Key.Text]
	switch {
	case u == nil:
		return fmt.Errorf("lease of %s, which is unknown", l.URL)
	case u.state != Queued && u.state != Waiting:
		return fmt.Errorf("lease of %s, which is %s", l.URL, u.state)
	case u.due.earliest > m.now:
		return fmt.Errorf("lease of %s, %d before its time", l.URL, u.due.earliest-m.now)
	case (u.stored == nil) != (l.Stored == nil):
		return fmt.Errorf("lease of %s: stored is %v, want %v", l.URL, l.Stored, u.stored)
	case u.stored == nil && m.gates && (o.gate.state != gateOpen || o.gate.until <= m.now):
		return fmt.Errorf("lease of %s, whose gate is %s", l.URL, o.gate.state)
	}
	if u.stored != nil {
		v.limit, v.delay, v.stored = 0, 0, true
	}
	u.state, u.due, v.u = Leased, span{}, u
	u.gen++
	if l.ID.Generation != u.gen || l.URL != u.url || l.Depth != u.depth || l.Hop != u.hop || l.Seed != u.seed || l.Attempt != u.attempts+1 {
		return fmt.Errorf("lease %+v does not fit %+v", l, u)
	}
	return nil
}

// must lists what a Lease call that got nothing should have handed out.
func (m *slow) must() (owed []string) {
	for _, u := range m.urls {
		o := u.origin
		if u.state != Queued && u.state != Waiting {
			continue
		}
		if u.stored != nil {
			if u.due.latest <= m.now {
				owed = append(owed, "stored "+u.url)
			}
			continue
		}
		if m.ready(o) != "" || o.gate.due.latest > m.now || m.pausedT[o.text] > m.now {
			continue
		}
		fits := func(limit int64) bool { return m.bytes+m.reserved+limit <= m.budget.Bytes }
		switch g := &o.gate; {
		case !m.gates || g.state == gateOpen && g.until > m.now:
			if u.due.latest <= m.now && fits(m.budget.Response) {
				owed = append(owed, u.url)
			}
		case g.state != gateLeased && fits(512*kib):
			owed = append(owed, "gate of "+o.text)
		}
	}
	slices.Sort(owed)
	return owed
}

func (m *slow) over() bool { return m.observed > 0 && m.unresolved() == 0 && len(m.offers) == 0 }

// sentAt records that a request was sent.
func (m *slow) sentAt(id LeaseID) bool {
	l := m.leases[id]
	if l == nil || l.expired || l.foreign || m.now > l.deadline {
		return false
	}
	l.sent = m.now
	if l.delay > 0 {
		m.space(l)
	}
	return true
}

func (m *slow) space(l *slowLease) {
	if l.sent == 0 || l.spaced || l.stored {
		return
	}
	l.spaced = true
	if m.broken != "delay" {
		l.o.due = max(l.o.due, l.sent+m.delay(l.o))
	}
}

func (m *slow) extend(id LeaseID, ttl time.Duration) bool {
	l := m.leases[id]
	if l == nil || l.expired || l.foreign || m.now > l.deadline {
		return false
	}
	l.deadline = min(m.now+ttl.Microseconds(), l.last)
	return true
}

// advance lets time pass: leases end in the order of their deadlines.
func (m *slow) advance(to int64, cfg Config) {
	for {
		var next *slowLease
		for _, l := range m.leases {
			if next == nil || l.moment() < next.moment() || l.moment() == next.moment() && l.id.String() < next.id.String() {
				next = l
			}
		}
		if next == nil || next.moment() >= to {
			m.now = to
			return
		}
		m.now = max(m.now, next.moment()+1)
		m.lapse(next, cfg)
		m.serve()
	}
}

func (l *slowLease) moment() int64 {
	if l.expired {
		return l.held
	}
	return l.deadline
}

func (m *slow) lapse(l *slowLease, cfg Config) {
	switch {
	case l.expired:
		delete(m.leases, l.id)
	case l.foreign:
		m.lose(l)
	default:
		l.expired, l.held = true, l.deadline+cfg.Deadline.Microseconds()
		if l.sent != 0 {
			l.held = l.sent + cfg.Deadline.Microseconds()
		}
		m.forfeit(l, Expire)
		if l.stored {
			delete(m.leases, l.id)
		}
	}
}

// lose takes a lease back from an incarnation that is gone.
func (m *slow) lose(l *slowLease) {
	if !l.stored {
		l.o.due = max(l.o.due, m.now+m.delay(l.o))
	}
	m.forfeit(l, Lose)
	delete(m.leases, l.id)
}

func (m *slow) forfeit(l *slowLease, ev Event) {
	m.bytes += l.limit
	m.reserved -= l.limit
	if l.u == nil {
		m.forfeitGate(l.o, ev)
		return
	}
	u := l.u
	why, n := ReasonExhausted, &u.attempts
	if ev == Lose && m.broken != "lost" {
		why, n = ReasonLost, &u.losses
	}
	*n++
	if u.attempts >= m.budget.Attempts || u.losses >= m.budget.Losses {
		m.end(u, Failed, why)
		return
	}
	u.state, u.due = Queued, span{m.now, m.now}
}

func (m *slow) forfeitGate(o *slowOrigin, ev Event) {
	why, n := ReasonExpired, &o.gate.attempts
	if ev == Lose {
		why, n = ReasonLost, &o.gate.losses
	}
	*n++
	if o.gate.attempts >= m.budget.Attempts || o.gate.losses >= m.budget.Losses {
		m.endOrigin(o, Failed, why)
		return
	}
	o.gate.state, o.gate.due = gateRetry, m.wait(0, o.gate.attempts)
}

func (m *slow) endOrigin(o *slowOrigin, ends State, why Reason) {
	o.gate.state, o.gate.ends, o.gate.reason, o.gate.until, o.gate.attempts = gateEnded, ends, why, m.now+endedFor, 0
	for _, u := range m.urls {
		if u.origin == o && (u.state == Queued || u.state == Waiting) {
			m.offers = append(m.offers, func() { m.endURLs(o) })
			return
		}
	}
}

// endURLs ends what waits at an origin that has ended.
func (m *slow) endURLs(o *slowOrigin) {
	for _, u := range m.urls {
		if o.gate.state == gateEnded && u.origin == o && (u.state == Queued || u.state == Waiting) {
			m.end(u, o.gate.ends, o.gate.reason)
		}
	}
}

// reopen is the next incarnation, with a budget of its own.
func (m *slow) reopen(given Budget, cfg Config) {
	was, spent := m.budget, Budget{URLs: m.slots, Origins: int64(len(m.origins)), Bytes: m.bytes + m.reserved}
	raised := false
	for _, b := range given.fields() {
		want := *b.value(&given)
		if want == 0 {
			want = *b.value(&was)
		}
		b.set(&m.budget, max(want, min(*b.value(&was), *b.value(&spent))))
		if want > *b.value(&was) && (b.name == ReasonURLs || b.name == ReasonOrigins || b.name == ReasonDepth) {
			raised = true
		}
	}
	if raised && m.broken != "offers" {
		ledger := slices.Clone(m.sources)
		m.offers = append(m.offers, func() { m.offerRaised(ledger) })
	}
	m.phase, m.reason = Running, "open"
	for _, o := range m.origins {
		o.throttled = false
	}
	for _, l := range m.inOrder() {
		switch {
		case l.expired:
			delete(m.leases, l.id) // nobody can still be at it
		case m.shared:
			l.foreign, l.deadline, l.spaced = true, min(l.last, m.now+int64(time.Hour/time.Microsecond)), false
		default:
			m.lose(l)
		}
	}
}

func (m *slow) inOrder() (ls []*slowLease) {
	for _, l := range m.leases {
		ls = append(ls, l)
	}
	slices.SortFunc(ls, func(a, b *slowLease) int { return strings.Compare(a.id.String(), b.id.String()) })
	return ls
}

// inChain is the earlier member of u's chain of redirects that has the key.
func (u *slowURL) inChain(key urlnorm.Key) *slowURL {
	at := u
	for range u.hop + 1 {
		if at == nil {
			break
		}
		if at.key == key.Text {
			return at
		}
		at = at.from
	}
	return nil
}

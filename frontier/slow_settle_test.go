package frontier

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// content is what tells one report of an attempt from another.
func content(c *Completion) string {
	text := fmt.Sprintf("%s|%s|%s|%s|%s", c.Outcome, c.Reason.Word(), c.Target, c.Evidence.Digest, c.Note)
	for _, r := range c.References {
		text += fmt.Sprintf("|%q %q %q %q", r.Observed, r.Base, r.Rule, r.Refused)
	}
	for _, r := range c.Records {
		text += fmt.Sprintf("|%q %q", r.Kind, r.Data)
	}
	return text
}

// complete says how a report is answered, and settles the lease if it may.
func (m *slow) complete(c Completion) AnswerKind {
	l := m.leases[c.Lease.ID]
	if l == nil || l.expired && m.broken != "fence" || l.foreign {
		if l != nil && l.expired {
			delete(m.leases, l.id)
		}
		return m.tooLate(&c)
	}
	if l.u == nil {
		m.settleGate(&c, l)
	} else {
		m.settle(&c, l)
	}
	return Accepted
}

// tooLate answers a report that no lease waits for.
func (m *slow) tooLate(c *Completion) AnswerKind {
	known, ok := "", false
	if o := m.origins[string(c.Lease.Origin)]; c.Lease.Gate {
		known, ok = o.gate.try, o.gate.tryGen == c.Lease.ID.Generation
	} else {
		known, ok = m.urls[c.Lease.Key.Text].tries[c.Lease.ID.Generation]
	}
	switch {
	case ok && known == content(c):
		return Redelivered
	case ok:
		m.conflict++
		return Conflict
	}
	m.late++
	return Stale
}

// requested reports whether a lease has led to a request.
func requested(c *Completion, l *slowLease) bool {
	return !l.stored && (l.sent != 0 || c.Evidence.Status != 0 || c.Outcome != OutcomeReleased && c.Outcome != OutcomeRefused)
}

// requestedAt is when the request was sent: now, if nobody has said.
func (m *slow) requestedAt(l *slowLease) int64 {
	if l.sent != 0 {
		return l.sent
	}
	return m.now
}

// pass charges the origin and gives its slot back.
func (m *slow) pass(c *Completion, l *slowLease) {
	o := l.o
	if requested(c, l) && m.broken != "delay" {
		o.due = max(o.due, m.requestedAt(l)+m.delay(o))
	}
	if !l.stored {
		m.answered(o, c, cmp.Or(l.sent, l.granted))
	}
	if !l.stored {
		m.bytes += min(c.Evidence.Bytes, l.limit)
	}
	m.reserved -= l.limit
	delete(m.leases, l.id)
}

// answered is what an answer says of its origin.
func (m *slow) answered(o *slowOrigin, c *Completion, since int64) {
	switch c.Outcome {
	case OutcomeBusy:
		o.allowance, _ = o.allowance.Busy(since, m.now)
		o.due = max(o.due, m.wait(c.After, int(o.allowance.Incidents)).earliest)
		o.throttled = o.throttled || o.allowance.Incidents >= maxIncidents
	case OutcomeFetched, OutcomeTruncated, OutcomeUnchanged, OutcomeMissing, OutcomeRedirected, OutcomeOpen:
		o.allowance = o.allowance.Good(m.terms(o), c.Evidence.Latency, m.now)
	case OutcomeRetry, OutcomeFailed, OutcomeEnded:
		if troubles[c.Reason.Word()] {
			o.allowance, _ = o.allowance.Trouble(since, m.now)
		}
	}
}

func (m *slow) settle(c *Completion, l *slowLease) {
	u := l.u
	m.pass(c, l)
	u.tries[u.gen] = content(c)
	stored := u.stored
	u.stored = nil
	st, why := m.judge(c, u, stored)
	if len(c.References) > 0 || c.Overflow.Count > 0 {
		if c.Overflow.Count > 0 {
			m.tally(LimitReached, ReasonReferences, c.Overflow.Count)
		}
		u.state = Leased
		u.settled = m.decideAll(&slowSource{kind: Link, parent: u, depth: u.depth + 1}, c.References, c.Lease.URL)
	}
	if st.Terminal() {
		m.end(u, st, why)
		m.records += int64(len(c.Records))
		return
	}
	u.state, u.reason = st, why
}

// judge says what a report makes of its URL.
func (m *slow) judge(c *Completion, u *slowURL, stored *Evidence) (State, Reason) {
	again := func(n *int) State {
		u.due = m.wait(c.After, *n)
		return Waiting
	}
	switch c.Outcome {
	case OutcomeRefused:
		u.attempts++
		return Refused, c.Reason
	case OutcomeFailed:
		u.attempts++
		return Failed, c.Reason
	case OutcomeRetry:
		if u.attempts++; u.attempts >= m.budget.Attempts && m.broken != "attempts" {
			return Failed, c.Reason
		}
		return again(&u.attempts), c.Reason
	case OutcomeBusy:
		if u.busies++; u.busies >= maxBusies {
			return Failed, ReasonExhausted
		}
		return again(&u.busies), c.Reason
	case OutcomeHandler:
		if u.handlers++; u.handlers >= 2 {
			return Failed, c.Reason
		}
		e := c.Evidence
		u.stored = &e
		return again(&u.handlers), c.Reason
	case OutcomeReleased:
		u.stored, u.due = stored, span{m.now, m.now}
		return Queued, c.Reason
	case OutcomeRedirected:
		return m.redirect(c, u)
	}
	u.attempts++
	return Done, c.Reason
}

func (m *slow) redirect(c *Completion, u *slowURL) (State, Reason) {
	target := Reference{Observed: c.Target, Rule: "redirect", Base: c.Lease.URL}
	n, err := normalized(target)
	if u.hop+1 > m.budget.Redirects {
		u.attempts++
		return Failed, ReasonRedirects
	}
	if err == nil {
		back := u.inChain(n.Key)
		if back == u {
			u.hop++
			u.due, u.url = span{m.now, m.now}, n.Request
			return Waiting, "redirect"
		}
		u.attempts++
		if back != nil {
			m.reopenURL(back, u)
			return Done, ReasonRedirected
		}
		if u.seed && !m.takes(string(n.Origin)) {
			if !m.seeds || u.originSite() != n.Origin.Site() {
				return Refused, ReasonSeedLeftScope
			}
			m.scope = append(m.scope, strings.TrimPrefix(string(n.Origin), "http://"))
		}
	} else {
		u.attempts++
	}
	u.settled = m.decideAll(&slowSource{kind: Redirect, parent: u, depth: u.depth, hop: u.hop + 1, seed: u.seed}, []Reference{target}, "")
	return Done, ReasonRedirected
}

func (u *slowURL) originSite() string { return originText(u.origin.text).Site() }

// reopenURL begins a chain's earlier member again, within its visit.
func (m *slow) reopenURL(u, via *slowURL) {
	if !u.state.Terminal() {
		return
	}
	m.ends[fmt.Sprintf("%s {%s}", u.state, u.reason.Word())]--
	u.state, u.reason, u.hop, u.from, u.due = Queued, "redirect", via.hop+1, via, span{m.now, m.now}
}

func (m *slow) settleGate(c *Completion, l *slowLease) {
	o := l.o
	g := &o.gate
	m.pass(c, l)
	g.try, g.tryGen = content(c), g.gen
	switch c.Outcome {
	case OutcomeOpen:
		g.state, g.attempts, g.losses = gateOpen, 0, 0
		g.until = min(max(c.Until.UnixMicro(), m.now+1e6), m.now+maxOpen)
		g.delay = min(max(c.Delay.Microseconds(), 0), maxSiteDelay)
		g.until = max(g.until, m.now+m.delay(o)+m.ttl)
		g.note = string(c.Note)
		if requested(c, l) && m.broken != "delay" {
			o.due = max(o.due, m.requestedAt(l)+m.delay(o))
		}
		return
	case OutcomeEnded:
		ends := Refused
		if c.Target == "failed" {
			ends = Failed
		}
		m.endOrigin(o, ends, c.Reason)
		return
	case OutcomeReleased:
		g.state = gateClosed
		return
	}
	if g.attempts+1 >= m.budget.Attempts {
		ends := Failed
		if slices.Contains([]Outcome{OutcomeBusy, OutcomeRefused}, c.Outcome) {
			ends = Refused
		}
		m.endOrigin(o, ends, c.Reason)
		return
	}
	g.attempts++
	g.state, g.due = gateRetry, m.wait(c.After, g.attempts)
}

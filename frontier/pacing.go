package frontier

import (
	"time"

	"github.com/weircrawl/weir/internal/allowance"
)

// maxIncidents is how many busy answers in a row an origin gives before it is paused.
const maxIncidents = 12

// delay is the time between the starts of two requests to o, by its allowance.
func (t *tx) delay(o *origin) int64 {
	return o.pace.allowance.Wait(o.terms(t.policyOf(o)), t.now).Microseconds()
}

// terms are the limits of o's allowance.
func (o *origin) terms(p Policy) allowance.Terms { return o.pace.gate.terms(p) }

func (g *gate) terms(p Policy) allowance.Terms {
	return allowance.Terms{Start: p.Delay, Best: p.Fastest, Site: micros(g.delay), Concurrency: p.Concurrency}
}

// space makes o wait its delay from the moment a request was sent.
func (t *tx) space(o *origin, sent int64) {
	if due := sent + t.delay(o); due > o.pace.due {
		t.repace(o, func(p *pace) { p.due, p.why = due, t.delayedBy(o) })
	}
}

// answered keeps what an answer says about how fast its origin may be asked; its
// request was sent at since.
func (t *tx) answered(o *origin, c *completing, since int64) {
	switch is := o.pace.allowance; {
	case c.Outcome == OutcomeBusy:
		now, _ := is.Busy(since, t.now)
		t.rest(o, now, t.now+t.wait(c.After, int(now.Incidents)), c.Reason)
	case c.Outcome.good():
		t.repace(o, func(p *pace) { p.allowance = is.Good(o.terms(t.policyOf(o)), c.Evidence.Latency, t.now) })
	case troubles[c.Reason.Word()]:
		t.repace(o, func(p *pace) { p.allowance, _ = is.Trouble(since, t.now) })
	}
}

// rest keeps an origin that has asked for less from being asked before due. One
// that does nothing else is paused.
func (t *tx) rest(o *origin, now allowance.State, due int64, why Reason) {
	t.repace(o, func(p *pace) {
		p.allowance = now
		if due > p.due {
			p.due, p.why = due, why
		}
		if now.Incidents >= maxIncidents {
			p.pause = ReasonThrottled
			t.f.throttled[o.id] = true
		}
	})
}

// troubles are the failures that speak of an origin, not of one URL of it.
var troubles = map[Reason]bool{
	"server_error": true, "dns": true, "connect": true, "tls": true, "timeout": true, "protocol": true, "incomplete": true,
}

// delayedBy is why o waits between two requests.
func (t *tx) delayedBy(o *origin) Reason {
	switch p := t.policyOf(o); {
	case o.pace.allowance.Slowed(t.now):
		return ReasonSlowed
	case o.pace.gate.delay > p.Delay.Microseconds():
		return ReasonCrawlDelay
	}
	return ""
}

// waited is what a request for u has waited for, and why: for the later of its
// origin's time and its own.
func (o *origin) waited(u *urlRow) (time.Time, Reason) {
	if u.state == Waiting && u.ready > o.pace.due {
		return moment(u.ready), u.reason
	}
	return moment(o.pace.due), o.pace.waits()
}

// waits is why o waits for the time it has.
func (p *pace) waits() Reason {
	if p.why == "" && p.due != 0 {
		return ReasonDelay
	}
	return p.why
}

package frontier

import (
	"fmt"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weircrawl/weir/storage"
)

// The calls of a history that concern leases, and the run as a whole.

// held draws one of the leases that were granted; the later ones more often.
func (h *machine) held(rt *rapid.T) (Lease, bool) {
	if len(h.leases) == 0 {
		return Lease{}, false
	}
	i := len(h.leases) - 1 - rapid.IntRange(0, len(h.leases)-1).Draw(rt, "lease")
	return h.began[h.leases[i]], true
}

// open draws a lease whose report is still expected.
func (h *machine) unanswered(rt *rapid.T) (Lease, bool) {
	var open []LeaseID
	for _, id := range h.leases {
		if l := h.m.leases[id]; l != nil && !l.expired && !l.foreign {
			open = append(open, id)
		}
	}
	if len(open) == 0 {
		return Lease{}, false
	}
	return h.began[pick(rt, "open", open...)], true
}

func (h *machine) sent(rt *rapid.T) {
	l, ok := h.unanswered(rt)
	if !ok {
		if l, ok = h.held(rt); !ok {
			return
		}
	}
	err := h.f.Sent(l, time.Now())
	if h.m.policyOf(string(l.Origin)).Paused != "" {
		var barred *BarredError
		require.ErrorAs(rt, err, &barred)
		return // nothing was noted
	}
	if h.m.sentAt(l.ID) {
		require.NoError(rt, err)
	} else {
		require.ErrorIs(rt, err, ErrStale)
	}
}

func (h *machine) extend(rt *rapid.T) {
	l, ok := h.held(rt)
	if !ok {
		return
	}
	next, err := h.f.Extend(l)
	if !h.m.extend(l.ID, h.cfg.TTL) {
		require.ErrorIs(rt, err, ErrStale)
		return
	}
	require.NoError(rt, err)
	require.Equal(rt, h.m.leases[l.ID].deadline, next.Deadline.UnixMicro())
}

// report settles a lease that is under way.
func (h *machine) report(rt *rapid.T) {
	if l, ok := h.unanswered(rt); ok {
		h.answer(h.outcome(rt, l))
	}
}

// complete reports on any lease, whatever has become of it.
func (h *machine) complete(rt *rapid.T) {
	if l, ok := h.held(rt); ok {
		h.answer(h.outcome(rt, l))
	}
}

// redeliver sends a report again, as it was.
func (h *machine) redeliver(rt *rapid.T) {
	l, ok := h.held(rt)
	if c, sent := h.answered[l.ID]; ok && sent {
		h.answer(c)
	}
}

func (h *machine) answer(c Completion) {
	a, err := h.f.Complete(h.ctx, c)
	require.NoError(h.rt, err)
	h.settle()
	require.Equal(h.rt, h.m.complete(c).String(), a.Kind.String(), "%s of %s", c.Outcome, c.Lease.URL)
	h.m.serve()
	h.answered[c.Lease.ID] = c
	if u := h.m.urls[c.Lease.Key.Text]; !c.Lease.Gate && len(h.m.offers) == 0 && u.origin.gate.state != gateEnded {
		require.Equal(h.rt, a.State, u.state, u.url)
	}
}

func (h *machine) outcome(rt *rapid.T, l Lease) Completion {
	e := Evidence{Status: pick(rt, "status", 0, 200), Bytes: pick[int64](rt, "size", 0, 10, 150), Digest: storage.Sum([]byte(pick(rt, "body", "x", "y")))}
	after := pick(rt, "after", time.Second, 30*time.Second, 5*time.Minute)
	if l.Gate {
		return h.gateOutcome(rt, l, e, after)
	}
	var c Completion
	switch k := rapid.IntRange(0, 15).Draw(rt, "outcome"); k {
	case 0:
		return l.Release("given back")
	case 1:
		return l.Redirected(pick(rt, "target", h.url(rt), "http://[/", l.URL), e)
	case 2:
		return l.Redirected(h.url(rt), e)
	case 3:
		c = l.Refused("denied", e)
	case 4:
		c = l.Failed("dns", e)
	case 5:
		c = l.Retry("timeout", after, e)
	case 6:
		c = l.Busy("status_429", after, e)
	case 9, 10:
		c = l.Retry("connect", time.Second, e)
	case 7:
		c = l.HandlerFailed(e)
		c.After = after
		return c
	case 8:
		c = l.Missing(e)
	default:
		c = l.Fetched(e)
	}
	c.References = h.refs(rt, 4, true)
	for i := range rapid.IntRange(0, 2).Draw(rt, "records") {
		c.Records = append(c.Records, Record{Kind: "page", Data: fmt.Append(nil, i)})
	}
	if rapid.IntRange(0, 7).Draw(rt, "overflow") == 0 {
		c.Overflow = Overflow{Count: 3, Example: "/more"}
	}
	return c
}

func (h *machine) gateOutcome(rt *rapid.T, l Lease, e Evidence, after time.Duration) Completion {
	switch rapid.IntRange(0, 9).Draw(rt, "gate") {
	case 0:
		return l.Retry("timeout", after, e)
	case 1:
		return l.Busy("status_429", after, e)
	case 2:
		return l.Ended(pick(rt, "ends", OutcomeRefused, OutcomeFailed), "robots: unreachable", e)
	case 3:
		return l.Release("given back")
	case 4:
		return l.Refused("denied", e)
	}
	fresh := pick(rt, "fresh", 0, time.Minute, time.Hour, 100*time.Hour)
	return l.Open([]byte(pick(rt, "note", "", "rules")), time.Now().Add(fresh), pick(rt, "delay", 0, 2*time.Second), e)
}

func (h *machine) stop(rt *rapid.T) {
	if rapid.IntRange(0, 3).Draw(rt, "really") > 0 {
		return
	}
	require.NoError(rt, h.f.Stop(h.ctx, "operator"))
	if h.m.phase == Running {
		h.m.phase, h.m.reason = Stopped, "operator"
	}
	if h.over && h.m.slots > 0 {
		h.m.phase = Finished
	}
}

// freeze closes a generation, with no more than the slow frontier has.
func (h *machine) freeze(rt *rapid.T) {
	g, err := h.f.Freeze(h.ctx)
	require.NoError(rt, err)
	h.settle()
	require.LessOrEqual(rt, g.Summary.Results, h.m.results)
	require.Equal(rt, h.m.late, g.Summary.Late)
	if was, again := h.frozen[g.ID]; again {
		require.Equal(rt, was, g)
	}
	h.frozen[g.ID] = g
}

// reopen ends the incarnation and begins the next one, perhaps with another
// budget.
func (h *machine) reopen(rt *rapid.T) {
	if h.over {
		return // a new run would begin
	}
	given := Budget{}
	if rapid.Bool().Draw(rt, "change") {
		given = h.budget()
	}
	h.next(given)
}

func (h *machine) next(given Budget) {
	h.disk.on(nil)
	require.NoError(h.rt, h.f.Close())
	h.cfg.Budget = given
	if given == (Budget{}) {
		h.cfg.Budget.Response = 100
	}
	h.open()
	h.m.now = time.Now().UnixMicro()
	h.m.reopen(h.cfg.Budget, h.cfg)
	h.settle()
}

func (h *machine) pause(rt *rapid.T) {
	h.setPause("http://"+pick(rt, "host", modelHosts...), pick(rt, "why", "", "operator"))
}

// setPause pauses an origin, or lets it go on. One that is throttled is left
// alone: whether the pause is noticed decides what becomes of the throttling.
func (h *machine) setPause(o, why string) {
	if so := h.m.origins[o]; so != nil && (so.throttled || so.allowance.Incidents > 0) {
		return
	}
	p := h.m.policy[o]
	if p.Paused != "" && why == "" {
		h.m.pausedT[o] = time.Now().UnixMicro() + lookAgainAfter
	}
	p.Paused = why
	h.m.policy[o] = p
	h.policy.mu.Lock()
	h.policy.m[o] = p
	h.policy.mu.Unlock()
}

package frontier

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weircrawl/weir/internal/faults"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
	"github.com/weircrawl/weir/urlnorm"
)

// TestRandomHistoriesAnswerAsTheSlowFrontierDoes holds the frontier to the slow
// one over random histories. A fault of the store at a random commit must change
// no answer.
func TestRandomHistoriesAnswerAsTheSlowFrontierDoes(t *testing.T) {
	checks(t, soak(2000))
	rapid.Check(t, func(rt *rapid.T) { history(t, rt, "") })
}

// TestWrongModelIsCaught breaks one rule of the slow frontier at a time. Each has
// a seed under which a history soon tells the difference.
func TestWrongModelIsCaught(t *testing.T) {
	for rule, seed := range map[string]int{"budget": 4, "dedupe": 7, "depth": 8, "fence": 7, "slot": 3, "delay": 8, "lost": 6, "attempts": 6, "offers": 5} {
		t.Run(rule, func(t *testing.T) {
			checks(t, 1000)
			for name, v := range map[string]string{"rapid.nofailfile": "true", "rapid.shrinktime": "0s", "rapid.seed": fmt.Sprint(seed)} {
				was := flag.Lookup(name).Value.String()
				require.NoError(t, flag.Set(name, v))
				t.Cleanup(func() { _ = flag.Set(name, was) })
			}
			control := &failing{T: t}
			finished := make(chan struct{})
			go func() { // a failing check ends its goroutine
				defer close(finished)
				rapid.Check(control, func(rt *rapid.T) { history(t, rt, rule) })
			}()
			<-finished
			require.True(t, control.failed, "no history has told the difference")
		})
	}
}

// failing is a test that may fail without failing the test that runs it.
type failing struct {
	*testing.T
	failed bool
}

func (f *failing) Errorf(string, ...any) { f.failed = true }
func (f *failing) Error(...any)          { f.failed = true }
func (f *failing) Fail()                 { f.failed = true }
func (f *failing) Failed() bool          { return f.failed }
func (f *failing) Fatalf(string, ...any) { f.FailNow() }
func (f *failing) Fatal(...any)          { f.FailNow() }
func (f *failing) Logf(string, ...any)   {}
func (f *failing) Log(...any)            {}
func (f *failing) FailNow() {
	f.failed = true
	runtime.Goexit()
}

// checks sets how many histories are tried, unless the command line says so.
func checks(t *testing.T, n int) {
	const standard = "100"
	if flag.Lookup("rapid.checks").Value.String() != standard {
		return
	}
	require.NoError(t, flag.Set("rapid.checks", fmt.Sprint(n)))
	t.Cleanup(func() { _ = flag.Set("rapid.checks", standard) })
}

// history runs one random history in a bubble of virtual time. What stops it, a
// failure or the end of rapid's data, leaves the bubble first.
func history(t *testing.T, rt *rapid.T, broken string) {
	var stop any
	synctest.Test(t, func(t *testing.T) {
		h := &machine{rt: rt, ctx: t.Context(), began: map[LeaseID]Lease{}, answered: map[LeaseID]Completion{}, frozen: map[string]Generation{}}
		defer func() {
			stop = recover()
			if h.f != nil {
				h.disk.on(nil)
				_ = h.f.Close() // its own error would hide the first one
			}
		}()
		h.begin(broken)
		h.enqueue(rt)
		rt.Repeat(h.actions())
		h.finish()
	})
	switch fmt.Sprintf("%T", stop) {
	case "<nil>":
	case "rapid.invalidData": // rapid tells it from a failure by the line that panics
		panic(stop)
	default:
		panic(stop)
	}
}

// machine applies the same history to a frontier and to the slow one.
type machine struct {
	rt     *rapid.T
	ctx    context.Context
	mem    *memory.Store
	disk   *shaky
	f      *Frontier
	cfg    Config
	m      *slow
	policy *policies
	over   bool

	leases   []LeaseID // all that were granted, in order
	began    map[LeaseID]Lease
	answered map[LeaseID]Completion
	frozen   map[string]Generation
}

// policies is a PolicySource that changes.
type policies struct {
	mu sync.Mutex
	m  map[string]Policy
}

func (p *policies) Policy(o urlnorm.Origin) Policy {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.m[string(o)]
}

var (
	modelHosts = []string{"a.test", "b.test", "www.a.test", "c.test"}
	modelPaths = []string{"/0", "/1", "/2", "/3", "/0?utm_source=x", "/1?utm_source=x"}
)

func pick[T any](rt *rapid.T, name string, of ...T) T { return rapid.SampledFrom(of).Draw(rt, name) }

func (h *machine) budget() Budget {
	return Budget{URLs: pick[int64](h.rt, "urls", 1, 2, 3, 5, 8, 20), Depth: pick(h.rt, "depth", 1, 2, 3, 5), Origins: pick[int64](h.rt, "origins", 1, 2, 3),
		Attempts: pick(h.rt, "attempts", 1, 2, 3), Losses: pick(h.rt, "losses", 1, 2, 5), Redirects: pick(h.rt, "redirects", 1, 2, 3),
		Response: 100, Bytes: pick[int64](h.rt, "bytes", 100, 1<<20, 1<<40)}
}

func (h *machine) begin(broken string) {
	rt := h.rt
	h.mem = memory.New()
	h.disk = newShaky(h.mem)
	h.disk.shared = pick(rt, "shared", false, false, true)
	h.policy = &policies{m: map[string]Policy{}}
	h.cfg = Config{Store: h.disk, Policy: h.policy, Budget: h.budget(), Gates: rapid.Bool().Draw(rt, "gates"),
		TTL: 10 * time.Second, Deadline: pick(rt, "deadline", time.Second, 15*time.Second), Cache: pick[int64](rt, "cache", 1, 1<<20), GateLimit: 50}
	if rapid.Bool().Draw(rt, "scoped") {
		h.cfg.Scope = Scope{Hosts: []string{"a.test", "b.test"}}
	}
	h.m = newSlow(time.Now().UnixMicro(), h.cfg)
	h.m.broken, h.m.shared = broken, h.disk.shared
	for _, host := range modelHosts {
		o := "http://" + host
		p := Policy{Delay: pick(rt, "delay", -1, 0, 3*time.Second), Concurrency: pick(rt, "concurrency", 1, 2), URLs: pick[int64](rt, "limit", 0, 0, 2)}
		h.policy.m[o], h.m.policy[o] = p, p
	}
	h.open()
}

func (h *machine) open() {
	f, err := Open(h.ctx, h.cfg)
	require.NoError(h.rt, err)
	h.f = f
}

func (h *machine) actions() map[string]func(*rapid.T) {
	all := map[string]func(*rapid.T){
		"":         func(*rapid.T) { h.compare() },
		"enqueue":  h.enqueue,
		"sent":     h.sent,
		"extend":   h.extend,
		"complete": h.complete,
		"repeat":   h.redeliver,
		"sleep": func(rt *rapid.T) {
			h.sleep(pick(rt, "d", 100*time.Millisecond, time.Second, 11*time.Second, 4*time.Second, 2*time.Minute))
		},
		"reopen": h.reopen,
		"stop":   h.stop,
		"pause":  h.pause,
		"fault":  h.fault,
		"freeze": h.freeze,
	}
	for i := range 3 { // weight
		all[fmt.Sprintf("lease%d", i)] = func(rt *rapid.T) { h.lease(pick(rt, "max", 1, 2, 4), time.Millisecond) }
		all[fmt.Sprintf("report%d", i)] = h.report
	}
	return all
}

// settle lets the writer finish, and the slow frontier catch up.
func (h *machine) settle() {
	synctest.Wait()
	h.m.advance(time.Now().UnixMicro(), h.cfg)
	h.m.serve()
}

func (h *machine) sleep(d time.Duration) {
	time.Sleep(d + 7*time.Microsecond) // nothing is ever exactly due
	h.settle()
}

func (h *machine) url(rt *rapid.T) string {
	return "http://" + pick(rt, "host", "a.test", "a.test", "a.test", "b.test", "b.test", "www.a.test", "c.test") + pick(rt, "path", modelPaths...)
}

func (h *machine) refs(rt *rapid.T, n int, relative bool) (rs []Reference) {
	for range n - rapid.IntRange(0, n).Draw(rt, "fewer") {
		r := Reference{Observed: h.url(rt), Rule: "a", Priority: pick[int8](rt, "priority", 0, 0, 1, -1)}
		if relative && rapid.Bool().Draw(rt, "relative") {
			r.Observed = pick(rt, "path", modelPaths...)
		}
		switch rapid.IntRange(0, 15).Draw(rt, "odd") {
		case 0:
			r.Refused = "kind: img"
		case 1:
			r.Observed = "http://[/"
		case 2:
			r.Observed = "mailto:x@a.test"
		case 3:
			r.Refused, r.Observed = "kind: img", "data:,x"
		case 4:
			r.Observed = "http://user:pw@a.test/"
		}
		rs = append(rs, r)
	}
	return rs
}

func (h *machine) enqueue(rt *rapid.T) {
	kind, rs := pick(rt, "source", Seed, AdminCall, Sitemap), h.refs(rt, 4, false)
	got, err := h.f.Enqueue(h.ctx, kind, rs...)
	if h.m.phase != Running {
		require.True(rt, errors.Is(err, ErrStopped) || errors.Is(err, ErrDone), "%v", err)
		return
	}
	require.NoError(rt, err)
	h.settle()
	want := h.m.enqueue(kind, rs)
	h.m.serve()
	require.Equal(rt, want, Enqueued{Accepted: got.Accepted, Known: got.Known, Limited: got.Limited, Deferred: got.Deferred, Stopped: got.Stopped}, "%+v", rs)
}

// lease asks for at most n leases for d. What is handed out must be allowed, and
// where nothing is, nothing must have been owed.
func (h *machine) lease(n int, d time.Duration) []Lease {
	rt := h.rt
	if h.m.observed == 0 {
		return nil // it would wait for a first reference
	}
	owed, over := h.m.must(), h.m.over()
	ctx, cancel := context.WithTimeout(h.ctx, d)
	defer cancel()
	leases, err := h.f.Lease(ctx, n)
	now := time.Now()
	synctest.Wait()
	if s := h.f.Summary(); s.Phase == Stopped && h.m.phase == Running {
		h.m.left = int(s.Offers)
	}
	defer func() { h.m.left = 0 }()
	h.m.advance(now.UnixMicro(), h.cfg)
	h.m.serve()
	h.observe()
	switch {
	case err == nil:
		require.Equal(rt, Running, h.m.phase)
		require.NotEmpty(rt, leases)
		require.LessOrEqual(rt, len(leases), n)
		for _, l := range leases {
			require.NoError(rt, h.m.granted(l, h.cfg))
			require.Equal(rt, h.cfg.TTL, l.Deadline.Sub(now))
			h.leases, h.began[l.ID] = append(h.leases, l.ID), l
		}
		if h.f.Summary().Phase == Stopped { // there was work that costs nothing, and no bytes for more
			h.stoppedFor()
		}
	case errors.Is(err, ErrDone):
		require.True(rt, h.m.over() && h.m.slots > 0, "done, with %d left", h.m.unresolved())
		h.m.phase, h.m.reason, h.over = Finished, "done", true
	case errors.Is(err, ErrStopped) && h.m.phase == Running && h.m.over() && h.m.slots == 0:
		h.m.phase, h.m.reason, h.over = FailedRun, ReasonNoneAdmitted, true
	case errors.Is(err, ErrStopped):
		h.stoppedFor()
	case errors.Is(err, context.DeadlineExceeded):
		require.Equal(rt, Running, h.m.phase)
		require.Empty(rt, owed, "nothing was handed out")
		require.False(rt, over, "the run is over, and nobody is told")
	default:
		require.NoError(rt, err)
	}
	return leases
}

// stoppedFor checks that a run had a reason to stop by itself.
func (h *machine) stoppedFor() {
	if h.m.phase == Stopped || h.m.phase == FailedRun {
		return
	}
	m, why := h.m, h.f.Summary().Reason
	switch why.Word() {
	case "paused":
		require.Zero(h.rt, m.count(Leased))
		require.Empty(h.rt, m.offers)
		for _, u := range m.urls {
			if !u.state.Terminal() {
				require.Equal(h.rt, "paused", m.ready(u.origin), u.url)
				require.Nil(h.rt, u.stored)
			}
		}
	case ReasonBytes:
		require.Zero(h.rt, m.reserved)
		require.Greater(h.rt, m.bytes+m.budget.Response, m.budget.Bytes)
	default:
		require.Failf(h.rt, "stopped", "for %s", why)
	}
	m.phase, m.reason = Stopped, why
}

// observe learns which URLs of an ended origin have ended with it: they may wait
// for the origin's turn.
func (h *machine) observe() {
	r := &Reader{store: h.mem, keys: h.f.keys}
	for _, u := range h.m.urls {
		if u.state != Queued && u.state != Waiting || u.origin.gate.state != gateEnded {
			continue
		}
		row := h.row(r, u)
		if row.state.Terminal() {
			require.Equal(h.rt, u.origin.gate.ends, row.state)
			h.m.end(u, row.state, u.origin.gate.reason)
		} else if h.m.ready(u.origin) == "ended" && h.m.phase == Running {
			h.m.lateEnd[u]++
			require.Less(h.rt, h.m.lateEnd[u], 8, "%s waits at an origin that has ended", u.url)
		}
	}
}

func (h *machine) row(r *Reader, u *slowURL) *urlRow {
	for row, err := range r.all(h.ctx, spaceURL) {
		require.NoError(h.rt, err)
		got, err := decodeURL(place{field(row[0], 0), field(row[0], 1)}, row[1])
		require.NoError(h.rt, err)
		if got.key.Text == u.key {
			return got
		}
	}
	require.Failf(h.rt, "no row", "%s", u.key)
	return nil
}

// compare holds the frontier's summary to the slow one's counters.
func (h *machine) compare() {
	h.settle()
	if h.f == nil {
		return
	}
	s, m := h.f.Summary(), h.m
	type numbers struct {
		states                                               map[State]int64
		slots, moved, origins, requests, bytes, reserved     int64
		observed, results, records, late, conflicts, offered int64
		decided, ends                                        map[string]int64
		phase                                                Phase
		reason                                               Reason
		limit                                                Budget
		scope                                                string
	}
	want := numbers{states: map[State]int64{}, slots: m.slots, moved: m.moved, origins: int64(len(m.origins)), requests: m.requests, bytes: m.bytes, reserved: m.reserved,
		observed: m.observed, results: m.results, records: m.records, late: m.late, conflicts: m.conflict, offered: int64(len(m.offers)),
		decided: withoutZero(m.decided), ends: withoutZero(m.ends), phase: m.phase, reason: m.reason, limit: m.budget, scope: strings.Join(m.scope, " ")}
	got := numbers{states: s.States, slots: s.Slots, moved: s.Moved, origins: s.Origins, requests: s.Requests, bytes: s.Bytes, reserved: s.Reserved,
		observed: s.Observed, results: s.Results, records: s.Records, late: s.Late, conflicts: s.Conflict, offered: s.Offers,
		decided: map[string]int64{}, ends: map[string]int64{}, phase: s.Phase, reason: s.Reason, limit: s.Limit, scope: strings.Join(s.Scope.Hosts, " ")}
	for _, st := range States {
		want.states[st] = m.count(st)
	}
	for _, d := range s.Decided {
		got.decided[fmt.Sprintf("%s {%s}", d.Decision, d.Reason)] = d.Count
	}
	for _, e := range s.Ends {
		got.ends[fmt.Sprintf("%s {%s}", e.State, e.Reason)] = e.Count
	}
	require.Equal(h.rt, want, got)
	require.LessOrEqual(h.rt, s.Slots, s.Limit.URLs)
	require.LessOrEqual(h.rt, s.Bytes+s.Reserved, s.Limit.Bytes)
}

func withoutZero(m map[string]int64) map[string]int64 {
	c := maps.Clone(m)
	maps.DeleteFunc(c, func(_ string, n int64) bool { return n == 0 })
	return c
}

// fault lets the store fail once, at the next moment of a kind.
func (h *machine) fault(rt *rapid.T) {
	h.disk.on(once(pick(rt, "point", faults.BeforeCommit, faults.AfterCommit, faults.BeforeRead), errBroken))
}

// finish lets the run go on without further trouble: it must come to its end, and
// its ledgers must add up.
func (h *machine) finish() {
	if h.m.phase == Stopped {
		h.unpause()
		h.next(h.m.budget)
	}
	h.unpause()
	for i := 0; h.m.phase == Running && h.m.observed > 0; i++ {
		require.Less(h.rt, i, 500, "the run never ends: %+v", h.f.Summary())
		for _, l := range h.lease(4, 3*time.Hour) {
			c := l.Fetched(Evidence{Status: 200, Bytes: 1})
			if l.Gate {
				c = l.Open(nil, time.Now().Add(time.Hour), 0, Evidence{})
			}
			h.answer(c)
		}
		h.compare()
	}
	f := h.f
	h.f = nil
	require.NoError(h.rt, f.Close())
	verifyIn(h.rt, h.ctx, h.mem)
	r, err := NewReader(h.ctx, h.mem, "")
	require.NoError(h.rt, err)
	for id, g := range h.frozen {
		kept, err := r.Generation(h.ctx, id)
		require.NoError(h.rt, err)
		require.Equal(h.rt, g, kept)
	}
}

func verifyIn(rt *rapid.T, ctx context.Context, s storage.Store) {
	r, err := NewReader(ctx, s, "")
	require.NoError(rt, err)
	require.NoError(rt, r.Check(ctx))
	require.NoError(rt, r.Replay(ctx))
}

func (h *machine) unpause() {
	for _, o := range slices.Sorted(maps.Keys(h.m.policy)) {
		h.setPause(o, "")
	}
	h.sleep(micros(lookAgainAfter))
}

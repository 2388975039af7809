package frontier

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weircrawl/weir/internal/faults"
	"github.com/weircrawl/weir/storage/memory"
)

// steering takes a run through random changes of its operators, with a fault of the
// store now and then, and remembers what they have said.
type steering struct {
	*rapid.T
	mem   *memory.Store
	disk  *shaky
	f     *Frontier
	held  []Lease
	n     int
	whys  []string
	scope []string           // hosts
	said  map[Subject]Policy // in force
}

var steeredHosts = []string{"a.test", "b.a.test", "c.test"}

func (s *steering) open() {
	var err error
	s.f, err = Open(context.Background(), Config{Store: s.disk, Policy: Policy{Delay: -1, Concurrency: 4}, Scope: Scope{Hosts: s.scope}, Budget: Budget{URLs: 40, Attempts: 2}})
	require.NoError(s, err)
}

func (s *steering) over() bool { return s.f.Summary().Phase != Running }

// now and then a commit fails: before it is applied, or after.
func (s *steering) maybeBreak() {
	switch rapid.IntRange(0, 5).Draw(s.T, "break") {
	case 0:
		s.disk.on(once(faults.BeforeCommit, errBroken))
	case 1:
		s.disk.on(once(faults.AfterCommit, errBroken))
	}
}

func (s *steering) url() string {
	s.n++
	return fmt.Sprintf("http://%s/%s/%d", rapid.SampledFrom(steeredHosts).Draw(s.T, "host"), rapid.SampledFrom([]string{"x", "y"}).Draw(s.T, "path"), s.n%17)
}

func (s *steering) enqueue(*rapid.T) {
	if s.over() {
		return
	}
	_, err := s.f.Enqueue(context.Background(), AdminCall, refs(s.url(), s.url())...)
	s.may(err)
}

func (s *steering) may(err error) {
	if !errors.Is(err, ErrStopped) && !errors.Is(err, ErrDone) && !errors.Is(err, context.DeadlineExceeded) {
		require.NoError(s, err)
	}
}

func (s *steering) lease(*rapid.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	leases, err := s.f.Lease(ctx, 3)
	s.may(err)
	for _, l := range leases {
		require.Empty(s, s.forbids(l), "%s was leased", l.URL)
	}
	s.held = append(s.held, leases...)
}

// forbids says, the slow way, why l may not be requested.
func (s *steering) forbids(l Lease) string {
	host, path := l.Origin.Host(), strings.TrimPrefix(l.URL, string(l.Origin))
	in := false
	for _, h := range s.scope {
		in = in || h == host
	}
	disallow := ""
	for _, subject := range []Subject{{Origin: l.Origin}, {Site: l.Origin.Site()}, {}} {
		p := s.said[subject]
		if p.Paused != "" {
			return "paused"
		}
		if len(p.Disallow) > 0 && disallow == "" {
			disallow = p.Disallow[0]
		}
	}
	if !in {
		return "scope"
	}
	if disallow != "" && strings.HasPrefix(path, disallow) {
		return "disallowed"
	}
	return ""
}

func (s *steering) settle(*rapid.T) {
	if len(s.held) == 0 {
		return
	}
	l := s.held[0]
	s.held = s.held[1:]
	err := s.f.Sent(l, time.Now())
	var barred *BarredError
	switch why := s.forbids(l); {
	case errors.Is(err, ErrStale):
		return
	case why == "":
		require.NoError(s, err)
	default:
		require.ErrorAs(s, err, &barred)
		require.Equal(s, Reason(why), barred.Reason.Word())
		_, err = s.f.Complete(context.Background(), l.Release(barred.Reason))
		require.NoError(s, err)
		return
	}
	c := page(l, s.url(), s.url())
	if rapid.Bool().Draw(s.T, "fails") {
		c = l.Failed("teapot", Evidence{})
	}
	_, err = s.f.Complete(context.Background(), c)
	require.NoError(s, err)
}

// change is one change of an operator, and notes it if it was made.
func (s *steering) change(make func(a Admin, why string) error, noted func()) {
	why := fmt.Sprint(len(s.whys))
	s.maybeBreak()
	err := make(s.f.Admin("ann"), why)
	if errors.Is(err, ErrRunFinished) || errors.Is(err, ErrUnknownOrigin) || errors.Is(err, ErrBadChange) {
		return
	}
	require.NoError(s, err)
	s.whys = append(s.whys, why)
	noted()
}

func (s *steering) subject() Subject {
	return rapid.SampledFrom([]Subject{{}, {Site: "a.test"}, {Origin: "http://a.test"}, {Origin: "http://b.a.test"}, {Origin: "http://c.test"}}).Draw(s.T, "subject")
}

func (s *steering) set(subject Subject, p Policy) func() { return func() { s.said[subject] = p } }

func (s *steering) pause(*rapid.T) {
	subject := s.subject()
	p := s.said[subject]
	p.Paused = "x"
	s.change(func(a Admin, why string) error { return a.Pause(context.Background(), subject, why) }, s.set(subject, p))
}

func (s *steering) resume(*rapid.T) {
	subject := s.subject()
	p := s.said[subject]
	p.Paused = ""
	s.change(func(a Admin, why string) error { return a.Resume(context.Background(), subject, why) }, s.set(subject, p))
}

func (s *steering) policy(*rapid.T) {
	subject, p := s.subject(), Policy{}
	if path := rapid.SampledFrom([]string{"", "/x/", "/y/"}).Draw(s.T, "disallow"); path != "" {
		p.Disallow = []string{path}
	}
	s.change(func(a Admin, why string) error { return a.SetPolicy(context.Background(), subject, &p, why) }, s.set(subject, p))
}

func (s *steering) rescope(*rapid.T) {
	hosts := rapid.SliceOfNDistinct(rapid.SampledFrom(steeredHosts), 1, 3, rapid.ID).Draw(s.T, "hosts")
	s.change(func(a Admin, why string) error { return a.SetScope(context.Background(), Scope{Hosts: hosts}, why) }, func() { s.scope = hosts })
}

func (s *steering) raise(*rapid.T) {
	urls := s.f.Summary().Limit.URLs + 5
	s.change(func(a Admin, why string) error { return a.Raise(context.Background(), Budget{URLs: urls}, why) }, func() {})
}

func (s *steering) reopen(*rapid.T) {
	w := Filter{States: []State{rapid.SampledFrom([]State{Done, Failed, Refused}).Draw(s.T, "state")}}
	s.change(func(a Admin, why string) error { return a.Reopen(context.Background(), w, why) }, func() {})
}

// restart ends the process in the middle, with its leases.
func (s *steering) restart(*rapid.T) {
	if s.f.Summary().Phase.Terminal() {
		return
	}
	s.disk.on(nil)
	require.NoError(s, s.f.Close())
	s.held = nil
	s.open()
}

// holds rebuilds everything, and compares the audit with what was said.
func (s *steering) holds(*rapid.T) {
	s.disk.on(nil)
	r, err := NewReader(context.Background(), s.mem, "")
	require.NoError(s, err)
	synctest.Wait() // no commit is in progress
	require.NoError(s, r.Check(context.Background()))
	require.NoError(s, r.Replay(context.Background()))
	var whys []string
	for a, err := range r.Audits(context.Background()) {
		require.NoError(s, err)
		whys = append(whys, a.Why)
	}
	require.Equal(s, s.whys, whys)
}

// TestWhateverOperatorsDoTheRunObeysAndAddsUp changes a run at random. Nothing is
// leased or sent that is forbidden by then, every change has its one audit row, and
// all ledgers add up.
func TestWhateverOperatorsDoTheRunObeysAndAddsUp(t *testing.T) {
	checks(t, soak(300))
	rapid.Check(t, func(rt *rapid.T) {
		var stop any
		synctest.Test(t, func(t *testing.T) {
			s := &steering{T: rt, mem: memory.New(), scope: []string{"a.test", "c.test"}, said: map[Subject]Policy{}}
			s.disk = newShaky(s.mem)
			s.open()
			defer func() {
				stop = recover()
				s.disk.on(nil)
				_ = s.f.Close() // its own error would hide the first one
			}()
			s.enqueue(rt)
			rt.Repeat(map[string]func(*rapid.T){
				"enqueue": s.enqueue, "lease": s.lease, "settle": s.settle, "pause": s.pause, "resume": s.resume, "policy": s.policy,
				"scope": s.rescope, "raise": s.raise, "reopen": s.reopen, "restart": s.restart, "": s.holds,
			})
		})
		switch fmt.Sprintf("%T", stop) {
		case "<nil>":
		case "rapid.invalidData": // rapid tells it from a failure by the line that panics
			panic(stop)
		default:
			panic(stop)
		}
	})
}

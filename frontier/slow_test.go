package frontier

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/weircrawl/weir/internal/allowance"
	"github.com/weircrawl/weir/internal/backoff"
	"github.com/weircrawl/weir/urlnorm"
)

// slow is a frontier that is obvious rather than fast: plain maps, no store, no
// queues, no groups. It says what each call must answer and what the counters
// must be. Of two things it says only what is allowed: which of several URLs a
// Lease hands out, and when a pause that nobody asked for (jitter) is over.
type slow struct {
	now     int64 // microseconds
	budget  Budget
	scope   []string // hosts
	ttl     int64
	seeds   bool // hosts of seeds join the scope
	gates   bool
	policy  map[string]Policy // by origin
	pausedT map[string]int64  // until then nobody may have noticed that a pause is over
	shared  bool              // leases of an earlier incarnation are kept until they end

	broken string // a rule that is wrong on purpose

	phase   Phase
	reason  Reason
	left    int                 // offers that a stop in the middle of a call has left
	lateEnd map[*slowURL]int    // Lease calls that found it waiting at an ended origin
	urls    map[string]*slowURL // by key
	origins map[string]*slowOrigin
	leases  map[LeaseID]*slowLease
	sources []*slowSource // the ledger
	offers  []func()

	slots, moved, requests, bytes, reserved, records, results, late, conflict, observed int64

	decided map[string]int64
	ends    map[string]int64
}

type slowURL struct {
	key, url string
	origin   *slowOrigin
	seed     bool
	from     *slowURL
	state    State
	reason   Reason
	class    uint8
	depth    int
	hop      int
	gen      uint64

	attempts, losses, busies, handlers int

	due     span
	stored  *Evidence
	settled *slowSource
	tries   map[uint64]string // what was accepted, by generation
}

// span is a moment that lies between two.
type span struct{ earliest, latest int64 }

type slowOrigin struct {
	text      string
	due       int64
	allowance allowance.State
	throttled bool
	gate      slowGate
}

type slowGate struct {
	state    gateState
	ends     State
	reason   Reason
	until    int64
	due      span
	gen      uint64
	attempts int
	losses   int
	delay    int64
	note     string
	tryGen   uint64
	try      string
}

type slowLease struct {
	granted  int64
	id       LeaseID
	u        *slowURL // nil: the gate
	o        *slowOrigin
	limit    int64
	deadline int64
	last     int64
	delay    int64
	sent     int64
	spaced   bool
	stored   bool
	expired  bool
	held     int64
	foreign  bool
}

type slowSource struct {
	first  Source // of an offer
	kind   Source
	parent *slowURL
	depth  int
	hop    int
	seed   bool
	lines  []*slowLine
}

type slowLine struct {
	moved    bool // no bound holds it back any more
	ref      Reference
	decision Decision
	reason   Reason
}

func newSlow(now int64, c Config) *slow {
	return &slow{now: now, ttl: c.TTL.Microseconds(), budget: c.Budget.WithDefaults(), scope: append([]string{}, c.Scope.Hosts...), seeds: c.Scope.Empty(), gates: c.Gates, phase: Running, policy: map[string]Policy{}, pausedT: map[string]int64{},
		urls: map[string]*slowURL{}, origins: map[string]*slowOrigin{}, leases: map[LeaseID]*slowLease{}, decided: map[string]int64{}, ends: map[string]int64{}, reason: "open", lateEnd: map[*slowURL]int{}}
}

func (m *slow) takes(o string) bool {
	return slices.Contains(m.scope, strings.TrimPrefix(o, "http://"))
}

// count returns how many URLs are in a state.
func (m *slow) count(st State) (n int64) {
	for _, u := range m.urls {
		if u.state == st {
			n++
		}
	}
	return n
}

func (m *slow) unresolved() int64 { return m.count(Queued) + m.count(Leased) + m.count(Waiting) }

// live lists an origin's URLs that wait for a request.
func (m *slow) live(o *slowOrigin) (us []*slowURL) {
	for _, k := range slices.Sorted(maps.Keys(m.urls)) {
		if u := m.urls[k]; u.origin == o && u.stored == nil && (u.state == Queued || u.state == Waiting) {
			us = append(us, u)
		}
	}
	return us
}

func (m *slow) tally(d Decision, why Reason, n int64) {
	m.decided[fmt.Sprintf("%s {%s}", d, why.Word())] += n
	m.observed += n
}

func (m *slow) end(u *slowURL, st State, why Reason) {
	u.state, u.reason, u.stored = st, why, nil
	m.ends[fmt.Sprintf("%s {%s}", st, why.Word())]++
	m.results++
}

// enqueue decides references that no page holds.
func (m *slow) enqueue(kind Source, refs []Reference) (e Enqueued) {
	s := m.decideAll(&slowSource{kind: kind}, refs, "")
	for _, l := range s.lines {
		switch l.decision {
		case Admitted:
			e.Accepted++
		case Duplicate:
			e.Known++
		case LimitReached:
			e.Limited++
		case PolicyStop:
			e.Stopped++
		}
	}
	return e
}

func (m *slow) decideAll(s *slowSource, refs []Reference, base string) *slowSource {
	for _, r := range refs {
		if r.Base == "" {
			r.Base = base
		}
		l := &slowLine{ref: r}
		l.decision, l.reason = m.decide(s, r)
		m.tally(l.decision, l.reason, 1)
		s.lines = append(s.lines, l)
	}
	m.sources = append(m.sources, s)
	return s
}

func normalized(r Reference) (urlnorm.URL, error) {
	var base *urlnorm.URL
	if r.Base != "" {
		if b, err := (urlnorm.Standard{}).Normalize(nil, r.Base); err == nil {
			base = &b
		}
	}
	return urlnorm.Standard{}.Normalize(base, r.Observed)
}

func (m *slow) decide(s *slowSource, r Reference) (Decision, Reason) {
	n, err := normalized(r)
	if err != nil {
		return PolicyStop, rejection(err)
	}
	if r.Refused != "" {
		return PolicyStop, r.Refused
	}
	if u := m.urls[n.Key.Text]; u != nil && !(m.broken == "dedupe" && u.state == Done) {
		m.repeat(u, r.Priority, s.depth)
		if len(n.Folded) > 0 && n.Request != u.url {
			return Duplicate, Reason(n.Folded[0])
		}
		return Duplicate, ReasonKnown
	}
	o := m.origins[string(n.Origin)]
	admitted := int64(0)
	for _, u := range m.urls {
		if u.origin == o {
			admitted++
		}
	}
	joins := !m.takes(string(n.Origin)) && s.named() == Seed && m.seeds
	switch limit := m.policyOf(string(n.Origin)).URLs; {
	case !m.takes(string(n.Origin)) && !joins:
		return PolicyStop, ReasonScope
	case s.depth > m.budget.Depth:
		return LimitReached, ReasonDepth
	case o == nil && int64(len(m.origins)) >= m.budget.Origins:
		return LimitReached, ReasonOrigins
	case s.kind != Redirect && m.slots >= m.budget.URLs && m.broken != "budget":
		return LimitReached, ReasonURLs
	case limit > 0 && o != nil && admitted >= limit:
		return LimitReached, "origin_urls"
	case o != nil && o.gate.state == gateEnded && m.now < o.gate.until:
		return PolicyStop, ReasonOriginEnded
	}
	if joins {
		m.scope = append(m.scope, strings.TrimPrefix(string(n.Origin), "http://"))
	}
	if o == nil {
		o = &slowOrigin{text: string(n.Origin)}
		m.origins[o.text] = o
	}
	if o.gate.state == gateEnded {
		o.gate.state, o.gate.attempts = gateClosed, 0
	}
	u := &slowURL{key: n.Key.Text, url: n.Request, origin: o, state: Queued, class: classFor(r.Priority), depth: s.depth, hop: s.hop,
		seed: s.named() == Seed || s.named() == Redirect && s.seed, tries: map[uint64]string{}}
	if s.named() == Redirect {
		u.from = s.parent
	}
	if s.kind == Redirect && m.broken != "slot" {
		m.moved++
	} else {
		m.slots++
	}
	m.urls[u.key] = u
	return Admitted, ReasonNew
}

// repeat lets a reference to a known URL raise its class and lower its depth,
// and owes what a settled page links at its lower depth.
func (m *slow) repeat(u *slowURL, priority int8, depth int) {
	if m.broken == "depth" {
		depth = u.depth
	}
	lowered := depth < u.depth && u.settled != nil && u.state.Terminal()
	u.class, u.depth = min(u.class, classFor(priority)), min(u.depth, depth)
	if lowered {
		s := u.settled
		m.offers = append(m.offers, func() { m.offerSource(s, u.depth) })
	}
}

// offerSource decides a source again, because its page is nearer now.
func (m *slow) offerSource(s *slowSource, depth int) {
	if s.kind != Redirect {
		depth++
	}
	m.again(s, depth, func(l *slowLine) bool { return l.decision != PolicyStop && !l.moved })
}

// offerRaised decides again all that a bound held back.
func (m *slow) offerRaised(sources []*slowSource) {
	for _, s := range sources {
		depth := s.depth
		if s.parent != nil && s.kind == Redirect {
			depth = s.parent.depth
		} else if s.parent != nil {
			depth = s.parent.depth + 1
		}
		m.again(s, depth, func(l *slowLine) bool { return l.decision == LimitReached && !l.moved })
	}
}

func (s *slowSource) named() Source {
	if s.kind == Offer {
		return s.first
	}
	return s.kind
}

func (m *slow) again(s *slowSource, depth int, which func(*slowLine) bool) {
	now := &slowSource{kind: Offer, first: s.named(), parent: s.parent, depth: depth, hop: s.hop, seed: s.seed}
	for _, l := range s.lines {
		if !which(l) {
			continue
		}
		if d, why := m.decide(now, l.ref); d != LimitReached && l.decision == LimitReached {
			l.moved = true
			m.tally(l.decision, l.reason, -1)
			m.tally(d, why, 1)
		}
	}
}

// serve does what is owed, as the writer does while nobody asks for anything.
func (m *slow) serve() {
	for m.phase == Running && len(m.offers) > m.left {
		o := m.offers[0]
		m.offers = m.offers[1:]
		o()
	}
}

func (m *slow) policyOf(o string) Policy { return m.policy[o].WithDefaults() }

func (m *slow) delay(o *slowOrigin) int64 {
	return o.allowance.Wait(m.terms(o), m.now).Microseconds()
}

func (m *slow) terms(o *slowOrigin) allowance.Terms {
	p := m.policyOf(o.text)
	return allowance.Terms{Start: p.Delay, Best: p.Fastest, Site: time.Duration(o.gate.delay) * time.Microsecond, Concurrency: p.Concurrency}
}

// wait is the pause before the next try.
func (m *slow) wait(asked time.Duration, failures int) span {
	if asked > 0 {
		at := m.now + min(asked, backoff.MaxAsked).Microseconds()
		return span{at, at}
	}
	return span{m.now + 1, m.now + max(backoff.Bound(failures).Microseconds(), 1)}
}

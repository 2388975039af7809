package frontier

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/weircrawl/weir/internal/codec"
)

// head is the state of a run as a whole: every counter is the sum of what its
// transitions and edges say.
type head struct {
	name     string
	number   uint32
	began    int64
	phase    Phase
	reason   Reason
	since    int64
	seq      uint64 // of the commit that wrote this head
	at       int64  // of that commit
	contract contract
	terms    []byte  // contract as it is kept; nil: not made yet
	scoped   *scoped // contract.Scope as it decides; nil: not made yet

	states   [len(stateNames)]int64
	slots    int64
	hints    int64
	moved    int64
	origins  int64
	requests int64
	bytes    int64
	reserved int64
	active   int64 // microseconds
	observed int64
	results  int64
	records  int64
	paused   int64
	offers   int64
	late     int64
	conflict int64
	entries  int64    // lines of the log
	finish   uint64   // F of the last result
	frozen   uint64   // G of the newest generation
	queue    int64    // microseconds that the oldest call of the commit had waited
	hosts    int64    // that seeds have brought into the scope
	joined   []string // the first of them
	tallies  map[tallyKey]*tally
	held     patterns // of what limits hold back
	sketch   []byte   // held as it is kept; nil: not made yet
}

// contract is what a run is bound to.
type contract struct {
	Budget Budget `json:"budget"`
	Scope  Scope  `json:"scope"`
	Seeds  bool   `json:"seeds"` // the scope is the seeds' hosts: a new seed joins it

	Patterns bool `json:"patterns,omitempty"` // URLs are counted by pattern; runs of the first weir did not
	Versions
	From string `json:"from,omitempty"` // the run that it was rekeyed from

	Given    Budget `json:"given,omitzero"`     // of what operators have raised: what was in force before
	Revision uint64 `json:"revision,omitempty"` // changes of policy that operators have made
	Policies int64  `json:"policies,omitempty"` // subjects that operators have set one for
	Said     int64  `json:"said,omitempty"`     // bytes of these policies
	Audits   int64  `json:"audits,omitempty"`   // changes of operators
}

type tallyKind uint8

const (
	tallyEnd     tallyKind = iota // a terminal state
	tallyDecided                  // a decision
	tallyStop                     // a bound that held work back
)

type tallyKey struct {
	kind   tallyKind
	code   uint8 // State or Decision
	reason Reason
}

type tally struct {
	count   int64
	example string
}

const (
	exampleSize = 96
	maxTallies  = 64 // of a kind; beyond, new reasons count as "other"
	otherReason = Reason("other")
)

// count adds n to a tally and keeps the first example.
func (h *head) count(k tallyKey, n int64, example string) {
	k.reason = k.reason.Word()
	t := h.tallies[k]
	if t == nil {
		if h.kinds(k.kind) >= maxTallies {
			k.reason = otherReason
		}
		if t = h.tallies[k]; t == nil {
			t = &tally{example: clipText(example, exampleSize)}
			h.tallies[k] = t
		}
	}
	t.count += n
}

func (h *head) kinds(kind tallyKind) int {
	n := 0
	for k := range h.tallies {
		if k.kind == kind {
			n++
		}
	}
	return n
}

// unresolved is the number of admitted URLs that are not terminal.
func (h *head) unresolved() int64 { return h.states[Queued] + h.states[Leased] + h.states[Waiting] }

// over reports whether nothing is left to do.
func (h *head) over() bool { return h.unresolved() == 0 && h.offers == 0 }

// hold counts n references that a limit holds back, by their pattern; a negative n
// are let go.
func (h *head) hold(d Decision, why Reason, n int64, request, example string) {
	if d == LimitReached || d == DeferredBudget {
		h.held.add(patternOf(request), why, n, example)
		h.sketch = nil
	}
}

// limited is how many references a limit holds back.
func (h *head) limited() (n int64) {
	for k, t := range h.tallies {
		if d := Decision(k.code); k.kind == tallyDecided && (d == LimitReached || d == DeferredBudget) {
			n += t.count
		}
	}
	return n
}

// Versions of a head's row: with its generation, its queue and its patterns, and
// with hints.
const (
	headVersion  = 1
	headVersion2 = 2
	headVersion3 = 3
)

func (h *head) version() byte {
	if h.hints != 0 {
		return headVersion3
	}
	if h.frozen != 0 || h.queue != 0 || h.held.total != 0 {
		return headVersion2
	}
	return headVersion
}

func (h *head) encode() []byte {
	version := h.version()
	w := codec.NewWriter(version, make([]byte, 0, 512+64*len(h.tallies)+len(h.sketch)))
	w.String(h.name)
	w.Uint(uint64(h.number))
	w.Uint(uint64(h.began))
	w.Byte(byte(h.phase))
	w.String(string(h.reason))
	w.Uint(uint64(h.since))
	w.Uint(h.seq)
	w.Uint(uint64(h.at))
	if h.terms == nil {
		h.terms, _ = json.Marshal(h.contract) // plain values: it cannot fail
	}
	w.Bytes(h.terms)
	for _, n := range h.states {
		w.Int(n)
	}
	for _, n := range h.counters() {
		w.Int(*n)
	}
	w.Uint(h.finish)
	w.Uint(uint64(len(h.joined)))
	for _, host := range h.joined {
		w.String(host)
	}
	w.Uint(uint64(len(h.tallies)))
	for _, k := range h.tallyKeys() {
		w.Byte(byte(k.kind))
		w.Byte(k.code)
		w.String(string(k.reason))
		w.Int(h.tallies[k].count)
		w.String(h.tallies[k].example)
	}
	if version >= headVersion2 {
		h.encodeLater(w)
	}
	return w.Seal()
}

// encodeLater writes what version 2 has more.
func (h *head) encodeLater(w *codec.Writer) {
	w.Uint(h.frozen)
	w.Int(h.queue)
	if h.sketch == nil {
		s := codec.NewWriter(rowVersion, make([]byte, 0, 160*len(h.held.list)+32))
		h.held.write(s)
		h.sketch = s.Seal()
	}
	w.Bytes(h.sketch)
	if h.hints != 0 {
		w.Int(h.hints)
	}
}

// maxJoined is how many hosts of the scope a summary names.
const maxJoined = 16

// join notes a host that a seed has brought into the scope.
func (h *head) join(host string) {
	if h.hosts++; len(h.joined) < maxJoined {
		h.joined = append(h.joined, host)
	}
}

// counters lists the plain counters in the order in which they are kept.
func (h *head) counters() []*int64 {
	return []*int64{&h.slots, &h.moved, &h.origins, &h.requests, &h.bytes, &h.reserved, &h.active,
		&h.hosts, &h.observed, &h.results, &h.records, &h.paused, &h.offers, &h.late, &h.conflict, &h.entries}
}

func decodeHead(v []byte) (*head, error) {
	r := codec.NewReader(v, headVersion3)
	h := &head{name: r.String(), number: uint32(r.Uint()), began: int64(r.Uint()),
		phase: Phase(r.Byte()), reason: Reason(r.String()), since: int64(r.Uint()), seq: r.Uint(), at: int64(r.Uint()),
		tallies: map[tallyKey]*tally{}}
	if terms := r.Bytes(); r.Err() == nil {
		if err := json.Unmarshal(terms, &h.contract); err != nil {
			return nil, damaged(spaceHead, err)
		}
	}
	for i := range h.states {
		h.states[i] = r.Int()
	}
	for _, n := range h.counters() {
		*n = r.Int()
	}
	h.finish = r.Uint()
	for range min(r.Uint(), maxJoined) {
		h.joined = append(h.joined, r.String())
	}
	for range min(r.Uint(), 4*maxTallies) {
		k := tallyKey{tallyKind(r.Byte()), r.Byte(), Reason(r.String())}
		h.tallies[k] = &tally{count: r.Int(), example: clipText(r.String(), exampleSize)}
	}
	if r.Version >= headVersion2 {
		h.frozen, h.queue, h.sketch = r.Uint(), r.Int(), r.Bytes()
		s := codec.NewReader(h.sketch, rowVersion)
		if h.held = readPatterns(s); r.Err() == nil && s.Close() != nil {
			return nil, damaged(spaceHead, s.Close())
		}
		if r.Version >= headVersion3 {
			h.hints = r.Int()
		}
	} else {
		h.held.total = h.limited() // nobody has noted their patterns
	}
	return h, damaged(spaceHead, r.Close())
}

func (h *head) tallyKeys() []tallyKey {
	keys := make([]tallyKey, 0, len(h.tallies))
	for k := range h.tallies {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b tallyKey) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.code, b.code), cmp.Compare(a.reason, b.reason))
	})
	return keys
}

// maxShown is how many patterns a summary lists.
const maxShown = 8

// summary is h as its readers see it.
func (h *head) summary() Summary {
	s := Summary{Run: h.name, Number: h.number, Phase: h.phase, Reason: h.reason,
		Since: stamp(h.since), Sequence: h.seq, Time: stamp(h.at), Began: stamp(h.began),
		States: map[State]int64{}, Observed: h.observed, Paused: h.paused, Offers: h.offers,
		Slots: h.slots, Moved: h.moved, Hints: h.hints, Origins: h.origins, Requests: h.requests, Bytes: h.bytes, Reserved: h.reserved,
		Active: time.Duration(h.active) * time.Microsecond, Limit: h.contract.Budget, Scope: h.contract.Scope,
		Results: h.results, Records: h.records, Late: h.late, Conflict: h.conflict}
	s.Hosts = h.hosts
	s.Versions, s.Queue = h.contract.Versions, micros(h.queue)
	s.Patterns, s.PatternRest = h.held.heaviest(maxShown)
	if h.frozen != 0 {
		s.Generation = generationID(h.name, h.frozen)
	}
	if h.contract.Seeds {
		s.Scope.Hosts = append(append([]string{}, s.Scope.Hosts...), h.joined...)
	}
	for _, st := range States {
		s.States[st] = h.states[st]
	}
	for _, k := range h.tallyKeys() {
		t := Tally{Reason: k.reason, Count: h.tallies[k].count, Example: h.tallies[k].example}
		if t.Count == 0 {
			continue
		}
		switch k.kind {
		case tallyEnd:
			t.State = State(k.code)
			s.Ends = append(s.Ends, t)
		case tallyDecided:
			t.Decision = Decision(k.code)
			s.Decided = append(s.Decided, t)
		case tallyStop:
			s.Stops = append(s.Stops, t)
		}
	}
	return s
}

func stamp(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

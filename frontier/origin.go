package frontier

import (
	"github.com/weircrawl/weir/internal/allowance"
	"github.com/weircrawl/weir/internal/codec"
	"github.com/weircrawl/weir/urlnorm"
)

// origin is one scheme, host and port: its queue, its pace and its gate. Times
// are microseconds of the frontier's clock.
type origin struct {
	id   uint64
	text urlnorm.Origin
	pace pace // what transitions have decided

	next   [classes]uint64 // count of the last URL admitted with each class
	ready  [classes]uint32 // rows in ready, by class
	states [len(stateNames)]int64
	again  int64 // URLs that wait for their handler alone

	// Memory only: a successor finds it anew.
	grants   uint64
	site     string // found when it is needed
	inflight int    // leases and slots that expired ones still hold
	unsent   int    // leases whose request has not been sent
	fresh    bool   // has URLs that the next commit makes visible
	window   [classes][]uint64
	wake     int64 // T of its row in wake; 0: none
	gateTry  try   // the last settled attempt of the gate
	dirty    bool
	paced    bool // pace has changed since it was logged
}

// pace is what an origin's transitions decide as values: a later reader takes
// them as they are and decides nothing again.
type pace struct {
	head      [classes]uint64 // counts up to this one have been passed
	due       int64           // no request before
	why       Reason          // of due; empty: the operator's delay
	allowance allowance.State // what the origin's answers have made of its pace
	pause     Reason          // why nothing is leased; empty: leased
	gate      gate
}

// gate says whether an origin may be visited, and how.
type gate struct {
	state    gateState
	reason   Reason
	ends     State // of the origin's URLs, once the gate has ended
	until    int64 // fresh, or ended, until then
	due      int64 // of a retry
	gen      uint64
	attempts uint32
	losses   uint32
	delay    int64 // what the site asks for
	note     []byte
	back     uint64 // S of its last transition
}

type gateState uint8

const (
	gateClosed gateState = iota
	gateLeased
	gateOpen
	gateRetry
	gateEnded
)

var gateNames = [...]string{"closed", "leased", "open", "retry", "ended"}

func (g gateState) String() string { return name(gateNames[:], uint8(g)) }

// live is the number of URLs that wait for a request to the origin.
func (o *origin) live() int64 { return o.states[Queued] + o.states[Waiting] - o.again }

// held is live, while the origin is paused.
func (o *origin) held() int64 {
	if o.pace.pause == "" {
		return 0
	}
	return o.live()
}

// inOrder reports whether URLs may be left that were never passed.
func (o *origin) inOrder(class uint8) bool { return o.pace.head[class] < o.next[class] }

// paceVersion2 is the version of a row, of an origin or of the log, with a whole
// allowance; the first has its incidents alone.
const paceVersion2 = 2

// version is that of the rows which hold p.
func (p *pace) version() byte {
	if a := p.allowance; a != incidents(a.Incidents, a.Last) {
		return paceVersion2
	}
	return rowVersion
}

// incidents is the allowance of an origin that has been slowed by nothing.
func incidents(n, last int64) allowance.State {
	return allowance.State{Incidents: n, Last: last, Calm: last}
}

func (o *origin) encode() []byte {
	w := codec.NewWriter(o.pace.version(), make([]byte, 0, 128))
	w.String(string(o.text))
	for c := range classes {
		w.Uint(o.next[c])
		w.Uint(uint64(o.ready[c]))
	}
	for _, n := range o.states {
		w.Uint(uint64(n))
	}
	w.Uint(uint64(o.again))
	w.Uint(uint64(o.wake))
	o.gateTry.write(w)
	o.pace.write(w)
	return w.Seal()
}

func decodeOrigin(id uint64, v []byte) (*origin, error) {
	r := codec.NewReader(v, paceVersion2)
	o := &origin{id: id, text: urlnorm.Origin(r.String())}
	for c := range classes {
		o.next[c] = r.Uint()
		o.ready[c] = uint32(r.Uint())
	}
	for i := range o.states {
		o.states[i] = int64(r.Uint())
	}
	o.again = int64(r.Uint())
	o.wake = int64(r.Uint())
	o.gateTry = readTry(r)
	o.pace = readPace(r)
	return o, damaged(spaceOrigin, r.Close())
}

func (p *pace) write(w *codec.Writer) {
	for _, n := range p.head {
		w.Uint(n)
	}
	w.Uint(uint64(p.due))
	w.String(string(p.why))
	writeAllowance(w, p.allowance)
	w.String(string(p.pause))
	g := &p.gate
	w.Byte(byte(g.state))
	w.String(string(g.reason))
	w.Byte(byte(g.ends))
	w.Uint(uint64(g.until))
	w.Uint(uint64(g.due))
	w.Uint(g.gen)
	w.Uint(uint64(g.attempts))
	w.Uint(uint64(g.losses))
	w.Uint(uint64(g.delay))
	w.Bytes(g.note)
	w.Uint(g.back)
}

func readPace(r *codec.Reader) pace {
	var p pace
	for i := range p.head {
		p.head[i] = r.Uint()
	}
	p.due, p.why = int64(r.Uint()), Reason(r.String())
	p.allowance, p.pause = readAllowance(r), Reason(r.String())
	p.gate = gate{state: gateState(r.Byte()), reason: Reason(r.String()), ends: State(r.Byte()),
		until: int64(r.Uint()), due: int64(r.Uint()), gen: r.Uint(),
		attempts: uint32(r.Uint()), losses: uint32(r.Uint()), delay: int64(r.Uint()), note: r.Bytes(), back: r.Uint()}
	return p
}

func writeAllowance(w *codec.Writer, s allowance.State) {
	w.Uint(uint64(s.Incidents))
	w.Uint(uint64(s.Last))
	if w.Version() >= paceVersion2 {
		for _, n := range []int64{s.Calm, s.Lag, s.Latency, s.Troubles} {
			w.Int(n)
		}
	}
}

func readAllowance(r *codec.Reader) allowance.State {
	s := incidents(int64(r.Uint()), int64(r.Uint()))
	if r.Version >= paceVersion2 {
		s.Calm, s.Lag, s.Latency, s.Troubles = r.Int(), r.Int(), r.Int(), r.Int()
	}
	return s
}

package frontier

import (
	"time"

	"github.com/weircrawl/weir/urlnorm"
)

// Explained is everything that a run knows of one URL. What stands in its own rows
// is whole; what only a scan of the decisions can find is as far as Scanned says.
type Explained struct {
	Run      string      `json:"run"`
	Time     time.Time   `json:"time"`               // when it was asked
	Asked    string      `json:"asked"`              // as given
	URL      string      `json:"url,omitempty"`      // to request
	Key      urlnorm.Key `json:"key,omitzero"`       // what is compared
	Identity string      `json:"identity,omitempty"` // hash of origin and key
	Rejected Reason      `json:"rejected,omitempty"` // the normalizer's word, where Asked is nothing that can be requested

	Known     bool         `json:"known"`               // it was admitted
	State     State        `json:"state,omitzero"`      // of its row: where Origin has ended, its end may not be written yet
	Reason    Reason       `json:"reason,omitempty"`    // of State
	Depth     int          `json:"depth"`               // links followed from a seed, by the shortest way
	Admission *Admission   `json:"admission,omitempty"` // that admitted it
	From      string       `json:"from,omitempty"`      // the URL whose redirect led to it first
	History   []Transition `json:"history,omitempty"`   // in order; the newest 1,000
	Earlier   bool         `json:"earlier,omitempty"`   // the history begins before
	Attempts  []Attempt    `json:"attempts,omitempty"`  // in order; the newest 100
	Omitted   int          `json:"omitted,omitempty"`   // attempts before
	Result    *Result      `json:"result,omitempty"`    // that is in force
	Records   []Record     `json:"records,omitempty"`   // of Result
	Origin    *OriginState `json:"origin,omitempty"`    // nil: no URL of it was ever admitted
	Policy    *Standing    `json:"policy,omitempty"`    // what the operator's rules say of it now; nil: Asked is nothing that can be requested
	Preview   *Admission   `json:"preview,omitempty"`   // where it was never admitted: what would be decided if a page named it now

	Seen      int64          `json:"seen"`                // references to it
	Decisions []Admission    `json:"decisions,omitempty"` // on them, also those that were taken again; the first 100
	Observed  []string       `json:"observed,omitempty"`  // the different forms they are written in; the first 100
	Pattern   string         `json:"pattern,omitempty"`   // that it is counted under where a bound or a rule holds it back
	Held      []PatternTally `json:"held,omitempty"`      // what else of Pattern is held back, whatever became of this URL
	Scanned   Scanned        `json:"scanned"`
}

// An Attempt is what came of one lease of a URL.
type Attempt struct {
	ID      LeaseID   `json:"id"`
	Outcome Outcome   `json:"outcome,omitzero"` // that was accepted; none where it expired, was lost, or goes on
	Event   Event     `json:"event,omitzero"`   // that ended it; none while it goes on
	Reason  Reason    `json:"reason,omitempty"` // of Event
	Began   time.Time `json:"began,omitzero"`   // when it was granted
	Ended   time.Time `json:"ended,omitzero"`   //
	Late    *Late     `json:"late,omitempty"`   // reports that came too late, or twice with different bytes
}

// Late is what was reported under a lease that was settled already. Nothing of it
// counts.
type Late struct {
	Stale     int64     `json:"stale"`     // reports under a lease that was no longer the caller's
	Conflicts int64     `json:"conflicts"` // reports that said something else than the accepted one
	Time      time.Time `json:"time"`      // of the first, and of what follows
	Outcome   Outcome   `json:"outcome"`
	Reason    Reason    `json:"reason"`
	Evidence  Evidence  `json:"evidence"`
}

// OriginState is how an origin stands.
type OriginState struct {
	Origin    urlnorm.Origin  `json:"origin"`
	States    map[State]int64 `json:"states"`               // its URLs
	InFlight  int64           `json:"in_flight"`            // leases, that of its gate among them
	Paused    Reason          `json:"paused,omitempty"`     // why nothing is leased
	Next      time.Time       `json:"next,omitzero"`        // no request before
	Why       Reason          `json:"why,omitempty"`        // of Next: delay, crawl_delay, slowed, or what it answered
	Incidents int             `json:"incidents,omitempty"`  // times in a row that it asked for less
	Troubles  int             `json:"troubles,omitempty"`   // failures in a row
	Rate      int             `json:"rate"`                 // at its last answer, in thousandths of the rate it began with
	Latency   time.Duration   `json:"latency_ns,omitempty"` // smoothed, of good answers
	Gate      GateState       `json:"gate"`
}

// GateState is how an origin's gate stands: its robots.txt, for who crawls by it.
type GateState struct {
	State      string        `json:"state"` // closed, leased, open, retry, ended
	Reason     Reason        `json:"reason,omitempty"`
	Until      time.Time     `json:"until,omitzero"` // open, or ended, until then
	Due        time.Time     `json:"due,omitzero"`   // of a retry
	Generation uint64        `json:"generation"`     // of its newest lease
	Attempts   int           `json:"attempts"`
	Delay      time.Duration `json:"delay_ns,omitempty"` // what the site asks for
	Note       []byte        `json:"note,omitempty"`     // of who opened it
}

// Scanned is how far a scan of the decisions got, from the first on.
type Scanned struct {
	Rows       int64 `json:"rows"`
	Bytes      int64 `json:"bytes"`
	References int64 `json:"references"`
	Whole      bool  `json:"whole"` // to the end: what it has not found is not there
}

// ExplainOptions bounds the scan of Explain for references to a URL; the URL's own
// rows are always read.
type ExplainOptions struct {
	Time  time.Duration // default 5 s; negative: no scan
	Bytes int64         // of rows, as they are kept; default 256 MiB; negative: no scan
}

func (o ExplainOptions) withDefaults() ExplainOptions {
	set(&o.Time, 5*time.Second)
	set(&o.Bytes, 256*mib)
	return o
}

// The bounds of an Explained.
const (
	maxHistory = 1_000
	maxTold    = 100 // decisions, forms, attempts
)

// state is o as its readers see it.
func (o *origin) state() *OriginState {
	s := &OriginState{Origin: o.text, States: map[State]int64{}, InFlight: o.states[Leased], Paused: o.pace.pause, Next: moment(o.pace.due), Why: o.pace.waits(),
		Incidents: int(o.pace.allowance.Incidents), Troubles: int(o.pace.allowance.Troubles), Rate: o.pace.allowance.Rate(o.pace.allowance.Calm),
		Latency: micros(o.pace.allowance.Latency)}
	for _, st := range States {
		s.States[st] = o.states[st]
	}
	g := &o.pace.gate
	if g.state == gateLeased {
		s.InFlight++
	}
	s.Gate = GateState{State: g.state.String(), Reason: g.reason, Until: moment(g.until), Due: moment(g.due), Generation: g.gen, Attempts: int(g.attempts),
		Delay: micros(g.delay), Note: g.note}
	return s
}

// moment is a stored time, or none.
func moment(at int64) time.Time {
	if at == 0 {
		return time.Time{}
	}
	return stamp(at)
}

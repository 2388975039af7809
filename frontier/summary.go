package frontier

import (
	"errors"
	"time"
)

// Phase is where a run stands. Finished, CancelledRun and FailedRun are
// terminal; a stopped run goes on when it is opened again.
type Phase uint8

const (
	Running Phase = iota + 1
	Stopped       // by a context, a bound, a pause or a failing store; resumable
	Finished
	CancelledRun
	FailedRun
)

var phaseNames = [...]string{"", "running", "stopped", "finished", "cancelled", "failed"}

func (p Phase) String() string { return name(phaseNames[:], uint8(p)) }

// MarshalText writes the phase's word.
func (p Phase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads the phase's word.
func (p *Phase) UnmarshalText(b []byte) error { return parse(phaseNames[:], b, (*uint8)(p)) }

// Terminal reports whether a run in p is over.
func (p Phase) Terminal() bool { return p >= Finished }

// Summary is the state of a run after one commit, in constant size.
type Summary struct {
	Run      string    `json:"run"`
	Number   uint32    `json:"number"`
	Newer    bool      `json:"newer,omitempty"` // a later run has begun; a Reader's Summary alone knows
	Phase    Phase     `json:"phase"`
	Reason   Reason    `json:"reason"` // why it is in Phase
	Since    time.Time `json:"since"`
	Sequence uint64    `json:"sequence"` // of the commit
	Time     time.Time `json:"time"`     // of the commit
	Began    time.Time `json:"began"`    // of the run

	States   map[State]int64 `json:"states"`   // admitted page identities by state
	Ends     []Tally         `json:"ends"`     // of terminal ones, by reason
	Observed int64           `json:"observed"` // references decided
	Decided  []Tally         `json:"decided"`  // the same, by decision and reason
	Stops    []Tally         `json:"stops"`    // bounds that held work back
	Paused   int64           `json:"paused"`   // queued or waiting, at a paused origin
	Offers   int64           `json:"offers"`   // sources still to be decided again

	Slots    int64         `json:"slots"`           // of Limit.URLs, spent; never returned
	Hints    int64         `json:"hints,omitempty"` // of Limit.Hints, likewise
	Moved    int64         `json:"moved"`           // slots that a redirect has handed on
	Origins  int64         `json:"origins"`
	Requests int64         `json:"requests"` // attempts granted, gates among them
	Bytes    int64         `json:"bytes"`    // spent
	Reserved int64         `json:"reserved"` // set aside by leases
	Active   time.Duration `json:"active_ns"`
	Limit    Budget        `json:"limit"`
	Scope    Scope         `json:"scope"` // with the first 16 hosts that seeds have brought into it
	Hosts    int64         `json:"hosts"` // that seeds have brought into it
	Results  int64         `json:"results"`
	Records  int64         `json:"records"`
	Late     int64         `json:"late"`      // completions that came too late
	Conflict int64         `json:"conflicts"` // completions quarantined

	Generation  string         `json:"generation,omitempty"` // ID of the newest; empty: none is frozen
	Queue       time.Duration  `json:"queue_ns"`             // how long the oldest call of the commit had waited
	Patterns    []PatternTally `json:"patterns,omitempty"`   // of references that a limit holds back: the 8 heaviest
	PatternRest int64          `json:"pattern_rest"`         // held back, and counted in none of Patterns
	Versions    Versions       `json:"versions"`
}

// Versions says what a run goes on with since it was opened last. An empty one is
// not known.
type Versions struct {
	Policy     string `json:"policy"`           // for an origin that has none of its own
	Normalizer string `json:"normalizer"`       // of the keys
	Weir       string `json:"weir,omitempty"`   // this module, where the build knows it
	Store      int    `json:"store,omitempty"`  // the format of the rows
	Engine     string `json:"engine,omitempty"` // what keeps the rows: storage.Limits.Engine
	Robots     string `json:"robots,omitempty"` // what reads robots.txt: Config.Robots
}

// Admitted is the number of admitted identities: Slots, Hints and Moved together.
func (s Summary) Admitted() int64 {
	var n int64
	for _, c := range s.States {
		n += c
	}
	return n
}

// Unresolved is the number of admitted identities that are not terminal.
func (s Summary) Unresolved() int64 {
	return s.States[Queued] + s.States[Leased] + s.States[Waiting]
}

// A Tally is how often something happened, and one example, cut to 96 bytes.
type Tally struct {
	State    State    `json:"state,omitzero"`
	Decision Decision `json:"decision,omitzero"`
	Reason   Reason   `json:"reason"`
	Count    int64    `json:"count"`
	Example  string   `json:"example,omitempty"`
}

// What the calls of this package answer.
var (
	// ErrDone means that the run is over: no URL is queued, leased or waiting,
	// and nothing is left to be offered. Nothing more will be leased.
	ErrDone = errors.New("frontier: the run is over")
	// ErrStopped means that the run has stopped before it was over; the text
	// names the bound or the reason. What is unresolved stays in the store, and
	// goes on when the run is opened again.
	ErrStopped = errors.New("frontier: the run has stopped")
	// ErrStale means that the lease is no longer the caller's: its deadline
	// passed, or a later generation owns the URL. Whoever holds it must not make
	// the request.
	ErrStale = errors.New("frontier: stale lease")
	// ErrRunActive means that another run of the store is unfinished: open it by
	// its name, and finish or cancel it first.
	ErrRunActive = errors.New("frontier: another run is active")
	// ErrRunFinished means that the named run is over; choose another name. Where
	// Rekey has made the newest run of it, the text names that.
	ErrRunFinished = errors.New("frontier: the run of this name is over")
	// ErrNormalizerChanged means that the unfinished run began with another
	// normalizer: its identities would not be recognized, and be admitted again.
	// Finish it with the one that it began with, or make a run of another name of
	// it with Rekey, which keeps what was fetched.
	ErrNormalizerChanged = errors.New("frontier: the normalizer has changed")
	// ErrNoRun means that the store holds no such run, or none at all: begin one, or
	// ask for the newest by an empty name.
	ErrNoRun = errors.New("frontier: no such run")
	// ErrNoGeneration means that the run has no such generation, or none at all: it
	// freezes one when it stops or ends, and when Freeze is called.
	ErrNoGeneration = errors.New("frontier: no such generation")
	// ErrLostOwnership means that another owner has claimed the partition. This
	// frontier can change nothing any more; leases it gave out are void.
	ErrLostOwnership = errors.New("frontier: another owner has claimed the partition")
	// ErrStoreRegressed means that the store has lost commits that were
	// acknowledged. Nothing more is written; restore a backup.
	ErrStoreRegressed = errors.New("frontier: the store has lost acknowledged commits")
	// ErrStorageFailed means that the store failed for longer than
	// Config.Outage, or is full. What was acknowledged is safe; open the run
	// again when the store works.
	ErrStorageFailed = errors.New("frontier: the store keeps failing")
	// ErrInternal means that an invariant of this package is broken. Nothing was
	// written after it: what was acknowledged is safe. Please report it.
	ErrInternal = errors.New("frontier: internal error")
	// ErrClosed means that the frontier was used after Close.
	ErrClosed = errors.New("frontier: closed")
)

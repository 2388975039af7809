package frontier

import (
	"time"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/urlnorm"
)

// A Result is one accepted, final outcome. Position is a total order: it grows
// strictly with the time of acceptance.
type Result struct {
	Position uint64         `json:"position"`
	ID       LeaseID        `json:"-"` // of the attempt that was accepted
	Attempt  string         `json:"attempt"`
	URL      string         `json:"url"`
	Origin   urlnorm.Origin `json:"origin"`
	State    State          `json:"state"`
	Outcome  Outcome        `json:"outcome,omitzero"`
	Reason   Reason         `json:"reason"`
	Attempts int            `json:"attempts"`
	Depth    int            `json:"depth"`
	Finished time.Time      `json:"finished"`
	Evidence Evidence       `json:"evidence"`
	Target   string         `json:"target,omitempty"` // of a redirect, as the response wrote it
	Records  []Record       `json:"-"`
	Hint     bool           `json:"hint,omitempty"`    // it was read for references alone: a sitemap
	Carried  string         `json:"carried,omitempty"` // Attempt of an earlier run, whose answer a Rekey has taken over; Attempts are its

	// A URL whose redirect chain came back to it ends more than once: the later
	// result replaces the earlier one.
	Supersedes uint64 `json:"supersedes,omitempty"` // its Position; 0: none
	Was        State  `json:"was,omitzero"`
	WasFor     Reason `json:"was_for,omitempty"`
}

// A Transition is one row of a URL's history: replaying all of them rebuilds the
// current state. Only Evidence may be empty.
type Transition struct {
	Run      string         `json:"run"`
	URL      string         `json:"url"`
	Origin   urlnorm.Origin `json:"origin"`
	ID       LeaseID        `json:"id"` // names the attempt; generation 0 before the first
	From     State          `json:"from,omitzero"`
	Event    Event          `json:"event"`
	To       State          `json:"to"`
	Reason   Reason         `json:"reason"`
	Policy   string         `json:"policy"` // version in force
	Time     time.Time      `json:"time"`
	Sequence uint64         `json:"sequence"`          // of the commit
	Evidence storage.Ref    `json:"evidence,omitzero"` // of the artifact that a completion brought
}

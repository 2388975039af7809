package frontier

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/urlnorm"
)

// A Lease is permission to request one URL, under one generation, until a
// deadline. Its methods make the completion that settles it. It is a value: it
// may be copied and used from any goroutine.
//
// A Gate lease comes before the first URL of an origin, and again when the gate
// is no longer fresh, if Config.Gates is set: whoever holds it finds out whether
// and how the origin may be visited (its robots.txt), and settles it with Open,
// GateRetry or Ended.
type Lease struct {
	ID       LeaseID
	Gate     bool
	URL      string // to request; of a gate, the origin and "/"
	Key      urlnorm.Key
	Origin   urlnorm.Origin
	Attempt  int // of this visit, from 1
	Depth    int // links followed from a seed
	Hop      int // redirects followed from the URL that a page named
	Seed     bool
	Hint     bool          // read it for references alone
	Deadline time.Time     // check it just before the request; Extend moves it
	Limit    int64         // decoded bytes set aside from the budget
	Note     []byte        // what the origin's gate was opened with
	Delay    time.Duration // between two requests of this origin
	Due      time.Time     // what the request had to wait for; zero: nothing
	Why      Reason        // of Due: delay, crawl_delay, slowed, or what the origin or the URL was waiting for
	Stored   *Evidence     // the response is stored: work on it, and request nothing
	Policy   Policy        // in force for the origin
}

// LeaseID names one attempt. Generation is never reset; the other fields name
// the URL in its store.
type LeaseID struct {
	Partition  uint16
	Run        uint32
	Origin     uint64
	Ordinal    uint64 // 0 for a gate
	Generation uint64
}

// String prints the ID as one word: it is the attempt's name in the ledgers.
func (id LeaseID) String() string {
	return fmt.Sprintf("%d.%d.%016x.%x.%d", id.Partition, id.Run, id.Origin, id.Ordinal, id.Generation)
}

// MarshalText writes the ID's word.
func (id LeaseID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads the ID's word.
func (id *LeaseID) UnmarshalText(b []byte) error {
	_, err := fmt.Sscanf(string(b), "%d.%d.%x.%x.%d", &id.Partition, &id.Run, &id.Origin, &id.Ordinal, &id.Generation)
	if err != nil {
		return fmt.Errorf("frontier: no attempt is named %q: %w", b, err)
	}
	return nil
}

func (id LeaseID) place() place { return place{id.Origin, id.Ordinal} }

// Evidence is what is known about a response. The frontier keeps it and does not
// interpret it.
type Evidence struct {
	Status       int            `json:"status,omitempty"`
	Bytes        int64          `json:"bytes,omitempty"` // decoded; charged to the budget
	Latency      time.Duration  `json:"latency_ns,omitempty"`
	Digest       storage.Digest `json:"digest,omitempty"`
	Artifact     storage.Ref    `json:"artifact,omitzero"`
	ETag         string         `json:"etag,omitempty"`
	LastModified string         `json:"last_modified,omitempty"`
	Parser       string         `json:"parser,omitempty"`    // version of what interpreted it
	Truncated    string         `json:"truncated,omitempty"` // why the body is cut
	Detail       string         `json:"detail,omitempty"`    // one line for people; cut at 256 bytes
}

// A Record is one thing extracted from a page.
type Record struct {
	Kind string
	Data []byte // JSON
}

// MarshalJSON writes the record with its data as it is.
func (r Record) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Kind string          `json:"kind"`
		Data json.RawMessage `json:"data"`
	}{r.Kind, r.Data})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Record) UnmarshalJSON(b []byte) error {
	var v struct {
		Kind string          `json:"kind"`
		Data json.RawMessage `json:"data"`
	}
	err := json.Unmarshal(b, &v)
	r.Kind, r.Data = v.Kind, v.Data
	return err
}

// Outcome is what an attempt came to.
type Outcome uint8

const (
	NoOutcome        Outcome = iota
	OutcomeFetched           // a new response
	OutcomeTruncated         // a new response whose body is cut
	OutcomeUnchanged         // the response of an earlier visit
	OutcomeMissing           // the site says that there is nothing
	OutcomeRedirected
	OutcomeRefused  // by a rule, or by the site
	OutcomeFailed   // for good
	OutcomeRetry    // another attempt may help
	OutcomeBusy     // the origin asks for less; charges the origin, no attempt
	OutcomeReleased // given back unused
	OutcomeHandler  // the response is stored, its handler failed
	OutcomeOpen     // gate: the origin may be visited
	OutcomeEnded    // gate: the origin's URLs end
)

var outcomeNames = [...]string{"", "fetched", "truncated", "unchanged", "missing", "redirected", "refused", "failed", "retry", "busy", "released", "handler", "open", "ended"}

func (o Outcome) String() string { return name(outcomeNames[:], uint8(o)) }

// MarshalText writes the outcome's word.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads the outcome's word.
func (o *Outcome) UnmarshalText(b []byte) error { return parse(outcomeNames[:], b, (*uint8)(o)) }

// good reports whether the origin has answered as it should.
func (o Outcome) good() bool {
	switch o {
	case OutcomeFetched, OutcomeTruncated, OutcomeUnchanged, OutcomeMissing, OutcomeRedirected, OutcomeOpen:
		return true
	}
	return false
}

// A Completion is the report of one attempt. A Lease's methods make it;
// References and Records may be added until it is sent.
type Completion struct {
	Lease      Lease
	Outcome    Outcome
	Reason     Reason        // one word; of what is not plainly good
	After      time.Duration // of a retry, busy or handler: not before; 0 leaves it to the frontier
	Target     string        // of a redirect, as the response wrote it
	Evidence   Evidence
	References []Reference
	Records    []Record
	Overflow   Overflow

	Note  []byte        // of an open gate: kept for the origin's leases, at most 1 KiB
	Until time.Time     // of an open gate: fresh until then
	Delay time.Duration // of an open gate: what the site asks for between requests, at most 60 s
}

// Overflow counts the references of a page that were not listed, because the
// page has more than its reader takes, with the first of them.
type Overflow struct {
	Count   int64
	Example string
}

// Fetched settles l with a new response.
func (l Lease) Fetched(e Evidence) Completion {
	if e.Truncated != "" {
		return l.settle(OutcomeTruncated, "truncated", e)
	}
	return l.settle(OutcomeFetched, "fetched", e)
}

// Unchanged settles l with the response of an earlier visit.
func (l Lease) Unchanged(e Evidence) Completion { return l.settle(OutcomeUnchanged, "unchanged", e) }

// Missing settles l: the site says that there is nothing at its URL.
func (l Lease) Missing(e Evidence) Completion { return l.settle(OutcomeMissing, "missing", e) }

// Redirected settles l and offers target, as the response wrote it, in its
// place.
func (l Lease) Redirected(target string, e Evidence) Completion {
	c := l.settle(OutcomeRedirected, ReasonRedirected, e)
	c.Target = target
	return c
}

// Refused settles l: a rule (robots) or the site (a login) says no.
func (l Lease) Refused(why Reason, e Evidence) Completion { return l.settle(OutcomeRefused, why, e) }

// Failed settles l for good.
func (l Lease) Failed(why Reason, e Evidence) Completion { return l.settle(OutcomeFailed, why, e) }

// Retry settles l with another attempt after a pause, while the budget's
// attempts allow it; after 0 the frontier decides the pause. Of a gate, the
// origin waits.
func (l Lease) Retry(why Reason, after time.Duration, e Evidence) Completion {
	c := l.settle(OutcomeRetry, why, e)
	c.After = after
	return c
}

// Busy is Retry for an origin that asks for less: all of its URLs wait, and no
// attempt is charged. An origin that does so 12 times in a row is paused for this
// incarnation, and a URL that is answered so 24 times fails as
// attempts_exhausted.
func (l Lease) Busy(why Reason, after time.Duration, e Evidence) Completion {
	c := l.settle(OutcomeBusy, why, e)
	c.After = after
	return c
}

// Release gives l back unused: no attempt, no wait.
func (l Lease) Release(why Reason) Completion { return l.settle(OutcomeReleased, why, Evidence{}) }

// HandlerFailed settles l: the response stands in e, but what was to work on it
// failed. The URL is leased once more with e as Lease.Stored, and a second
// failure ends it as failed {handler}.
func (l Lease) HandlerFailed(e Evidence) Completion {
	return l.settle(OutcomeHandler, ReasonHandler, e)
}

// Open settles a gate: the origin may be visited until then, no faster than
// delay; note (1 KiB) comes with each of its leases.
func (l Lease) Open(note []byte, until time.Time, delay time.Duration, e Evidence) Completion {
	c := l.settle(OutcomeOpen, "open", e)
	c.Note, c.Until, c.Delay = note, until, delay
	return c
}

// Ended settles a gate: the origin's URLs end, as outcome (refused or failed)
// for the reason why.
func (l Lease) Ended(outcome Outcome, why Reason, e Evidence) Completion {
	c := l.settle(OutcomeEnded, why, e)
	c.Target = outcome.String()
	return c
}

func (l Lease) settle(o Outcome, why Reason, e Evidence) Completion {
	return Completion{Lease: l, Outcome: o, Reason: why, Evidence: e}
}

// Answer says what a completion changed.
type Answer struct {
	Kind     AnswerKind
	State    State  // of the URL now
	Reason   Reason // of that state
	Sequence uint64 // of the commit that accepted the attempt; the receipt
}

// AnswerKind is the class of an Answer.
type AnswerKind uint8

const (
	Accepted    AnswerKind = iota + 1 // everything: the attempt is the URL's
	Redelivered                       // nothing: the same completion was accepted before
	Stale                             // nothing: a later generation owns the URL; the attempt joined its history
	Conflict                          // nothing: the same attempt with other bytes; quarantined
)

var answerNames = [...]string{"", "accepted", "redelivered", "stale", "conflict"}

func (a AnswerKind) String() string { return name(answerNames[:], uint8(a)) }

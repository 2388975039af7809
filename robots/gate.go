package robots

import (
	"errors"
	"time"

	"github.com/weircrawl/weir/fetch"
)

// Gate is what a frontier does with an origin after its robots.txt was asked for.
type Gate struct {
	Step   Step
	Until  time.Time     // Open: so long
	Note   Note          // Open: the record that holds; the caller adds where the body of a new one is kept
	Held   bool          // Open: Note is an earlier record, because none could be read
	Rules  Rules         // Open: of a new record, with the policy in them
	After  time.Duration // Busy, Retry: what the origin asked for; 0 leaves it to the frontier
	Reason string        // all but Open: the word that is counted
}

// Step is one way for a frontier to settle a gate.
type Step uint8

const (
	Open    Step = iota // URLs may be leased
	Busy                // later: the origin asks for less, or fails; at last its URLs are refused
	Retry               // later: the network fails; at last its URLs fail
	Refuse              // its URLs are refused
	Fail                // its URLs fail
	Release             // nothing is known: the caller's context ended
)

// Visit is what a decision on a gate depends on, beside the record.
type Visit struct {
	Agent   string // for Crawl-delay
	Last    Note   // of the last gate that was opened; zero if none was
	Policy  Policy // the operator's
	Attempt int    // at this gate, from 1
	Now     time.Time
}

// How long an earlier record may stand in for one that cannot be read, beyond its
// own time, and after which it is asked for again.
const (
	maxHeld   = 24 * time.Hour
	heldAgain = time.Hour
)

// Gate decides what r means for its origin.
func (r Record) Gate(v Visit) Gate {
	if !r.unreachable() {
		rules := r.Rules()
		note := r.note()
		note.Delay, _ = rules.Delay(v.Agent)
		if v.Policy.denies(r.Status) {
			note.Policy, rules.denied = Deny, true
		}
		return Gate{Step: Open, Until: r.Expires, Note: note, Rules: rules}
	}
	step, reason := r.failed(v.Attempt)
	if end := v.Last.Expires.Add(maxHeld); step != Release && !v.Last.IsZero() && v.Now.Before(end) {
		return Gate{Step: Open, Held: true, Note: v.Last, Until: earlier(v.Now.Add(heldAgain), end)}
	}
	return Gate{Step: step, Reason: reason, After: r.RetryAfter}
}

// unreachableReason is counted when the origin answered, and not with a file.
const unreachableReason = "robots: unreachable"

// failed says what to do where no record holds. That a name does not exist is
// asked twice; that an address is refused, or a URL cannot be sent, only once.
func (r Record) failed(attempt int) (Step, string) {
	switch {
	case r.Class == fetch.Cancelled:
		return Release, string(r.Class)
	case r.busy() || r.lost() || r.walled() || len(r.Hops) > 0:
		return Busy, unreachableReason
	case r.Class == fetch.PrivateAddress:
		return Refuse, string(r.Class)
	case r.Class == fetch.Malformed, errors.Is(r.Err, fetch.ErrNoHost) && attempt > 1:
		return Fail, string(r.Class)
	}
	return Retry, string(r.Class)
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

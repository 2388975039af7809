package frontier

import "fmt"

// State is where a URL stands. Waiting is retryable, not before a time; the last
// four are terminal: only Reopen leads out of them.
type State uint8

const (
	Unseen  State = iota // never admitted
	Queued               // waits for capacity
	Leased               // owned
	Waiting              // retryable, not before a time, for a reason
	Done
	Refused
	Failed
	Cancelled // by an operator
)

// States lists every state of an admitted URL, in the order of its life.
var States = []State{Queued, Leased, Waiting, Done, Refused, Failed, Cancelled}

var stateNames = [...]string{"", "queued", "leased", "waiting", "done", "refused", "failed", "cancelled"}

func (s State) String() string { return name(stateNames[:], uint8(s)) }

// MarshalText writes the state's word.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the state's word.
func (s *State) UnmarshalText(b []byte) error { return parse(stateNames[:], b, (*uint8)(s)) }

// Terminal reports whether only Reopen leads out of s.
func (s State) Terminal() bool { return s >= Done }

// Event is what moves a URL from one state to another.
type Event uint8

const (
	NoEvent Event = iota
	Admit         // a reference was admitted
	Grant         // a lease was handed out
	Finish        // the answer is final and good
	Refuse        // a rule or the site said no
	Fail          // a bound of attempts or losses was reached, or it cannot succeed
	Retry         // another attempt, later
	Expire        // the lease's deadline passed under the incarnation that granted it
	Lose          // the lease belonged to another incarnation
	Release       // the lease was given back unused
	Due           // the time of a retry came
	Cancel        // an operator ended it
	Reopen        // a new visit of the same identity
	Raise         // priority up or depth down; the state stays
	Carry         // Rekey: an earlier run has the answer, and it is final and good
)

var eventNames = [...]string{"", "admit", "grant", "finish", "refuse", "fail", "retry", "expire", "lose", "release", "due", "cancel", "reopen", "raise", "carry"}

// Events lists every event.
var Events = []Event{Admit, Grant, Finish, Refuse, Fail, Retry, Expire, Lose, Release, Due, Cancel, Reopen, Raise, Carry}

func (e Event) String() string { return name(eventNames[:], uint8(e)) }

// MarshalText writes the event's word.
func (e Event) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText reads the event's word.
func (e *Event) UnmarshalText(b []byte) error { return parse(eventNames[:], b, (*uint8)(e)) }

// next is the whole machine: a pair that is not here cannot happen.
var next = map[State]map[Event]State{
	Unseen:    {Admit: Queued},
	Queued:    {Grant: Leased, Carry: Done, Refuse: Refused, Fail: Failed, Cancel: Cancelled, Raise: Queued},
	Leased:    {Finish: Done, Refuse: Refused, Fail: Failed, Retry: Waiting, Expire: Queued, Lose: Queued, Release: Queued, Cancel: Cancelled, Raise: Leased},
	Waiting:   {Due: Queued, Refuse: Refused, Fail: Failed, Cancel: Cancelled, Raise: Waiting},
	Done:      {Reopen: Queued, Raise: Done},
	Refused:   {Reopen: Queued, Raise: Refused},
	Failed:    {Reopen: Queued, Raise: Failed},
	Cancelled: {Reopen: Queued, Raise: Cancelled},
}

// Next returns the state that follows s on e, or an *IllegalError.
func (s State) Next(e Event) (State, error) {
	to, ok := next[s][e]
	if !ok {
		return s, &IllegalError{From: s, Event: e}
	}
	return to, nil
}

// IllegalError is returned by State.Next for a pair that cannot happen. Nothing
// moved.
type IllegalError struct {
	From  State
	Event Event
}

func (e *IllegalError) Error() string {
	return fmt.Sprintf("frontier: %s has no event %s", e.From, e.Event)
}

func name(names []string, i uint8) string {
	if int(i) < len(names) {
		return names[i]
	}
	return fmt.Sprintf("unknown(%d)", i)
}

func parse(names []string, b []byte, to *uint8) error {
	for i, n := range names {
		if n == string(b) {
			*to = uint8(i)
			return nil
		}
	}
	return fmt.Errorf("frontier: no such word: %q", b)
}

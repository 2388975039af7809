package frontier

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Admin changes a run while it goes on, in one operator's name. Each change is one
// commit with its audit row, and is in force from that commit on: what it forbids is
// not requested any more. The next run of the store begins with the policies and
// pauses that are in force, but for a pause of the whole run. An Admin is a value, and
// safe for concurrent use.
type Admin struct {
	f   *Frontier
	who string
}

// Admin returns the operator who: a person or a program, as the audit names it.
func (f *Frontier) Admin(who string) Admin { return Admin{f, who} }

// What the methods of an Admin answer, beside ErrRunFinished. Nothing was changed.
var (
	// ErrUnsigned means that a change has no who or no why, or one that is too long.
	ErrUnsigned = errors.New("frontier: an operator's change needs a who of at most 128 bytes and a why of at most 1,024")
	// ErrBadChange means that a policy, subject, scope, budget or filter has the
	// faults that the text names.
	ErrBadChange = errors.New("frontier: bad change")
	// ErrUnknownOrigin means that the run has no URL of this origin. Look at its
	// spelling; SetPolicy can say beforehand how an origin is to be treated.
	ErrUnknownOrigin = errors.New("frontier: the run has no URL of this origin; look at its spelling, or say beforehand how to treat it with SetPolicy")
)

const (
	maxWho = 128
	maxWhy = 1 * kib
)

// declined is why a change was not made: an answer, where other errors end the
// group.
type declined struct{ error }

func decline(format string, args ...any) error { return declined{fmt.Errorf(format, args...)} }

// change makes one change and its audit row. decide returns what was in force and
// what is; it declines before it changes anything.
func (a Admin) change(ctx context.Context, what Change, s Subject, why string, decide func(t *tx) (before, after any, err error)) error {
	if a.who == "" || len(a.who) > maxWho || why == "" || len(why) > maxWhy || !utf8.ValidString(a.who) || !utf8.ValidString(why) {
		return fmt.Errorf("%s: %w", what, ErrUnsigned)
	}
	if err := s.fault(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	var answer error
	c := &call{decide: func(t *tx) error {
		answer = nil
		before, after, err := decide(t)
		var no declined
		if errors.As(err, &no) {
			answer = no.error
			return nil
		}
		if err != nil {
			return err
		}
		return t.audit(Audit{Who: a.who, What: what, Subject: s.String(), Why: why}, before, after)
	}}
	if err := a.f.submit(ctx, c); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if answer != nil {
		return fmt.Errorf("%s %s: %w", what, s, answer)
	}
	return nil
}

// unfinished declines what is of no use to a run that is over.
func (t *tx) unfinished() error {
	if h := t.f.head; h.phase.Terminal() {
		return decline("%w: run %q is %s", ErrRunFinished, h.name, h.phase)
	}
	return nil
}

// Pause stops leases of s, and says why wherever they are missed; requests under way
// go on. A run that has nothing else left stops {paused}.
func (a Admin) Pause(ctx context.Context, s Subject, why string) error {
	return a.repause(ctx, ChangePause, s, why, Reason(clipText(why, maxReason)))
}

// Resume ends a Pause of s, and gives its origins their turn at once, also one that
// was throttled. What Config.Policy, or a Pause of something larger, keeps back stays
// so. A run that has stopped goes on when it is opened.
func (a Admin) Resume(ctx context.Context, s Subject, why string) error {
	return a.repause(ctx, ChangeResume, s, why, "")
}

func (a Admin) repause(ctx context.Context, what Change, s Subject, why string, pause Reason) error {
	return a.change(ctx, what, s, why, func(t *tx) (any, any, error) {
		o, err := t.known(s)
		if err != nil {
			return nil, nil, err
		}
		before := t.f.operators().of(s)
		after := before
		after.Paused = string(pause)
		if err := t.room(s, after); err != nil {
			return nil, nil, err
		}
		if err := t.setPolicy(s, after); err != nil {
			return nil, nil, err
		}
		if o != nil && pause == "" {
			delete(t.f.throttled, o.id)
		}
		return before, after, t.repauseNow(s, o)
	})
}

// known finds the origin that s names; nil: it names none.
func (t *tx) known(s Subject) (*origin, error) {
	if err := t.unfinished(); err != nil || s.Origin == "" {
		return nil, err
	}
	o, err := t.originOf(candidateOf(s.Origin))
	if err != nil {
		return nil, err
	}
	if o == nil {
		return nil, decline("%w", ErrUnknownOrigin)
	}
	return o, nil
}

// maxSaid bounds all policies together: a new run inherits them in one commit.
const maxSaid = 4 * mib

// room declines one policy too many.
func (t *tx) room(s Subject, p Policy) error {
	terms, was := &t.f.head.contract, t.f.operators().of(s)
	if terms.Policies >= maxSubjects && !p.IsZero() && was.IsZero() {
		return decline("%w: policies are set for %d subjects, which is the most; remove some, or set one for a site", ErrBadChange, terms.Policies)
	}
	if more := int64(len(p.encode()) - len(was.encode())); more > 0 && terms.Said+more > maxSaid {
		return decline("%w: all policies together would take more than %d bytes; remove some, or set one for a site", ErrBadChange, maxSaid)
	}
	return nil
}

// SetPolicy lays p over what s is treated by; nil removes what was set before, a
// Pause among it. Its zero fields leave to others what they say: an origin's policy
// lies over its site's, that over the run's, and that over Config.Policy. What a
// changed Disallow or bound lets pass now is offered again.
func (a Admin) SetPolicy(ctx context.Context, s Subject, p *Policy, why string) error {
	var to Policy
	if p != nil {
		to = *p
	}
	if err := to.Validate(); err != nil {
		return fmt.Errorf("%s %s: %w: %w", ChangePolicy, s, ErrBadChange, err)
	}
	if to.Version != "" {
		return fmt.Errorf("%s %s: %w: leave Version empty: changes are counted, and the count is recorded with every decision", ChangePolicy, s, ErrBadChange)
	}
	return a.change(ctx, ChangePolicy, s, why, func(t *tx) (any, any, error) {
		err := t.unfinished()
		if err == nil {
			err = t.room(s, to)
		}
		if err != nil {
			return nil, nil, err
		}
		before := t.f.operators().of(s)
		if err := t.setPolicy(s, to); err != nil {
			return nil, nil, err
		}
		if before.admits() != to.admits() {
			if err := t.offerAgain(offerChanged); err != nil {
				return nil, nil, err
			}
		}
		if before.Paused == to.Paused {
			return before, to, nil
		}
		o, err := t.known(s)
		if errors.As(err, new(declined)) { // no URL of it yet
			return before, to, nil
		}
		if err != nil {
			return nil, nil, err
		}
		return before, to, t.repauseNow(s, o)
	})
}

// SetScope puts another Scope in force; the zero Scope stands for the hosts of the
// run's seeds. What is queued and out of it now ends as refused {scope} when its turn
// comes; references that were out of the old one are offered again. The newest
// finished run goes on with what that admits.
func (a Admin) SetScope(ctx context.Context, s Scope, why string) error {
	if err := s.Validate(); err != nil {
		return fmt.Errorf("%s: %w: %w", ChangeScope, ErrBadChange, err)
	}
	return a.change(ctx, ChangeScope, Subject{}, why, func(t *tx) (any, any, error) {
		if err := t.mayRevive(); err != nil {
			return nil, nil, err
		}
		terms := t.f.head.contract
		before := terms.Scope
		terms.Scope, terms.Seeds = s, s.Empty()
		if err := t.rebind(terms, "scope"); err != nil {
			return nil, nil, err
		}
		if err := t.revive("scope"); err != nil {
			return nil, nil, err
		}
		return before, s, t.offerAgain(offerChanged)
	})
}

// Raise raises bounds of the run: a zero field stays as it is. What they have held
// back is offered again; the newest finished run goes on with that. Opening the run
// with the Budget that it had before does not lower them again; another one does.
func (a Admin) Raise(ctx context.Context, to Budget, why string) error {
	if err := to.Validate(); err != nil {
		return fmt.Errorf("%s: %w: %w", ChangeRaise, ErrBadChange, err)
	}
	return a.change(ctx, ChangeRaise, Subject{}, why, func(t *tx) (any, any, error) {
		if err := t.mayRevive(); err != nil {
			return nil, nil, err
		}
		terms := t.f.head.contract
		before := terms.Budget
		raised, names := before.raised(to)
		if err := raises(before, to, raised, names); err != nil {
			return nil, nil, err
		}
		terms.Budget, terms.Given = raised, terms.Given.before(before, raised)
		if err := t.rebind(terms, ReasonRaised); err != nil {
			return nil, nil, err
		}
		t.refill()
		if !offers(names) {
			return before, raised, nil
		}
		if err := t.revive(ReasonRaised); err != nil {
			return nil, nil, err
		}
		return before, raised, t.offerAgain(offerRaised)
	})
}

// before notes what was in force of the bounds that are raised, unless it is known of
// an earlier raise.
func (b Budget) before(was, raised Budget) Budget {
	for _, f := range b.fields() {
		if *f.value(&b) == 0 && *f.value(&raised) > *f.value(&was) {
			f.set(&b, *f.value(&was))
		}
	}
	return b
}

// raises declines a budget that lowers a bound, or raises none.
func raises(before, to, raised Budget, names []Reason) error {
	for _, b := range before.fields() {
		if is, wanted := *b.value(&before), *b.value(&to); wanted != 0 && wanted < is {
			return decline("%w: %s is %d and would be %d: Raise does not lower a bound; open the run with a smaller Budget", ErrBadChange, b.name, is, wanted)
		}
	}
	if len(names) == 0 {
		return decline("%w: no bound is larger than it is already", ErrBadChange)
	}
	if err := raised.fits(); err != nil {
		return decline("%w: %w", ErrBadChange, err)
	}
	return nil
}

// Cancel ends the run for good, in one transition: nothing more is leased, and leases
// under way are stale. What is not terminal stays as it is, and counts as unresolved.
func (a Admin) Cancel(ctx context.Context, why string) error {
	return a.change(ctx, ChangeCancel, Subject{}, why, func(t *tx) (any, any, error) {
		if err := t.unfinished(); err != nil {
			return nil, nil, err
		}
		before := t.f.head.phase
		t.revoke()
		return before, CancelledRun, t.stop(CancelledRun, cleanReason("cancelled: "+Reason(why)), "")
	})
}

// revoke makes every lease stale.
func (t *tx) revoke() {
	t.f.mu.Lock()
	defer t.f.mu.Unlock()
	for id, v := range t.f.live {
		t.freed = append(t.freed, v)
		delete(t.f.live, id)
	}
}

// Offer decides every reference again that a limit, the scope or a policy holds back.
// The other changes do so where it is needed; Config.Policy, a policy file among it,
// and Config.InScope change without a word.
func (a Admin) Offer(ctx context.Context, why string) error {
	return a.change(ctx, ChangeOffer, Subject{}, why, func(t *tx) (any, any, error) {
		if err := t.mayRevive(); err != nil {
			return nil, nil, err
		}
		if err := t.revive("offer"); err != nil {
			return nil, nil, err
		}
		return nil, nil, t.offerAgain(offerChanged)
	})
}

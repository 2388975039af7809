package ledgertest

import (
	"context"
	"errors"
	"sync"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
)

// A Job is what a source under test has to show.
type Job struct {
	Results int            // it has; all of the same time, where the job can have that
	Ended   frontier.Phase // how it has ended: Finished, FailedRun or CancelledRun
}

// OpenSource opens a source over a job of its own, or answers ErrCannot.
type OpenSource func(j Job) (Subject, error)

// ErrCannot means that no job of this service can be as it is asked for. Each row
// says what it can do without.
var ErrCannot = errors.New("ledgertest: there is no such job")

// A Subject is one source under test, and what can happen to the service behind
// it. What is nil cannot happen to it.
type Subject struct {
	Source ledger.Source

	// Grow adds a result to the job, as a worker does that was late: it has the time
	// of all others, and an order by time alone may put it anywhere.
	Grow func() error

	// Fault makes the service behave as f says at every page but the first, until it
	// is told otherwise. It reports whether the service can; where it cannot, the kit
	// stands between source and walk and does it instead.
	Fault func(f Fault) bool
}

// A Fault is what a service does wrong.
type Fault uint8

const (
	NoFault     Fault = iota
	PageFails         // it answers with an error
	PageSaysNo        // it answers with a page that says success: false
	CursorLoops       // it answers with a page whose next cursor is the one that was asked for
)

func (f Fault) String() string {
	return [...]string{"no fault", "a page that fails", "a page that says success: false", "a cursor that leads to itself"}[f]
}

// A faulty stands between a source whose service does nothing wrong and the walk.
type faulty struct {
	ledger.Source

	mu    sync.Mutex
	fault Fault
}

// errPage is the answer of a page that fails.
var errPage = errors.New("ledgertest: the page fails")

func (f *faulty) set(fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault = fault
}

// Page answers as the fault says, but for the first page.
func (f *faulty) Page(ctx context.Context, r ledger.PageRequest) (ledger.Page, error) {
	f.mu.Lock()
	fault := f.fault
	f.mu.Unlock()
	if r.After == "" {
		fault = NoFault
	}
	switch fault {
	case PageFails, PageSaysNo:
		return ledger.Page{}, errPage
	case CursorLoops:
		page, err := f.Source.Page(ctx, r)
		page.Next = r.After
		return page, err
	}
	return f.Source.Page(ctx, r)
}

// spoil makes the service behind s do wrong, or does so in its place. What it
// returns besides ends it.
func spoil(s *Subject, fault Fault) (heal func()) {
	if s.Fault != nil && s.Fault(fault) {
		return func() { s.Fault(NoFault) }
	}
	between := &faulty{Source: s.Source, fault: fault}
	s.Source = between
	return func() { between.set(NoFault) }
}

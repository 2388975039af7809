package frontier

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// enqueuePiece is how many references one commit decides.
const enqueuePiece = 10_000

// Enqueue offers references, at most 10,000 a commit, and answers after the last
// commit. Repeating it
// changes nothing but a raised priority or a lowered depth. Depth counts from
// here: what is enqueued is no link of a page. On ErrStopped and ErrDone nothing
// was offered.
func (f *Frontier) Enqueue(ctx context.Context, s Source, refs ...Reference) (Enqueued, error) {
	if err := admits(s); err != nil {
		return Enqueued{}, fmt.Errorf("enqueue: %w", err)
	}
	var all Enqueued
	for {
		n := f.piece(refs)
		piece, err := f.enqueue(ctx, s, refs[:n])
		if all.add(piece); err != nil || n == len(refs) {
			return all, err
		}
		refs = refs[n:]
	}
}

// piece is how many of refs are decided in one commit: what they resolve to is
// not known yet, and may be three times as long as what is written.
func (f *Frontier) piece(refs []Reference) int {
	room := f.cfg.Store.Limits().Batch / 8
	for i, r := range refs {
		room -= 512 + 2*min(len(r.Base)+3*len(r.Observed), maxObserved)
		if i > 0 && (room < 0 || i == enqueuePiece) {
			return i
		}
	}
	return len(refs)
}

func (e *Enqueued) add(more Enqueued) {
	e.Accepted += more.Accepted
	e.Known += more.Known
	e.Limited += more.Limited
	e.Deferred += more.Deferred
	e.Stopped += more.Stopped
	e.Others = append(e.Others, more.Others[:min(len(more.Others), maxOthers-len(e.Others))]...)
	e.Sequence = max(e.Sequence, more.Sequence)
}

func (f *Frontier) enqueue(ctx context.Context, s Source, refs []Reference) (Enqueued, error) {
	cs, err := candidates(ctx, f.cfg.Normalizer, "", refs)
	if err != nil {
		return Enqueued{}, err
	}
	var answer Enqueued
	var over error
	c := &call{candidates: [][]candidate{cs}, size: weightOf(cs)}
	c.decide = func(t *tx) error {
		if over = nil; t.f.head.phase != Running {
			over = t.f.over()
			return nil
		}
		answer = Enqueued{Sequence: t.seq}
		_, err := t.decideAll(source{kind: s}, cs, nil, func(s *source, c *candidate, d decided, at admissionRef) error {
			if answer.count(d.decision) {
				answer.Others = append(answer.Others, t.admission(s, c, d, at))
			}
			return nil
		})
		return err
	}
	if err := f.submit(ctx, c); err != nil {
		return Enqueued{}, fmt.Errorf("enqueue: %w", err)
	}
	if over != nil {
		return Enqueued{}, fmt.Errorf("enqueue: %w", over)
	}
	return answer, nil
}

// maxOthers is how many decisions that admit nothing are returned one by one.
const maxOthers = 1_000

// count adds one decision, and reports whether its record is returned.
func (e *Enqueued) count(d Decision) bool {
	switch d {
	case Admitted:
		e.Accepted++
		return false
	case Duplicate:
		e.Known++
		return false
	case LimitReached:
		e.Limited++
	case DeferredBudget:
		e.Deferred++
	case PolicyStop:
		e.Stopped++
	}
	return len(e.Others) < maxOthers
}

// Lease waits for at least one URL, or gate, and returns max (1 to 500) at most; each
// one's origin is ready and its slot taken, and the grant is committed. It
// answers ErrDone once the run is over, and ErrStopped once it has stopped.
func (f *Frontier) Lease(ctx context.Context, max int) ([]Lease, error) {
	if max < 1 || max > maxLeases {
		return nil, fmt.Errorf("frontier: lease: %d is not between 1 and %d", max, maxLeases)
	}
	w := &waiter{max: max, done: make(chan error, 1)}
	c := &call{done: make(chan error, 1), decide: func(t *tx) error {
		for _, known := range t.f.waiters {
			if known == w {
				return nil
			}
		}
		t.f.waiters = append(t.f.waiters, w)
		return nil
	}}
	if err := f.send(ctx, c); err != nil {
		return nil, err
	}
	select {
	case err := <-w.done:
		return w.got, err
	case <-ctx.Done():
		return f.abandon(ctx, w)
	case <-f.ended:
		select {
		case err := <-w.done:
			return w.got, err
		default:
			return nil, f.why()
		}
	}
}

// maxLeases is how many URLs one call may take.
const maxLeases = 500

// errAbandoned answers a Lease call whose caller has asked to be left out.
var errAbandoned = errors.New("frontier: abandoned")

// abandon leaves a Lease call whose context has ended. Leases that were just
// granted are returned all the same, so that they go back in order; only a
// writer that does not answer in time is left to take them back itself.
func (f *Frontier) abandon(ctx context.Context, w *waiter) ([]Lease, error) {
	f.mu.Lock()
	w.abandoned = true
	f.mu.Unlock()
	f.poke()
	patience := time.NewTimer(time.Second)
	defer patience.Stop()
	select {
	case err := <-w.done:
		return w.taken(ctx, err)
	case <-patience.C:
	case <-f.ended:
	}
	f.mu.Lock()
	w.gone = !w.answered
	gone := w.gone
	f.mu.Unlock()
	if gone {
		return nil, ctx.Err()
	}
	return w.taken(ctx, <-w.done)
}

func (w *waiter) taken(ctx context.Context, err error) ([]Lease, error) {
	if errors.Is(err, errAbandoned) {
		return nil, ctx.Err()
	}
	return w.got, err
}

// Complete settles a lease and answers after the commit. The artifacts that c
// refers to must be durable before. After an error the same c may be sent
// again.
func (f *Frontier) Complete(ctx context.Context, c Completion) (Answer, error) {
	answers, err := f.CompleteAll(ctx, []Completion{c})
	if err != nil {
		return Answer{}, err
	}
	return answers[0], nil
}

// CompleteAll settles several leases in one commit, each as Complete would, or in
// as few as the store's limits allow.
func (f *Frontier) CompleteAll(ctx context.Context, cs []Completion) ([]Answer, error) {
	if n := f.fitting(cs); n < len(cs) {
		first, err := f.CompleteAll(ctx, cs[:n])
		if err != nil {
			return nil, err
		}
		second, err := f.CompleteAll(ctx, cs[n:])
		return append(first, second...), err
	}
	all := make([]*completing, len(cs))
	c := &call{}
	for i := range cs {
		p, err := f.prepare(ctx, cs[i])
		if err != nil {
			return nil, err
		}
		all[i] = p
		c.candidates = append(c.candidates, p.candidates, p.target)
		c.size += p.size
	}
	c.shrink = func() {
		for _, p := range all {
			p.size = math.MaxInt // settles as failed {too_large}
		}
	}
	c.decide = func(t *tx) error {
		for _, p := range all {
			if err := t.settle(p); err != nil {
				return err
			}
		}
		return nil
	}
	if err := f.submit(ctx, c); err != nil {
		return nil, fmt.Errorf("complete: %w", err)
	}
	answers := make([]Answer, len(all))
	for i, p := range all {
		answers[i] = p.answer
	}
	return answers, nil
}

// fitting is how many of cs are made ready together: what their references
// resolve to is not known yet, and lies in memory and in one commit.
func (f *Frontier) fitting(cs []Completion) int {
	room := f.cfg.Store.Limits().Batch / 4
	for i := range cs {
		room -= sizeOf(&cs[i])
		for _, r := range cs[i].References {
			room -= 512 + 2*min(max(len(r.Base), len(cs[i].Lease.URL))+3*len(r.Observed), maxObserved)
		}
		if i > 0 && room < 0 {
			return i
		}
	}
	return len(cs)
}

// Stop stops the run, resumable: nothing more is leased, and Lease answers
// ErrStopped. Leases under way may still be completed.
func (f *Frontier) Stop(ctx context.Context, why Reason) error {
	return f.end(ctx, Stopped, why)
}

// Fail ends the run for good, as failed.
func (f *Frontier) Fail(ctx context.Context, why Reason) error {
	return f.end(ctx, FailedRun, why)
}

func (f *Frontier) end(ctx context.Context, p Phase, why Reason) error {
	c := &call{decide: func(t *tx) error {
		if t.f.head.phase.Terminal() || t.f.head.phase == Stopped && p == Stopped {
			return nil
		}
		return t.stop(p, cleanReason(why), "")
	}}
	if err := f.submit(ctx, c); err != nil {
		return fmt.Errorf("end run: %w", err)
	}
	return nil
}

// Close waits for the commit in progress and gives the partition up. Unsettled
// leases go back to the queue when the run is opened again. Closing twice is no
// error.
func (f *Frontier) Close() error {
	f.once.Do(func() { close(f.closed) })
	<-f.ended
	if f.leaving.Swap(true) {
		<-f.gone
		return nil
	}
	defer close(f.gone)
	return f.giveUp() // without mu: nobody waits for the store to hear that it is closed
}

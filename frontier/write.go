package frontier

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/weircrawl/weir/storage"
)

const (
	maxGroup = 2048     // calls of one group
	maxBatch = 16 * mib // of one group, estimated
)

// write is the writer: it alone decides. It returns after Close, or when the
// store is of no use any more.
func (f *Frontier) write() {
	defer close(f.ended)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		calls := f.gather(timer)
		if len(calls) > 0 {
			f.oldest.Store(oldestOf(calls))
		}
		if calls == nil || !f.group(calls) {
			f.answerAll(f.why())
			return
		}
		f.oldest.Store(0) // what has come meanwhile is gathered next
	}
}

// gather waits for something to do and takes all calls that wait. It returns
// nil once Close was called.
func (f *Frontier) gather(timer *time.Timer) []*call {
	calls := []*call{}
	timer.Reset(f.idle())
	select {
	case c := <-f.calls:
		calls = append(calls, c)
	case <-f.poked:
	case <-timer.C:
	case <-f.closed:
		return nil
	}
	size, room := 0, min(maxBatch, f.cfg.Store.Limits().Batch/4)
	for _, c := range calls {
		size += c.size
	}
	for len(calls) < maxGroup && size < room {
		select {
		case c := <-f.calls:
			calls = append(calls, c)
			size += c.size
		default:
			return calls
		}
	}
	return calls
}

// idle is how long the writer may sleep if nobody calls.
func (f *Frontier) idle() time.Duration {
	at := f.heartbeat + beat
	f.mu.Lock()
	for _, v := range f.live {
		at = min(at, v.moment()+1)
	}
	f.mu.Unlock()
	if f.head.phase == Running {
		if f.head.offers > 0 {
			return 0
		}
		if f.waiter() != nil {
			_, due := f.wakes.first()
			if at = min(at, due, f.againDue, f.lookAt); f.wakes.Len() < maxWakes {
				at = min(at, f.horizon)
			}
		}
		at = min(at, f.activeSince+f.head.contract.Budget.Wall.Microseconds()-f.head.active)
	}
	return max(micros(at-f.now()), 0)
}

// group decides calls, commits once and answers all. It reports whether the
// writer can go on.
func (f *Frontier) group(calls []*call) bool {
	ctx := context.Background()
	trouble := outage{f: f}
	for {
		t := f.begin(ctx)
		err := t.attempt(calls)
		if err == nil {
			t.answer(calls)
			return true
		}
		if errors.Is(err, storage.ErrTooLarge) && len(calls) > 0 {
			if _, err := trouble.over(ctx, t, errTogether); err != nil {
				f.die(err, calls)
				return false
			}
			return f.split(calls, err)
		}
		applied, err := trouble.over(ctx, t, err)
		if err != nil {
			f.die(err, calls)
			return false
		}
		if applied {
			t.answer(calls)
			return true
		}
		f.takeBack()
	}
}

// attempt decides and commits. A panic is a broken invariant, or damage that no
// checksum has shown: it ends the writer, not the process, and nothing is
// written after it.
func (t *tx) attempt(calls []*call) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%w: panic: %v\n%s", ErrInternal, v, debug.Stack())
		}
	}()
	t.asked = oldestOf(calls)
	if err := t.decideGroup(calls); err != nil {
		return err
	}
	return t.commit()
}

// errTogether is why a group is decided again, one by one.
var errTogether = errors.New("frontier: the group is beyond the store's batch")

// split decides calls one by one, where together they are too large; one that
// is too large alone is answered with its error, and changes nothing.
func (f *Frontier) split(calls []*call, tooLarge error) bool {
	f.takeBack()
	if c := calls[0]; len(calls) == 1 && c.shrink == nil {
		c.done <- fmt.Errorf("frontier: %w", tooLarge)
		return true
	} else if len(calls) == 1 {
		c.shrink()
		c.shrink = nil
	}
	for _, c := range calls {
		if !f.group([]*call{c}) {
			return false
		}
	}
	return true
}

// takeBack forgets leases that were granted by a commit that never was.
func (f *Frontier) takeBack() {
	for _, w := range f.waiters {
		w.got = nil
	}
}

// prune drops the Lease calls whose callers have gone.
func (f *Frontier) prune() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiters = slices.DeleteFunc(f.waiters, func(w *waiter) bool {
		left := w.abandoned && len(w.got) == 0
		if left && !w.answered {
			w.answered = true
			w.done <- errAbandoned // it has room
		}
		return left
	})
}

// decideGroup takes all decisions of one commit.
func (t *tx) decideGroup(calls []*call) error {
	t.f.prune()
	if err := t.drain(); err != nil {
		return err
	}
	var all [][]candidate
	for _, c := range calls {
		all = append(all, c.candidates...)
	}
	if err := t.lookUp(all...); err != nil {
		return err
	}
	if err := t.wall(); err != nil {
		return err
	}
	for _, c := range calls {
		if err := c.decide(t); err != nil {
			return err
		}
	}
	if err := t.sweep(); err != nil {
		return err
	}
	if err := t.serve(); err != nil {
		return err
	}
	if t.f.head.phase == Running && len(t.f.waiters) > 0 && !t.f.rekey.pending() {
		if err := t.grant(); err != nil {
			return err
		}
		return t.finishIfOver()
	}
	return nil
}

// commit makes the group's decisions durable.
func (t *tx) commit() error {
	f := t.f
	if t.empty() && !t.freeze && t.now < f.heartbeat+beat {
		t.seq = 0
		return nil
	}
	ops := t.flush()
	fence := f.fence
	f.book.writer = fence.Generation
	fence.Sequence, fence.Value = t.seq, f.book.encode()
	if err := f.cfg.Store.Commit(t.ctx, fence, ops); err != nil {
		return fmt.Errorf("commit %d: %w", t.seq, err)
	}
	f.fence = fence
	if t.freeze {
		f.frozen = t.frozen
	}
	t.keep()
	return nil
}

// keep moves memory to the state that the commit has made true.
func (t *tx) keep() {
	f := t.f
	f.acked, f.heartbeat, f.activeSince = t.seq, t.now, t.now
	f.last.Store(&t.head)
	budget := f.head.contract.Budget
	f.limit.Store(&budget)
	f.scope.Store(f.head.scope())
	t.clean()
	f.againDue = min(f.againDue, t.again)
	for _, id := range t.later {
		if o := f.origins[id]; o != nil {
			f.rouse(o, t.now)
		}
	}
	f.evict()
}

const (
	maxRows    = 32_768
	maxOrigins = 16_384
)

// evict keeps the memory of rows and origins bounded; what is leased stays.
func (f *Frontier) evict() {
	if len(f.rows) > maxRows {
		for p, u := range f.rows {
			if u.state != Leased {
				delete(f.rows, p)
			}
			if len(f.rows) <= maxRows*3/4 {
				break
			}
		}
	}
	if len(f.origins) > maxOrigins {
		for id, o := range f.origins {
			if o.inflight == 0 {
				delete(f.origins, id)
			}
			if len(f.origins) <= maxOrigins*3/4 {
				break
			}
		}
	}
}

// answer tells every caller what its call came to, after the commit.
func (t *tx) answer(calls []*call) {
	f := t.f
	for _, c := range calls {
		c.done <- nil
	}
	var stay []*waiter
	for _, w := range f.waiters {
		switch {
		case len(w.got) > 0:
			f.reply(w, nil)
		case f.head.phase != Running:
			f.reply(w, f.over())
		default:
			stay = append(stay, w)
		}
	}
	f.waiters = stay
}

// over is what Lease answers when the run is no longer running.
func (f *Frontier) over() error {
	if f.head.phase == Finished {
		return ErrDone
	}
	return fmt.Errorf("%w: %s {%s}", ErrStopped, f.head.phase, f.head.reason)
}

// reply answers a Lease call; what its caller no longer takes goes back.
func (f *Frontier) reply(w *waiter, err error) {
	f.mu.Lock()
	gone := w.gone
	w.answered = true
	f.mu.Unlock()
	if !gone {
		w.done <- err
		return
	}
	for _, l := range w.got {
		go f.giveBack(l)
	}
}

// giveBack releases a lease that nobody took.
func (f *Frontier) giveBack(l Lease) {
	ctx, cancel := context.WithTimeout(context.Background(), f.cfg.TTL)
	defer cancel()
	_, _ = f.Complete(ctx, l.Release("abandoned")) // else it expires
}

func (f *Frontier) answerAll(err error) {
	for _, w := range f.waiters {
		f.reply(w, err)
	}
	f.waiters = nil
	for {
		select {
		case c := <-f.calls:
			c.done <- err
		default:
			return
		}
	}
}

// die ends the writer: nothing more can be decided.
func (f *Frontier) die(err error, calls []*call) {
	f.mu.Lock()
	f.dead = err
	f.mu.Unlock()
	f.takeBack()
	for _, c := range calls {
		c.done <- err
	}
}

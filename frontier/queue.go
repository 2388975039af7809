package frontier

import (
	"context"
	"time"
)

// A call is one request to the writer. It may be decided more than once, if a
// commit fails; it is answered once.
type call struct {
	decide     func(t *tx) error
	candidates [][]candidate // whose identities the decision looks up
	size       int
	asked      int64  // when it was made
	shrink     func() // makes what is too large alone fit; nil: it cannot
	done       chan error
}

// submit hands a call to the writer and waits for its answer. When ctx ends
// first, nobody knows whether it was decided: it may be sent again.
func (f *Frontier) submit(ctx context.Context, c *call) error {
	c.done = make(chan error, 1)
	if err := f.send(ctx, c); err != nil {
		return err
	}
	select {
	case err := <-c.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-f.ended:
		select {
		case err := <-c.done:
			return err
		default:
			return f.why()
		}
	}
}

// send puts a call into the queue.
func (f *Frontier) send(ctx context.Context, c *call) error {
	c.asked = f.now()
	f.oldest.CompareAndSwap(0, c.asked)
	select {
	case f.calls <- c:
		return nil
	case <-ctx.Done():
		f.oldest.CompareAndSwap(c.asked, 0)
		return ctx.Err()
	case <-f.ended:
		return f.why()
	}
}

// Queue is how long the oldest call has waited that is not answered yet, among them
// the completions that wait for their commit. It reads memory only.
func (f *Frontier) Queue() time.Duration {
	at := f.oldest.Load()
	if at == 0 {
		return 0
	}
	return max(micros(f.now()-at), 0)
}

// oldestOf is when the oldest of some calls was made; never: there is none.
func oldestOf(calls []*call) int64 {
	at := never
	for _, c := range calls {
		at = min(at, c.asked)
	}
	return at
}

// why is the reason for which the writer has ended.
func (f *Frontier) why() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dead != nil {
		return f.dead
	}
	return ErrClosed
}

// poke makes the writer look at what memory has been told.
func (f *Frontier) poke() {
	select {
	case f.poked <- struct{}{}:
	default:
	}
}

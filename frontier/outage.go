package frontier

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weircrawl/weir/storage"
)

// outage is what the writer does between a commit that failed and one that
// works: claim first, then look.
type outage struct {
	f     *Frontier
	began time.Time
	tries int
}

// over waits until the store answers again, and reports whether t's commit was
// applied after all. Memory is then what the store says. Its error is final.
func (o *outage) over(ctx context.Context, t *tx, cause error) (bool, error) {
	if o.began.IsZero() {
		o.began = time.Now()
	}
	for {
		if final := o.final(cause); final != nil {
			return false, final
		}
		if err := o.pause(cause); err != nil {
			return false, err
		}
		err := o.reload(ctx, t)
		if err == nil {
			return o.applied(t)
		}
		cause = err
	}
}

// applied reports whether the store's last commit is t. One that is neither t
// nor the one before it is of another owner, who came and went meanwhile.
func (o *outage) applied(t *tx) (bool, error) {
	switch f := o.f; {
	case f.fence.Sequence < t.seq:
		return false, nil
	case f.fence.Sequence == t.seq && f.book.writer == t.gen:
		return true, nil
	}
	return false, fmt.Errorf("%w: it wrote commit %d, and gave it up", ErrLostOwnership, o.f.fence.Sequence)
}

// final is the error that ends the writer, or nil while another try may help.
func (o *outage) final(cause error) error {
	var illegal *IllegalError
	switch {
	case errors.Is(cause, ErrLostOwnership), errors.Is(cause, ErrStoreRegressed), errors.Is(cause, ErrInternal):
		return cause
	case errors.Is(cause, storage.ErrCorrupt), errors.As(cause, &illegal), errors.Is(cause, storage.ErrTooLarge):
		return fmt.Errorf("frontier: %w", cause)
	case errors.Is(cause, storage.ErrNoSpace), errors.Is(cause, storage.ErrClosed):
		return fmt.Errorf("%w: %w", ErrStorageFailed, cause)
	case time.Since(o.began) >= o.f.cfg.Outage:
		return fmt.Errorf("%w for %s: %w", ErrStorageFailed, o.f.cfg.Outage, cause)
	}
	return nil
}

// pause waits before the next try: not at all before the first, then longer and
// longer up to a second.
func (o *outage) pause(cause error) error {
	o.tries++
	if o.tries == 1 {
		return nil
	}
	wait := time.NewTimer(min(10*time.Millisecond<<min(o.tries, 10), time.Second))
	defer wait.Stop()
	select {
	case <-wait.C:
		return nil
	case <-o.f.closed:
		return fmt.Errorf("%w: %w", ErrStorageFailed, cause)
	}
}

// reload claims the partition again, so that no earlier commit can still be in
// flight, compares its sequence, and drops all memory for what the store says.
func (o *outage) reload(ctx context.Context, t *tx) error {
	f := o.f
	if err := f.claim(ctx, f.fence.Owner); err != nil {
		if errors.Is(err, storage.ErrHeld) {
			return fmt.Errorf("%w: %w", ErrLostOwnership, err)
		}
		return err
	}
	if f.fence.Sequence < f.acked {
		return fmt.Errorf("%w: sequence %d, acknowledged %d", ErrStoreRegressed, f.fence.Sequence, f.acked)
	}
	if f.fence.Sequence < t.seq {
		t.unfree()
	}
	f.acked = f.fence.Sequence
	f.forget()
	if err := f.load(ctx); err != nil {
		return err
	}
	f.published()
	return nil
}

// published makes the head that was read the one that Summary shows.
func (f *Frontier) published() {
	v := f.head.encode()
	f.last.Store(&v)
	budget := f.head.contract.Budget
	f.limit.Store(&budget)
	f.scope.Store(f.head.scope())
}

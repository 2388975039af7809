package weir

import (
	"context"
	"sync"
	"time"

	"github.com/weircrawl/weir/frontier"
)

// held is the set of leases that are at work, or whose completion waits for its
// commit. Each is extended until it is settled: a worker's own deadlines bound
// how long that is.
type held struct {
	mu     sync.Mutex
	leases map[frontier.LeaseID]hold
}

type hold struct {
	lease frontier.Lease
	abort context.CancelCauseFunc
}

func newHeld() *held { return &held{leases: map[frontier.LeaseID]hold{}} }

// take makes l held. The context it returns ends when the lease is lost.
func (h *held) take(ctx context.Context, l frontier.Lease) context.Context {
	ctx, abort := context.WithCancelCause(ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.leases[l.ID] = hold{l, abort}
	return ctx
}

// drop ends what take began.
func (h *held) drop(id frontier.LeaseID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if old, ok := h.leases[id]; ok {
		old.abort(nil)
		delete(h.leases, id)
	}
}

// near returns the leases whose deadline is before t.
func (h *held) near(t time.Time) []frontier.Lease {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []frontier.Lease
	for _, held := range h.leases {
		if held.lease.Deadline.Before(t) {
			list = append(list, held.lease)
		}
	}
	return list
}

// extended takes note of a lease's new deadline, or aborts the work on it.
func (h *held) extended(l frontier.Lease, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	old, ok := h.leases[l.ID]
	switch {
	case !ok:
	case err != nil:
		old.abort(err)
	default:
		old.lease.Deadline = l.Deadline
		h.leases[l.ID] = old
	}
}

// keep extends held leases well before their deadline, until ctx ends.
func (r *run) keep(ctx context.Context) {
	ttl := r.f.Config().TTL
	ticker := time.NewTicker(max(ttl/4, time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			for _, l := range r.held.near(now.Add(ttl / 2)) {
				l, err := r.f.Extend(l)
				r.held.extended(l, err)
			}
		}
	}
}

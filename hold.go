package weir

import (
	"context"
	"sync"
	"time"

	"github.com/weircrawl/weir/frontier"
)

// held is the set of leases that this run has: in reserve, at work, or with a
// completion that waits for its commit. Each is extended until it is settled:
// the deadlines of exchanges and handlers bound how long that is.
type held struct {
	mu     sync.Mutex
	leases map[frontier.LeaseID]*hold
}

type hold struct {
	lease frontier.Lease
	lost  error                   // why it is no longer ours
	abort context.CancelCauseFunc // ends the work on it; nil: in reserve
}

func newHeld() *held { return &held{leases: map[frontier.LeaseID]*hold{}} }

// add makes leases held.
func (h *held) add(leases []frontier.Lease) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, l := range leases {
		h.leases[l.ID] = &hold{lease: l}
	}
}

// work begins the work on l. The context it returns ends when the lease is lost;
// an error means that it was lost already.
func (h *held) work(ctx context.Context, l frontier.Lease) (context.Context, error) {
	ctx, abort := context.WithCancelCause(ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	held := h.leases[l.ID]
	if held.lost != nil {
		abort(nil)
		return nil, held.lost
	}
	held.abort = abort
	return ctx, nil
}

// drop ends what add began.
func (h *held) drop(id frontier.LeaseID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if held := h.leases[id]; held != nil && held.abort != nil {
		held.abort(nil)
	}
	delete(h.leases, id)
}

// near returns the leases whose deadline is before t.
func (h *held) near(t time.Time) []frontier.Lease {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []frontier.Lease
	for _, held := range h.leases {
		if held.lost == nil && held.lease.Deadline.Before(t) {
			list = append(list, held.lease)
		}
	}
	return list
}

// extended takes note of a lease's new deadline, or of its loss.
func (h *held) extended(l frontier.Lease, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	held := h.leases[l.ID]
	switch {
	case held == nil: // settled in the meantime
	case err == nil:
		held.lease.Deadline = l.Deadline
	default:
		held.lost = err
		if held.abort != nil {
			held.abort(err)
		}
	}
}

// loseAll takes note that no lease is ours any more: all work on them ends.
func (h *held) loseAll(why error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, held := range h.leases {
		held.lost = why
		if held.abort != nil {
			held.abort(why)
		}
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
				extended, err := r.f.Extend(l)
				extended.ID = l.ID
				r.held.extended(extended, err)
			}
		}
	}
}

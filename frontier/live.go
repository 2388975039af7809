package frontier

import (
	"fmt"
	"time"

	"github.com/weircrawl/weir/internal/codec"
)

// live is a lease that holds a slot of its origin: it is not settled, or it
// expired and its request may still be under way.
type live struct {
	id       LeaseID
	row      uint64 // S of its lease row
	limit    int64  // bytes set aside
	granted  int64
	deadline int64
	last     int64 // the deadline cannot be moved beyond this
	sent     int64 // 0: not yet
	expired  bool
	held     int64 // an expired one keeps its slot until then
	stored   bool  // works on a stored response: it holds no slot
	foreign  bool  // of another incarnation: nobody here works on it
	spaced   bool  // its origin's delay counts from sent
}

// longest is how far Extend can move a lease's deadline from its grant.
const longest = int64(30 * time.Minute / time.Microsecond)

// grantItem is one lease of a commit's lease row.
type grantItem struct {
	place  place
	gen    uint64
	limit  int64
	last   int64
	stored bool
}

// flushLeases writes the commit's leases as one row, and drops rows of which
// nothing is left.
func (t *tx) flushLeases() {
	f := t.f
	for _, s := range t.settled {
		if f.rowsLeft[s]--; f.rowsLeft[s] <= 0 {
			delete(f.rowsLeft, s)
			t.drop(spaceLease, f.keys.seq(s))
		}
	}
	if len(t.granted) == 0 {
		return
	}
	w := codec.NewWriter(rowVersion, make([]byte, 0, 64+40*len(t.granted)))
	w.String(f.fence.Owner)
	w.Uint(uint64(t.now))
	for _, g := range t.granted {
		w.Fixed(g.place.origin)
		w.Fixed(g.place.n)
		w.Uint(g.gen)
		w.Uint(uint64(g.limit))
		w.Uint(uint64(g.last))
		w.Bool(g.stored)
	}
	f.rowsLeft[t.seq] = len(t.granted)
	t.put(spaceLease, f.keys.seq(t.seq), w.Seal())
}

// leaseRow is one row of the lease space, read back.
type leaseRow struct {
	seq     uint64
	owner   string
	granted int64
	items   []grantItem
}

func decodeLeases(key, v []byte) (leaseRow, error) {
	r := codec.NewReader(v, rowVersion)
	row := leaseRow{seq: field(key, 0), owner: r.String(), granted: int64(r.Uint())}
	for r.More() {
		row.items = append(row.items, grantItem{place: place{r.Fixed(), r.Fixed()}, gen: r.Uint(),
			limit: int64(r.Uint()), last: int64(r.Uint()), stored: r.Bool()})
	}
	return row, damaged(spaceLease, r.Close())
}

// Sent reports that l's request is about to be sent, at the time at: the
// origin's delay counts from then. It changes memory only. After ErrStale, and after
// a *BarredError, the request must not be made.
func (f *Frontier) Sent(l Lease, at time.Time) error {
	if err := f.barred(l); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	v, now := f.live[l.ID], f.now()
	if v == nil || v.expired || v.foreign || now > v.deadline {
		return fmt.Errorf("sent %s: %w", l.URL, ErrStale)
	}
	v.sent = min(f.micros(at), now)
	if l.Delay > 0 {
		f.sent = append(f.sent, l.ID)
		f.poke()
	}
	return nil
}

// Extend moves l's deadline to one TTL from now, while work makes progress. It
// changes memory only. After ErrStale the URL may have another owner.
func (f *Frontier) Extend(l Lease) (Lease, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	v, now := f.live[l.ID], f.now()
	if v == nil || v.expired || v.foreign || now > v.deadline {
		return l, fmt.Errorf("extend %s: %w", l.URL, ErrStale)
	}
	v.deadline = min(now+f.cfg.TTL.Microseconds(), v.last)
	l.Deadline = f.time(v.deadline)
	return l, nil
}

// drain takes the requests that were sent since the last group, and lets their
// origins go on.
func (t *tx) drain() error {
	f := t.f
	f.mu.Lock()
	sent := f.sent
	f.sent = nil
	f.mu.Unlock()
	for _, id := range sent {
		if v := f.lease(id); v != nil && !v.stored {
			o, err := t.loadOrigin(id.Origin)
			if err != nil || o == nil {
				return err
			}
			t.spaced(o, v)
		}
	}
	return nil
}

// lease finds a live lease; the writer calls it.
func (f *Frontier) lease(id LeaseID) *live {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.live[id]
}

// spaced makes o wait its delay from the moment v's request was sent.
func (t *tx) spaced(o *origin, v *live) {
	t.f.mu.Lock()
	sent := v.sent
	t.f.mu.Unlock()
	if sent == 0 || v.spaced {
		return
	}
	v.spaced = true
	o.unsent--
	t.space(o, sent)
	t.f.rouse(o, t.now)
}

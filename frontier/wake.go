package frontier

import (
	"container/heap"
	"math"

	"github.com/weircrawl/weir/storage"
)

// wakes is the heap of origins by the earliest moment at which one may be worth
// a look. Among equals the one that waited longest comes first, so the ready
// take turns.
type wakes struct {
	items []*wake
	byID  map[uint64]*wake
	turn  uint64
}

type wake struct {
	origin uint64
	due    int64
	turn   uint64
	index  int
}

const (
	maxWakes = 1 << 20
	never    = int64(math.MaxInt64)
)

func newWakes() wakes { return wakes{byID: map[uint64]*wake{}} }

// set moves an origin to due, behind those that are due then already.
func (q *wakes) set(origin uint64, due int64) {
	q.turn++
	if w := q.byID[origin]; w != nil {
		w.due, w.turn = due, q.turn
		heap.Fix(q, w.index)
		return
	}
	w := &wake{origin: origin, due: due, turn: q.turn}
	q.byID[origin] = w
	heap.Push(q, w)
}

func (q *wakes) remove(origin uint64) {
	if w := q.byID[origin]; w != nil {
		heap.Remove(q, w.index)
	}
}

// first returns the due time of the first origin, or never.
func (q *wakes) first() (uint64, int64) {
	if len(q.items) == 0 {
		return 0, never
	}
	return q.items[0].origin, q.items[0].due
}

func (q *wakes) Len() int { return len(q.items) }
func (q *wakes) Less(i, j int) bool {
	a, b := q.items[i], q.items[j]
	if a.due != b.due {
		return a.due < b.due
	}
	return a.turn < b.turn
}
func (q *wakes) Swap(i, j int) {
	q.items[i], q.items[j] = q.items[j], q.items[i]
	q.items[i].index, q.items[j].index = i, j
}
func (q *wakes) Push(x any) {
	w := x.(*wake)
	w.index = len(q.items)
	q.items = append(q.items, w)
}
func (q *wakes) Pop() any {
	w := q.items[len(q.items)-1]
	q.items = q.items[:len(q.items)-1]
	delete(q.byID, w.origin)
	return w
}

// late is how far behind the truth an origin's durable wake row may stay.
const late = int64(60e6)

// rewake keeps the origin's one row in wake: a lower bound of its next look,
// moved earlier at once, later only when it is far off.
func (t *tx) rewake(o *origin) {
	k := t.f.keys
	if o.live() == 0 {
		if o.wake != 0 {
			t.drop(spaceWake, k.wake(o.wake, o.id))
			o.wake = 0
		}
		return
	}
	due := max(t.f.look(o), 1)
	if due == never {
		due = t.now
	}
	if o.wake != 0 && due >= o.wake && due <= o.wake+late {
		return
	}
	if o.wake != 0 {
		t.drop(spaceWake, k.wake(o.wake, o.id))
	}
	t.put(spaceWake, k.wake(due, o.id), nil)
	o.wake = due
}

// look is the earliest moment at which o may grant something: a lower bound,
// never if nothing of it waits. Of a paused one only its policy knows: a successor
// asks it at once.
func (f *Frontier) look(o *origin) int64 {
	if o.live() <= 0 {
		return never
	}
	if o.pace.pause != "" {
		return 0
	}
	slowest := max(f.policy(o.text).Delay.Microseconds(), o.pace.gate.delay)
	return max(f.plausible(o.pace.due, slowest), f.plausible(o.pace.gate.due, 0))
}

// loadWakes fills the heap from the store while more rows lie there than it
// holds.
func (t *tx) loadWakes() error {
	f := t.f
	for f.horizon < never && f.wakes.Len() < maxWakes {
		if _, due := f.wakes.first(); due <= f.horizon {
			return nil
		}
		k := f.keys
		got, err := f.cfg.Store.Read(t.ctx, storage.ReadRequest{Space: spaceWake, From: f.wakeFrom, To: end(k.prefix(0)), Limit: wakeBatch})
		if err != nil {
			return err
		}
		for _, key := range got[0].Keys {
			at, id := int64(field(key, 0)), field(key, 1)
			f.horizon = at
			f.wakeFrom = append(append([]byte(nil), key...), 0)
			if f.wakes.byID[id] == nil && !f.paused[id] {
				f.wakes.set(id, f.plausible(at, 0))
			}
		}
		if len(got[0].Keys) < wakeBatch {
			f.horizon = never
		}
	}
	return nil
}

const wakeBatch = 8_192

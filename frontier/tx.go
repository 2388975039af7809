package frontier

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/weircrawl/weir/internal/codec"
	"github.com/weircrawl/weir/internal/pathmatch"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/urlnorm"
)

// tx is one group of decisions that become one commit. It changes the
// frontier's memory as it decides: if the commit fails, all memory is dropped
// and read again.
type tx struct {
	f   *Frontier
	ctx context.Context
	seq uint64
	gen uint64 // of the fence
	now int64

	ops      []storage.Op
	bytes    int
	log      []*entry
	urls     []*urlRow // changed
	changed  map[*urlRow]bool
	origins  []*origin // changed
	granted  []grantItem
	taker    *waiter // of this turn's lease
	freed    []*live
	settled  []uint64 // S of lease rows with one lease less
	weight   int      // bytes that the changed rows may take
	active   bool     // the run crawled, when the group began
	found    map[identity]known
	policy   map[uint64]Policy
	disallow map[urlnorm.Origin]pathmatch.Set
	draft    *overlay // what operators have set in this group, and is not in force yet
	sources  uint32
	audits   uint32
	owed     uint32 // offers made
	head     []byte // as it is committed
	freeze   bool   // the commit freezes a generation
	frozen   []byte // its row
	asked    int64  // when the oldest call of the group was made; never: there is none
	attempts map[string]*attempt
	patterns map[patternKey]string // counted, with their text
	later    []uint64              // origins whose next URL is visible once this has committed
	again    int64                 // first T of this group's rows in again: they can be read once it has committed
}

func (f *Frontier) begin(ctx context.Context) *tx {
	f.ids.age()
	f.cardinality.age()
	return &tx{f: f, ctx: ctx, seq: f.fence.Sequence + 1, gen: f.fence.Generation, now: f.now(), changed: map[*urlRow]bool{}, again: never, asked: never,
		active: f.crawls()}
}

func (t *tx) put(s storage.Space, key, value []byte) {
	t.ops = append(t.ops, storage.Op{Space: s, Key: key, Value: value})
	t.bytes += len(key) + len(value)
}

func (t *tx) drop(s storage.Space, key []byte) {
	t.ops = append(t.ops, storage.Op{Space: s, Key: key, Delete: true})
	t.bytes += len(key)
}

// do applies one decision, logs it, and keeps the queue rows in step.
func (t *tx) do(e *entry) error {
	if e.kind == entryURL {
		return t.move(e)
	}
	t.log = append(t.log, e)
	return apply(t, e, t.seq, t.now)
}

func (t *tx) move(e *entry) error {
	var was urlRow
	if e.event != Admit {
		u, err := t.urlAt(e.place)
		if err != nil {
			return err
		}
		was, e.back, e.was = *u, u.back, u.state
	}
	t.log = append(t.log, e)
	if err := apply(t, e, t.seq, t.now); err != nil {
		return err
	}
	u, err := t.urlAt(e.place)
	if err != nil {
		return err
	}
	t.requeue(&was, u)
	return nil
}

// requeue moves a URL's one queue row from where it was to where it is now.
func (t *tx) requeue(was, is *urlRow) {
	if was.ready == is.ready && was.class == is.class && was.again() == is.again() {
		return
	}
	k := t.f.keys
	switch {
	case was.again():
		t.drop(spaceAgain, k.again(is.place, was.ready))
	case was.outOfOrder():
		t.drop(spaceReady, k.ready(is.place, was.class, was.ready))
	}
	switch {
	case is.again():
		t.put(spaceAgain, k.again(is.place, is.ready), nil)
		t.again = min(t.again, is.ready)
	case is.outOfOrder():
		t.put(spaceReady, k.ready(is.place, is.class, is.ready), nil)
		t.f.origins[is.place.origin].fresh = true
	}
}

func (t *tx) urlAt(p place) (*urlRow, error) {
	u, err := t.peek(p)
	if err == nil && !t.changed[u] {
		t.changed[u] = true
		t.urls = append(t.urls, u)
		t.weight += 2*len(u.url) + 512
	}
	return u, err
}

// peek reads a URL's row without marking it as changed.
func (t *tx) peek(p place) (*urlRow, error) {
	if u := t.f.rows[p]; u != nil {
		return u, nil
	}
	if err := t.fetchURLs([]place{p}); err != nil {
		return nil, err
	}
	if u := t.f.rows[p]; u != nil {
		return u, nil
	}
	return nil, damaged(spaceURL, fmt.Errorf("no row for origin %016x, ordinal %x", p.origin, p.n))
}

// fetchURLs brings the rows of places into memory, in one read. What is absent
// stays so.
func (t *tx) fetchURLs(places []place) error {
	var missing []place
	var want [][]byte
	for _, p := range places {
		if t.f.rows[p] == nil {
			missing, want = append(missing, p), append(want, t.f.keys.url(p))
		}
	}
	if len(want) == 0 {
		return nil
	}
	got, err := t.f.cfg.Store.Read(t.ctx, storage.ReadRequest{Space: spaceURL, Keys: want})
	if err != nil {
		return fmt.Errorf("read urls: %w", err)
	}
	for i, v := range got[0].Values {
		if v == nil {
			continue
		}
		if _, err := t.rowOf(missing[i], v); err != nil {
			return err
		}
	}
	return nil
}

// rowOf is the row at p: what memory has, else what was read.
func (t *tx) rowOf(p place, v []byte) (*urlRow, error) {
	if u := t.f.rows[p]; u != nil {
		return u, nil
	}
	u, err := decodeURL(p, v)
	if err == nil {
		t.f.rows[p] = u
	}
	return u, err
}

func (t *tx) putURL(u *urlRow) { t.f.rows[u.place] = u }

func (t *tx) originAt(id uint64) (*origin, error) {
	o, err := t.loadOrigin(id)
	if err == nil && o == nil {
		err = damaged(spaceOrigin, fmt.Errorf("no row for origin %016x", id))
	}
	if err == nil {
		t.touch(o)
	}
	return o, err
}

func (t *tx) touch(o *origin) {
	if !o.dirty {
		o.dirty = true
		t.origins = append(t.origins, o)
	}
}

// loadOrigin returns the origin of this id, or nil.
func (t *tx) loadOrigin(id uint64) (*origin, error) {
	if o := t.f.origins[id]; o != nil {
		return o, nil
	}
	got, err := t.f.cfg.Store.Read(t.ctx, storage.ReadRequest{Space: spaceOrigin, Keys: [][]byte{t.f.keys.origin(id)}})
	if err != nil {
		return nil, fmt.Errorf("read origin: %w", err)
	}
	if got[0].Values[0] == nil {
		return nil, nil
	}
	o, err := decodeOrigin(id, got[0].Values[0])
	if err != nil {
		return nil, err
	}
	t.f.origins[id] = o
	return o, nil
}

func (t *tx) putOrigin(o *origin) {
	t.f.origins[o.id] = o
	t.touch(o)
}

func (t *tx) putHost(host string) {
	t.f.mu.Lock()
	defer t.f.mu.Unlock()
	t.f.hosts[host] = true
}

// adopt brings a host into the scope.
func (t *tx) adopt(u urlnorm.URL) error {
	host := hostPort(u.Origin)
	w := codec.NewWriter(rowVersion, nil)
	w.String(host)
	t.put(spaceScope, t.f.keys.scope(host), w.Seal())
	return t.do(&entry{kind: entryScope, text: urlnorm.Origin(host)})
}

func (t *tx) runHead() *head { return t.f.head }

// repace changes an origin's pace and notes it; flush logs it once, with what
// the whole group made of it.
func (t *tx) repace(o *origin, change func(p *pace)) {
	p := o.pace
	change(&p)
	t.f.head.repace(o, p, p.gate.note)
	o.paced = true
	t.touch(o)
}

// run changes what concerns the run as a whole.
func (t *tx) run(e entry) error {
	e.kind = entryRun
	if e.phase > Running && e.phase != t.f.head.phase {
		t.freeze = true
	}
	return t.do(&e)
}

// rebind changes the run's contract.
func (t *tx) rebind(c contract, why Reason) error {
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return t.run(entry{contract: b, reason: t.f.head.reason, phase: t.f.head.phase, stop: "", policy: string(why)})
}

// empty reports whether nothing was decided.
func (t *tx) empty() bool { return len(t.ops)+len(t.log)+len(t.urls)+len(t.origins) == 0 }

// flush turns the decisions into the ops of one commit.
func (t *tx) flush() []storage.Op {
	k := t.f.keys
	if active := t.now - t.f.activeSince; active > 0 && t.active {
		_ = t.run(entry{active: active}) // adds to a counter: it cannot fail
	}
	for _, o := range t.origins {
		if o.paced {
			t.log = append(t.log, &entry{kind: entryPace, place: place{origin: o.id}, pace: &o.pace})
		}
		t.rewake(o)
		t.put(spaceOrigin, k.origin(o.id), o.encode())
	}
	for _, u := range t.urls {
		t.put(spaceURL, k.url(u.place), u.encode())
	}
	t.flushPatterns()
	t.flushLeases()
	h := t.f.head
	if t.freeze {
		_ = t.do(&entry{kind: entryFreeze, gen: h.frozen + 1}) // the next one: it cannot fail
	}
	t.flushLog()
	h.entries += int64(len(t.log))
	h.seq, h.at, h.queue = t.seq, t.now, max(t.now-t.asked, 0)
	t.head = h.encode()
	if t.freeze {
		t.frozen = t.head
		t.put(spaceGeneration, k.nums(h.frozen), t.frozen)
	}
	t.put(spaceHead, k.head(), t.head)
	return t.ops
}

// logChunk is the size at which a log row is closed.
const logChunk = 4 * kib

func (t *tx) flushLog() {
	version, chunk := logVersionOf(t.log), uint32(0)
	var w *codec.Writer
	seal := func() {
		if w != nil {
			t.put(spaceLog, t.f.keys.chunk(t.seq, chunk), pack(w.Seal(), &t.f.room))
			chunk++
			w = nil
		}
	}
	for _, e := range t.log {
		if w == nil {
			w = codec.NewWriter(version, make([]byte, 0, logChunk+512))
			w.Uint(uint64(t.now))
		}
		e.write(w)
		if w.Len() > logChunk {
			seal()
		}
	}
	seal()
}

// logVersionOf is the version that the rows of a log need.
func logVersionOf(log []*entry) byte {
	for _, e := range log {
		if e.pace != nil && e.pace.version() > rowVersion {
			return paceVersion2
		}
	}
	return rowVersion
}

// clean forgets what was only marked for this commit.
func (t *tx) clean() {
	for _, o := range t.origins {
		o.dirty, o.paced, o.fresh = false, false, false
	}
}

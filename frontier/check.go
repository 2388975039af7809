package frontier

import (
	"bytes"
	"context"
	"math"
	"math/bits"

	"github.com/weircrawl/weir/internal/codec"
	"github.com/weircrawl/weir/storage"
)

// Check verifies every row of the run against the others, and returns *Faults
// if any does not fit: each URL in exactly one place of its queue, each identity
// under its key, leases with their URLs, results with theirs, and every counter
// with what it counts. It must not run beside a writer.
func (r *Reader) Check(ctx context.Context) error {
	h, err := readHead(ctx, r.store, r.keys)
	if err != nil {
		return err
	}
	c := &checker{Reader: r, head: h, sum: head{tallies: map[tallyKey]*tally{}}, leases: map[place]grantItem{}}
	for _, step := range []func(context.Context) error{c.leaseRows, c.origins, c.orphans, c.attempts, c.offers, c.results, c.edges, c.rekeying, c.policies, c.audits, c.generations} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	c.totals()
	return c.faults.err()
}

// checker adds up what the rows say, one origin at a time.
type checker struct {
	*Reader
	head   *head
	faults Faults
	sum    head // recounted
	leases map[place]grantItem
	rows   int64 // url rows
	again  int64
	wakes  int64
	ready  int64
	ended  int64 // urls that name a result
	owed   bool  // an offer is the replay of an earlier run
	carry  int64 // results of an earlier run
}

func (c *checker) leaseRows(ctx context.Context) error {
	for row, err := range c.all(ctx, spaceLease) {
		if err != nil {
			return err
		}
		l, err := decodeLeases(row[0], row[1])
		if err != nil {
			c.faults.add("%v", err)
			continue
		}
		for _, g := range l.items {
			if old, ok := c.leases[g.place]; !ok || old.gen < g.gen {
				c.leases[g.place] = g
			}
		}
	}
	return nil
}

// origins checks every origin with its URLs.
func (c *checker) origins(ctx context.Context) error {
	for row, err := range c.all(ctx, spaceOrigin) {
		if err != nil {
			return err
		}
		id := field(row[0], 0)
		o, err := decodeOrigin(id, row[1])
		if err != nil {
			c.faults.add("%v", err)
			continue
		}
		c.sum.origins++
		if err := c.origin(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) origin(ctx context.Context, o *origin) error {
	if originID(o.text, 0) != o.id {
		if again, _ := c.owner(o); !again {
			c.faults.add("origin %s has a foreign key", o.text)
		}
	}
	found := &origin{}
	for row, err := range c.within(ctx, spaceURL, c.keys.origin(o.id)) {
		if err != nil {
			return err
		}
		u, err := decodeURL(place{o.id, field(row[0], 1)}, row[1])
		if err != nil {
			c.faults.add("%v", err)
			continue
		}
		if err := c.url(ctx, o, u, found); err != nil {
			return err
		}
	}
	c.sum.paused += o.held()
	if found.states != o.states || found.ready != o.ready || found.again != o.again || found.next != o.next {
		c.faults.add("origin %s: counts %v %v %d %v, kept %v %v %d %v", o.text, found.states, found.ready, found.again, found.next, o.states, o.ready, o.again, o.next)
	}
	if o.pace.gate.state == gateLeased {
		g, ok := c.leases[place{o.id, 0}]
		if !ok || g.gen != o.pace.gate.gen {
			c.faults.add("gate of %s is leased and has no lease", o.text)
		}
		c.sum.reserved += g.limit
	}
	return c.wake(ctx, o)
}

// owner reports whether o stands under a later hash of its text, because of a
// collision.
func (c *checker) owner(o *origin) (bool, byte) {
	for try := byte(1); try < 255; try++ {
		if originID(o.text, try) == o.id {
			return true, try
		}
	}
	return false, 0
}

func (c *checker) url(ctx context.Context, o *origin, u *urlRow, found *origin) error {
	c.rows++
	c.sum.states[u.state]++
	found.states[u.state]++
	class := classOf(u.place.n)
	found.next[class] = max(found.next[class], u.place.n&countMask)
	want := []storage.ReadRequest{{Space: spaceDedupe, Keys: [][]byte{c.keys.dedupe(o.id, identify(o.text, u.key))}}}
	switch {
	case u.again():
		found.again++
		c.again++
		want = append(want, storage.ReadRequest{Space: spaceAgain, Keys: [][]byte{c.keys.again(u.place, u.ready)}})
	case u.outOfOrder():
		found.ready[u.class]++
		c.ready++
		want = append(want, storage.ReadRequest{Space: spaceReady, Keys: [][]byte{c.keys.ready(u.place, u.class, u.ready)}})
	}
	if u.result != 0 {
		c.ended++
		want = append(want, storage.ReadRequest{Space: spaceResult, Keys: [][]byte{c.keys.seq(u.result)}})
	}
	got, err := c.store.Read(ctx, want...)
	if err != nil {
		return err
	}
	for i, g := range got {
		if g.Values[0] == nil {
			c.faults.add("url %s has no row in %s", u.url, want[i].Space.Name)
		}
	}
	c.identity(u, got[0].Values[0])
	c.queued(o, u)
	return nil
}

func (c *checker) identity(u *urlRow, v []byte) {
	if v == nil {
		return
	}
	d := codec.NewReader(v, rowVersion)
	class := d.Byte()
	n := ordinal(class, d.Uint())
	if err := d.Close(); err != nil || n != u.place.n {
		c.faults.add("identity of %s leads to ordinal %x, not %x (%v)", u.url, n, u.place.n, err)
	}
}

// queued checks that a URL stands in exactly the place that its state asks for.
func (c *checker) queued(o *origin, u *urlRow) {
	class := classOf(u.place.n)
	switch {
	case u.state == Queued && u.ready == 0 && (u.place.n&countMask <= o.pace.head[class] || u.class != class):
		c.faults.add("url %s is queued and in no place: the head has passed it", u.url)
	case u.state == Waiting && u.ready == 0:
		c.faults.add("url %s waits and is in no place", u.url)
	case u.ready != 0 && u.state != Queued && u.state != Waiting:
		c.faults.add("url %s is %s and still in a queue", u.url, u.state)
	case u.state.Terminal() && u.result == 0:
		c.faults.add("url %s is %s and has no result", u.url, u.state)
	case u.state == Unseen || int(u.state) >= len(stateNames):
		c.faults.add("url %s has no state", u.url)
	}
	if u.state != Leased {
		return
	}
	g, ok := c.leases[u.place]
	if !ok || g.gen != u.gen {
		c.faults.add("url %s is leased and has no lease", u.url)
	}
	c.sum.reserved += g.limit
}

func (c *checker) wake(ctx context.Context, o *origin) error {
	if (o.live() > 0) != (o.wake != 0) {
		c.faults.add("origin %s has %d URLs to lease, and its wake row is %d", o.text, o.live(), o.wake)
	}
	if o.wake == 0 {
		return nil
	}
	c.wakes++
	got, err := c.store.Read(ctx, storage.ReadRequest{Space: spaceWake, Keys: [][]byte{c.keys.wake(o.wake, o.id)}})
	if err == nil && got[0].Values[0] == nil {
		c.faults.add("origin %s has no wake row", o.text)
	}
	return err
}

// orphans counts the rows that belong to a URL or an origin: one that nobody
// names makes the count too high.
func (c *checker) orphans(ctx context.Context) error {
	for _, s := range []struct {
		space storage.Space
		want  int64
	}{{spaceDedupe, c.rows}, {spaceReady, c.ready}, {spaceAgain, c.again}, {spaceWake, c.wakes}, {spaceOffer, c.head.offers}, {spaceScope, c.head.hosts}, {spaceRekey, c.head.rekeys()},
		{spacePolicy, c.head.contract.Policies}, {spaceAudit, c.head.contract.Audits}} {
		n := int64(0)
		for _, err := range c.all(ctx, s.space) {
			if err != nil {
				return err
			}
			n++
		}
		if n != s.want {
			c.faults.add("%s has %d rows, %d are named", s.space.Name, n, s.want)
		}
	}
	return nil
}

// attempts adds up the history of reports that came too late, or twice.
func (c *checker) attempts(ctx context.Context) error {
	for row, err := range c.all(ctx, spaceAttempt) {
		if err != nil {
			return err
		}
		a, err := decodeAttempt(row[1])
		if err != nil {
			return err
		}
		c.sum.late += int64(a.stale)
		c.sum.conflict += int64(a.conflicts)
	}
	return nil
}

// offers reads what the run owes, and the hosts of its scope.
func (c *checker) offers(ctx context.Context) error {
	for row, err := range c.all(ctx, spaceScope) {
		if err != nil {
			return err
		}
		host, err := decodeHost(row[1])
		if err != nil {
			return err
		}
		if !bytes.Equal(row[0], c.keys.scope(host)) {
			c.faults.add("host %s of the scope has a foreign key", host)
		}
	}
	for row, err := range c.all(ctx, spaceOffer) {
		if err != nil {
			return err
		}
		o, err := decodeOffer(row[0], row[1])
		if err != nil {
			return err
		}
		c.owed = c.owed || o.kind == offerRekey
	}
	return nil
}

func (c *checker) results(ctx context.Context) error {
	var superseded int64
	generations := c.frozenRest(ctx)
	defer generations.stop()
	for res, err := range c.Results(ctx, 0) {
		if err != nil {
			return err
		}
		if err := generations.resultsBefore(res.Position, &c.sum, &c.faults); err != nil {
			return err
		}
		c.sum.results++
		c.sum.records += int64(len(res.Records))
		c.sum.finish = res.Position
		if res.Carried != "" {
			c.carry++
		}
		if res.Supersedes != 0 {
			superseded++
		}
	}
	if err := generations.resultsBefore(math.MaxUint64, &c.sum, &c.faults); err != nil {
		return err
	}
	if c.sum.results-superseded != c.ended {
		c.faults.add("%d results, %d of them superseded, for %d ended URLs", c.sum.results, superseded, c.ended)
	}
	return nil
}

func (c *checker) edges(ctx context.Context) error {
	count := c.edgeCount(ctx)
	defer count.stop()
	if err := count.before(math.MaxUint64, &c.sum); err != nil {
		return err
	}
	moved, err := c.movedLines(ctx)
	if err != nil {
		return err
	}
	for row, err := range c.all(ctx, spaceEdge) {
		if err != nil {
			return err
		}
		edge, err := decodeEdge(row[1])
		if err != nil {
			return err
		}
		s, admitted := &edge.source, int64(0)
		for _, d := range edge.lines {
			if d.decision == Admitted && !d.ref.Hint {
				admitted++
			}
		}
		if s.kind == Offer {
			moved -= len(edge.lines)
		}
		if s.kind != Redirect && edge.first == 0 && s.slots+admitted > s.limit && admitted > 0 {
			c.faults.add("edge %x: %d slots spent and %d admitted; the limit was %d", row[0], s.slots, admitted, s.limit)
		}
	}
	if moved != 0 {
		c.faults.add("%d more lines are marked as moved than offers name", moved)
	}
	return nil
}

// movedLines counts the lines that no bound holds back any more.
func (c *checker) movedLines(ctx context.Context) (int, error) {
	n := 0
	for row, err := range c.all(ctx, spaceMoved) {
		if err != nil {
			return 0, err
		}
		m, err := decodeMoved(row[1])
		if err != nil {
			return 0, err
		}
		for _, b := range m {
			n += bits.OnesCount8(b)
		}
	}
	return n, nil
}

// totals compares the run's counters with what they count.
func (c *checker) totals() {
	h := c.head
	for _, t := range []struct {
		what        string
		found, kept int64
	}{
		{"origins", c.sum.origins, h.origins},
		{"results", c.sum.results, h.results},
		{"records", c.sum.records, h.records},
		{"observed", c.sum.observed, h.observed},
		{"late reports", c.sum.late, h.late},
		{"conflicts", c.sum.conflict, h.conflict},
		{"reserved bytes", c.sum.reserved, h.reserved},
		{"paused", c.sum.paused, h.paused},
		{"last result", int64(c.sum.finish), int64(h.finish)},
		{"admitted", c.rows, h.slots + h.hints + h.moved},
		{"patterns held back", c.sum.limited(), h.held.total},
	} {
		if t.found != t.kept {
			c.faults.add("%s: %d found, %d kept", t.what, t.found, t.kept)
		}
	}
	if c.sum.states != h.states {
		c.faults.add("states: %v found, %v kept", c.sum.states, h.states)
	}
	if h.slots > h.contract.Budget.URLs {
		c.faults.add("%d slots are spent, the limit is %d", h.slots, h.contract.Budget.URLs)
	}
	if h.hints > h.contract.Budget.Hints {
		c.faults.add("%d hints are admitted, the limit is %d", h.hints, h.contract.Budget.Hints)
	}
	if h.bytes+h.reserved > h.contract.Budget.Bytes {
		c.faults.add("%d bytes are spent and %d set aside, the limit is %d", h.bytes, h.reserved, h.contract.Budget.Bytes)
	}
	for k, t := range c.sum.tallies {
		if g := h.tallies[k]; g == nil || g.count != t.count {
			c.faults.add("decisions %v: %d found, %v kept", k, t.count, g)
		}
	}
	if h.phase == Finished && !h.over() {
		c.faults.add("the run is finished with %d URLs and %d offers left", h.unresolved(), h.offers)
	}
}

// within yields the rows of a space whose keys begin with prefix.
func (c *checker) within(ctx context.Context, s storage.Space, prefix []byte) func(func([2][]byte, error) bool) {
	last := string(end(prefix))
	return func(yield func([2][]byte, error) bool) {
		for row, err := range c.Reader.rows(ctx, s, prefix) {
			if err == nil && string(row[0]) >= last {
				return
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

package frontier

import (
	"context"
	"fmt"
	"strconv"

	"github.com/weircrawl/weir/internal/codec"
	"github.com/weircrawl/weir/storage"
)

// openRun finds the unfinished run or begins a new one, and makes it running in
// one commit.
func (f *Frontier) openRun(ctx context.Context, given Budget) error {
	known, err := f.findRun(ctx, given)
	if err != nil {
		return err
	}
	f.acked = f.fence.Sequence
	f.forget()
	if known == nil {
		err = f.beginRun(ctx)
	} else {
		f.keys = keys{run: known.number}
		err = f.load(ctx)
	}
	if err != nil {
		return err
	}
	f.activeSince = f.now()
	t := f.begin(ctx)
	if f.attended {
		f.published()
		err = t.attend()
	} else {
		err = t.opening(known, given)
	}
	if err != nil {
		return fmt.Errorf("frontier: open: %w", err)
	}
	if err := t.commit(); err != nil {
		return fmt.Errorf("frontier: open: %w", err)
	}
	return nil
}

// attend decides the first commit for an operator alone: a run whose process was
// killed has stopped.
func (t *tx) attend() error {
	if t.f.head.phase == Running {
		if err := t.stop(Stopped, "killed", ""); err != nil {
			return err
		}
	}
	return t.sweep()
}

// opening decides the first commit of an incarnation.
func (t *tx) opening(known *head, given Budget) error {
	f := t.f
	if known == nil {
		w := codec.NewWriter(rowVersion, nil)
		w.Uint(uint64(f.head.number))
		t.put(spaceRun, []byte(f.head.name), w.Seal())
		if err := t.rebind(f.head.contract, "begin"); err != nil {
			return err
		}
		if err := t.inherit(); err != nil {
			return err
		}
		if f.earlier != nil {
			if err := t.beginRekey(); err != nil {
				return err
			}
		}
	} else if err := t.adjust(given); err != nil {
		return err
	}
	if known != nil && known.phase.Terminal() { // given raises what it holds back
		f.book.active = known.number
	}
	if err := t.run(entry{phase: Running, reason: "open"}); err != nil {
		return err
	}
	return t.sweep()
}

// adjust binds a known run to a new budget: a larger bound is a raise, a smaller
// one is clamped to what is spent, and a zero one stays. It notes the versions that
// the run goes on with.
func (t *tx) adjust(given Budget) error {
	h := t.f.head
	terms, before := h.contract, h.contract.Budget
	want := given
	for _, b := range want.fields() {
		if asked := *b.value(&want); asked == 0 || asked == *b.value(&terms.Given) { // an operator's raise stays in force
			b.set(&want, *b.value(&terms.Budget))
		}
	}
	spent := Budget{URLs: h.slots, Hints: h.hints, Origins: h.origins, Bytes: h.bytes + h.reserved, Wall: micros(h.active)}
	_, raised := terms.Budget.raised(want)
	terms.Budget = terms.Budget.clamped(want, spent)
	if err := terms.Budget.fits(); err != nil {
		return err
	}
	terms.Versions = t.f.versions()
	switch {
	case terms.Budget != h.contract.Budget:
		if err := t.rebind(terms, ReasonRaised); err != nil {
			return err
		}
	case terms.Versions != h.contract.Versions:
		return t.rebind(terms, "versions")
	default:
		return nil
	}
	if len(raised) > 0 {
		if err := t.audit(Audit{Who: "config", What: ChangeRaise, Subject: wholeRun, Why: "a larger Budget was given"}, before, terms.Budget); err != nil {
			return err
		}
	}
	if !offers(raised) {
		return nil
	}
	return t.offerAgain(offerRaised)
}

// findRun returns the head of the run to go on with, the unfinished one or a finished
// one that given raises, or nil if a new one is to begin.
func (f *Frontier) findRun(ctx context.Context, given Budget) (*head, error) {
	named, err := runNumber(ctx, f.cfg.Store, f.cfg.Run)
	if err != nil {
		return nil, err
	}
	if f.earlier != nil {
		return f.findRekeyed(ctx, named)
	}
	if f.attended {
		return f.newest(ctx, named)
	}
	if f.book.active == 0 {
		if named == 0 {
			return nil, nil
		}
		if h, err := f.revivable(ctx, named, given); err != nil || h != nil {
			return h, err
		}
		return nil, f.isOver(ctx)
	}
	h, err := readHead(ctx, f.cfg.Store, keys{run: f.book.active})
	if err != nil {
		return nil, err
	}
	if f.cfg.Run == "" || f.cfg.Run == h.name {
		return h, sameNormalizer(h, f.cfg.Normalizer)
	}
	if named != 0 {
		return nil, f.isOver(ctx)
	}
	return nil, fmt.Errorf("frontier: open run %q: %w: run %q is %s", f.cfg.Run, ErrRunActive, h.name, h.phase)
}

// isOver answers that the run of this name is over, and names the newest run if
// that was made of it.
func (f *Frontier) isOver(ctx context.Context) error {
	newest, err := readHead(ctx, f.cfg.Store, keys{run: f.book.latest})
	if err != nil {
		return err
	}
	what := "choose another name"
	if newest.contract.From == f.cfg.Run {
		what = fmt.Sprintf("it was rekeyed as %q: open that", newest.name)
	}
	return fmt.Errorf("frontier: open run %q: %w; %s", f.cfg.Run, ErrRunFinished, what)
}

// runNumber finds a run by name; 0: there is none.
func runNumber(ctx context.Context, s storage.Store, name string) (uint32, error) {
	if name == "" {
		return 0, nil
	}
	got, err := s.Read(ctx, storage.ReadRequest{Space: spaceRun, Keys: [][]byte{[]byte(name)}})
	if err != nil {
		return 0, fmt.Errorf("frontier: read runs: %w", err)
	}
	if got[0].Values[0] == nil {
		return 0, nil
	}
	r := codec.NewReader(got[0].Values[0], rowVersion)
	n := uint32(r.Uint())
	return n, damaged(spaceRun, r.Close())
}

func readHead(ctx context.Context, s storage.Store, k keys) (*head, error) {
	got, err := s.Read(ctx, storage.ReadRequest{Space: spaceHead, Keys: [][]byte{k.head()}})
	if err != nil {
		return nil, fmt.Errorf("frontier: read head: %w", err)
	}
	if got[0].Values[0] == nil {
		return nil, noHead(k)
	}
	return decodeHead(got[0].Values[0])
}

func noHead(k keys) error {
	return fmt.Errorf("frontier: %w", damaged(spaceHead, fmt.Errorf("run %d has no head", k.run)))
}

func (f *Frontier) beginRun(ctx context.Context) error {
	if err := f.cfg.Budget.fits(); err != nil {
		return fmt.Errorf("frontier: config: %w", err)
	}
	number := f.book.latest + 1
	name := f.cfg.Run
	if name == "" {
		name = strconv.FormatUint(uint64(number), 10)
		for {
			taken, err := runNumber(ctx, f.cfg.Store, name)
			if err != nil {
				return err
			}
			if taken == 0 {
				break
			}
			name = "run-" + name // somebody has chosen that name
		}
	}
	f.keys = keys{run: number}
	f.book = book{latest: number, active: number}
	f.head = &head{name: name, number: number, began: f.now(), tallies: map[tallyKey]*tally{}, contract: contract{
		Budget: f.cfg.Budget, Scope: f.cfg.Scope, Seeds: f.cfg.Scope.Empty(), Patterns: true, Versions: f.versions()}}
	if f.earlier != nil {
		f.head.contract.From = f.earlier.name
	}
	f.horizon, f.ids.whole, f.cardinality.whole = never, true, true
	return nil
}

// forget drops all memory of the store's contents.
func (f *Frontier) forget() {
	f.rows, f.origins = map[place]*urlRow{}, map[uint64]*origin{}
	f.ids, f.cardinality = newIdentities(f.cfg.Cache), newCardinality()
	f.wakes, f.sites = newWakes(), sites{}
	f.mu.Lock()
	f.hosts = map[string]bool{}
	f.mu.Unlock()
	f.rowsLeft, f.short = map[uint64]int{}, map[uint64]bool{}
	f.againDue = 0
	f.paused, f.lookAt = map[uint64]bool{}, never
	f.frozen = nil
	f.horizon, f.wakeFrom = 0, nil
}

// load reads what the writer needs to go on: the head and the leases that are
// not settled. URLs and origins are read when they are needed.
func (f *Frontier) load(ctx context.Context) error {
	h, err := readHead(ctx, f.cfg.Store, f.keys)
	if err != nil {
		return err
	}
	f.head, f.wakeFrom = h, f.keys.prefix(0)
	if h.contract.From != "" {
		if f.rekey, err = readRekeying(ctx, f.cfg.Store, f.keys); err != nil {
			return err
		}
		if f.rekey == nil {
			return damaged(spaceRekey, fmt.Errorf("run %q was rekeyed, and has no row", h.name))
		}
	}
	if err := f.loadPolicies(ctx); err != nil {
		return fmt.Errorf("frontier: load policies: %w", err)
	}
	if err := f.loadScope(ctx); err != nil {
		return fmt.Errorf("frontier: load scope: %w", err)
	}
	if h.phase.Terminal() {
		return f.hold(ctx, nil) // nobody holds a lease of a run that is over
	}
	open, err := f.loadLeases(ctx)
	if err != nil {
		return fmt.Errorf("frontier: load leases: %w", err)
	}
	return f.hold(ctx, open)
}

// loadScope reads the hosts that seeds have brought into the scope: no more than
// there are origins.
func (f *Frontier) loadScope(ctx context.Context) error {
	r := &Reader{store: f.cfg.Store, keys: f.keys}
	for row, err := range r.all(ctx, spaceScope) {
		if err != nil {
			return err
		}
		host, err := decodeHost(row[1])
		if err != nil {
			return err
		}
		f.mu.Lock()
		f.hosts[host] = true
		f.mu.Unlock()
	}
	return nil
}

func decodeHost(v []byte) (string, error) {
	r := codec.NewReader(v, rowVersion)
	host := r.String()
	return host, damaged(spaceScope, r.Close())
}

// loadLeases reads the leases that are not settled.
func (f *Frontier) loadLeases(ctx context.Context) ([]*live, error) {
	var open []*live
	t := f.begin(ctx)
	prefix := f.keys.prefix(0)
	for from := prefix; ; {
		got, err := f.cfg.Store.Read(ctx, storage.ReadRequest{Space: spaceLease, From: from, To: end(prefix), Limit: 256})
		if err != nil {
			return nil, err
		}
		for i, key := range got[0].Keys {
			row, err := decodeLeases(key, got[0].Values[i])
			if err != nil {
				return nil, err
			}
			vs, err := t.unsettled(row)
			if err != nil {
				return nil, err
			}
			f.rowsLeft[row.seq] = len(vs)
			open = append(open, vs...)
			from = append(append([]byte(nil), key...), 0)
		}
		if len(got[0].Keys) < 256 {
			return open, nil
		}
	}
}

// unsettled lists the leases of a row that still own their URL or gate.
func (t *tx) unsettled(row leaseRow) ([]*live, error) {
	f := t.f
	var places []place
	for _, g := range row.items {
		if g.place.n != 0 {
			places = append(places, g.place)
		}
	}
	if err := t.fetchURLs(places); err != nil {
		return nil, err
	}
	var open []*live
	for _, g := range row.items {
		o, err := t.loadOrigin(g.place.origin)
		if err != nil {
			return nil, err
		}
		u := f.rows[g.place]
		owns := u != nil && u.state == Leased && u.gen == g.gen
		if g.place.n == 0 {
			owns = o != nil && o.pace.gate.state == gateLeased && o.pace.gate.gen == g.gen
		}
		if owns {
			open = append(open, f.inherit(row, g))
		}
	}
	return open, nil
}

// inherit makes a lease of the store live again: one of another incarnation is
// lost at once where nobody else can have the store open, else when it can no
// longer be extended.
func (f *Frontier) inherit(row leaseRow, g grantItem) *live {
	v := &live{id: LeaseID{f.keys.partition, f.keys.run, g.place.origin, g.place.n, g.gen}, row: row.seq, limit: g.limit,
		granted: row.granted, last: g.last, stored: g.stored, deadline: f.now() + f.cfg.TTL.Microseconds()}
	if row.owner != f.fence.Owner {
		v.foreign = true
		v.deadline = f.plausible(g.last, longest)
		if f.cfg.Store.Limits().Exclusive {
			v.deadline = 0
		}
	}
	return v
}

// hold replaces the live leases by what the store says, keeps what only memory
// knows of them, and takes their origins' slots.
func (f *Frontier) hold(ctx context.Context, open []*live) error {
	f.mu.Lock()
	old := f.live
	f.live = make(map[LeaseID]*live, len(open))
	for _, v := range open {
		if known := old[v.id]; known != nil {
			v.deadline, v.sent = known.deadline, known.sent
		}
		f.live[v.id] = v
	}
	for id, v := range old {
		if v.expired && f.live[id] == nil {
			f.live[id] = v // its slot is still taken
		}
	}
	lives := make([]*live, 0, len(f.live))
	for _, v := range f.live {
		lives = append(lives, v)
	}
	f.mu.Unlock()
	t := f.begin(ctx)
	for _, v := range lives {
		o, err := t.loadOrigin(v.id.Origin)
		if err != nil {
			return err
		}
		if o == nil || v.stored {
			continue
		}
		o.inflight++
		f.sites.take(o)
		if !v.spaced {
			o.unsent++
			if v.sent != 0 {
				f.mu.Lock()
				f.sent = append(f.sent, v.id)
				f.mu.Unlock()
			}
		}
	}
	return nil
}

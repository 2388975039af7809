package frontier

import (
	"cmp"
	"fmt"

	"github.com/weircrawl/weir/internal/codec"
	"github.com/weircrawl/weir/storage"
)

const (
	maxBusies  = 24 // busy answers of one URL in a visit, before it fails: after its origin is paused
	recordPart = 48 * kib
)

// settle answers one completion: accepted under the current generation, else
// redelivered, stale or conflicting.
func (t *tx) settle(c *completing) error {
	if c.Lease.ID.Partition != t.f.keys.partition || c.Lease.ID.Run != t.f.keys.run {
		c.answer = Answer{Kind: Stale}
		return nil
	}
	v := t.f.lease(c.Lease.ID)
	if c.Lease.Gate {
		return t.answerGate(c, v)
	}
	if err := t.fetchURLs([]place{c.Lease.ID.place()}); err != nil {
		return err
	}
	u := t.f.rows[c.Lease.ID.place()]
	if u == nil { // a lease of another store
		c.answer = Answer{Kind: Stale}
		return nil
	}
	if v != nil && !v.expired && !v.foreign && u.state == Leased && u.gen == v.id.Generation {
		if c.size > t.f.cfg.Store.Limits().Batch/2 {
			c.Outcome, c.Reason = OutcomeFailed, ReasonTooLarge
			c.References, c.candidates, c.Records, c.target = nil, nil, nil, nil
		}
		if err := t.accept(c, u, v); err != nil {
			return err
		}
		c.answer = Answer{Kind: Accepted, State: u.state, Reason: u.reason, Sequence: t.seq}
		return nil
	}
	if v != nil && v.expired { // now its slot is free
		t.free(v)
	}
	return t.lateURL(c, u)
}

func (t *tx) answerGate(c *completing, v *live) error {
	o, err := t.loadOrigin(c.Lease.ID.Origin)
	if err != nil {
		return err
	}
	if o == nil {
		c.answer = Answer{Kind: Stale}
		return nil
	}
	g := &o.pace.gate
	if v != nil && !v.expired && !v.foreign && g.state == gateLeased && g.gen == c.Lease.ID.Generation {
		if err := t.settleGate(c, o, v); err != nil {
			return err
		}
		c.answer = Answer{Kind: Accepted, Reason: o.pace.gate.reason, Sequence: t.seq}
		return nil
	}
	if v != nil && v.expired {
		t.free(v)
	}
	return t.late(c, o.gateTry, o.gateTry.gen == c.Lease.ID.Generation && o.gateTry.outcome != NoOutcome, place{o.id, 0})
}

func (t *tx) lateURL(c *completing, u *urlRow) error {
	known, ok := u.try(c.Lease.ID.Generation)
	if err := t.late(c, known, ok && known.outcome != NoOutcome, u.place); err != nil {
		return err
	}
	c.answer.State, c.answer.Reason = u.state, u.reason
	return nil
}

// late answers a completion that cannot be accepted, and lets it join the
// history if it is no mere redelivery.
func (t *tx) late(c *completing, known try, settled bool, p place) error {
	switch {
	case settled && known.hash == c.hash:
		c.answer = Answer{Kind: Redelivered, Sequence: known.seq}
		return nil
	case settled:
		c.answer = Answer{Kind: Conflict, Sequence: known.seq}
	default:
		c.answer = Answer{Kind: Stale, Sequence: known.seq}
	}
	return t.history(c, p)
}

// history keeps a late or conflicting attempt: the first of each kind whole, the
// others as a count.
func (t *tx) history(c *completing, p place) error {
	key := t.f.keys.attempt(p, c.Lease.ID.Generation)
	a, ok := t.attempts[string(key)]
	if !ok {
		got, err := t.f.cfg.Store.Read(t.ctx, storage.ReadRequest{Space: spaceAttempt, Keys: [][]byte{key}})
		if err != nil {
			return fmt.Errorf("read attempt: %w", err)
		}
		if a = (&attempt{}); got[0].Values[0] != nil {
			if a, err = decodeAttempt(got[0].Values[0]); err != nil {
				return err
			}
		}
		if t.attempts == nil {
			t.attempts = map[string]*attempt{}
		}
		t.attempts[string(key)] = a
	}
	add := entry{kind: entryRun}
	if c.answer.Kind == Conflict {
		add.conflict = 1
		a.conflicts++
	} else {
		add.late = 1
		a.stale++
	}
	if a.stale+a.conflicts == 1 || c.answer.Kind == Conflict && a.conflicts == 1 {
		a.at, a.outcome, a.reason, a.hash, a.evidence = t.now, c.Outcome, c.Reason, c.hash, c.Evidence
	}
	t.put(spaceAttempt, key, a.encode())
	return t.do(&add)
}

// attempt is the history row of one lease whose report came too late, or twice
// with different bytes.
type attempt struct {
	stale, conflicts uint64
	at               int64
	outcome          Outcome
	reason           Reason
	hash             [16]byte
	evidence         Evidence
}

func (a *attempt) encode() []byte {
	w := codec.NewWriter(rowVersion, nil)
	w.Uint(a.stale)
	w.Uint(a.conflicts)
	w.Uint(uint64(a.at))
	w.Byte(byte(a.outcome))
	w.String(string(a.reason))
	w.Raw(a.hash[:])
	a.evidence.write(w)
	return w.Seal()
}

func decodeAttempt(v []byte) (*attempt, error) {
	r := codec.NewReader(v, rowVersion)
	a := &attempt{stale: r.Uint(), conflicts: r.Uint(), at: int64(r.Uint()), outcome: Outcome(r.Byte()), reason: Reason(r.String())}
	copy(a.hash[:], r.Raw(len(a.hash)))
	a.evidence = readEvidence(r)
	return a, damaged(spaceAttempt, r.Close())
}

// free forgets a lease and gives its origin's slot back.
func (t *tx) free(v *live) {
	f := t.f
	f.mu.Lock()
	delete(f.live, v.id)
	f.mu.Unlock()
	t.freed = append(t.freed, v)
	o := f.origins[v.id.Origin]
	if o == nil || v.stored {
		return
	}
	o.inflight--
	t.advance(o)
	if !v.spaced {
		v.spaced = true
		o.unsent--
	}
	f.rouse(o, t.now)
}

// unfree remembers the leases of a group that failed: what memory alone knows of
// them, when they were sent and until when they last, is needed again.
func (t *tx) unfree() {
	t.f.mu.Lock()
	defer t.f.mu.Unlock()
	for _, v := range t.freed {
		t.f.live[v.id] = v
	}
}

// pass charges an origin for a request that has been answered, and frees its
// slot. It returns when the request was sent; 0: there was none.
func (t *tx) pass(o *origin, v *live, c *completing) int64 {
	f := t.f
	f.mu.Lock()
	sent := v.sent
	f.mu.Unlock()
	since := cmp.Or(sent, v.granted)
	if requested := sent != 0 || c.Evidence.Status != 0 || c.Outcome != OutcomeReleased && c.Outcome != OutcomeRefused; requested && !v.stored {
		if sent == 0 {
			sent = t.now
		}
		t.space(o, sent)
	}
	if !v.stored {
		t.answered(o, c, since)
	}
	t.settled = append(t.settled, v.row)
	t.touch(o)
	t.free(v)
	t.refill()
	return sent
}

// refill lets origins go on that wait for bytes to be returned, or to learn that
// none will be.
func (t *tx) refill() {
	for id := range t.f.short {
		t.f.rouseID(id, t.now)
	}
	clear(t.f.short)
}

// accept moves a URL by the report of its current lease.
func (t *tx) accept(c *completing, u *urlRow, v *live) error {
	o, err := t.originAt(u.place.origin)
	if err != nil {
		return err
	}
	t.pass(o, v, c)
	e, err := t.judge(c, u)
	if err != nil {
		return err
	}
	e.policy = t.policyOf(o).Version
	e.try = &try{gen: u.gen, outcome: c.Outcome, hash: c.hash, seq: t.seq}
	e.bytes, e.reserved = min(c.Evidence.Bytes, v.limit), -v.limit
	if v.stored {
		e.bytes = 0
	}
	e.evidence = c.Evidence.Artifact
	if len(c.candidates) > 0 || c.Overflow.Count > 0 {
		s := t.sourceOf(u, Link, u.depth+1, 0)
		s.overflow = c.Overflow
		if e.settled, err = t.decideAll(s, c.candidates, nil, nil); err != nil {
			return err
		}
	}
	e.class, e.depth = u.class, u.depth // a page may refer to itself
	if to, err := u.state.Next(e.event); err != nil {
		return err
	} else if to.Terminal() {
		t.result(&c.Completion, u, o, e, to)
	}
	if err := t.do(e); err != nil {
		return err
	}
	t.f.rouse(o, t.now)
	return nil
}

// judge says which event a report is, within the bounds of attempts.
func (t *tx) judge(c *completing, u *urlRow) (*entry, error) {
	b := &t.f.head.contract.Budget
	e := u.entry(Finish, c.Reason, "")
	e.ready, e.stored = 0, nil
	e.attempts++
	switch c.Outcome {
	case OutcomeFetched, OutcomeTruncated, OutcomeUnchanged, OutcomeMissing:
	case OutcomeRefused:
		e.event = Refuse
	case OutcomeFailed:
		e.event = Fail
	case OutcomeRetry:
		if e.event = Retry; int(e.attempts) >= b.Attempts {
			e.event = Fail
			break
		}
		e.ready = t.now + t.wait(c.After, int(e.attempts))
	case OutcomeBusy:
		e.event, e.attempts = Retry, u.attempts
		if e.busies++; e.busies >= maxBusies {
			e.event, e.reason = Fail, ReasonExhausted
			break
		}
		e.ready = t.now + t.wait(c.After, int(e.busies))
	case OutcomeReleased:
		e.event, e.attempts, e.ready = Release, u.attempts, t.now
		if c.Lease.Stored != nil {
			e.stored = c.Lease.Stored
		}
	case OutcomeHandler:
		e.event, e.attempts = Retry, u.attempts
		if e.handlers++; e.handlers >= 2 {
			e.event = Fail
			break
		}
		stored := c.Evidence
		e.stored, e.ready = &stored, t.now+t.wait(c.After, int(e.handlers))
	case OutcomeRedirected:
		return e, t.redirect(c, u, e)
	}
	return e, nil
}

// result appends the row of a final outcome, and its records.
func (t *tx) result(c *Completion, u *urlRow, o *origin, e *entry, to State) {
	r := t.resultOf(c, u, o, e, to)
	t.putResult(&r, c.Records)
}

// resultOf makes the result of a transition, at the next position.
func (t *tx) resultOf(c *Completion, u *urlRow, o *origin, e *entry, to State) Result {
	f := t.f
	at := max(uint64(t.now), f.head.finish+1)
	e.result, e.records = at, int64(len(c.Records))
	r := Result{Position: at, ID: LeaseID{f.keys.partition, f.keys.run, u.place.origin, u.place.n, u.gen}, URL: u.url, Origin: o.text,
		State: to, Outcome: c.Outcome, Reason: e.reason, Attempts: int(e.attempts), Depth: int(u.depth), Evidence: c.Evidence, Hint: isHint(u.key), Target: clip(c.Target, maxObserved)}
	if u.result != 0 {
		r.Supersedes, r.Was, r.WasFor = u.result, u.ended, u.endedFor
	}
	return r
}

func (t *tx) putResult(r *Result, records []Record) {
	t.put(spaceResult, t.f.keys.seq(r.Position), r.encode(t.now, len(records)))
	for i, rec := range records {
		t.record(r.Position, uint32(i), rec)
	}
}

// record writes one record, in as many rows as the store's values need.
func (t *tx) record(at uint64, i uint32, rec Record) {
	data := rec.Data
	for part := uint32(0); part == 0 || len(data) > 0; part++ {
		n := min(len(data), recordPart)
		w := codec.NewWriter(rowVersion, make([]byte, 0, n+64))
		w.String(rec.Kind)
		w.Raw(data[:n])
		t.put(spaceRecord, t.f.keys.edge(at, i, part), w.Seal())
		data = data[n:]
	}
}

// Versions of a result's row: with the attempt that it was carried over from, and of
// a hint.
const (
	resultVersion  = 1
	resultVersion2 = 2
	resultVersion3 = 3
)

func (r *Result) version() byte {
	switch {
	case r.Hint:
		return resultVersion3
	case r.Carried != "":
		return resultVersion2
	}
	return resultVersion
}

func (r *Result) encode(now int64, records int) []byte {
	w := codec.NewWriter(r.version(), make([]byte, 0, 192+len(r.URL)))
	w.Uint(uint64(now))
	w.Fixed(r.ID.Origin)
	w.Fixed(r.ID.Ordinal)
	w.Uint(r.ID.Generation)
	w.String(r.URL)
	w.String(string(r.Origin))
	w.Byte(byte(r.State))
	w.Byte(byte(r.Outcome))
	w.String(string(r.Reason))
	w.Uint(uint64(r.Attempts))
	w.Uint(uint64(r.Depth))
	w.String(r.Target)
	w.Uint(uint64(records))
	w.Uint(r.Supersedes)
	w.Byte(byte(r.Was))
	w.String(string(r.WasFor))
	r.Evidence.write(w)
	if w.Version() >= resultVersion2 {
		w.String(r.Carried)
	}
	return w.Seal()
}

func decodeResult(k keys, key, v []byte) (Result, int, error) {
	r := codec.NewReader(v, resultVersion3)
	res := Result{Position: field(key, 0), Finished: stamp(int64(r.Uint()))}
	res.ID = LeaseID{k.partition, k.run, r.Fixed(), r.Fixed(), r.Uint()}
	res.Attempt = res.ID.String()
	res.URL, res.Origin = r.String(), originText(r.String())
	res.State, res.Outcome, res.Reason = State(r.Byte()), Outcome(r.Byte()), Reason(r.String())
	res.Attempts, res.Depth, res.Target = int(r.Uint()), int(r.Uint()), r.String()
	records := int(r.Uint())
	res.Supersedes, res.Was, res.WasFor = r.Uint(), State(r.Byte()), Reason(r.String())
	res.Evidence = readEvidence(r)
	if r.Version >= resultVersion2 {
		res.Carried = r.String()
	}
	res.Hint = r.Version >= resultVersion3
	return res, records, damaged(spaceResult, r.Close())
}

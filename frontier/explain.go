package frontier

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/weircrawl/weir/storage"
)

// ErrNoURL means that Explain was asked for nothing: name a URL, as a page would.
var ErrNoURL = errors.New("frontier: no URL is named that could be explained: name one")

// Explain says why a URL was, or was not, crawled. It may be written in any form
// that leads to it; one that the normalizer rejects is explained as such. State,
// history and result of an admitted URL cost a few reads for each of its
// transitions, however large the run is. What else refers to it takes a scan, within
// the bounds of o. It rests on Reader.Normalizer, which must be the run's, and on
// Reader.Policy.
func (r *Reader) Explain(ctx context.Context, url string, o ExplainOptions) (Explained, error) {
	if url == "" {
		return Explained{}, ErrNoURL
	}
	x := &explaining{Reader: r}
	for _, step := range []func(context.Context) error{
		func(ctx context.Context) error { return x.ask(ctx, url) }, x.find, x.own, x.standing, x.preview,
		func(ctx context.Context) error { return x.scan(ctx, o.withDefaults()) },
	} {
		if err := step(ctx); err != nil {
			return Explained{}, fmt.Errorf("explain %s: %w", clipText(x.is.Asked, maxDetail), err)
		}
	}
	return x.is, nil
}

// explaining is one answer of Explain in the making.
type explaining struct {
	*Reader
	is     Explained
	want   candidate
	origin *origin // nil: none
	url    *urlRow // nil: never admitted
}

// ask turns what was given into what is looked for.
func (x *explaining) ask(ctx context.Context, url string) error {
	h, err := readHead(ctx, x.store, x.keys)
	if err != nil {
		return err
	}
	if err := sameNormalizer(h, x.Normalizer); err != nil {
		return err
	}
	cs, err := candidates(ctx, x.Normalizer, "", []Reference{{Observed: url}})
	if err != nil {
		return err
	}
	x.want = cs[0]
	x.is = Explained{Run: x.name, Time: time.Now().UTC(), Asked: x.want.ref.kept().Observed, Rejected: x.want.reject}
	if x.want.reject == "" {
		u := x.want.url
		x.is.URL, x.is.Key, x.is.Identity, x.is.Pattern = u.Request, u.Key, hex.EncodeToString(x.want.id[:]), patternOf(u.Request)
	}
	return nil
}

// find looks for the URL's origin and row.
func (x *explaining) find(ctx context.Context) error {
	for try := byte(0); x.want.reject == "" && try < 255; try++ {
		id := originID(x.want.url.Origin, try)
		got, err := x.store.Read(ctx, storage.ReadRequest{Space: spaceOrigin, Keys: [][]byte{x.keys.origin(id)}},
			storage.ReadRequest{Space: spaceDedupe, Keys: [][]byte{x.keys.dedupe(id, x.want.id)}})
		if err != nil {
			return fmt.Errorf("read origin: %w", err)
		}
		if got[0].Values[0] == nil {
			return nil
		}
		o, err := decodeOrigin(id, got[0].Values[0])
		if err != nil {
			return err
		}
		if o.text != x.want.url.Origin {
			continue // a collision of hashes
		}
		if x.origin, x.is.Origin = o, o.state(); got[1].Values[0] == nil {
			return nil
		}
		n, err := decodeDedupe(got[1].Values[0])
		if err != nil {
			return err
		}
		_, x.url, err = x.whereIs(ctx, place{id, n})
		return err
	}
	return nil
}

// own reads what stands in the URL's own rows.
func (x *explaining) own(ctx context.Context) error {
	u := x.url
	if u == nil {
		return nil
	}
	x.is.Known, x.is.State, x.is.Reason, x.is.Depth, x.is.URL = true, u.state, u.reason, int(u.depth), u.url
	if u.from != (place{}) {
		_, from, err := x.whereIs(ctx, u.from)
		if err != nil {
			return err
		}
		x.is.From = from.url
	}
	for _, step := range []func(context.Context) error{x.admitted, x.history, x.attempts, x.result} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// admitted reads the decision that admitted the URL.
func (x *explaining) admitted(ctx context.Context) error {
	at := x.url.source
	from := x.keys.chunk(at.seq, at.source)
	for e, err := range x.edges(ctx, from, end(from)) {
		if err != nil {
			return err
		}
		if i := int64(at.offset) - int64(e.first); i >= 0 && i < int64(len(e.lines)) {
			all, err := x.decisions(ctx, e)
			if err != nil {
				return err
			}
			x.is.Admission = &all[i]
			return nil
		}
	}
	return damaged(spaceEdge, fmt.Errorf("no row for the admission of %s", x.url.url))
}

// history follows the back-links from the last transition to the first: it reads
// the log's rows of one commit for each commit that moved the URL.
func (x *explaining) history(ctx context.Context) error {
	var found []Transition // the last first
	for seq := x.url.back; seq != 0; {
		if len(found) >= maxHistory {
			x.is.Earlier = true
			break
		}
		lines, err := x.linesAt(ctx, seq)
		if err != nil {
			return err
		}
		for _, l := range slices.Backward(lines) {
			t, err := x.transitionOf(x.origin, x.url, l)
			if err != nil {
				return err
			}
			found = append(found, t)
		}
		if seq = lines[0].back; lines[0].event == Admit {
			break
		}
	}
	slices.Reverse(found)
	x.is.History = found
	return nil
}

// linesAt reads what one commit logged of the URL: at least one line, in order.
func (x *explaining) linesAt(ctx context.Context, seq uint64) (found []logLine, err error) {
	from := x.keys.seq(seq)
	for row, err := range x.between(ctx, spaceLog, from, end(from)) {
		if err != nil {
			return nil, err
		}
		lines, err := decodeLog(row[0], row[1])
		if err != nil {
			return nil, err
		}
		for _, l := range lines {
			if l.kind == entryURL && l.place == x.url.place {
				found = append(found, l)
			}
		}
	}
	if len(found) == 0 || found[0].back >= seq {
		return nil, damaged(spaceLog, fmt.Errorf("commit %d has no transition of %s", seq, x.url.url))
	}
	return found, nil
}

// attempts joins what the history says of each lease with the outcomes that the
// row remembers, and with what was reported too late.
func (x *explaining) attempts(ctx context.Context) error {
	found := map[uint64]*Attempt{}
	attempt := func(gen uint64) *Attempt {
		if found[gen] == nil {
			id := x.url.place
			found[gen] = &Attempt{ID: LeaseID{x.keys.partition, x.keys.run, id.origin, id.n, gen}}
		}
		return found[gen]
	}
	for _, t := range x.is.History {
		switch t.Event {
		case Admit, Due, Raise, Reopen:
		case Grant:
			attempt(t.ID.Generation).Began = t.Time
		default:
			if a := found[t.ID.Generation]; a != nil && a.Event == NoEvent {
				a.Event, a.Reason, a.Ended = t.Event, t.Reason, t.Time
			}
		}
	}
	for _, t := range x.url.tries {
		attempt(t.gen).Outcome = t.outcome
	}
	from := x.keys.url(x.url.place)
	for row, err := range x.between(ctx, spaceAttempt, from, end(from)) {
		if err != nil {
			return err
		}
		a, err := decodeAttempt(row[1])
		if err != nil {
			return err
		}
		attempt(field(row[0], 2)).Late = &Late{int64(a.stale), int64(a.conflicts), stamp(a.at), a.outcome, a.reason, a.evidence}
	}
	x.is.Attempts, x.is.Omitted = newest(found)
	return nil
}

// newest puts attempts in order, and counts those that it leaves out.
func newest(found map[uint64]*Attempt) (all []Attempt, omitted int) {
	for _, a := range found {
		all = append(all, *a)
	}
	slices.SortFunc(all, func(a, b Attempt) int { return cmp.Compare(a.ID.Generation, b.ID.Generation) })
	omitted = max(len(all)-maxTold, 0)
	return all[omitted:], omitted
}

// result reads the result that is in force, with its records.
func (x *explaining) result(ctx context.Context) error {
	if x.url.result == 0 {
		return nil
	}
	key := x.keys.seq(x.url.result)
	got, err := x.store.Read(ctx, storage.ReadRequest{Space: spaceResult, Keys: [][]byte{key}})
	if err != nil {
		return fmt.Errorf("read result: %w", err)
	}
	if got[0].Values[0] == nil {
		return damaged(spaceResult, fmt.Errorf("no result %d", x.url.result))
	}
	res, records, err := decodeResult(x.keys, key, got[0].Values[0])
	if err == nil && records > 0 {
		res.Records, err = x.records(ctx, res.Position, records)
	}
	x.is.Result, x.is.Records = &res, res.Records
	return err
}

// preview decides what would become of a URL that was never admitted.
func (x *explaining) preview(ctx context.Context) error {
	if x.url != nil {
		return nil
	}
	a, err := x.Preview(ctx, Link, Reference{Observed: x.want.ref.Observed})
	x.is.Preview = &a
	return err
}

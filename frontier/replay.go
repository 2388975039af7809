package frontier

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"reflect"
)

// Faults lists what is wrong with a store, the first 100 in words.
type Faults struct {
	Count int
	First []string
}

func (f *Faults) Error() string {
	text := fmt.Sprintf("frontier: %d faults", f.Count)
	for _, s := range f.First {
		text += "\n" + s
	}
	return text
}

const maxFaults = 100

func (f *Faults) add(format string, args ...any) {
	if f.Count++; len(f.First) < maxFaults {
		f.First = append(f.First, fmt.Sprintf(format, args...))
	}
}

// err is f, or nil if it is empty.
func (f *Faults) err() error {
	if f.Count == 0 {
		return nil
	}
	return f
}

// replayed is the projection that the log alone adds up to.
type replayed struct {
	rows     map[place]*urlRow
	patterns map[patternKey]patternRow
	origins  map[uint64]*origin
	hosts    map[string]bool
	overlay  *overlay
	head     *head
}

func (p *replayed) urlAt(at place) (*urlRow, error) {
	if u := p.rows[at]; u != nil {
		return u, nil
	}
	return nil, fmt.Errorf("frontier: the log has no admission for origin %016x, ordinal %x", at.origin, at.n)
}

func (p *replayed) originAt(id uint64) (*origin, error) {
	if o := p.origins[id]; o != nil {
		return o, nil
	}
	return nil, fmt.Errorf("frontier: the log has no origin %016x", id)
}

func (p *replayed) putURL(u *urlRow)    { p.rows[u.place] = u }
func (p *replayed) putOrigin(o *origin) { p.origins[o.id] = o }
func (p *replayed) putHost(host string) { p.hosts[host] = true }
func (p *replayed) runHead() *head      { return p.head }

// Replay rebuilds the current state from the log and the edges, and compares it
// with the rows field by field, and with each generation that was frozen on the
// way. It returns *Faults where they differ. It takes about 1 KB of memory a URL,
// and must not run beside a writer.
func (r *Reader) Replay(ctx context.Context) error {
	kept, err := readHead(ctx, r.store, r.keys)
	if err != nil {
		return err
	}
	p := &replayed{rows: map[place]*urlRow{}, patterns: map[patternKey]patternRow{}, origins: map[uint64]*origin{}, hosts: map[string]bool{}, overlay: &overlay{}, head: &head{name: kept.name, number: kept.number, began: kept.began,
		tallies: map[tallyKey]*tally{}}}
	edges, generations, faults := r.edgeCount(ctx), r.frozenRest(ctx), &Faults{}
	defer edges.stop()
	defer generations.stop()
	for l, err := range r.entries(ctx) {
		if err != nil {
			return err
		}
		if err := generations.before(l.seq, p.head, edges, faults); err != nil {
			return err
		}
		if err := apply(p, l.entry, l.seq, l.at); err != nil {
			return fmt.Errorf("replay commit %d: %w", l.seq, damaged(spaceLog, err))
		}
		p.head.seq, p.head.at = l.seq, l.at
		p.head.entries++
	}
	if err := generations.before(math.MaxUint64, p.head, edges, faults); err != nil {
		return err
	}
	if err := edges.before(math.MaxUint64, p.head); err != nil {
		return err
	}
	return r.compare(ctx, p, kept, faults)
}

func (r *Reader) compare(ctx context.Context, p *replayed, kept *head, faults *Faults) error {
	if err := r.compareURLs(ctx, p, faults); err != nil {
		return err
	}
	if err := r.compareOrigins(ctx, p, faults); err != nil {
		return err
	}
	if err := r.compareScope(ctx, p, faults); err != nil {
		return err
	}
	if err := r.comparePatterns(ctx, p, faults); err != nil {
		return err
	}
	if err := r.comparePolicies(ctx, p, faults); err != nil {
		return err
	}
	p.head.seq, p.head.at = kept.seq, kept.at // an idle commit logs nothing
	compareHeads("head", p.head, kept, faults)
	return faults.err()
}

func (r *Reader) compareURLs(ctx context.Context, p *replayed, faults *Faults) error {
	for row, err := range r.all(ctx, spaceURL) {
		if err != nil {
			return err
		}
		at := place{field(row[0], 0), field(row[0], 1)}
		again := p.rows[at]
		delete(p.rows, at)
		if again == nil {
			faults.add("url %016x/%x is not in the log", at.origin, at.n)
			continue
		}
		if bytes.Equal(again.encode(), row[1]) {
			continue
		}
		u, err := decodeURL(at, row[1])
		if err != nil {
			faults.add("url %016x/%x: %v", at.origin, at.n, err)
			continue
		}
		faults.add("url %s: %s", u.url, difference(*again, *u))
	}
	for at := range p.rows {
		faults.add("url %016x/%x is in the log alone", at.origin, at.n)
	}
	return nil
}

func (r *Reader) compareOrigins(ctx context.Context, p *replayed, faults *Faults) error {
	for row, err := range r.all(ctx, spaceOrigin) {
		if err != nil {
			return err
		}
		id := field(row[0], 0)
		o, err := decodeOrigin(id, row[1])
		if err != nil {
			faults.add("origin %016x: %v", id, err)
			continue
		}
		again := p.origins[id]
		delete(p.origins, id)
		if again == nil {
			faults.add("origin %s is not in the log", o.text)
			continue
		}
		o.wake = 0 // where it lies in the queue is no part of its history
		if d := difference(again.kept(), o.kept()); d != "" {
			faults.add("origin %s: %s", o.text, d)
		}
	}
	for id := range p.origins {
		faults.add("origin %016x is in the log alone", id)
	}
	return nil
}

func (r *Reader) compareScope(ctx context.Context, p *replayed, faults *Faults) error {
	for row, err := range r.all(ctx, spaceScope) {
		if err != nil {
			return err
		}
		host, err := decodeHost(row[1])
		if err != nil {
			return err
		}
		if !p.hosts[host] {
			faults.add("host %s of the scope is not in the log", host)
		}
		delete(p.hosts, host)
	}
	for host := range p.hosts {
		faults.add("host %s of the scope is in the log alone", host)
	}
	return nil
}

// kept is what of an origin is stored and stands in its history.
func (o *origin) kept() origin {
	return origin{id: o.id, text: o.text, pace: o.pace, next: o.next, ready: o.ready, states: o.states, again: o.again, gateTry: o.gateTry}
}

func compareHeads(what string, again, kept *head, faults *Faults) {
	for k, t := range kept.tallies {
		if g := again.tallies[k]; g == nil || *g != *t {
			faults.add("%s: tally %v: replayed %v, kept %v", what, k, g, *t)
		}
	}
	for k, t := range again.tallies {
		if kept.tallies[k] == nil {
			faults.add("%s: tally %v: replayed %v, not kept", what, k, *t)
		}
	}
	a, b := *again, *kept
	a.tallies, b.tallies, a.terms, b.terms, a.scoped, b.scoped = nil, nil, nil, nil, nil, nil
	a.queue, a.held, a.sketch, b.sketch = b.queue, b.held, nil, nil // Check counts what is held back
	if d := difference(a, b); d != "" {
		faults.add("%s: %s", what, d)
	}
}

// difference names the fields in which two values of one struct differ.
func difference[T any](replayed, kept T) string {
	a, b := reflect.ValueOf(replayed), reflect.ValueOf(kept)
	text := ""
	for i := range a.NumField() {
		x, y := fmt.Sprintf("%+v", deref(a.Field(i))), fmt.Sprintf("%+v", deref(b.Field(i)))
		if x != y {
			text += fmt.Sprintf("%s: replayed %s, kept %s; ", a.Type().Field(i).Name, x, y)
		}
	}
	return text
}

func deref(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		return v.Elem()
	}
	return v
}

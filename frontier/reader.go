package frontier

import (
	"context"
	"fmt"
	"iter"

	"github.com/weircrawl/weir/internal/codec"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/urlnorm"
)

// Reader reads the ledgers of one run, also while it goes on. It claims nothing
// and changes nothing, and reads in short batches: no reader holds the store
// back. It is safe for concurrent use.
type Reader struct {
	Normalizer urlnorm.Normalizer     // of the run; default urlnorm.Standard{}
	Policy     PolicySource           // of the run, for Preview and Explain; default Policy{}
	InScope    func(urlnorm.URL) bool // Config.InScope, for Preview and Explain; default none

	store  storage.Store
	keys   keys
	name   string
	common common
}

// readBatch is how many rows one read takes.
const readBatch = 256

// NewReader finds a run by name, or the newest one if run is empty. It answers
// ErrNoRun if the store holds no such run.
func NewReader(ctx context.Context, s storage.Store, run string) (*Reader, error) {
	number, err := runNumber(ctx, s, run)
	if err == nil && run == "" {
		number, err = newestRun(ctx, s)
	}
	if err != nil {
		return nil, err
	}
	if number == 0 {
		return nil, noRun(run)
	}
	r := &Reader{Normalizer: urlnorm.Standard{}, Policy: Policy{}, store: s, keys: keys{run: number}}
	h, err := readHead(ctx, s, r.keys)
	if err != nil {
		return nil, err
	}
	r.name, r.common = h.name, h.common(r.keys)
	return r, nil
}

func noRun(name string) error {
	if name == "" {
		return fmt.Errorf("%w: none has begun in this store: begin one", ErrNoRun)
	}
	return fmt.Errorf("%w: %q: use the name of one that has begun in this store, or none for the newest", ErrNoRun, name)
}

func newestRun(ctx context.Context, s storage.Store) (uint32, error) {
	fences, err := s.Fences(ctx, fenceName)
	if err != nil {
		return 0, fmt.Errorf("frontier: read fences: %w", err)
	}
	if len(fences) == 0 {
		return 0, nil
	}
	b, err := decodeBook(fences[0].Value)
	return b.latest, err
}

// Active reports whether the store holds an unfinished run, and its name.
func Active(ctx context.Context, s storage.Store) (string, bool, error) {
	fences, err := s.Fences(ctx, fenceName)
	if err != nil || len(fences) == 0 {
		return "", false, err
	}
	b, err := decodeBook(fences[0].Value)
	if err != nil || b.active == 0 {
		return "", false, err
	}
	h, err := readHead(ctx, s, keys{run: b.active})
	if err != nil {
		return "", false, err
	}
	return h.name, true, nil
}

// Run is the name of the run that r reads.
func (r *Reader) Run() string { return r.name }

// Summary reads the state of the run, and whether it is the newest: one read of two
// rows.
func (r *Reader) Summary(ctx context.Context) (Summary, error) {
	later := keys{partition: r.keys.partition, run: r.keys.run + 1}
	got, err := r.store.Read(ctx, storage.ReadRequest{Space: spaceHead, Keys: [][]byte{r.keys.head(), later.head()}})
	if err != nil {
		return Summary{}, fmt.Errorf("frontier: read head: %w", err)
	}
	if got[0].Values[0] == nil {
		return Summary{}, noHead(r.keys)
	}
	h, err := decodeHead(got[0].Values[0])
	if err != nil {
		return Summary{}, err
	}
	s := h.summary()
	s.Newer = got[0].Values[1] != nil
	return s, nil
}

// rows yields the pairs of one space of the run, in key order, from from on.
func (r *Reader) rows(ctx context.Context, s storage.Space, from []byte) iter.Seq2[[2][]byte, error] {
	return r.between(ctx, s, from, end(r.keys.prefix(0)))
}

// between yields the pairs of one space from from on, and before last.
func (r *Reader) between(ctx context.Context, s storage.Space, from, last []byte) iter.Seq2[[2][]byte, error] {
	return func(yield func([2][]byte, error) bool) {
		from := from
		for {
			got, err := r.store.Read(ctx, storage.ReadRequest{Space: s, From: from, To: last, Limit: readBatch})
			if err != nil {
				yield([2][]byte{}, fmt.Errorf("frontier: read %s: %w", s.Name, err))
				return
			}
			for i, key := range got[0].Keys {
				if !yield([2][]byte{key, got[0].Values[i]}, nil) {
					return
				}
			}
			if len(got[0].Keys) < readBatch {
				return
			}
			from = append(append([]byte(nil), got[0].Keys[readBatch-1]...), 0)
		}
	}
}

func (r *Reader) all(ctx context.Context, s storage.Space) iter.Seq2[[2][]byte, error] {
	return r.rows(ctx, s, r.keys.prefix(0))
}

// Results yields the results after the given position, in order, each with its
// records.
func (r *Reader) Results(ctx context.Context, after uint64) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		for row, err := range r.rows(ctx, spaceResult, r.keys.seq(after+1)) {
			if err != nil {
				yield(Result{}, err)
				return
			}
			res, records, err := decodeResult(r.keys, row[0], row[1])
			if err == nil && records > 0 {
				res.Records, err = r.records(ctx, res.Position, records)
			}
			if !yield(res, err) || err != nil {
				return
			}
		}
	}
}

// records reads what was emitted with the result at a position.
func (r *Reader) records(ctx context.Context, at uint64, n int) ([]Record, error) {
	out := make([]Record, 0, n)
	from := r.keys.seq(at)
	last := end(from)
	for {
		got, err := r.store.Read(ctx, storage.ReadRequest{Space: spaceRecord, From: from, To: last, Limit: readBatch})
		if err != nil {
			return nil, fmt.Errorf("frontier: read records: %w", err)
		}
		for i, key := range got[0].Keys {
			if out, err = appendRecord(out, key, got[0].Values[i]); err != nil {
				return nil, err
			}
		}
		if len(got[0].Keys) < readBatch {
			break
		}
		from = append(append([]byte(nil), got[0].Keys[readBatch-1]...), 0)
	}
	if len(out) != n {
		return nil, damaged(spaceRecord, fmt.Errorf("result %d has %d records, %d are there", at, n, len(out)))
	}
	return out, nil
}

// appendRecord adds one row: a record, or a further part of the last one.
func appendRecord(out []Record, key, value []byte) ([]Record, error) {
	i, part := beUint32(key[14:]), beUint32(key[18:])
	d := codec.NewReader(value, rowVersion)
	kind := d.String()
	data := append([]byte(nil), d.Rest()...)
	if err := d.Close(); err != nil {
		return out, damaged(spaceRecord, err)
	}
	if part > 0 && int(i) == len(out)-1 {
		out[i].Data = append(out[i].Data, data...)
		return out, nil
	}
	if int(i) != len(out) || part != 0 {
		return out, damaged(spaceRecord, fmt.Errorf("record %d part %d is out of place", i, part))
	}
	return append(out, Record{Kind: kind, Data: data}), nil
}

// entries yields the log's lines in order, with sequence and time of their
// commit.
func (r *Reader) entries(ctx context.Context) iter.Seq2[logLine, error] {
	return func(yield func(logLine, error) bool) {
		for row, err := range r.all(ctx, spaceLog) {
			if err != nil {
				yield(logLine{}, err)
				return
			}
			lines, err := decodeLog(row[0], row[1])
			if err != nil {
				yield(logLine{}, err)
				return
			}
			for _, l := range lines {
				if !yield(l, nil) {
					return
				}
			}
		}
	}
}

type logLine struct {
	*entry
	seq uint64
	at  int64
}

func decodeLog(key, v []byte) ([]logLine, error) {
	raw, err := unpack(v)
	if err != nil {
		return nil, damaged(spaceLog, err)
	}
	d := codec.NewReader(raw, paceVersion2)
	seq, at := field(key, 0), int64(d.Uint())
	var lines []logLine
	for d.More() {
		lines = append(lines, logLine{readEntry(d), seq, at})
	}
	return lines, damaged(spaceLog, d.Close())
}

// Transitions yields every transition of the run's URLs and gates, in order.
func (r *Reader) Transitions(ctx context.Context) iter.Seq2[Transition, error] {
	return func(yield func(Transition, error) bool) {
		for l, err := range r.entries(ctx) {
			if err != nil {
				yield(Transition{}, err)
				return
			}
			if l.kind != entryURL && l.kind != entryGate {
				continue
			}
			tr, err := r.transition(ctx, l)
			if !yield(tr, err) || err != nil {
				return
			}
		}
	}
}

// transition fills in what a log line shares with its URL.
func (r *Reader) transition(ctx context.Context, l logLine) (Transition, error) {
	o, u, err := r.whereIs(ctx, l.place)
	if err != nil {
		return Transition{}, err
	}
	return r.transitionOf(o, u, l)
}

// transitionOf is a line of the log as its readers see it: u is nil for a gate's.
func (r *Reader) transitionOf(o *origin, u *urlRow, l logLine) (tr Transition, err error) {
	tr = Transition{Run: r.name, Origin: o.text, Event: l.event, Reason: l.reason, Policy: l.policy, Time: stamp(l.at), Sequence: l.seq, Evidence: l.evidence,
		ID: LeaseID{r.keys.partition, r.keys.run, l.place.origin, l.place.n, l.gen}}
	if l.kind == entryGate {
		tr.URL, tr.ID.Generation = string(o.text)+"/", l.pace.gate.gen
		tr.From, tr.To = l.from.asState(), l.pace.gate.state.asState()
		return tr, nil
	}
	tr.URL, tr.From = u.url, l.was
	tr.To, err = l.was.Next(l.event)
	return tr, err
}

// asState shows a gate's state in the words of a URL's.
func (g gateState) asState() State {
	return [...]State{gateClosed: Queued, gateLeased: Leased, gateOpen: Done, gateRetry: Waiting, gateEnded: Refused}[g]
}

// whereIs reads the origin and, unless it is the gate, the URL at a place.
func (r *Reader) whereIs(ctx context.Context, p place) (*origin, *urlRow, error) {
	req := []storage.ReadRequest{{Space: spaceOrigin, Keys: [][]byte{r.keys.origin(p.origin)}}}
	if p.n != 0 {
		req = append(req, storage.ReadRequest{Space: spaceURL, Keys: [][]byte{r.keys.url(p)}})
	}
	got, err := r.store.Read(ctx, req...)
	if err != nil {
		return nil, nil, fmt.Errorf("frontier: read url: %w", err)
	}
	for _, g := range got {
		if g.Values[0] == nil {
			return nil, nil, damaged(spaceURL, fmt.Errorf("no row for origin %016x, ordinal %x", p.origin, p.n))
		}
	}
	o, err := decodeOrigin(p.origin, got[0].Values[0])
	if err != nil || p.n == 0 {
		return o, nil, err
	}
	u, err := decodeURL(p, got[1].Values[0])
	return o, u, err
}

// Parent returns the URL of the page that led to l's, or of the sitemap, the index
// or the robots.txt; empty for a seed.
func (f *Frontier) Parent(ctx context.Context, l Lease) (string, error) {
	r := &Reader{store: f.cfg.Store, keys: f.keys}
	_, u, err := r.whereIs(ctx, l.ID.place())
	if err != nil || u == nil {
		return "", err
	}
	at := u.source
	for e, err := range r.edges(ctx, f.keys.edge(at.seq, at.source, 0), end(f.keys.chunk(at.seq, at.source))) {
		if err != nil {
			return "", err
		}
		if e.source.base != "" {
			return e.source.base, nil
		}
		if i := int64(at.offset) - int64(e.first); i < int64(len(e.lines)) {
			return e.lines[i].ref.Base, nil
		}
	}
	return "", damaged(spaceEdge, fmt.Errorf("no row for the source of %s", u.url))
}

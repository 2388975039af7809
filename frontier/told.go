package frontier

import (
	"context"
	"fmt"

	"github.com/weircrawl/weir/internal/codec"
	"github.com/weircrawl/weir/storage"
)

// told reads what an earlier run was told, in the order in which it was decided:
// references that no page named, from its edges, and completions, from its log,
// each with the references and the records that came with it. It goes through
// both spaces side by side, commit by commit.
type told struct {
	store storage.Store
	keys  keys
	at    toldAt // what was told before is done with

	log   tail
	lines []logLine // of the row at log's head, whatever they are about
	edges tail
	edge  *edgeRow // at edges' head; nil: not read yet
	from  admissionRef
}

// toldAt is a position in an earlier run.
type toldAt struct {
	seq, chunk uint64 // of the log: the next row
	line       uint64 // of it: the next line
	edge       admissionRef
	edgeChunk  uint64
}

func (a toldAt) write(w *codec.Writer) {
	w.Uint(a.seq)
	w.Uint(a.chunk)
	w.Uint(a.line)
	w.Uint(a.edge.seq)
	w.Uint(uint64(a.edge.source))
	w.Uint(a.edgeChunk)
}

func readToldAt(r *codec.Reader) toldAt {
	return toldAt{seq: r.Uint(), chunk: r.Uint(), line: r.Uint(), edge: admissionRef{seq: r.Uint(), source: uint32(r.Uint())}, edgeChunk: r.Uint()}
}

// telling is one thing that a run was told, or nothing that matters here.
type telling struct {
	last bool     // nothing is left
	read int64    // references that are dealt with
	edge *edgeRow // references that came alone
	line *logLine // a completion
}

func newTold(s storage.Store, k keys, at toldAt) *told {
	return &told{store: s, keys: k, at: at,
		log:   tail{space: spaceLog, from: k.chunk(at.seq, uint32(at.chunk)), to: end(k.prefix(0))},
		edges: tail{space: spaceEdge, from: k.edge(at.edge.seq, at.edge.source, uint32(at.edgeChunk)), to: end(k.prefix(0))}}
}

// next returns the next thing that the run was told, or something that it was not
// told, which only moves the position on.
func (h *told) next(ctx context.Context) (telling, error) {
	if err := h.look(ctx); err != nil {
		return telling{}, err
	}
	switch {
	case h.edge == nil && len(h.lines) == 0:
		return telling{last: true}, nil
	case h.edge != nil && (len(h.lines) == 0 || h.edgeFirst()):
		return h.takeEdge(), nil
	}
	return h.takeLine(), nil
}

// look reads the head of each space, unless it is there.
func (h *told) look(ctx context.Context) error {
	for len(h.lines) == 0 {
		key, v, err := h.log.head(ctx, h.store)
		if err != nil {
			return err
		}
		if key == nil {
			break
		}
		lines, err := decodeLog(key, v)
		if err != nil {
			return err
		}
		seq, chunk := field(key, 0), uint64(beUint32(key[14:]))
		if seq != h.at.seq || chunk != h.at.chunk {
			h.at.seq, h.at.chunk, h.at.line = seq, chunk, 0
		}
		if h.lines = lines[min(h.at.line, uint64(len(lines))):]; len(h.lines) == 0 {
			h.log.pop()
		}
	}
	if h.edge != nil {
		return nil
	}
	key, v, err := h.edges.head(ctx, h.store)
	if err != nil || key == nil {
		return err
	}
	h.from, _ = edgeKey(key)
	h.edge, err = decodeEdge(v)
	return err
}

// edgeFirst reports whether the edge row was decided before the line: within a
// commit, whether its source comes before that of the line.
func (h *told) edgeFirst() bool {
	line := &h.lines[0]
	switch {
	case h.from.seq != line.seq:
		return h.from.seq < line.seq
	case !h.edge.source.alone():
		return true // taken with its completion
	}
	return line.told() && line.settled.seq == line.seq && h.from.source < line.settled.source
}

// told reports whether a line is a completion that brought something.
func (l *logLine) told() bool {
	return l.kind == entryURL && l.event != Admit && (l.result != 0 || l.settled != admissionRef{})
}

// takeEdge takes the head of the edges. Rows of pages are taken with their
// completion, and decisions taken again are those taken before.
func (h *told) takeEdge() telling {
	row, key := h.edge, h.edges.rows[0][0]
	h.edge = nil
	h.edges.pop()
	at, chunk := edgeKey(key)
	h.at.edge, h.at.edgeChunk = at, uint64(chunk)+1
	if row.source.kind == Offer {
		return telling{}
	}
	t := telling{read: int64(len(row.lines)) + row.source.overflow.Count}
	if row.source.alone() {
		t.edge = row
	}
	return t
}

// alone reports whether references came with no completion of their run: no page
// named them, or one whose answer an earlier Rekey has not carried over.
func (s *source) alone() bool {
	return s.parent == place{} || s.kind == Link && s.gen == 0
}

func (h *told) takeLine() telling {
	line := h.lines[0]
	h.lines = h.lines[1:]
	h.at.line++
	if len(h.lines) == 0 {
		h.log.pop()
	}
	if !line.told() {
		return telling{}
	}
	return telling{line: &line}
}

// route returns what a browser was told beside the URL at a place.
func (h *told) route(ctx context.Context, p place) (string, error) {
	_, u, err := (&Reader{store: h.store, keys: h.keys}).whereIs(ctx, p)
	if err != nil {
		return "", err
	}
	return u.key.Route(), nil
}

// answer reads the result of a completion with its records; nil if it was not
// final.
func (h *told) answer(ctx context.Context, l *logLine) (*Result, error) {
	if l.result == 0 {
		return nil, nil
	}
	key := h.keys.seq(l.result)
	got, err := h.store.Read(ctx, storage.ReadRequest{Space: spaceResult, Keys: [][]byte{key}})
	if err != nil {
		return nil, fmt.Errorf("read result: %w", err)
	}
	if got[0].Values[0] == nil {
		return nil, damaged(spaceResult, fmt.Errorf("no result at %d", l.result))
	}
	res, n, err := decodeResult(h.keys, key, got[0].Values[0])
	if err == nil && n > 0 {
		res.Records, err = (&Reader{store: h.store, keys: h.keys}).records(ctx, res.Position, n)
	}
	return &res, err
}

// links reads the references that a completion brought, all in one row; nil for
// none. The target of a redirect is no link: its answer has it.
func (h *told) links(ctx context.Context, l *logLine) (*edgeRow, error) {
	if l.settled == (admissionRef{}) {
		return nil, nil
	}
	from := h.keys.chunk(l.settled.seq, l.settled.source)
	rows := tail{space: spaceEdge, from: from, to: end(from)}
	var all *edgeRow
	for {
		key, v, err := rows.head(ctx, h.store)
		if err != nil || key == nil {
			return all, err
		}
		rows.pop()
		row, err := decodeEdge(v)
		switch {
		case err != nil:
			return nil, err
		case row.source.kind == Redirect:
			return nil, nil
		case all == nil:
			all = row
		default:
			all.lines = append(all.lines, row.lines...)
		}
	}
}

// tail reads a part of a space in order, a few rows at a time.
type tail struct {
	space    storage.Space
	from, to []byte
	rows     [][2][]byte
}

// head returns the next row, or nothing at the end.
func (l *tail) head(ctx context.Context, s storage.Store) (key, value []byte, err error) {
	if len(l.rows) == 0 && l.from != nil {
		got, err := s.Read(ctx, storage.ReadRequest{Space: l.space, From: l.from, To: l.to, Limit: edgePiece})
		if err != nil {
			return nil, nil, fmt.Errorf("read %s: %w", l.space.Name, err)
		}
		for i, key := range got[0].Keys {
			l.rows = append(l.rows, [2][]byte{key, got[0].Values[i]})
		}
		l.from = nil
		if n := len(got[0].Keys); n == edgePiece {
			l.from = append(append([]byte(nil), got[0].Keys[n-1]...), 0)
		}
	}
	if len(l.rows) == 0 {
		return nil, nil, nil
	}
	return l.rows[0][0], l.rows[0][1], nil
}

// pop moves on to the row after the head.
func (l *tail) pop() { l.rows = l.rows[1:] }

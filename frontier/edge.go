package frontier

import (
	"fmt"

	"github.com/klauspost/compress/s2"

	"github.com/weircrawl/weir/internal/codec"
)

// source is what one Enqueue, one completion or one offer brings: references
// that share a parent. It becomes the edge rows P R S i, and they are the
// admission ledger.
type source struct {
	kind   Source
	first  Source // an offer: what it was at first
	parent place  // zero: no page
	gen    uint64 // of the parent's attempt
	base   string // the parent's URL
	depth  uint32 // of the references
	hop    uint8
	policy string
	limit  int64        // of the page budget
	slots  int64        // spent before the first decision, of a chunk; before the one at hand, while deciding
	again  admissionRef // an offer: the source that is decided again
	seed   bool         // a redirect of a seed

	overflow Overflow
}

// named is who named the references at first.
func (s *source) named() Source {
	if s.kind == Offer {
		return s.first
	}
	return s.kind
}

// spends is how many slots of the page budget a decision takes: a redirect's target
// takes over its source's.
func (s *source) spends(d *decided) int64 {
	if d.decision == Admitted && s.kind != Redirect && !d.ref.Hint {
		return 1
	}
	return 0
}

// decided is one line of an edge row.
type decided struct {
	ref      Reference
	decision Decision
	reason   Reason
	to       place    // where it was admitted, now or before
	was      Decision // an offer: what it replaces
	wasFor   Reason
}

// Versions of an edge row: with the charset of each line, and with hints.
const (
	edgeVersion  = 1
	edgeVersion2 = 2
	edgeVersion3 = 3

	edgeChunk = 4 * kib // raw; compressed about a third
	packSmall = 512     // not worth compressing
)

// edgeVersionOf is the version that the lines of cs need.
func edgeVersionOf(cs []candidate) byte {
	version := byte(edgeVersion)
	for i := range cs {
		switch {
		case cs[i].ref.Hint:
			return edgeVersion3
		case cs[i].ref.Charset != "":
			version = edgeVersion2
		}
	}
	return version
}

// edgeWriter packs the lines of one source into rows.
type edgeWriter struct {
	at      int64
	gen     uint64 // of the fence
	version byte
	source  source
	w       *codec.Writer
	lines   uint32
	rows    [][]byte
	room    *[]byte // for pack
}

func newEdgeWriter(at int64, gen uint64, version byte, s source, room *[]byte) *edgeWriter {
	e := &edgeWriter{at: at, gen: gen, version: version, source: s, room: room}
	e.begin()
	return e
}

func (e *edgeWriter) begin() {
	s := &e.source
	w := codec.NewWriter(e.version, make([]byte, 0, edgeChunk/2))
	w.Uint(uint64(e.at))
	w.Uint(e.gen)
	w.Uint(uint64(e.lines))
	w.Byte(byte(s.kind))
	w.Byte(byte(s.first))
	w.Fixed(s.parent.origin)
	w.Fixed(s.parent.n)
	w.Uint(s.gen)
	w.String(s.base)
	w.Uint(uint64(s.depth))
	w.Byte(s.hop)
	w.String(s.policy)
	w.Int(s.limit)
	w.Int(s.slots)
	s.again.write(w)
	w.Bool(s.seed)
	overflow := Overflow{}
	if e.lines == 0 {
		overflow = s.overflow
	}
	w.Int(overflow.Count)
	w.String(clipText(overflow.Example, exampleSize))
	e.w = w
}

func (e *edgeWriter) add(d decided) {
	ref := d.ref.kept()
	if ref.Base == e.source.base {
		ref.Base = ""
	}
	w := e.w
	w.Byte(byte(d.decision))
	w.Word(string(d.reason))
	w.Word(ref.Rule)
	w.Word(ref.Base)
	if e.version >= edgeVersion2 {
		w.Word(ref.Charset)
	}
	if e.version >= edgeVersion3 {
		w.Bool(ref.Hint)
	}
	w.Int(int64(ref.Priority))
	w.Word(string(ref.Refused))
	w.String(ref.Observed)
	e.source.slots += e.source.spends(&d)
	if d.decision == Admitted {
		w.Fixed(d.to.origin)
		w.Byte(classOf(d.to.n))
		w.Uint(d.to.n & countMask)
	}
	if e.source.kind == Offer {
		w.Byte(byte(d.was))
		w.Word(string(d.wasFor))
	}
	if e.lines++; w.Len() > edgeChunk {
		e.seal()
		e.begin()
	}
}

func (e *edgeWriter) seal() { e.rows = append(e.rows, pack(e.w.Seal(), e.room)) }

// finish returns the rows, by chunk: at least one.
func (e *edgeWriter) finish() [][]byte {
	e.seal()
	return e.rows
}

// pack compresses a sealed value where that helps; the first byte says whether.
// It works in room, and keeps nothing there.
func pack(raw []byte, room *[]byte) []byte {
	if len(raw) >= packSmall {
		if need := s2.MaxEncodedLen(len(raw)); cap(*room) < need {
			*room = make([]byte, need)
		}
		if packed := s2.Encode((*room)[:cap(*room)], raw); len(packed) < len(raw) {
			return append(append(make([]byte, 0, len(packed)+1), 1), packed...)
		}
	}
	return append(append(make([]byte, 0, len(raw)+1), 0), raw...)
}

func unpack(v []byte) ([]byte, error) {
	if len(v) == 0 || v[0] > 1 {
		return nil, fmt.Errorf("%w: no such packing", codec.ErrDamaged)
	}
	if v[0] == 0 {
		return v[1:], nil
	}
	if n, err := s2.DecodedLen(v[1:]); err != nil || n > 16*mib {
		return nil, fmt.Errorf("%w: packed length", codec.ErrDamaged)
	}
	raw, err := s2.Decode(nil, v[1:])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", codec.ErrDamaged, err)
	}
	return raw, nil
}

// edgeRow is one chunk of a source, read back.
type edgeRow struct {
	source source
	at     int64
	gen    uint64
	first  uint32 // offset of the first line in the source
	lines  []decided
}

func decodeEdge(v []byte) (*edgeRow, error) {
	raw, err := unpack(v)
	if err != nil {
		return nil, damaged(spaceEdge, err)
	}
	r := codec.NewReader(raw, edgeVersion3)
	row := &edgeRow{at: int64(r.Uint()), gen: r.Uint(), first: uint32(r.Uint())}
	s := &row.source
	s.kind, s.first, s.parent = Source(r.Byte()), Source(r.Byte()), place{r.Fixed(), r.Fixed()}
	s.gen, s.base, s.depth, s.hop, s.policy = r.Uint(), r.String(), uint32(r.Uint()), r.Byte(), r.String()
	s.limit, s.slots, s.again, s.seed = r.Int(), r.Int(), readRef(r), r.Bool()
	s.overflow = Overflow{Count: r.Int(), Example: r.String()}
	for r.More() {
		row.lines = append(row.lines, s.readLine(r))
	}
	return row, damaged(spaceEdge, r.Close())
}

func (s *source) readLine(r *codec.Reader) decided {
	d := decided{decision: Decision(r.Byte()), reason: Reason(r.Word())}
	d.ref = Reference{Rule: r.Word(), Base: r.Word()}
	if r.Version >= edgeVersion2 {
		d.ref.Charset = r.Word()
	}
	if r.Version >= edgeVersion3 {
		d.ref.Hint = r.Bool()
	}
	d.ref.Priority, d.ref.Refused, d.ref.Observed = int8(r.Int()), Reason(r.Word()), r.String()
	if d.ref.Base == "" {
		d.ref.Base = s.base
	}
	if d.decision == Admitted {
		d.to.origin = r.Fixed()
		class := r.Byte()
		d.to.n = ordinal(class, r.Uint())
	}
	if s.kind == Offer {
		d.was, d.wasFor = Decision(r.Byte()), Reason(r.Word())
	}
	return d
}

// putEdges adds a source's rows to the commit, and counts its decisions.
func (t *tx) putEdges(index uint32, rows [][]byte) {
	for chunk, v := range rows {
		t.put(spaceEdge, t.f.keys.edge(t.seq, index, uint32(chunk)), v)
	}
}

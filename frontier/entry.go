package frontier

import (
	"github.com/weircrawl/weir/internal/codec"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/urlnorm"
)

// An entry is one line of the log: a decision with its decided values. Applied
// to the projection it gives the next one, when it is decided and again when the
// log is replayed; neither decides anything a second time.
type entry struct {
	kind   entryKind
	event  Event // of a URL or a gate
	place  place
	reason Reason
	policy string

	was State // of the URL, before

	// Of a URL: what its row holds afterwards.
	back     uint64 // S of its previous transition
	gen      uint64
	class    uint8
	depth    uint32
	hop      uint8
	attempts uint32
	losses   uint32
	busies   uint32
	handlers uint32
	ready    int64
	result   uint64
	settled  admissionRef
	url      string // where it changed
	stored   *Evidence
	try      *try
	evidence storage.Ref
	row      *urlRow // of Admit: the whole row
	via      place   // of Reopen: the URL whose redirect leads back
	moved    bool    // of Admit: a redirect's slot

	// Of the run: what is added to its counters.
	bytes    int64
	reserved int64
	records  int64

	// Of an origin, the host that joins the scope, or the subject of a policy.
	text urlnorm.Origin
	pace *pace
	from gateState

	// Of the run's phase.
	phase    Phase
	contract []byte
	active   int64
	offers   int64
	stop     Reason // a bound that held work back
	example  string
	late     int64
	conflict int64
}

type entryKind uint8

const (
	entryURL entryKind = iota + 1
	entryOrigin
	entryPace
	entryGate
	entryRun
	entryScope
	entryFreeze
	entryPolicy
)

// The optional fields of a URL's entry, as bits.
const (
	hasReady = 1 << iota
	hasTry
	hasResult
	hasSettled
	hasURL
	hasStored
	hasEvidence
	hasRow
	hasMoved
	hasCounts
	hasTries
	hasVia
)

func (e *entry) flags() uint64 {
	var f uint64
	for _, bit := range []struct {
		set  bool
		flag uint64
	}{
		{e.ready != 0, hasReady}, {e.try != nil, hasTry}, {e.result != 0, hasResult},
		{e.settled != admissionRef{}, hasSettled}, {e.url != "", hasURL}, {e.stored != nil, hasStored},
		{e.evidence != storage.Ref{}, hasEvidence}, {e.row != nil, hasRow}, {e.moved, hasMoved},
		{e.via != place{}, hasVia}, {e.bytes|e.reserved|e.records != 0, hasCounts},
		{e.attempts|e.losses|e.busies|e.handlers|uint32(e.hop) != 0, hasTries},
	} {
		if bit.set {
			f |= bit.flag
		}
	}
	return f
}

func (e *entry) write(w *codec.Writer) {
	w.Byte(byte(e.kind))
	switch e.kind {
	case entryURL:
		e.writeURL(w)
	case entryOrigin:
		w.Fixed(e.place.origin)
		w.String(string(e.text))
	case entryScope:
		w.String(string(e.text))
	case entryPolicy:
		w.String(string(e.text))
		w.Bytes(e.contract)
	case entryFreeze:
		w.Uint(e.gen)
	case entryPace:
		w.Fixed(e.place.origin)
		note := e.pace.gate.note
		e.pace.gate.note = nil // the gate's entries hold it
		e.pace.write(w)
		e.pace.gate.note = note
	case entryGate:
		w.Fixed(e.place.origin)
		w.Byte(byte(e.event))
		w.Byte(byte(e.from))
		w.Word(string(e.reason))
		w.Word(e.policy)
		w.Uint(e.back)
		w.Int(e.bytes)
		w.Int(e.reserved)
		writeArtifact(w, e.evidence, e.evidence.Digest)
		if e.evidence.Digest != "" {
			writeDigest(w, e.evidence.Digest)
		} else {
			w.Byte(0)
			w.String("")
		}
		w.Bool(e.try != nil)
		if e.try != nil {
			e.try.write(w)
		}
		e.pace.write(w)
	case entryRun:
		w.Byte(byte(e.phase))
		w.Word(string(e.reason))
		w.Bytes(e.contract)
		w.Int(e.active)
		w.Int(e.offers)
		w.Word(string(e.stop))
		w.String(e.example)
		w.Int(e.late)
		w.Int(e.conflict)
	}
}

func (e *entry) writeURL(w *codec.Writer) {
	f := e.flags()
	w.Byte(byte(e.event))
	w.Byte(byte(e.was))
	w.Uint(f)
	w.Fixed(e.place.origin)
	w.Byte(classOf(e.place.n))
	w.Uint(e.place.n & countMask)
	w.Word(string(e.reason))
	w.Word(e.policy)
	w.Uint(e.back)
	w.Uint(e.gen)
	w.Byte(e.class)
	w.Uint(uint64(e.depth))
	if f&hasTries != 0 {
		w.Uint(uint64(e.attempts))
		w.Uint(uint64(e.losses))
		w.Uint(uint64(e.busies))
		w.Uint(uint64(e.handlers))
		w.Byte(e.hop)
	}
	if f&hasReady != 0 {
		w.Uint(uint64(e.ready))
	}
	if f&hasTry != 0 {
		e.try.write(w)
	}
	if f&hasResult != 0 {
		w.Uint(e.result)
	}
	if f&hasSettled != 0 {
		e.settled.write(w)
	}
	if f&hasURL != 0 {
		w.String(e.url)
	}
	if f&hasStored != 0 {
		e.stored.write(w)
	}
	if f&hasEvidence != 0 {
		writeDigest(w, e.evidence.Digest)
		writeArtifact(w, e.evidence, e.evidence.Digest)
	}
	if f&hasRow != 0 {
		e.row.write(w)
	}
	if f&hasVia != 0 {
		w.Fixed(e.via.origin)
		w.Fixed(e.via.n)
	}
	if f&hasCounts != 0 {
		w.Int(e.bytes)
		w.Int(e.reserved)
		w.Int(e.records)
	}
}

func readEntry(r *codec.Reader) *entry {
	e := &entry{kind: entryKind(r.Byte())}
	switch e.kind {
	case entryURL:
		e.readURL(r)
	case entryOrigin:
		e.place.origin = r.Fixed()
		e.text = urlnorm.Origin(r.String())
	case entryScope:
		e.text = urlnorm.Origin(r.String())
	case entryPolicy:
		e.text, e.contract = urlnorm.Origin(r.String()), r.Bytes()
	case entryFreeze:
		e.gen = r.Uint()
	case entryPace:
		e.place.origin = r.Fixed()
		p := readPace(r)
		e.pace = &p
	case entryGate:
		e.place.origin = r.Fixed()
		e.event, e.from = Event(r.Byte()), gateState(r.Byte())
		e.reason, e.policy = Reason(r.Word()), r.Word()
		e.back, e.bytes, e.reserved = r.Uint(), r.Int(), r.Int()
		e.evidence = readArtifact(r, "")
		e.evidence.Digest = readDigest(r)
		if r.Bool() {
			t := readTry(r)
			e.try = &t
		}
		p := readPace(r)
		e.pace = &p
	case entryRun:
		e.phase, e.reason, e.contract = Phase(r.Byte()), Reason(r.Word()), r.Bytes()
		e.active, e.offers = r.Int(), r.Int()
		e.stop, e.example = Reason(r.Word()), r.String()
		e.late, e.conflict = r.Int(), r.Int()
	}
	return e
}

func (e *entry) readURL(r *codec.Reader) {
	e.event, e.was = Event(r.Byte()), State(r.Byte())
	f := r.Uint()
	e.place.origin = r.Fixed()
	class := r.Byte()
	e.place.n = ordinal(class, r.Uint())
	e.reason, e.policy = Reason(r.Word()), r.Word()
	e.back, e.gen = r.Uint(), r.Uint()
	e.class, e.depth = r.Byte(), uint32(r.Uint())
	if f&hasTries != 0 {
		e.attempts, e.losses = uint32(r.Uint()), uint32(r.Uint())
		e.busies, e.handlers = uint32(r.Uint()), uint32(r.Uint())
		e.hop = r.Byte()
	}
	if f&hasReady != 0 {
		e.ready = int64(r.Uint())
	}
	if f&hasTry != 0 {
		t := readTry(r)
		e.try = &t
	}
	if f&hasResult != 0 {
		e.result = r.Uint()
	}
	if f&hasSettled != 0 {
		e.settled = readRef(r)
	}
	if f&hasURL != 0 {
		e.url = r.String()
	}
	if f&hasStored != 0 {
		s := readEvidence(r)
		e.stored = &s
	}
	if f&hasEvidence != 0 {
		d := readDigest(r)
		e.evidence = readArtifact(r, d)
	}
	if f&hasRow != 0 {
		e.row = readURL(e.place, r)
	}
	e.moved = f&hasMoved != 0
	if f&hasVia != 0 {
		e.via = place{r.Fixed(), r.Fixed()}
	}
	if f&hasCounts != 0 {
		e.bytes, e.reserved, e.records = r.Int(), r.Int(), r.Int()
	}
}

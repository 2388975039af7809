package frontier

import (
	"slices"

	"github.com/weircrawl/weir/internal/codec"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/urlnorm"
)

// urlRow is the current state of one admitted URL: the projection of its
// transitions.
type urlRow struct {
	place place

	key    urlnorm.Key
	url    string // to request; a redirect within its chain may change it
	seed   bool
	source admissionRef // what admitted it
	from   place        // the URL whose redirect led here; zero: none

	state    State
	reason   Reason
	class    uint8
	depth    uint32
	hop      uint8 // redirects since the URL that a page named
	gen      uint64
	attempts uint32 // of this visit
	losses   uint32
	busies   uint32
	handlers uint32

	ready    int64        // T of the row in ready, or in again if stored is set; 0: in order, or neither queued nor waiting
	stored   *Evidence    // response that waits for its handler's second try
	settled  admissionRef // the source that its last accepted completion's references are
	result   uint64       // F
	ended    State        // of result, and why
	endedFor Reason
	back     uint64 // S of its last transition
	tries    []try  // of this visit, the latest last
}

// admissionRef names a source of references, or one reference of it.
type admissionRef struct {
	seq    uint64
	source uint32
	offset uint32
}

// A try is one settled attempt.
type try struct {
	gen     uint64
	outcome Outcome // NoOutcome: expired or lost
	hash    [16]byte
	seq     uint64 // of the commit that settled it
}

const (
	rowVersion = 1
	maxTries   = 32 // attempts, losses and what else ends a lease, of one visit
)

// remember adds an attempt; where there are too many it forgets the oldest that
// brought nothing, which cannot be delivered again to any effect.
func (u *urlRow) remember(t try) {
	if len(u.tries) == maxTries {
		i := max(slices.IndexFunc(u.tries, func(t try) bool { return t.outcome == NoOutcome || t.outcome == OutcomeReleased }), 0)
		u.tries = append(append(u.tries[:0:0], u.tries[:i]...), u.tries[i+1:]...)
	}
	u.tries = append(u.tries, t)
}

// try finds the attempt of generation gen.
func (u *urlRow) try(gen uint64) (try, bool) {
	for _, t := range u.tries {
		if t.gen == gen {
			return t, true
		}
	}
	return try{}, false
}

func (u *urlRow) encode() []byte {
	w := codec.NewWriter(rowVersion, make([]byte, 0, 96+len(u.url)))
	u.write(w)
	return w.Seal()
}

func (u *urlRow) write(w *codec.Writer) {
	w.String(u.url)
	w.String(u.key.Version)
	w.Bool(u.key.Text == u.url)
	if u.key.Text != u.url {
		w.String(u.key.Text)
	}
	w.Bool(u.seed)
	u.source.write(w)
	w.Bool(u.from != place{})
	if u.from != (place{}) {
		w.Fixed(u.from.origin)
		w.Fixed(u.from.n)
	}
	w.Byte(byte(u.state))
	w.String(string(u.reason))
	w.Byte(u.class)
	w.Uint(uint64(u.depth))
	w.Byte(u.hop)
	w.Uint(u.gen)
	w.Uint(uint64(u.attempts))
	w.Uint(uint64(u.losses))
	w.Uint(uint64(u.busies))
	w.Uint(uint64(u.handlers))
	w.Uint(uint64(u.ready))
	writeStored(w, u.stored)
	u.settled.write(w)
	w.Uint(u.result)
	if u.result != 0 {
		w.Byte(byte(u.ended))
		w.String(string(u.endedFor))
	}
	w.Uint(u.back)
	w.Uint(uint64(len(u.tries)))
	for _, t := range u.tries {
		t.write(w)
	}
}

func decodeURL(p place, v []byte) (*urlRow, error) {
	r := codec.NewReader(v, rowVersion)
	u := readURL(p, r)
	return u, damaged(spaceURL, r.Close())
}

func readURL(p place, r *codec.Reader) *urlRow {
	u := &urlRow{place: p, url: r.String()}
	u.key.Version = r.String()
	if u.key.Text = u.url; !r.Bool() {
		u.key.Text = r.String()
	}
	u.seed = r.Bool()
	u.source = readRef(r)
	if r.Bool() {
		u.from = place{r.Fixed(), r.Fixed()}
	}
	u.state = State(r.Byte())
	u.reason = Reason(r.String())
	u.class = r.Byte()
	u.depth = uint32(r.Uint())
	u.hop = r.Byte()
	u.gen = r.Uint()
	u.attempts, u.losses = uint32(r.Uint()), uint32(r.Uint())
	u.busies, u.handlers = uint32(r.Uint()), uint32(r.Uint())
	u.ready = int64(r.Uint())
	u.stored = readStored(r)
	u.settled = readRef(r)
	if u.result = r.Uint(); u.result != 0 {
		u.ended, u.endedFor = State(r.Byte()), Reason(r.String())
	}
	u.back = r.Uint()
	n := r.Uint()
	for range min(n, maxTries) {
		u.tries = append(u.tries, readTry(r))
	}
	return u
}

func (a admissionRef) write(w *codec.Writer) {
	w.Uint(a.seq)
	if a.seq > 0 {
		w.Uint(uint64(a.source))
		w.Uint(uint64(a.offset))
	}
}

func readRef(r *codec.Reader) admissionRef {
	a := admissionRef{seq: r.Uint()}
	if a.seq > 0 {
		a.source, a.offset = uint32(r.Uint()), uint32(r.Uint())
	}
	return a
}

func (t try) write(w *codec.Writer) {
	w.Uint(t.gen)
	w.Byte(byte(t.outcome))
	if t.outcome != NoOutcome {
		w.Raw(t.hash[:])
	}
	w.Uint(t.seq)
}

func readTry(r *codec.Reader) try {
	t := try{gen: r.Uint(), outcome: Outcome(r.Byte())}
	if t.outcome != NoOutcome {
		copy(t.hash[:], r.Raw(len(t.hash)))
	}
	t.seq = r.Uint()
	return t
}

func writeStored(w *codec.Writer, e *Evidence) {
	w.Bool(e != nil)
	if e != nil {
		e.write(w)
	}
}

func readStored(r *codec.Reader) *Evidence {
	if !r.Bool() {
		return nil
	}
	e := readEvidence(r)
	return &e
}

func (e Evidence) write(w *codec.Writer) {
	w.Uint(uint64(e.Status))
	w.Uint(uint64(e.Bytes))
	w.Uint(uint64(e.Latency))
	writeDigest(w, e.Digest)
	writeArtifact(w, e.Artifact, e.Digest)
	w.String(e.ETag)
	w.String(e.LastModified)
	w.String(e.Parser)
	w.String(e.Truncated)
	w.String(e.Detail)
}

func readEvidence(r *codec.Reader) Evidence {
	e := Evidence{Status: int(r.Uint()), Bytes: int64(r.Uint())}
	e.Latency = durationOf(r.Uint())
	e.Digest = readDigest(r)
	e.Artifact = readArtifact(r, e.Digest)
	e.ETag, e.LastModified, e.Parser = r.String(), r.String(), r.String()
	e.Truncated, e.Detail = r.String(), r.String()
	return e
}

func writeArtifact(w *codec.Writer, a storage.Ref, digest storage.Digest) {
	w.String(a.Segment)
	w.Uint(uint64(a.Offset))
	w.Uint(uint64(a.Length))
	w.Bool(a.Digest == digest)
	if a.Digest != digest {
		writeDigest(w, a.Digest)
	}
}

func readArtifact(r *codec.Reader, digest storage.Digest) storage.Ref {
	a := storage.Ref{Segment: r.String(), Offset: int64(r.Uint()), Length: int64(r.Uint())}
	if a.Digest = digest; !r.Bool() {
		a.Digest = readDigest(r)
	}
	return a
}

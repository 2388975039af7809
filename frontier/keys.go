package frontier

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/urlnorm"
)

// The spaces of a store, each with how its keys come and go.
var (
	spaceRun        = storage.Space{Name: "run", Use: storage.Point}         // name -> R
	spaceHead       = storage.Space{Name: "head", Use: storage.Point}        // P R -> head
	spaceDedupe     = storage.Space{Name: "dedupe", Use: storage.Point}      // P R O H -> N
	spaceURL        = storage.Space{Name: "url", Use: storage.Point}         // P R O N -> urlRow
	spaceOrigin     = storage.Space{Name: "origin", Use: storage.Point}      // P R O -> origin
	spaceReady      = storage.Space{Name: "ready", Use: storage.Queue}       // P R O class T N: a URL out of order
	spaceAgain      = storage.Space{Name: "again", Use: storage.Queue}       // P R T O N: a stored response whose handler failed
	spaceWake       = storage.Space{Name: "wake", Use: storage.Queue}        // P R T O: an origin with work
	spaceLease      = storage.Space{Name: "lease", Use: storage.Queue}       // P R S -> leases of one commit
	spaceScope      = storage.Space{Name: "scope", Use: storage.Point}       // P R hash of host -> host: one that a seed has brought into the scope
	spaceOffer      = storage.Space{Name: "offer", Use: storage.Queue}       // P R S i -> references to be decided again
	spaceMoved      = storage.Space{Name: "moved", Use: storage.Point}       // P R S i chunk -> lines of that edge row that no bound holds back any more
	spaceRekey      = storage.Space{Name: "rekey", Use: storage.Point}       // P R -> how far the run has replayed the one that it was made of
	spacePattern    = storage.Space{Name: "pattern", Use: storage.Point}     // P R O hash -> how many URLs of one pattern were admitted
	spaceLog        = storage.Space{Name: "log", Use: storage.Append}        // P R S chunk -> transitions
	spaceEdge       = storage.Space{Name: "edge", Use: storage.Append}       // P R S i chunk -> references of one source
	spaceResult     = storage.Space{Name: "result", Use: storage.Append}     // P R F -> Result
	spaceRecord     = storage.Space{Name: "record", Use: storage.Append}     // P R F i -> Record
	spaceGeneration = storage.Space{Name: "generation", Use: storage.Append} // P R G -> the head of the commit that froze it
	spaceAttempt    = storage.Space{Name: "attempt", Use: storage.Point}     // P R O N generation -> late and conflicting attempts
)

// A place is where a URL stands in its partition and run: origin and ordinal.
// The ordinal's two top bits are the class at admission. Ordinal 0 is the gate.
type place struct{ origin, n uint64 }

const (
	classes    = 3 // 0 sooner, 1 normal, 2 later
	classShift = 62
	countMask  = 1<<classShift - 1
)

func ordinal(class uint8, count uint64) uint64 { return uint64(class)<<classShift | count }

// classOf is the class that a URL of ordinal n was admitted with.
func classOf(n uint64) uint8 { return uint8(n >> classShift) }

// classFor turns a reference's priority into a class.
func classFor(priority int8) uint8 {
	switch {
	case priority > 0:
		return 0
	case priority < 0:
		return 2
	}
	return 1
}

// identity is what dedupe compares: 128 bits of SHA-256 of the origin and the key
// with its version. A site cannot forge a collision. The origin is a part of it
// because pace, gate and queue are an origin's: a URL of another origin is
// another URL, whatever a Normalizer folds.
type identity [16]byte

func identify(o urlnorm.Origin, k urlnorm.Key) identity {
	var buf [512]byte
	b := append(buf[:0], k.Version...)
	b = append(b, 0)
	b = append(b, o...)
	b = append(b, 0)
	b = append(b, k.Text...)
	sum := sha256.Sum256(b)
	return identity(sum[:16])
}

// originID is 64 bits of SHA-256 of the origin's text; try counts the
// collisions before it.
func originID(o urlnorm.Origin, try byte) uint64 {
	b := []byte(o)
	if try > 0 {
		b = append(b, 0, try)
	}
	sum := sha256.Sum256(b)
	return binary.BigEndian.Uint64(sum[:8])
}

// keys makes the keys of one partition and run.
type keys struct {
	partition uint16
	run       uint32
}

func (k keys) prefix(more int) []byte {
	b := make([]byte, 0, 6+more)
	b = binary.BigEndian.AppendUint16(b, k.partition)
	return binary.BigEndian.AppendUint32(b, k.run)
}

func (k keys) head() []byte { return k.prefix(0) }

func (k keys) dedupe(origin uint64, id identity) []byte {
	return append(binary.BigEndian.AppendUint64(k.prefix(24), origin), id[:]...)
}

func (k keys) url(p place) []byte { return k.nums(p.origin, p.n) }

func (k keys) origin(id uint64) []byte { return k.nums(id) }

func (k keys) nums(nums ...uint64) []byte {
	b := k.prefix(8 * len(nums))
	for _, n := range nums {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	return b
}

func (k keys) ready(p place, class uint8, at int64) []byte {
	b := binary.BigEndian.AppendUint64(k.prefix(25), p.origin)
	b = append(b, class)
	b = binary.BigEndian.AppendUint64(b, uint64(at))
	return binary.BigEndian.AppendUint64(b, p.n)
}

func (k keys) readyClass(origin uint64, class uint8) []byte {
	return append(binary.BigEndian.AppendUint64(k.prefix(9), origin), class)
}

func (k keys) again(p place, at int64) []byte { return k.nums(uint64(at), p.origin, p.n) }

func (k keys) wake(at int64, origin uint64) []byte { return k.nums(uint64(at), origin) }

func (k keys) scope(host string) []byte {
	sum := sha256.Sum256([]byte(host)) // a host may be longer than a key
	return append(k.prefix(16), sum[:16]...)
}

func (k keys) pattern(p patternKey) []byte { return k.nums(p.origin, p.hash) }

func (k keys) subject(s Subject) []byte {
	sum := sha256.Sum256([]byte(s.String()))
	return append(k.prefix(16), sum[:16]...)
}

func (k keys) seq(s uint64) []byte { return k.nums(s) }

func (k keys) chunk(s uint64, chunk uint32) []byte {
	return binary.BigEndian.AppendUint32(k.nums(s), chunk)
}

func (k keys) edge(s uint64, source, chunk uint32) []byte {
	return binary.BigEndian.AppendUint32(k.chunk(s, source), chunk)
}

func (k keys) attempt(p place, generation uint64) []byte {
	return k.nums(p.origin, p.n, generation)
}

// end is the first key after all that begin with b.
func end(b []byte) []byte {
	e := append([]byte(nil), b...)
	for i := len(e) - 1; i >= 0; i-- {
		if e[i]++; e[i] != 0 {
			return e[:i+1]
		}
	}
	return nil
}

// field reads the i-th eight bytes after P R.
func field(key []byte, i int) uint64 {
	return binary.BigEndian.Uint64(key[6+8*i:])
}

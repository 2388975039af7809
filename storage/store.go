package storage

import (
	"context"
	"errors"
	"time"
)

// A Store is an ordered key space with atomic, fenced batches. It keeps and
// compares; it never decides: the state machine lives above it, once, for every
// backend.
//
// A Store must be safe for concurrent use. It never retries. It neither keeps
// nor changes a slice it was given, and gives away the slices it returns. A
// context that ends before the effect of a call leaves the store unchanged; one
// that ends during Commit or Claim leaves the outcome unknown to the caller.
// After Close every method returns ErrClosed.
type Store interface {
	// Claim makes want.Owner the holder of the fence want.Name for want.TTL,
	// raises its generation durably and returns it, if the fence is new, given
	// up, expired by the store's clock, or want.Owner's already. Sequence and
	// Value are kept from the last Commit (zero and empty when new); want's are
	// ignored. Otherwise it returns the fence as it is, and ErrHeld. Once Claim
	// has returned, no Commit of an older generation can succeed or be in flight.
	// A zero TTL gives the fence up in the same way: the generation rises and
	// nobody holds it; Owner says who did last.
	Claim(ctx context.Context, want Fence) (Fence, error)

	// Read answers all requests, in order, from one committed snapshot, in one
	// round trip. A space that was never written is empty.
	Read(ctx context.Context, requests ...ReadRequest) ([]ReadResult, error)

	// Commit applies ops in order, all or none and durably, only if the stored
	// fence f.Name has generation f.Generation and sequence f.Sequence-1; with
	// them it stores f.Sequence, f.Value and an expiry renewed by f.TTL (a zero
	// TTL gives the fence up with the commit). A fence that has expired but that
	// nobody has claimed since still commits: the generation is safety, the TTL
	// is liveness. ErrFenced and ErrTooLarge mean that nothing was applied; after
	// any other error nobody knows: Claim, then compare the sequence.
	Commit(ctx context.Context, f Fence, ops []Op) error

	// Fences lists the fences whose names begin with prefix, by name, each with
	// what remains of its TTL (never negative).
	Fences(ctx context.Context, prefix string) ([]Fence, error)

	// Limits is constant while the store is open.
	Limits() Limits

	// Close waits for calls in progress and frees the store. Closing twice is
	// not an error.
	Close() error
}

// A Fence is the right to write one partition. One owner holds it for TTL after
// each Claim, which raises the generation, and each Commit, which raises the
// sequence by one.
type Fence struct {
	Name       string        // 1 to 64 bytes
	Owner      string        // unique per incarnation of an owner; 1 to 128 bytes
	TTL        time.Duration // of the claim; from Fences, what remains of it
	Generation uint64
	Sequence   uint64
	Value      []byte // the owner's header, at most 1 KiB
}

// A Space is one ordered set of keys. It exists once it is used, and must always
// be used with the same Use.
type Space struct {
	Name string // 1 to 32 bytes of a-z
	Use  Use
}

// Use tells how a Space's keys come and go, so that an engine may tune; it never
// changes a result.
type Use uint8

const (
	Point  Use = iota // random keys, read and rewritten one by one
	Append            // growing keys, rarely deleted
	Queue             // growing keys, deleted soon
)

// An Op is one write, or one removal, of a Key (1 to 256 bytes). An empty Value
// is a value; removing what is absent is no error.
type Op struct {
	Space  Space
	Key    []byte
	Value  []byte // nil and empty are the same
	Delete bool
}

// A ReadRequest asks for the points Keys or, where Keys is nil, for the first
// Limit pairs of the range [From, To) in ascending order of the key's bytes.
type ReadRequest struct {
	Space Space
	Keys  [][]byte
	From  []byte // nil: from the first key
	To    []byte // nil: to the last key
	Limit int    // at least 1 for a range
}

// A ReadResult holds the points as they were asked for, with a nil value for
// what is absent and a non-nil one for what is there, or the pairs of a range in
// key order. The Keys of points may be the request's own; values may share
// memory, but none reaches into another.
type ReadResult struct {
	Keys, Values [][]byte
}

// Limits says what a store takes.
type Limits struct {
	Value      int    // bytes of one value; at least 64 KiB
	Batch      int    // bytes of keys and values of one Commit; at least 1 MiB; a page whose references do not fit fails as too_large
	Partitions int    // how many partitions suit the engine: 1 where a single process writes
	Exclusive  bool   // only one process can have the store open, and opening it frees every fence
	Engine     string // what keeps the rows, for the record: "bbolt"
}

// What a Store answers. Each is wrapped with its subject.
var (
	// ErrHeld means that another owner holds the fence; the fence returned with
	// it says who, and for how long at most.
	ErrHeld = errors.New("storage: fence is held by another owner")
	// ErrFenced means that the commit's generation or sequence is not the next
	// one. Nothing was applied, and no retry of the same commit can succeed.
	ErrFenced = errors.New("storage: commit is fenced off")
	// ErrTooLarge means that a name, a key, a value or the batch is beyond Limits
	// or the bounds of its type, an empty one included, or that a range has no
	// limit. Nothing was applied. Fence, ReadRequest and Limits have methods that
	// check for it.
	ErrTooLarge = errors.New("storage: beyond the store's limits")
	// ErrLocked means that another process, or another handle of this one, has
	// the store open. The text names the path and, if it is known, the holder.
	ErrLocked = errors.New("storage: store is locked")
	// ErrCorrupt means that what was kept is damaged. Nothing was changed.
	ErrCorrupt = errors.New("storage: store is corrupt")
	// ErrVersion means that the store was written by another, unknown version.
	// Nothing was changed.
	ErrVersion = errors.New("storage: store has another version")
	// ErrClosed means that the store or sink was used after Close.
	ErrClosed = errors.New("storage: closed")
	// ErrNoSpace means that the disk is full. Space must be freed before a retry
	// can help.
	ErrNoSpace = errors.New("storage: no space left")
)

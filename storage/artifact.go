package storage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// An ArtifactSink keeps the bytes of exchanges. It must be safe for concurrent
// use. It neither keeps nor changes a slice it was given, and gives away those
// it returns. After Close every method returns ErrClosed.
type ArtifactSink interface {
	// Append writes a and returns where it is. All of a comes back from Open,
	// whatever its bytes: an empty field, text that is no UTF-8, a Time before 1970
	// or beyond the year 9999 (which encoding/json refuses). The reference must not be
	// committed before a Sync that began after Append has returned. Appending the
	// same payload again is no error; whether it shares bytes is the sink's
	// choice. A full disk is ErrNoSpace, and leaves earlier artifacts whole.
	Append(ctx context.Context, a Artifact) (Ref, error)

	// Open returns the artifact with its digest checked. ErrCorrupt means that
	// its bytes are gone or damaged, or that r is no Ref that Append has returned:
	// each of its four fields counts, also one that the sink could do without.
	Open(ctx context.Context, r Ref) (Artifact, error)

	// Sync makes durable all that was appended before it was called. After an
	// error nothing appended since the last successful Sync may be committed.
	Sync(ctx context.Context) error

	// Close syncs and frees the sink. Closing twice is not an error.
	Close() error
}

// An Artifact is one exchange, or one resource made from it.
type Artifact struct {
	URL       string    // that was requested, or that the resource was made from
	Type      string    // media type of the payload; empty where unknown
	Truncated string    // why Body is cut: "length", "time", "disconnect"; empty for a whole one
	Time      time.Time // of the request, to the microsecond, UTC
	Request   []byte    // header block as sent; empty for a resource
	Header    []byte    // header block as received; empty for a resource
	Body      []byte    // decoded payload
}

// A Ref says where an artifact is, and what its payload's digest is. Refs are
// comparable; the zero Ref refers to nothing.
type Ref struct {
	Segment string `json:"segment"` // at most 128 bytes, meaningful to the sink alone
	Offset  int64  `json:"offset"`
	Length  int64  `json:"length"`
	Digest  Digest `json:"digest"` // of Body
}

// Digest is "sha256:" and 64 hexadecimal digits.
type Digest string

// Sum returns the Digest of b.
func Sum(b []byte) Digest {
	sum := sha256.Sum256(b)
	return Digest("sha256:" + hex.EncodeToString(sum[:]))
}

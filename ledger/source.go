package ledger

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/weircrawl/weir/frontier"
)

// A Source is a paged view of results: a [Generation] of ours, or a remote
// service's. Page returns what follows r.After, in an order that does not change.
// A frozen generation answers the same request with the same page, whatever goes
// on beside it.
//
// An error of Page is a page that failed: it is tried again, unless it wraps
// [ErrCursor] or [ErrRefused]. Page is called by one goroutine at a time.
type Source interface {
	Page(ctx context.Context, r PageRequest) (Page, error)
}

// What a Source answers.
var (
	// ErrCursor means that a cursor is not one that this source has made, or that it
	// is of another generation. It cannot be mended by trying again.
	ErrCursor = errors.New("ledger: no cursor of this generation")
	// ErrRefused means that the source will not give this page however often it is
	// asked: a login, a denial. It is not asked again, nor by another way.
	ErrRefused = errors.New("ledger: the source refuses")
	// ErrNotFrozen means that the run has no frozen generation yet. A run freezes one
	// when it stops or ends, and when Freeze is called.
	ErrNotFrozen = errors.New("ledger: no generation is frozen")
)

// A Cursor names the first result that was not returned yet. It is opaque, and
// checked by the source that made it.
type Cursor string

// A PageRequest asks for one page: at most Records, and at most Bytes, but for a
// first result that is larger alone.
type PageRequest struct {
	After   Cursor        // empty: from the start
	Records int           // default 1,000
	Bytes   int64         // of IDs and data; default 4 MiB
	Time    time.Duration // after that a page ends with what it has, at least one result; default 30 s
}

// WithDefaults returns r with every zero field at its default.
func (r PageRequest) WithDefaults() PageRequest {
	r.Records = cmp.Or(r.Records, 1000)
	r.Bytes = cmp.Or(r.Bytes, 4<<20)
	r.Time = cmp.Or(r.Time, 30*time.Second)
	return r
}

// A Page is a part of a result set, and what its source says of the whole.
type Page struct {
	Generation string         // what was frozen: a name that stands for these results for ever; empty where the source cannot freeze
	Ordered    bool           // the order is total and unique, so that a cursor stands for one place whatever is added
	Frozen     time.Time      // when; zero where unknown
	Phase      frontier.Phase // of the job; zero where unknown
	Ended      time.Time      // since when it is in Phase; zero where unknown
	Counts     Counts
	Account    *frontier.Summary // of a run of ours: all that its counters say; Data is then a [frontier.Result]
	Results    []Result
	Next       Cursor // empty at the end, and only there
}

// A Result is one record of a dataset.
type Result struct {
	ID         string          `json:"id"`                   // stable identity, unique in its generation
	State      frontier.State  `json:"state,omitzero"`       // zero where the source does not say
	Supersedes bool            `json:"supersedes,omitempty"` // it replaces an earlier one of this identity
	Data       json.RawMessage `json:"data"`                 // all of it, one JSON value; a dataset has it in its shortest form
}

// size is what r counts against a bound of bytes.
func (r Result) size() int64 { return int64(len(r.ID) + len(r.Data)) }

// Counts is what a job says of its identities. Each is -1 where it says nothing.
type Counts struct {
	Expected   int64 `json:"expected"`   // identities that the job has admitted
	Succeeded  int64 `json:"succeeded"`  // done: also where the site says that there is nothing (404, 410)
	Failed     int64 `json:"failed"`     //
	Stopped    int64 `json:"stopped"`    // refused by a policy
	Skipped    int64 `json:"skipped"`    // cancelled
	Unresolved int64 `json:"unresolved"` // not terminal: they have no result
}

// NoCounts is what a source says that counts nothing.
func NoCounts() Counts { return Counts{-1, -1, -1, -1, -1, -1} }

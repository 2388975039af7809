package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// A Format is how the rows of a dataset stand in one file. What Encode has written
// Decode reads back: the same rows, byte for byte, their Data in its shortest form.
// Both work through a file of any size in bounded memory, and stop when ctx ends.
type Format interface {
	// Encode writes rows to w. An error of rows ends it and is returned.
	Encode(ctx context.Context, w io.Writer, rows iter.Seq2[Result, error]) error
	// Decode reads the rows of a file of size bytes. What is no such file, or not all of
	// it, is a [*RowError] in place of the first row that cannot be had.
	Decode(ctx context.Context, r io.ReaderAt, size int64) iter.Seq2[Result, error]
}

// MaxRow is the largest row that a Format has to take: ID and Data together.
const MaxRow = maxID + maxData

// A RowError is a row that a format cannot write or read.
type RowError struct {
	Row int64 // from 1; 0: what comes before the first
	Err error
}

func (e *RowError) Error() string {
	if e.Row == 0 {
		return fmt.Sprintf("before the first row: %v", e.Err)
	}
	return fmt.Sprintf("row %d: %v", e.Row, e.Err)
}

func (e *RowError) Unwrap() error { return e.Err }

// What is wrong with a row.
var (
	errLong = fmt.Errorf("the row is longer than %d bytes", MaxRow)
	errText = errors.New("the ID is no UTF-8 text")
	errJSON = errors.New("the data are no JSON value")
)

// Rows makes what Encode is given ready to be written: it counts the rows, ends
// with ctx, and brings the Data of each into its shortest form. It is for those who
// write a [Format]. An error it yields is the last thing it yields.
func Rows(ctx context.Context, rows iter.Seq2[Result, error]) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		n := int64(0)
		for row, err := range rows {
			n++
			if err == nil {
				err = context.Cause(ctx)
			}
			if err == nil {
				row, err = row.shortest(n)
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// shortest is r with its Data in its shortest form. It is row n of its dataset.
func (r Result) shortest(n int64) (Result, error) {
	if len(r.ID)+len(r.Data) > MaxRow {
		return r, &RowError{n, errLong}
	}
	if !utf8.ValidString(r.ID) {
		return r, &RowError{n, errText}
	}
	var b bytes.Buffer
	b.Grow(len(r.Data))
	if err := json.Compact(&b, r.Data); err != nil {
		return r, &RowError{n, fmt.Errorf("%w: %w", errJSON, err)}
	}
	r.Data = b.Bytes()
	return r, nil
}

// formatOf chooses the format of a file by its name.
func formatOf(path string) (Format, error) {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".jsonl", ".ndjson":
		return JSONL{}, nil
	case ".csv":
		return CSV{}, nil
	default:
		return nil, fmt.Errorf("ledger: no format goes by the extension %q: set File.Format (package ledger/parquet has the one of Parquet)", ext)
	}
}

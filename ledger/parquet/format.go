package parquet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/weircrawl/weir/ledger"
)

// Format is the ledger.Format of Apache Parquet.
type Format struct {
	Columns ledger.Columns // nil: those of Columns.For
}

var _ ledger.Format = Format{}

// The columns that every file has.
const (
	id         = "id"
	state      = "state"
	supersedes = "supersedes"
	data       = "data"
)

// A group of rows is written once it has either. It is what is in memory.
const (
	groupRows  = 64 << 10
	groupBytes = 16 << 20 // of IDs and data
)

// Encode writes a file of rows.
func (f Format) Encode(ctx context.Context, w io.Writer, rows iter.Seq2[ledger.Result, error]) error {
	var out *writer
	for row, err := range ledger.Rows(ctx, rows) {
		if err == nil && out == nil {
			out, err = newWriter(w, f.Columns.For(row))
		}
		if err == nil {
			err = out.write(row)
		}
		if err != nil {
			return err
		}
	}
	if out == nil {
		var err error
		if out, err = newWriter(w, f.Columns); err != nil {
			return err
		}
	}
	return out.file.Close()
}

// schema is that of a file with these columns.
func schema(columns ledger.Columns) (*parquet.Schema, error) {
	group := parquet.Group{
		id:         parquet.String(),
		state:      parquet.Optional(parquet.String()),
		supersedes: parquet.Leaf(parquet.BooleanType),
		data:       parquet.JSON(),
	}
	for _, column := range columns {
		if _, twice := group[column]; twice {
			return nil, fmt.Errorf("parquet: column %q is there twice: leave it out of Columns", column)
		}
		group[column] = parquet.Optional(parquet.String())
	}
	order := slices.Concat([]string{id, state, supersedes}, columns, []string{data})
	return parquet.NewSchema("page", ordered{group, order}), nil
}

// ordered is a group whose fields are not in the order of their names.
type ordered struct {
	parquet.Group
	order []string
}

func (o ordered) Fields() []parquet.Field {
	fields := o.Group.Fields()
	slices.SortFunc(fields, func(a, b parquet.Field) int {
		return slices.Index(o.order, a.Name()) - slices.Index(o.order, b.Name())
	})
	return fields
}

// A writer is a file being written.
type writer struct {
	file    *parquet.GenericWriter[any]
	columns ledger.Columns
	rows    int   // of the group
	bytes   int64 // of the group
}

func newWriter(w io.Writer, columns ledger.Columns) (*writer, error) {
	s, err := schema(columns)
	if err != nil {
		return nil, err
	}
	file := parquet.NewGenericWriter[any](w, s, parquet.Compression(&parquet.Zstd),
		parquet.SkipPageBounds(data), parquet.SkipPageStatistics(data)) // the least and the greatest row would be in them, whole
	return &writer{file: file, columns: columns}, nil
}

func (w *writer) write(row ledger.Result) error {
	if _, err := w.file.WriteRows([]parquet.Row{w.row(row)}); err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	w.rows++
	w.bytes += int64(len(row.ID) + len(row.Data))
	if w.rows < groupRows && w.bytes < groupBytes {
		return nil
	}
	w.rows, w.bytes = 0, 0
	return w.file.Flush()
}

// row has one value for each column, in order.
func (w *writer) row(r ledger.Result) parquet.Row {
	row := parquet.Row{
		parquet.ValueOf(r.ID).Level(0, 0, 0),
		optional(1, r.State.String(), r.State != 0),
		parquet.ValueOf(r.Supersedes).Level(0, 0, 2),
	}
	for _, cell := range w.columns.Cells(r.Data) {
		row = append(row, optional(len(row), cell.Text, cell.Kind != ledger.NoCell))
	}
	return append(row, parquet.ValueOf([]byte(r.Data)).Level(0, 0, len(row)))
}

func optional(column int, text string, there bool) parquet.Value {
	if !there {
		return parquet.NullValue().Level(0, 0, column)
	}
	return parquet.ValueOf(text).Level(0, 1, column)
}

// Decode reads the rows of a file, whatever columns it was written with.
func (Format) Decode(ctx context.Context, r io.ReaderAt, size int64) iter.Seq2[ledger.Result, error] {
	return func(yield func(ledger.Result, error) bool) {
		n := int64(0)
		err := decode(r, size, func(row ledger.Result) error {
			if n++; ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if !yield(row, nil) {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(ledger.Result{}, &ledger.RowError{Row: n + 1, Err: err})
		}
	}
}

// errStop means that the loop over the rows has ended.
var errStop = errors.New("stop")

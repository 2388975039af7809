package ledger

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/weircrawl/weir/internal/sheet"
)

// CSV is the format of RFC 4180, with a header: id, state, supersedes, then Columns,
// and last data, which has the whole row's Data as JSON.
//
// A spreadsheet takes a cell that begins with =, +, - or @ for a formula, and what
// a crawl finds is anybody's text. Such a text, and one that has control characters
// or begins with a quotation mark, is written as a JSON string, in quotation marks:
// "=1+1". Numbers stay as they are.
type CSV struct {
	Columns Columns // nil: those of [Columns.For]
}

var _ Format = CSV{}

// Encode writes the header and rows.
func (c CSV) Encode(ctx context.Context, w io.Writer, rows iter.Seq2[Result, error]) error {
	buffered := bufio.NewWriterSize(w, 64<<10)
	out := csv.NewWriter(buffered)
	out.UseCRLF = true
	columns, begun := Columns{}, false
	begin := func(c Columns) error {
		columns, begun = c, true
		return out.Write(slices.Concat([]string{"id", "state", "supersedes"}, c, []string{"data"}))
	}
	for row, err := range Rows(ctx, rows) {
		if err == nil && !begun {
			err = begin(c.Columns.For(row))
		}
		if err == nil {
			err = write(out, row, columns)
		}
		if err != nil {
			return err
		}
	}
	if !begun {
		if err := begin(slices.Clone(c.Columns)); err != nil {
			return err
		}
	}
	out.Flush()
	return errors.Join(out.Error(), buffered.Flush())
}

func write(out *csv.Writer, row Result, columns Columns) error {
	line, size := cellsOf(row, columns), 0
	for _, cell := range line {
		size += len(cell)
	}
	if size > maxRecord/2 { // each character could be a quotation mark
		return errLong
	}
	return out.Write(line)
}

// cellsOf is the line of row.
func cellsOf(row Result, columns Columns) []string {
	line := []string{sheet.Text(row.ID), row.State.String(), "", string(row.Data)}
	if row.Supersedes {
		line[2] = "true"
	}
	var cells []string
	for _, cell := range columns.Cells(row.Data) {
		if cell.Kind == Text {
			cell.Text = sheet.Text(cell.Text)
		}
		cells = append(cells, cell.Text)
	}
	return slices.Insert(line, 3, cells...)
}

// Decode reads the rows, whatever columns they were written with.
func (CSV) Decode(ctx context.Context, r io.ReaderAt, size int64) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		whole := endsLine(r, size)
		bounded := &bounded{r: io.NewSectionReader(r, 0, size)}
		in, columns := csv.NewReader(bounded), Columns(nil)
		in.ReuseRecord = true
		for n := int64(0); ; n++ {
			bounded.left = maxRecord
			line, err := in.Read()
			if errors.Is(err, io.EOF) && n > 0 {
				return
			}
			if err == nil {
				err = context.Cause(ctx)
			}
			var row Result
			switch {
			case err != nil:
			case !whole && in.InputOffset() == size:
				err = errTorn
			case n == 0:
				columns, err = begins(line)
			default:
				row, err = parseRecord(line, columns)
			}
			if err != nil {
				yield(Result{}, &RowError{n, err})
				return
			}
			if n > 0 && !yield(row, nil) {
				return
			}
		}
	}
}

// endsLine reports whether the last line of a file has its end.
func endsLine(r io.ReaderAt, size int64) bool {
	var last [1]byte
	n, _ := r.ReadAt(last[:], max(size-1, 0)) // nothing read: no end
	return n == 1 && last[0] == '\n'
}

// begins returns the columns of a header, if it is one that Encode writes first.
func begins(line []string) (Columns, error) {
	n := len(line)
	if n < 4 || !slices.Equal(line[:3], []string{"id", "state", "supersedes"}) || line[n-1] != "data" {
		return nil, errors.New("the header is not that of a dataset: it begins with id, state and supersedes, and ends with data")
	}
	return slices.Clone(line[3 : n-1]), nil
}

// parseRecord reads a line. It is written as this format writes it, and its columns
// show what its data have.
func parseRecord(line []string, columns Columns) (row Result, err error) {
	if row.ID, err = sheet.Parse(line[0]); err != nil {
		return row, fmt.Errorf("its id: %w", err)
	}
	if line[1] != "" {
		if err := row.State.UnmarshalText([]byte(line[1])); err != nil {
			return row, err
		}
	}
	row.Supersedes = line[2] != ""
	if row.Data = json.RawMessage(line[len(line)-1]); !json.Valid(row.Data) {
		return row, errJSON
	}
	for i, cell := range cellsOf(row, columns) {
		if cell != line[i] {
			return row, fmt.Errorf("column %d is %q, which is not what its data have", i+1, clip(line[i]))
		}
	}
	return row, nil
}

// maxRecord is the longest line: the data of a row may stand in it more than once.
const maxRecord = 16 * MaxRow

// bounded ends a file that goes on and on without an end of a line.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errLong
	}
	n, err := b.r.Read(p)
	b.left -= int64(n)
	return n, err
}

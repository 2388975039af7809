package parquet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/weircrawl/weir/ledger"
)

// decode calls each for every row of a file. The library panics on some of what
// is no file of its: that is an error like any other.
func decode(r io.ReaderAt, size int64, each func(ledger.Result) error) error {
	var file *parquet.File
	err := guarded(func() (err error) {
		file, err = parquet.OpenFile(r, size)
		return err
	})
	if err != nil {
		return err
	}
	at, err := places(file.Schema())
	if err != nil {
		return err
	}
	for _, group := range file.RowGroups() {
		if err := at.decode(group, each); err != nil {
			return err
		}
	}
	return nil
}

// guarded runs f, whose panic is an error.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the file is damaged: %v", p)
		}
	}()
	return f()
}

// A place says in which columns of a file the parts of a result are.
type place struct {
	id, state, supersedes, data int

	columns ledger.Columns // the others, which show what is in data
	at      []int
}

// places finds the columns by their names.
func places(s *parquet.Schema) (place, error) {
	var p place
	for name, column := range map[string]*int{id: &p.id, state: &p.state, supersedes: &p.supersedes, data: &p.data} {
		leaf, ok := s.Lookup(name)
		if !ok {
			return p, fmt.Errorf("the file has no column %q: it is no dataset", name)
		}
		*column = leaf.ColumnIndex
	}
	for _, path := range s.Columns() {
		leaf, ok := s.Lookup(path...)
		if ours := slices.Contains([]string{id, state, supersedes, data}, path[0]); ok && !ours && len(path) == 1 {
			p.columns, p.at = append(p.columns, path[0]), append(p.at, leaf.ColumnIndex)
		}
	}
	return p, nil
}

// batch is how many rows are read at a time.
const batch = 64

func (p place) decode(group parquet.RowGroup, each func(ledger.Result) error) (err error) {
	var rows parquet.Rows
	if err := guarded(func() error { rows = group.Rows(); return nil }); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, guarded(rows.Close)) }()
	some := make([]parquet.Row, batch)
	for {
		n, end := 0, error(nil)
		if err := guarded(func() error { n, end = rows.ReadRows(some); return nil }); err != nil {
			return err
		}
		for _, row := range some[:n] {
			result, err := p.result(row)
			if err == nil {
				err = each(result)
			}
			if err != nil {
				return err
			}
		}
		if errors.Is(end, io.EOF) {
			return nil
		}
		if end != nil {
			return end
		}
	}
}

// result makes a result of the values of a row.
func (p place) result(row parquet.Row) (r ledger.Result, err error) {
	var word []byte
	err = guarded(func() error {
		for _, value := range row {
			switch value.Column() {
			case p.id:
				r.ID = string(value.ByteArray())
			case p.state:
				word = value.ByteArray()
			case p.supersedes:
				r.Supersedes = value.Boolean()
			case p.data:
				r.Data = slices.Clone(value.ByteArray())
			}
		}
		return nil
	})
	if err == nil && len(word) > 0 {
		err = r.State.UnmarshalText(word)
	}
	if err == nil && !json.Valid(r.Data) {
		err = errors.New("its data are no JSON value")
	}
	if err == nil {
		err = guarded(func() error { return p.shows(row, r) })
	}
	return r, err
}

// shows checks that the columns have what data has.
func (p place) shows(row parquet.Row, r ledger.Result) error {
	for i, cell := range p.columns.Cells(r.Data) {
		value := row[p.at[i]]
		if value.IsNull() != (cell.Kind == ledger.NoCell) || string(value.ByteArray()) != cell.Text {
			return fmt.Errorf("its %s is not that of its data", p.columns[i])
		}
	}
	return nil
}

package ledger

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/weircrawl/weir/frontier"
)

// JSONL is the format of one JSON object a line (https://jsonlines.org). A line is
// the row's Data with one more field before all others, which has the rest:
//
//	{"_":{"id":"0.1.4a64b3cf52f58dde.4000000000000001","state":"done"},"url":"https://example.com/",…}
//
// so that every tool finds the fields of the data at the top, and nothing in them
// can be taken for ours. Data that are no object are a field of "_" themselves:
//
//	{"_":{"id":"7","value":[1,2]}}
type JSONL struct{}

var _ Format = JSONL{}

// A lead is the first field of a line.
type lead struct {
	ID         string          `json:"id"`
	State      frontier.State  `json:"state,omitzero"`
	Supersedes bool            `json:"supersedes,omitempty"`
	Value      json.RawMessage `json:"value,omitempty"` // of Data that are no object
}

const leadKey = `{"_":`

// Encode writes rows, a line each.
func (JSONL) Encode(ctx context.Context, w io.Writer, rows iter.Seq2[Result, error]) error {
	out, line := bufio.NewWriterSize(w, 64<<10), []byte(nil)
	for row, err := range Rows(ctx, rows) {
		if err == nil {
			line, err = appendLine(line[:0], row)
		}
		if err != nil {
			return err
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// appendLine appends the line of row, whose Data are in their shortest form.
func appendLine(b []byte, row Result) ([]byte, error) {
	first := lead{ID: row.ID, State: row.State, Supersedes: row.Supersedes}
	fields, object := bytes.CutPrefix(row.Data, []byte("{"))
	if !object {
		fields, first.Value = []byte("}"), row.Data
	}
	text, err := marshal(first)
	if err != nil {
		return b, err
	}
	b = append(append(b, leadKey...), text...)
	if len(fields) > 1 {
		b = append(b, ',')
	}
	return append(append(b, fields...), '\n'), nil
}

// marshal is json.Marshal that leaves <, > and & as they are, in raw values too.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Decode reads the rows.
func (JSONL) Decode(ctx context.Context, r io.ReaderAt, size int64) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		in := bufio.NewReaderSize(io.NewSectionReader(r, 0, size), 64<<10)
		for n := int64(1); ; n++ {
			line, err := readLine(in)
			if errors.Is(err, io.EOF) {
				return
			}
			if err == nil {
				err = context.Cause(ctx)
			}
			var row Result
			if err == nil {
				row, err = parseLine(line)
			}
			if err != nil {
				yield(Result{}, &RowError{n, err})
				return
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

// errTorn means that a file ends within a row.
var errTorn = errors.New("the file ends within the row")

// maxLine is the longest line of a row of MaxRow bytes: each byte of an ID may need
// six, as in \u0000.
const maxLine = 6*MaxRow + 1024

// readLine returns the next line without its end.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return line[:len(line)-1], nil
		case errors.Is(err, io.EOF) && len(line) > 0:
			return nil, errTorn
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(line) > maxLine:
			return nil, errLong
		}
	}
}

var errLine = errors.New("the line is not one that this format has written")

func parseLine(line []byte) (Result, error) {
	rest, ok := bytes.CutPrefix(line, []byte(leadKey))
	if !ok || !json.Valid(line) {
		return Result{}, errLine
	}
	var first lead
	decoder := json.NewDecoder(bytes.NewReader(rest))
	if err := decoder.Decode(&first); err != nil {
		return Result{}, fmt.Errorf("%w: %w", errLine, err)
	}
	row := Result{ID: first.ID, State: first.State, Supersedes: first.Supersedes, Data: first.Value}
	fields := rest[decoder.InputOffset():] // "}", or a comma and the fields of the data
	switch {
	case row.Data == nil && fields[0] == ',':
		row.Data = append([]byte("{"), fields[1:]...)
	case row.Data == nil:
		row.Data = append([]byte("{"), fields...)
	case len(fields) > 1:
		return Result{}, errLine
	}
	again, err := appendLine(make([]byte, 0, len(line)+1), row)
	if err != nil || !bytes.Equal(again[:len(again)-1], line) {
		return Result{}, errLine // it reads alike, and is written otherwise
	}
	return row, nil
}

package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"slices"
)

// A stage is a dataset that is being made, in two files: its rows, as [JSONL], and
// a log with a line for each page that says where its rows end. The log decides:
// rows behind its last whole line are not there.
//
// Rows are synced before their line is written, and the line before write returns.
// So of the log only the end of its last line can be torn, and what a line speaks
// of is there.
type stage struct {
	disk       disk
	path, logs string

	lines  []PageReceipt
	size   int64 // of the rows that the lines speak of
	logged int64 // of the log's whole lines

	rows, log file // nil: not open for writing
}

// An entry is a line of the log.
type entry struct {
	Size int64       `json:"size"` // of the rows, this page's among them
	Page PageReceipt `json:"page"`
}

// load reads what is staged at path, and changes nothing.
func load(d disk, path, logs string) (*stage, error) {
	s := &stage{disk: d, path: path, logs: logs}
	text, err := readAll(d, logs, maxLog)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = s.parse(text)
	}
	if err == nil && s.size > 0 {
		err = s.whole()
	}
	return s, err
}

// maxLog is the largest log that is read: of more pages than an export may have.
const maxLog = 4 << 30

// parse takes the whole lines of the log. Its last one may be torn.
func (s *stage) parse(log []byte) error {
	for line := range bytes.Lines(log) {
		e, ok := parseEntry(line)
		if !ok || e.Size < s.size {
			if s.logged+int64(len(line)) == int64(len(log)) {
				return nil
			}
			return s.damaged(s.logs, fmt.Sprintf("line %d is not one of its", len(s.lines)+1))
		}
		s.lines, s.size, s.logged = append(s.lines, e.Page), e.Size, s.logged+int64(len(line))
	}
	return nil
}

// line is e as it stands in the log, behind its checksum.
func (e entry) line() ([]byte, error) {
	text, err := json.Marshal(e)
	return fmt.Appendf(nil, "%08x %s\n", crc32.Checksum(text, castagnoli), text), err
}

func parseEntry(line []byte) (e entry, ok bool) {
	sum, text, _ := bytes.Cut(line, []byte(" "))
	text, ended := bytes.CutSuffix(text, []byte("\n"))
	ok = ended && string(sum) == fmt.Sprintf("%08x", crc32.Checksum(text, castagnoli)) && json.Unmarshal(text, &e) == nil
	return e, ok
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// whole checks that the rows are there that the log speaks of.
func (s *stage) whole() error {
	rows, err := s.disk.open(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return s.damaged(s.path, "it is gone")
	}
	if err != nil {
		return err
	}
	size, err := rows.size()
	if err = errors.Join(err, rows.Close()); err != nil {
		return err
	}
	if size < s.size {
		return s.damaged(s.path, fmt.Sprintf("it has %d bytes of %d", size, s.size))
	}
	return nil
}

func (s *stage) damaged(path, how string) error {
	return &DamagedError{Page: -1, What: path + ": " + how, Do: fmt.Sprintf("to start over, remove %s and %s", s.path, s.logs)}
}

// begin opens the stage for writing, and cuts off what its log does not speak of.
func (s *stage) begin() (err error) {
	if s.log != nil {
		return nil
	}
	if s.rows, err = s.disk.make(s.path); err != nil {
		s.rows = nil
		return err
	}
	if s.log, err = s.disk.make(s.logs); err != nil {
		s.log = nil
		return errors.Join(err, s.close())
	}
	err = errors.Join(s.cut(), s.disk.settle(s.path))
	if err != nil {
		return errors.Join(err, s.close())
	}
	return nil
}

// cut takes the files back to what the lines speak of, the log first.
func (s *stage) cut() error {
	if err := s.log.Truncate(s.logged); err != nil {
		return err
	}
	if err := s.log.Sync(); err != nil {
		return err
	}
	return s.rows.Truncate(s.size)
}

// write keeps a page and its line, both or neither.
func (s *stage) write(line PageReceipt, rows []byte) error {
	e := entry{Size: s.size + int64(len(rows)), Page: line}
	text, err := e.line()
	if err != nil {
		return err
	}
	if err := s.put(rows, text); err != nil {
		return errors.Join(err, s.undo())
	}
	s.lines, s.size, s.logged = append(s.lines, line), e.Size, s.logged+int64(len(text))
	return nil
}

func (s *stage) put(rows, text []byte) error {
	if _, err := s.rows.WriteAt(rows, s.size); err != nil {
		return err
	}
	if err := s.rows.Sync(); err != nil {
		return err
	}
	if _, err := s.log.WriteAt(text, s.logged); err != nil {
		return err
	}
	return s.log.Sync()
}

// undo takes back a page that could not be kept whole, so that whoever reads on
// does not find it. Afterwards the files are to be opened anew: after a sync that
// failed, what a file says it has may not be on the medium.
func (s *stage) undo() error { return errors.Join(s.cut(), s.close()) }

// reset starts over.
func (s *stage) reset() error {
	s.lines, s.size, s.logged = nil, 0, 0
	if err := s.cut(); err != nil {
		return errors.Join(err, s.close())
	}
	return nil
}

// close closes the files, if there are any and they are open.
func (s *stage) close() error {
	if s == nil {
		return nil
	}
	var errs []error
	for _, f := range []file{s.rows, s.log} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	s.rows, s.log = nil, nil
	return errors.Join(errs...)
}

// results reads the rows back.
func (s *stage) results(ctx context.Context) func(func(Result, error) bool) {
	return func(yield func(Result, error) bool) {
		if s.size == 0 {
			return
		}
		decode(ctx, s.disk, s.path, JSONL{}, s.size, yield)
	}
}

// decode yields the rows of the first size bytes of the file at path; -1: of all.
func decode(ctx context.Context, d disk, path string, format Format, size int64, yield func(Result, error) bool) {
	f, err := d.open(path)
	if err != nil {
		yield(Result{}, err)
		return
	}
	defer f.Close() //nolint:errcheck // only read
	if size < 0 {
		if size, err = f.size(); err != nil {
			yield(Result{}, err)
			return
		}
	}
	for row, err := range format.Decode(ctx, f, size) {
		if !yield(row, err) {
			return
		}
	}
}

// readAll reads a file of at most limit bytes.
func readAll(d disk, path string, limit int64) ([]byte, error) {
	f, err := d.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	size, err := f.size()
	if err != nil {
		return nil, err
	}
	if size > limit {
		return nil, &DamagedError{Page: -1, What: fmt.Sprintf("%s has %d bytes, at most %d are read", path, size, limit), Do: "restore it, or remove it"}
	}
	text := make([]byte, size)
	n, err := f.ReadAt(text, 0)
	if errors.Is(err, io.EOF) { // it is shorter by now
		err = nil
	}
	return slices.Clip(text[:n]), err
}

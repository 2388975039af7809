package bolt

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"go.etcd.io/bbolt"

	"github.com/weircrawl/weir/storage"
)

// settle ends the doubt that a failed commit has left: afterwards the file holds
// the acknowledged state and nothing else, and is open again. The caller has the
// turn. If settle fails, for a full disk say, the doubt stays, and the next call
// tries again.
//
// After a failed sync nobody knows which pages are on the disk, and asking again
// gives no answer: the system has marked them clean. What was synced before the
// failed commit is there, since bbolt never overwrites a page of the state before
// the one it writes. So that state is copied, and the file is left behind.
func (s *Store) settle() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.release() // of a file that is not trusted any more
	var err error
	if !s.untouched() {
		err = rewrite(s.path, uint64(s.acked.Load()))
	}
	if err == nil {
		s.db, err = openFile(s.path, os.O_RDWR)
	}
	if err != nil {
		return fmt.Errorf("after a failed commit (%w) the file cannot be settled: %w", s.doubt, noSpace(err))
	}
	s.doubt = nil
	return nil
}

// untouched tells whether the commit failed while it wrote pages, as on a full
// disk, before it came to a sync or to the meta page. Then those pages are still
// free ones, and opening the file again is enough.
func (s *Store) untouched() bool {
	var failed *fs.PathError
	if !errors.As(s.doubt, &failed) || failed.Op != "write" {
		return false
	}
	newest, err := inspectFile(s.path)
	return err == nil && newest.txid == uint64(s.acked.Load())
}

// rewrite replaces the file at path by a copy of the state of transaction txid.
func rewrite(path string, txid uint64) error {
	temporary := path + ".new"
	if err := copyState(path, temporary, txid); err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	if err := checkAll(temporary); err != nil {
		return err
	}
	return replace(temporary, path)
}

func copyState(from, to string, txid uint64) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close() // read only: nothing to lose
	m, err := metaOf(source, txid)
	if err != nil {
		return err
	}
	target, err := os.OpenFile(to, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = m.writeState(target, source)
	if err == nil {
		err = target.Sync()
	}
	return errors.Join(err, target.Close())
}

// metaOf finds the meta page of transaction txid.
func metaOf(f *os.File, txid uint64) (meta, error) {
	info, err := f.Stat()
	if err != nil {
		return meta{}, err
	}
	first, err := readMeta(f, info.Size(), 0, 0)
	if err == nil && first.txid == txid {
		return first, nil
	}
	for pageSize := int64(minPage); pageSize <= maxPage; pageSize *= 2 { // the first one may be the torn one
		if m, err := readMeta(f, info.Size(), 1, pageSize); err == nil && m.pageSize == pageSize && m.txid == txid {
			return m, nil
		}
	}
	return meta{}, corrupt("transaction %d is gone", txid)
}

// writeState writes the pages of m's state. Both metas name it: the one in its
// own place, and one that is older by a transaction in the other's.
func (m meta) writeState(target io.WriterAt, source io.ReaderAt) error {
	for back := range uint64(2) {
		page := m.older(back)
		if _, err := target.WriteAt(page[:], int64((m.txid-back)%2)*m.pageSize); err != nil {
			return err
		}
	}
	start := 2 * m.pageSize
	pages := io.NewSectionReader(source, start, int64(m.pages)*m.pageSize-start)
	_, err := io.Copy(io.NewOffsetWriter(target, start), pages)
	return err
}

// checkAll reads every page of the file at path, which nobody else knows yet.
func checkAll(path string) error {
	if _, err := inspectFile(path); err != nil {
		return err
	}
	db, err := openFile(path, os.O_RDONLY)
	if err != nil {
		return err
	}
	err = guarded(func() error {
		return db.View(func(tx *bbolt.Tx) (first error) {
			for err := range tx.Check() { // to its end, which is when bbolt's goroutine ends
				if first == nil {
					first = fmt.Errorf("%w: %w", storage.ErrCorrupt, err)
				}
			}
			return first
		})
	})
	return errors.Join(err, db.Close())
}

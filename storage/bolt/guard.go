package bolt

import (
	"errors"
	"fmt"
	"runtime/debug"
	"syscall"

	"go.etcd.io/bbolt"

	"github.com/weircrawl/weir/storage"
)

// guarded runs f, which reads the mapped file. bbolt panics on a page that is not
// what it should be, and a page that cannot be read, or lies outside the file, is
// a memory fault: both come back as storage.ErrCorrupt.
func guarded(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", storage.ErrCorrupt, p)
		}
	}()
	return f()
}

// guard is guarded, and remembers the damage: from then on nothing is written.
func (s *Store) guard(f func() error) error {
	if s.stuck.Load() {
		return s.damaged()
	}
	err := guarded(f)
	if errors.Is(err, storage.ErrCorrupt) {
		s.damage.CompareAndSwap(nil, &err)
	}
	return err
}

// begin starts a transaction.
func (s *Store) begin(writable bool) (tx *bbolt.Tx, err error) {
	s.orStuck(func() { tx, err = s.db.Begin(writable) })
	return tx, err
}

// rollback ends a transaction that was not committed; a committed one has ended.
func (s *Store) rollback(tx *bbolt.Tx) {
	s.orStuck(func() { _ = tx.Rollback() }) // fails only if tx has ended
}

// orStuck runs f, in which a panic leaves locks of bbolt behind, on which every
// later call would wait for ever: s is then stuck, and its db not used any more.
func (s *Store) orStuck(f func()) {
	returned := false
	defer func() {
		if !returned {
			s.stuck.Store(true)
		}
	}()
	f()
	returned = true
}

// noSpace adds storage.ErrNoSpace to an error of a full disk or quota.
func noSpace(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w: %w", storage.ErrNoSpace, err)
	}
	return err
}

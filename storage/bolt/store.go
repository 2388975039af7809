package bolt

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/internal/fence"
)

var limits = storage.Limits{Value: 64 << 10, Batch: 64 << 20, Partitions: 1, Exclusive: true, Engine: "bbolt"}

// longAgo is the time of fences whose owners are gone.
var longAgo time.Time

// A Store is one open bbolt file. It is safe for concurrent use.
type Store struct {
	path   string
	lock   *lock
	fences fence.Table // as of the acknowledged transaction
	acked  atomic.Int64
	damage atomic.Pointer[error] // what was found; from then on nothing is written
	commit func(*bbolt.Tx) error // (*bbolt.Tx).Commit; tests let it fail

	// turn is held by the Claim, Commit, repair or Close in progress, and guards
	// the fields below it.
	turn  chan struct{}
	doubt error // of the commit that failed since the file was last settled
	batch batch

	// mu is read-locked while db is used, and locked while it is exchanged.
	mu     sync.RWMutex
	closed bool
	db     *bbolt.DB // nil if it could not be opened again
	stuck  atomic.Bool
}

// Claim implements storage.Store.
func (s *Store) Claim(ctx context.Context, want storage.Fence) (storage.Fence, error) {
	f, err := s.claim(ctx, want)
	if err != nil {
		err = fmt.Errorf("bolt: claim: %w", err)
	}
	return f, err
}

func (s *Store) claim(ctx context.Context, want storage.Fence) (storage.Fence, error) {
	if err := want.Check(); err != nil {
		return storage.Fence{}, err
	}
	if err := s.take(ctx); err != nil {
		return storage.Fence{}, err
	}
	defer s.give()
	f, err := s.fences.Claim(want, time.Now())
	if err != nil {
		return f, err
	}
	return f, s.write(f, nil)
}

// Commit implements storage.Store.
func (s *Store) Commit(ctx context.Context, f storage.Fence, ops []storage.Op) error {
	if err := s.commitNext(ctx, f, ops); err != nil {
		return fmt.Errorf("bolt: commit: %w", err)
	}
	return nil
}

func (s *Store) commitNext(ctx context.Context, f storage.Fence, ops []storage.Op) error {
	if err := limits.CheckCommit(f, ops); err != nil {
		return err
	}
	if err := s.take(ctx); err != nil {
		return err
	}
	defer s.give()
	next, err := s.fences.Commit(f, time.Now())
	if err != nil {
		return err
	}
	return s.write(next, ops)
}

// Fences implements storage.Store.
func (s *Store) Fences(ctx context.Context, prefix string) ([]storage.Fence, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, fmt.Errorf("bolt: fences: %w", storage.ErrClosed)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("bolt: fences: %w", err)
	}
	return s.fences.List(prefix, time.Now()), nil
}

// Limits implements storage.Store.
func (s *Store) Limits() storage.Limits { return limits }

// Close implements storage.Store. If a commit has failed and the file cannot be
// settled even now, Close frees everything and says so: the next Open finds that
// commit applied or not.
func (s *Store) Close() error {
	s.turn <- struct{}{}
	defer s.give()
	if s.isClosed() {
		return nil
	}
	var err error
	if s.doubt != nil && s.damaged() == nil {
		err = s.settle()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	err = errors.Join(err, s.release())
	s.lock.release()
	if err != nil {
		return fmt.Errorf("bolt: close %s: %w", s.path, err)
	}
	return nil
}

// release closes the bbolt file. One that a panic has left locked would wait for
// ever; it is left to the end of the process.
func (s *Store) release() error {
	db := s.db
	s.db = nil
	if db == nil || s.stuck.Load() {
		return nil
	}
	return db.Close()
}

func (s *Store) isClosed() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.closed
}

// take waits for the turn, and makes sure that the file may be written.
func (s *Store) take(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := s.ready(ctx); err != nil {
		s.give()
		return err
	}
	return nil
}

func (s *Store) give() { <-s.turn }

func (s *Store) ready(ctx context.Context) error {
	if s.isClosed() {
		return storage.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.damaged(); err != nil {
		return err
	}
	if s.doubt != nil {
		return s.settle()
	}
	return nil
}

// damaged returns the damage that was found, if any.
func (s *Store) damaged() error {
	if found := s.damage.Load(); found != nil {
		return *found
	}
	return nil
}

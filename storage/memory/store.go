package memory

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/tidwall/btree"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/internal/fence"
)

// limits are those of storage/bolt, so that a test in memory refuses what the
// default store would refuse.
var limits = storage.Limits{Value: 64 << 10, Batch: 64 << 20, Partitions: 1, Exclusive: true, Engine: "memory"}

// A Store keeps everything in memory. It is safe for concurrent use.
type Store struct {
	mu     sync.RWMutex
	closed bool
	spaces map[string]*space // nil once another Store holds them
	fences *fence.Table
	shelf  shelf
}

// space is the ordered set of keys of one storage.Space.
type space = btree.Map[string, []byte]

// New returns an empty, open Store.
func New() *Store {
	return &Store{spaces: map[string]*space{}, fences: &fence.Table{}, shelf: newShelf()}
}

// Claim implements storage.Store.
func (s *Store) Claim(ctx context.Context, want storage.Fence) (storage.Fence, error) {
	if err := want.Check(); err != nil {
		return storage.Fence{}, fmt.Errorf("memory: claim: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return storage.Fence{}, fmt.Errorf("memory: claim: %w", err)
	}
	now := time.Now()
	f, err := s.fences.Claim(want, now)
	if err != nil {
		return f, fmt.Errorf("memory: claim: %w", err)
	}
	s.fences.Set(f, now)
	return f, nil
}

// Read implements storage.Store.
func (s *Store) Read(ctx context.Context, requests ...storage.ReadRequest) ([]storage.ReadResult, error) {
	for _, r := range requests {
		if err := r.Check(); err != nil {
			return nil, fmt.Errorf("memory: read: %w", err)
		}
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, fmt.Errorf("memory: read: %w", err)
	}
	results := make([]storage.ReadResult, len(requests))
	for i, r := range requests {
		if keys := s.space(r.Space); r.Keys != nil {
			results[i] = points(keys, r)
		} else {
			results[i] = pairs(keys, r)
		}
	}
	return results, nil
}

// space returns the keys of sp, none if it was never written.
func (s *Store) space(sp storage.Space) *space {
	if keys := s.spaces[sp.Name]; keys != nil {
		return keys
	}
	return &space{}
}

func points(keys *space, r storage.ReadRequest) storage.ReadResult {
	result := storage.ReadResult{Keys: r.Keys, Values: make([][]byte, len(r.Keys))}
	for i, k := range r.Keys {
		if v, ok := keys.Get(string(k)); ok {
			result.Values[i] = bytes.Clone(v)
		}
	}
	return result
}

func pairs(keys *space, r storage.ReadRequest) (result storage.ReadResult) {
	keys.Ascend(string(r.From), func(k string, v []byte) bool {
		if len(result.Keys) == r.Limit || r.To != nil && k >= string(r.To) {
			return false
		}
		result.Keys = append(result.Keys, []byte(k))
		result.Values = append(result.Values, bytes.Clone(v))
		return true
	})
	return result
}

// Commit implements storage.Store.
func (s *Store) Commit(ctx context.Context, f storage.Fence, ops []storage.Op) error {
	if err := limits.CheckCommit(f, ops); err != nil {
		return fmt.Errorf("memory: commit: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return fmt.Errorf("memory: commit: %w", err)
	}
	now := time.Now()
	next, err := s.fences.Commit(f, now)
	if err != nil {
		return fmt.Errorf("memory: commit: %w", err)
	}
	for _, op := range ops {
		s.apply(op)
	}
	s.fences.Set(next, now)
	return nil
}

func (s *Store) apply(op storage.Op) {
	keys := s.spaces[op.Space.Name]
	if keys == nil {
		keys = &space{}
		s.spaces[op.Space.Name] = keys
	}
	if op.Delete {
		keys.Delete(string(op.Key))
		return
	}
	keys.Set(string(op.Key), append([]byte{}, op.Value...)) // never nil: an empty value is a value
}

// Fences implements storage.Store.
func (s *Store) Fences(ctx context.Context, prefix string) ([]storage.Fence, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, fmt.Errorf("memory: fences: %w", err)
	}
	return s.fences.List(prefix, time.Now()), nil
}

// Limits implements storage.Store.
func (s *Store) Limits() storage.Limits { return limits }

// Close implements storage.Store and storage.ArtifactSink. What the store holds
// stays for Reopen.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.shelf.sync()
		s.closed = true
	}
	return nil
}

// Reopen opens what a closed store held: it returns a new Store with all of it,
// and with every fence free, because their owners are gone. s itself stays
// closed. A store that is still open, or was reopened before, is ErrLocked.
func (s *Store) Reopen() (*Store, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed || s.spaces == nil {
		return nil, fmt.Errorf("memory: reopen: %w by this process: close it, and reopen it once", storage.ErrLocked)
	}
	next := &Store{spaces: s.spaces, fences: s.fences, shelf: s.shelf}
	s.spaces, s.fences, s.shelf = nil, nil, shelf{}
	next.fences.Free()
	return next, nil
}

// Crash closes the store as a power loss would: every artifact that was appended
// since the last Sync is gone. What was committed stays.
func (s *Store) Crash() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shelf.drop()
	s.closed = true
}

// usable tells why no call can be served.
func (s *Store) usable(ctx context.Context) error {
	if s.closed {
		return storage.ErrClosed
	}
	return ctx.Err()
}

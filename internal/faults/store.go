package faults

import (
	"context"
	"sync/atomic"

	"github.com/weircrawl/weir/storage"
)

// A StorePoint is a boundary of a call to a store.
type StorePoint int

const (
	BeforeClaim StorePoint = iota // the fence is as it was
	AfterClaim                    // claimed, the caller does not know it yet
	BeforeRead
	AfterRead
	BeforeCommit // nothing is written yet
	AfterCommit  // durable, the caller does not know it yet
	BeforeFences
	AfterFences
	storePoints int = iota
)

// A Store is a store whose calls may fail, wait, or end the process at their
// boundaries.
type Store struct {
	storage.Store

	at     func(ctx context.Context, p StorePoint, n int64) error
	passed [storePoints]atomic.Int64
}

// NewStore wraps s. At every boundary p it calls at, with n = 1 for the first
// time; at may block, never return, or return an error. An error before a call
// is answered instead of making it; an error after a call is answered although
// it took effect, and with it nothing else that the call returned. A call that
// fails by itself has no boundary after it. Close and Limits have none.
func NewStore(s storage.Store, at func(ctx context.Context, p StorePoint, n int64) error) *Store {
	return &Store{Store: s, at: at}
}

// NthStore returns a function for NewStore that calls do at p the n-th time, and
// does nothing at all other times.
func NthStore(p StorePoint, n int64, do func(context.Context) error) func(context.Context, StorePoint, int64) error {
	return when(p, func(passed int64) bool { return passed == n }, do)
}

// FromNthStore is NthStore for the n-th time and all later ones.
func FromNthStore(p StorePoint, n int64, do func(context.Context) error) func(context.Context, StorePoint, int64) error {
	return when(p, func(passed int64) bool { return passed >= n }, do)
}

// Claim implements storage.Store.
func (s *Store) Claim(ctx context.Context, want storage.Fence) (storage.Fence, error) {
	return around(ctx, s, BeforeClaim, AfterClaim, func() (storage.Fence, error) { return s.Store.Claim(ctx, want) })
}

// Read implements storage.Store.
func (s *Store) Read(ctx context.Context, requests ...storage.ReadRequest) ([]storage.ReadResult, error) {
	return around(ctx, s, BeforeRead, AfterRead, func() ([]storage.ReadResult, error) { return s.Store.Read(ctx, requests...) })
}

// Commit implements storage.Store.
func (s *Store) Commit(ctx context.Context, f storage.Fence, ops []storage.Op) error {
	_, err := around(ctx, s, BeforeCommit, AfterCommit, func() (struct{}, error) { return struct{}{}, s.Store.Commit(ctx, f, ops) })
	return err
}

// Fences implements storage.Store.
func (s *Store) Fences(ctx context.Context, prefix string) ([]storage.Fence, error) {
	return around(ctx, s, BeforeFences, AfterFences, func() ([]storage.Fence, error) { return s.Store.Fences(ctx, prefix) })
}

// around makes call between two boundaries. The answer of a call that fails by
// itself is the store's own: with ErrHeld comes the fence.
func around[T any](ctx context.Context, s *Store, before, after StorePoint, call func() (T, error)) (none T, err error) {
	if err := s.pass(ctx, before); err != nil {
		return none, err
	}
	answer, err := call()
	if err != nil {
		return answer, err
	}
	if err := s.pass(ctx, after); err != nil {
		return none, err
	}
	return answer, nil
}

func (s *Store) pass(ctx context.Context, p StorePoint) error {
	return s.at(ctx, p, s.passed[p].Add(1))
}

package storetest_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync"
	"time"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
)

func lifeControls() []control {
	forgetful := func(*disk) (storage.Store, error) { return memory.New(), nil }
	return []control{
		{"what was committed outlasts Close", "nothing is written", forgetful},
		{"generations go on after opening again", "generations begin anew", forgetful},
		{"opening frees every fence of an exclusive store, and of no other", "fences stay held",
			func(d *disk) (storage.Store, error) {
				s, err := d.open()
				if err != nil {
					return nil, err
				}
				list, _ := s.Fences(ctx, "")
				for _, f := range list {
					f.TTL = time.Hour
					_, _ = s.Claim(ctx, f)
				}
				return s, nil
			}},
		wrap("opening frees every fence of an exclusive store, and of no other", "a shared store frees them too",
			func(s *memory.Store) storage.Store {
				return &broken{Store: s, limits: func() storage.Limits {
					l := s.Limits()
					l.Exclusive = false
					return l
				}}
			}),
		{"S-O3 an exclusive store cannot be opened twice", "it can",
			func(d *disk) (storage.Store, error) {
				s, err := d.open()
				if err != nil {
					return d.current(), nil
				}
				return s, nil
			}},
		wrap("after Close every method answers ErrClosed", "Close does nothing",
			func(s *memory.Store) storage.Store {
				return &broken{Store: s, close: func() error { return nil }}
			}),
		wrap("after Close every method answers ErrClosed", "closing twice is an error",
			func(s *memory.Store) storage.Store {
				var once sync.Once
				return &broken{Store: s, close: func() error {
					err := errors.New("closed twice")
					once.Do(func() { err = s.Close() })
					return err
				}}
			}),
		wrap("after Close every method answers ErrClosed", "fences are listed for ever",
			func(s *memory.Store) storage.Store {
				return &broken{Store: s, fences: func(context.Context, string) ([]storage.Fence, error) { return nil, nil }}
			}),
		{"Close waits for calls in progress", "a commit goes on after Close",
			func(d *disk) (storage.Store, error) {
				s, err := d.open()
				if err != nil {
					return nil, err
				}
				return &broken{Store: s, commit: func(ctx context.Context, f storage.Fence, ops []storage.Op) error {
					if _, err := s.Fences(ctx, ""); err != nil {
						return err
					}
					time.Sleep(time.Millisecond)
					return d.current().Commit(ctx, f, ops)
				}}, nil
			}},
		wrap("a context that has ended leaves the store as it is", "contexts are ignored",
			func(s *memory.Store) storage.Store {
				return &broken{Store: s, commit: func(_ context.Context, f storage.Fence, ops []storage.Op) error {
					return s.Commit(ctx, f, ops)
				}}
			}),
		wrap("a context that has ended leaves the store as it is", "a commit is made first",
			func(s *memory.Store) storage.Store {
				return &broken{Store: s, commit: func(given context.Context, f storage.Fence, ops []storage.Op) error {
					return errors.Join(s.Commit(ctx, f, ops), given.Err())
				}}
			}),
	}
}

func raceControls() []control {
	return []control{
		onClaim("of many who claim a free fence, one gets it", "it looks before it claims",
			func(s *memory.Store, ctx context.Context, want storage.Fence) (storage.Fence, error) {
				if now := fenceOf(s, want.Name); now.TTL > 0 {
					return now, storage.ErrHeld
				}
				time.Sleep(time.Millisecond)
				f, err := s.Claim(ctx, want)
				if err != nil {
					f.TTL = 0
					_, _ = s.Claim(ctx, f)
					return s.Claim(ctx, want)
				}
				return f, err
			}),
		onCommit("of many who commit the same sequence, one succeeds", "it compares before it commits", comparesFirst),
		onCommit("once a claim has returned, no older commit succeeds or is in flight", "it compares before it commits", comparesFirst),
		wrap("concurrent owners lose nothing", "of two commits at once one is dropped",
			func(s *memory.Store) storage.Store {
				var busy sync.Mutex
				return &broken{Store: s, commit: func(ctx context.Context, f storage.Fence, ops []storage.Op) error {
					if busy.TryLock() {
						defer busy.Unlock()
						runtime.Gosched()
						time.Sleep(10 * time.Microsecond)
						return s.Commit(ctx, f, ops)
					}
					return s.Commit(ctx, f, nil)
				}}
			}),
		onCommit("a commit of unknown outcome was applied whole, or never will be", "it is applied later",
			slow(func(s *memory.Store, f storage.Fence, ops []storage.Op) {
				time.AfterFunc(5*time.Millisecond, func() { _ = force(s, f, ops) })
			})),
		onCommit("a commit of unknown outcome was applied whole, or never will be", "half of it is applied",
			slow(func(s *memory.Store, f storage.Fence, ops []storage.Op) { _ = s.Commit(ctx, f, ops[:len(ops)/2]) })),
		onCommit("a commit of unknown outcome was applied whole, or never will be", "its ops are applied without the sequence",
			slow(func(s *memory.Store, f storage.Fence, ops []storage.Op) {
				other := storage.Fence{Name: "x", Owner: "x", TTL: math.MaxInt64}
				_, _ = s.Claim(ctx, other)
				_ = force(s, other, ops)
			})),
		onCommit("a commit of unknown outcome was applied whole, or never will be", "it says that nothing was applied",
			func(s *memory.Store, given context.Context, f storage.Fence, ops []storage.Op) error {
				time.Sleep(500 * time.Microsecond)
				err := s.Commit(ctx, f, ops)
				if given.Err() != nil {
					return storage.ErrFenced
				}
				return err
			}),
		onAnswer("a random history gives what storage/memory gives", "a range of one key is empty",
			func(r []storage.ReadRequest, results []storage.ReadResult) {
				for i := range results {
					if r[i].Keys == nil && r[i].Limit == 1 {
						results[i] = storage.ReadResult{}
					}
				}
			}),
	}
}

// comparesFirst commits what was the next sequence a moment ago.
func comparesFirst(s *memory.Store, _ context.Context, f storage.Fence, ops []storage.Op) error {
	if now := fenceOf(s, f.Name); f.Generation != now.Generation || f.Sequence != now.Sequence+1 {
		return storage.ErrFenced
	}
	time.Sleep(time.Millisecond)
	return force(s, f, ops)
}

// slow is a commit that takes half a millisecond; if its context ends meanwhile,
// it gives up in the way of the fault.
func slow(fault func(s *memory.Store, f storage.Fence, ops []storage.Op)) commitFault {
	return func(s *memory.Store, given context.Context, f storage.Fence, ops []storage.Op) error {
		time.Sleep(500 * time.Microsecond)
		if err := given.Err(); err != nil {
			fault(s, f, ops)
			return err
		}
		return s.Commit(ctx, f, ops)
	}
}

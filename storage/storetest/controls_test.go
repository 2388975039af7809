package storetest_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
)

func allControls() []control {
	return slices.Concat(fenceControls(), commitControls(), readControls(), sliceControls(), lifeControls(), raceControls())
}

func fenceControls() []control {
	return []control{
		onClaim("a new fence begins at sequence zero with an empty value", "a claim takes the claimant's sequence",
			func(s *memory.Store, ctx context.Context, want storage.Fence) (storage.Fence, error) {
				f, err := s.Claim(ctx, want)
				f.Sequence += want.Sequence
				return f, err
			}),
		onClaim("every claim raises the generation and keeps sequence and value", "a claim drops the value",
			func(s *memory.Store, ctx context.Context, want storage.Fence) (storage.Fence, error) {
				f, err := s.Claim(ctx, want)
				f.Value = nil
				return f, err
			}),
		onClaim("a held fence is given to nobody else", "anybody may give a fence up",
			func(s *memory.Store, ctx context.Context, want storage.Fence) (storage.Fence, error) {
				if want.TTL == 0 {
					want.Owner = fenceOf(s, want.Name).Owner
				}
				return s.Claim(ctx, want)
			}),
		onClaim("a held fence is given to nobody else", "a refusal does not say who holds the fence",
			func(s *memory.Store, ctx context.Context, want storage.Fence) (storage.Fence, error) {
				f, err := s.Claim(ctx, want)
				if err != nil {
					return storage.Fence{}, err
				}
				return f, nil
			}),
		onCommit("the owner may claim again", "an older generation of the same owner commits",
			func(s *memory.Store, ctx context.Context, f storage.Fence, ops []storage.Op) error {
				f.Generation = fenceOf(s, f.Name).Generation
				return s.Commit(ctx, f, ops)
			}),
		onClaim("a claim with a zero TTL gives the fence up", "a zero TTL is the default one",
			func(s *memory.Store, ctx context.Context, want storage.Fence) (storage.Fence, error) {
				want.TTL = max(want.TTL, time.Minute)
				return s.Claim(ctx, want)
			}),
		onCommit("a commit with a zero TTL gives the fence up", "a zero TTL is the default one",
			func(s *memory.Store, ctx context.Context, f storage.Fence, ops []storage.Op) error {
				f.TTL = max(f.TTL, time.Minute)
				return s.Commit(ctx, f, ops)
			}),
		onClaim("a fence expires by its TTL, never earlier", "it expires after half its TTL",
			func(s *memory.Store, ctx context.Context, want storage.Fence) (storage.Fence, error) {
				want.TTL /= 2
				return s.Claim(ctx, want)
			}),
		onCommit("a commit renews the TTL", "only a claim sets the TTL",
			func(s *memory.Store, ctx context.Context, f storage.Fence, ops []storage.Op) error {
				f.TTL = fenceOf(s, f.Name).TTL
				return s.Commit(ctx, f, ops)
			}),
		onCommit("an expired fence that nobody claimed still commits", "an expired fence is fenced off",
			func(s *memory.Store, ctx context.Context, f storage.Fence, ops []storage.Op) error {
				if fenceOf(s, f.Name).TTL == 0 {
					return storage.ErrFenced
				}
				return s.Commit(ctx, f, ops)
			}),
		onFences("fences are listed by prefix and name", "they come in another order",
			func(list []storage.Fence) []storage.Fence { slices.Reverse(list); return list }),
		onFences("fences are listed by prefix and name", "the last is left out",
			func(list []storage.Fence) []storage.Fence { return list[:max(len(list)-1, 0)] }),
		onFences("fences are listed by prefix and name", "what remains can be negative",
			func(list []storage.Fence) []storage.Fence {
				for i := range list {
					if list[i].TTL == 0 {
						list[i].TTL = -1
					}
				}
				return list
			}),
		onClaim("names of fences and owners are bounded", "a long name is cut",
			func(s *memory.Store, ctx context.Context, want storage.Fence) (storage.Fence, error) {
				want.Name = want.Name[:min(len(want.Name), 64)]
				return s.Claim(ctx, want)
			}),
		onCommit("names of fences and owners are bounded", "a long value is cut",
			func(s *memory.Store, ctx context.Context, f storage.Fence, ops []storage.Op) error {
				f.Value = f.Value[:min(len(f.Value), 1024)]
				return s.Commit(ctx, f, ops)
			}),
	}
}

func commitControls() []control {
	return []control{
		wrap("limits are at least the contract's, and constant", "a value may have 32 KiB",
			func(s *memory.Store) storage.Store {
				return &broken{Store: s, limits: func() storage.Limits { return storage.Limits{Value: 32 << 10, Batch: 1 << 20, Partitions: 1} }}
			}),
		onCommit("only the next sequence of the current generation commits", "a sequence may be left out",
			func(s *memory.Store, ctx context.Context, f storage.Fence, ops []storage.Op) error {
				f.Sequence = min(f.Sequence, fenceOf(s, f.Name).Sequence+1)
				return s.Commit(ctx, f, ops)
			}),
		onCommit("only the next sequence of the current generation commits", "a sequence may be repeated",
			func(s *memory.Store, ctx context.Context, f storage.Fence, ops []storage.Op) error {
				if now := fenceOf(s, f.Name); f.Sequence == now.Sequence && f.Generation == now.Generation {
					return nil
				}
				return s.Commit(ctx, f, ops)
			}),
		onCommit("a fence that nobody claimed does not commit", "the first commit claims",
			func(s *memory.Store, ctx context.Context, f storage.Fence, ops []storage.Op) error {
				if fenceOf(s, f.Name).Generation == 0 {
					if _, err := s.Claim(ctx, f); err != nil {
						return err
					}
				}
				return s.Commit(ctx, f, ops)
			}),
		onCommit("a refused commit applies nothing", "what comes before the fault is applied",
			func(s *memory.Store, ctx context.Context, f storage.Fence, ops []storage.Op) error {
				err := s.Commit(ctx, f, ops)
				if errors.Is(err, storage.ErrTooLarge) {
					_ = s.Commit(ctx, f, ops[:len(ops)-1])
				}
				return err
			}),
		onCommit("ops are applied in order", "they are applied backwards",
			func(s *memory.Store, ctx context.Context, f storage.Fence, ops []storage.Op) error {
				ops = slices.Clone(ops)
				slices.Reverse(ops)
				return s.Commit(ctx, f, ops)
			}),
		onCommit("ops are applied in order", "removals come first",
			func(s *memory.Store, ctx context.Context, f storage.Fence, ops []storage.Op) error {
				var puts, deletes []storage.Op
				for _, op := range ops {
					if op.Delete {
						deletes = append(deletes, op)
					} else {
						puts = append(puts, op)
					}
				}
				return s.Commit(ctx, f, append(deletes, puts...))
			}),
		onCommit("an op touches its own space alone", "names of spaces are cut",
			changed(func(op *storage.Op) { op.Space.Name = op.Space.Name[:min(len(op.Space.Name), 6)] })),
		onCommit("the use of a space changes no result", "growing spaces keep what is removed",
			changed(func(op *storage.Op) { op.Delete = op.Delete && op.Space.Use != storage.Append })),
		onCommit("an empty value is a value, and removing what is absent is no error", "an empty value removes",
			changed(func(op *storage.Op) { op.Delete = len(op.Value) == 0 })),
		onAnswer("an empty value is a value, and removing what is absent is no error", "an empty value comes back as nil",
			func(_ []storage.ReadRequest, results []storage.ReadResult) {
				for _, r := range results {
					for i, v := range r.Values {
						if len(v) == 0 {
							r.Values[i] = nil
						}
					}
				}
			}),
		onCommit("keys of 1 to 256 bytes and names of a-z are taken, no others", "a long key is cut",
			changed(func(op *storage.Op) { op.Key = op.Key[:min(len(op.Key), 256)] })),
		onCommit("keys of 1 to 256 bytes and names of a-z are taken, no others", "keys have 255 bytes at most",
			func(s *memory.Store, ctx context.Context, f storage.Fence, ops []storage.Op) error {
				for _, op := range ops {
					if len(op.Key) > 255 {
						return storage.ErrTooLarge
					}
				}
				return s.Commit(ctx, f, ops)
			}),
		onCommit("the largest value and the largest batch are taken, no larger", "a batch has no limit",
			func(s *memory.Store, ctx context.Context, f storage.Fence, ops []storage.Op) error {
				err := s.Commit(ctx, f, ops)
				if errors.Is(err, storage.ErrTooLarge) {
					return s.Commit(ctx, f, ops[1:])
				}
				return err
			}),
		onCommit("the largest value and the largest batch are taken, no larger", "the largest value loses its end",
			changed(func(op *storage.Op) { op.Value = op.Value[:min(len(op.Value), 64<<10-1)] })),
	}
}

// changed is a commit that changes each op first.
func changed(do func(op *storage.Op)) commitFault {
	return func(s *memory.Store, ctx context.Context, f storage.Fence, ops []storage.Op) error {
		ops = slices.Clone(ops)
		for i := range ops {
			do(&ops[i])
		}
		return s.Commit(ctx, f, ops)
	}
}

func readControls() []control {
	return []control{
		onAnswer("a space that was never written is empty", "an absent point is an empty value",
			func(_ []storage.ReadRequest, results []storage.ReadResult) {
				for _, r := range results {
					for i := range r.Values {
						r.Values[i] = append([]byte{}, r.Values[i]...)
					}
				}
			}),
		onAnswer("points come as they were asked for", "they come by key",
			func(_ []storage.ReadRequest, results []storage.ReadResult) {
				for i := range results {
					results[i].Keys = slices.Clone(results[i].Keys)
					slices.SortFunc(results[i].Keys, bytes.Compare)
				}
			}),
		onAnswer("points come as they were asked for", "the last is forgotten",
			func(_ []storage.ReadRequest, results []storage.ReadResult) {
				for _, r := range results {
					if n := len(r.Values); n > 5 {
						r.Values[n-1] = nil
					}
				}
			}),
		onAsk("a range is ascending, from From, below To, at most Limit", "To is included",
			func(r []storage.ReadRequest) {
				for i := range r {
					if r[i].To != nil {
						r[i].To = append(slices.Clone(r[i].To), 0)
					}
				}
			}),
		onAsk("a range is ascending, from From, below To, at most Limit", "From is excluded",
			func(r []storage.ReadRequest) {
				for i := range r {
					if r[i].From != nil {
						r[i].From = append(slices.Clone(r[i].From), 0)
					}
				}
			}),
		onAsk("a range is ascending, from From, below To, at most Limit", "one more than Limit comes",
			func(r []storage.ReadRequest) {
				for i := range r {
					r[i].Limit++
				}
			}),
		onAsk("a range is ascending, from From, below To, at most Limit", "an empty To is no bound",
			func(r []storage.ReadRequest) {
				for i := range r {
					if len(r[i].To) == 0 {
						r[i].To = nil
					}
				}
			}),
		onAnswer("keys are ordered by their bytes", "they are ordered as letters",
			func(_ []storage.ReadRequest, results []storage.ReadResult) {
				for _, r := range results {
					slices.SortFunc(r.Keys, func(a, b []byte) int { return strings.Compare(strings.ToLower(string(a)), strings.ToLower(string(b))) })
				}
			}),
		onAsk("a request without a limit or a valid space is refused", "no limit is some limit",
			func(r []storage.ReadRequest) {
				for i := range r {
					r[i].Limit = max(r[i].Limit, 1)
				}
			}),
		onAnswer("requests are answered in order", "the last comes first",
			func(_ []storage.ReadRequest, results []storage.ReadResult) { slices.Reverse(results) }),
		wrap("one read sees one snapshot, and of a commit all or nothing", "each request has its own snapshot",
			func(s *memory.Store) storage.Store {
				return &broken{Store: s, read: func(ctx context.Context, r []storage.ReadRequest) (all []storage.ReadResult, err error) {
					for _, one := range r {
						result, err := s.Read(ctx, one)
						if err != nil {
							return nil, err
						}
						all = append(all, result...)
						time.Sleep(50 * time.Microsecond)
					}
					return all, nil
				}}
			}),
		onCommit("one read sees one snapshot, and of a commit all or nothing", "a commit is applied in two halves",
			func(s *memory.Store, ctx context.Context, f storage.Fence, ops []storage.Op) error {
				now := fenceOf(s, f.Name)
				if f.Generation == now.Generation && f.Sequence == now.Sequence+1 && len(ops) > 1 {
					half := f
					half.Name = "other half"
					_, _ = s.Claim(ctx, half)
					_ = force(s, half, ops[:len(ops)/2])
					time.Sleep(200 * time.Microsecond)
				}
				return s.Commit(ctx, f, ops)
			}),
	}
}

func sliceControls() []control {
	return []control{
		wrap("what was given stays the caller's: keys and values", "values are kept as they were given", keepsValues),
		wrap("what was given stays the caller's: the value of a fence", "it is kept as it was given",
			func(s *memory.Store) storage.Store {
				var kept []byte
				return &broken{
					Store: s,
					commit: func(ctx context.Context, f storage.Fence, ops []storage.Op) error {
						kept = f.Value
						return s.Commit(ctx, f, ops)
					},
					fences: func(ctx context.Context, prefix string) ([]storage.Fence, error) {
						list, err := s.Fences(ctx, prefix)
						for i := range list {
							list[i].Value = kept
						}
						return list, err
					},
				}
			}),
		onCommit("nothing that was given is changed", "ops are sorted where they are",
			func(s *memory.Store, ctx context.Context, f storage.Fence, ops []storage.Op) error {
				slices.SortStableFunc(ops, func(a, b storage.Op) int { return bytes.Compare(a.Key, b.Key) })
				return s.Commit(ctx, f, ops)
			}),
		onCommit("nothing that was given is changed", "a checksum is appended to values",
			func(s *memory.Store, ctx context.Context, f storage.Fence, ops []storage.Op) error {
				err := s.Commit(ctx, f, ops)
				for _, op := range ops {
					_ = append(op.Value, 1, 2, 3, 4)
				}
				return err
			}),
		onCommit("nothing that was given is changed", "a suffix is appended to the value of a fence",
			func(s *memory.Store, ctx context.Context, f storage.Fence, ops []storage.Op) error {
				err := s.Commit(ctx, f, ops)
				_ = append(f.Value, 1)
				return err
			}),
		onAsk("nothing that was given is changed", "a suffix is appended to keys that are read",
			func(r []storage.ReadRequest) {
				for i := range r {
					for _, k := range r[i].Keys {
						_ = append(k, 1)
					}
				}
			}),
		wrap("what is returned belongs to the caller: pairs and points", "values are those of a cache",
			func(s *memory.Store) storage.Store {
				cache := map[string][]byte{}
				return &broken{Store: s, read: func(ctx context.Context, r []storage.ReadRequest) ([]storage.ReadResult, error) {
					results, err := s.Read(ctx, r...)
					for _, result := range results {
						for i, k := range result.Keys {
							if v, ok := cache[string(k)]; ok {
								result.Values[i] = v
							}
							cache[string(k)] = result.Values[i]
						}
					}
					return results, err
				}}
			}),
		onAnswer("what is returned belongs to the caller: pairs and points", "values reach into each other",
			func(_ []storage.ReadRequest, results []storage.ReadResult) {
				for _, r := range results {
					var all []byte
					for _, v := range r.Values {
						all = append(all, v...)
					}
					for i, v := range r.Values {
						r.Values[i], all = all[:len(v)], all[len(v):]
					}
				}
			}),
		wrap("what is returned belongs to the caller: the value of a fence", "it is that of a cache",
			func(s *memory.Store) storage.Store {
				var cache []byte
				return &broken{Store: s, fences: func(ctx context.Context, prefix string) ([]storage.Fence, error) {
					list, err := s.Fences(ctx, prefix)
					for i := range list {
						if cache == nil {
							cache = list[i].Value
						}
						list[i].Value = cache
					}
					return list, err
				}}
			}),
	}
}

// keepsValues answers with the very slices that it was given.
func keepsValues(s *memory.Store) storage.Store {
	kept := map[string][]byte{}
	return &broken{
		Store: s,
		commit: func(ctx context.Context, f storage.Fence, ops []storage.Op) error {
			for _, op := range ops {
				kept[op.Space.Name+"/"+string(op.Key)] = op.Value
			}
			return s.Commit(ctx, f, ops)
		},
		read: func(ctx context.Context, r []storage.ReadRequest) ([]storage.ReadResult, error) {
			results, err := s.Read(ctx, r...)
			for i, result := range results {
				for n, k := range result.Keys {
					if result.Values[n] != nil {
						result.Values[n] = kept[r[i].Space.Name+"/"+string(k)]
					}
				}
			}
			return results, err
		},
	}
}

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

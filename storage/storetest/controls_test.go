package storetest_test

import (
	"context"
	"errors"
	"slices"
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

package storetest_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
)

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

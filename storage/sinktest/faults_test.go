package sinktest

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/weircrawl/weir/storage"
)

var errWrong = errors.New("a wrong sink's error")

// faults holds, for each check, sinks that break its clause.
var faults = map[string][]func(s storage.ArtifactSink) storage.ArtifactSink{
	"what was appended is what Open returns": {
		changed(func(a *storage.Artifact) { a.URL = strings.ToValidUTF8(a.URL, "?") }),
		changed(func(a *storage.Artifact) { a.Type = strings.TrimSpace(a.Type) }),
		changed(func(a *storage.Artifact) { a.Truncated = "" }),
		changed(func(a *storage.Artifact) { a.Time = a.Time.Truncate(time.Millisecond) }),
		changed(func(a *storage.Artifact) { a.Request = nil }),
		changed(func(a *storage.Artifact) { a.Header = []byte(strings.TrimSpace(string(a.Header))) }),
		changed(func(a *storage.Artifact) { a.Body = a.Body[:min(len(a.Body), 1<<20)] }),
	},
	"an artifact can be opened before it is synced": {
		func(s storage.ArtifactSink) storage.ArtifactSink {
			synced := false
			return &wrong{ArtifactSink: s,
				sync: func(ctx context.Context) error { synced = true; return s.Sync(ctx) },
				open: func(ctx context.Context, r storage.Ref) (storage.Artifact, error) {
					if !synced {
						return storage.Artifact{}, storage.ErrCorrupt
					}
					return s.Open(ctx, r)
				}}
		},
	},
	"a reference fits its bounds and carries the payload's digest": {
		referring(func(_ storage.Artifact, r storage.Ref) storage.Ref { r.Segment = strings.Repeat("s", 129); return r }),
		referring(func(a storage.Artifact, r storage.Ref) storage.Ref { r.Digest = storage.Sum(a.Header); return r }),
		referring(func(storage.Artifact, storage.Ref) storage.Ref { return storage.Ref{} }),
		referring(func(a storage.Artifact, _ storage.Ref) storage.Ref { return storage.Ref{Digest: storage.Sum(a.Body)} }),
	},
	"exchanges with one payload keep their own headers": {
		func(s storage.ArtifactSink) storage.ArtifactSink {
			first := map[storage.Digest]storage.Ref{}
			return &wrong{ArtifactSink: s, append: func(ctx context.Context, a storage.Artifact) (storage.Ref, error) {
				if r, found := first[storage.Sum(a.Body)]; found {
					return r, nil
				}
				r, err := s.Append(ctx, a)
				first[r.Digest] = r
				return r, err
			}}
		},
	},
	"appending the same artifact again is no error": {
		func(s storage.ArtifactSink) storage.ArtifactSink {
			seen := map[storage.Ref]bool{}
			return &wrong{ArtifactSink: s, append: func(ctx context.Context, a storage.Artifact) (storage.Ref, error) {
				r, err := s.Append(ctx, a)
				if seen[r] {
					err = fs.ErrExist
				}
				seen[r] = true
				return r, err
			}}
		},
	},
	"a slice that was given is not kept": {
		func(s storage.ArtifactSink) storage.ArtifactSink { return newBuffer(s, "") },
	},
	"a slice that was given is not changed": {
		func(s storage.ArtifactSink) storage.ArtifactSink {
			return &wrong{ArtifactSink: s, append: func(ctx context.Context, a storage.Artifact) (storage.Ref, error) {
				r, err := s.Append(ctx, a)
				a.Header[0] |= 0x80
				return r, err
			}}
		},
	},
	"a slice that was returned is the caller's": {
		func(s storage.ArtifactSink) storage.ArtifactSink {
			opened := map[storage.Ref]storage.Artifact{}
			return &wrong{ArtifactSink: s, open: func(ctx context.Context, r storage.Ref) (a storage.Artifact, err error) {
				if a, found := opened[r]; found {
					return a, nil
				}
				opened[r], err = s.Open(ctx, r)
				return opened[r], err
			}}
		},
	},
	"a reference to nothing is ErrCorrupt": {
		finding(func(good, r storage.Ref) bool { return r.Segment == good.Segment && r.Digest == good.Digest }),
		finding(func(good, r storage.Ref) bool { return r.Segment == good.Segment && r.Length == good.Length }),
		finding(func(good, r storage.Ref) bool { return strings.HasSuffix(r.Segment, good.Segment) && r.Offset == 0 }),
		func(s storage.ArtifactSink) storage.ArtifactSink {
			return &wrong{ArtifactSink: s, open: func(ctx context.Context, r storage.Ref) (storage.Artifact, error) {
				a, err := s.Open(ctx, r)
				if err != nil {
					err = fs.ErrNotExist
				}
				return a, err
			}}
		},
	},
	"what was synced outlasts Close": {
		func(s storage.ArtifactSink) storage.ArtifactSink { // the second Sync finds nothing to do
			b := newBuffer(s, "")
			synced := false
			return &wrong{ArtifactSink: b, sync: func(ctx context.Context) error {
				if synced {
					return nil
				}
				synced = true
				return b.Sync(ctx)
			}}
		},
	},
	"Close syncs": {
		func(s storage.ArtifactSink) storage.ArtifactSink { return newBuffer(s, "") },
	},
	"after Close every method answers ErrClosed": {
		afterClose(func(w *wrong) {
			w.append = func(context.Context, storage.Artifact) (storage.Ref, error) { return storage.Ref{}, nil }
		}),
		afterClose(func(w *wrong) {
			w.open = func(context.Context, storage.Ref) (storage.Artifact, error) { return storage.Artifact{}, errWrong }
		}),
		afterClose(func(w *wrong) { w.sync = func(context.Context) error { return nil } }),
		afterClose(func(w *wrong) { w.close = func() error { return errWrong } }),
	},
	"sixty-four callers do not disturb each other": {
		func(s storage.ArtifactSink) storage.ArtifactSink { // the reference lies where all callers write it
			var mu sync.Mutex
			var last storage.Ref
			return &wrong{ArtifactSink: s, append: func(ctx context.Context, a storage.Artifact) (storage.Ref, error) {
				r, err := s.Append(ctx, a)
				mu.Lock()
				last = r
				mu.Unlock()
				runtime.Gosched()
				mu.Lock()
				defer mu.Unlock()
				return last, err
			}}
		},
	},
	"Close keeps every artifact that Append took meanwhile": {
		func(s storage.ArtifactSink) storage.ArtifactSink {
			b := newBuffer(s, "")
			return &wrong{ArtifactSink: b, close: func() error {
				err := b.flush(context.Background())
				time.Sleep(time.Millisecond) // in which others append
				if errors.Is(err, storage.ErrClosed) {
					err = nil
				}
				return errors.Join(err, b.Close())
			}}
		},
	},
}

func changed(change func(*storage.Artifact)) func(storage.ArtifactSink) storage.ArtifactSink {
	return func(s storage.ArtifactSink) storage.ArtifactSink {
		return &wrong{ArtifactSink: s, append: func(ctx context.Context, a storage.Artifact) (storage.Ref, error) {
			change(&a)
			return s.Append(ctx, a)
		}}
	}
}

func referring(change func(storage.Artifact, storage.Ref) storage.Ref) func(storage.ArtifactSink) storage.ArtifactSink {
	return func(s storage.ArtifactSink) storage.ArtifactSink {
		return &wrong{ArtifactSink: s, append: func(ctx context.Context, a storage.Artifact) (storage.Ref, error) {
			r, err := s.Append(ctx, a)
			return change(a, r), err
		}}
	}
}

// finding makes a sink that opens what it appended last for any reference that
// same takes for its own.
func finding(same func(good, r storage.Ref) bool) func(storage.ArtifactSink) storage.ArtifactSink {
	return func(s storage.ArtifactSink) storage.ArtifactSink {
		var good storage.Ref
		return &wrong{ArtifactSink: s,
			append: func(ctx context.Context, a storage.Artifact) (r storage.Ref, err error) {
				good, err = s.Append(ctx, a)
				return good, err
			},
			open: func(ctx context.Context, r storage.Ref) (storage.Artifact, error) {
				if same(good, r) {
					r = good
				}
				return s.Open(ctx, r)
			}}
	}
}

func afterClose(change func(*wrong)) func(storage.ArtifactSink) storage.ArtifactSink {
	return func(s storage.ArtifactSink) storage.ArtifactSink {
		w := &wrong{ArtifactSink: s}
		w.close = func() error {
			w.close = nil
			defer change(w)
			return s.Close()
		}
		return w
	}
}

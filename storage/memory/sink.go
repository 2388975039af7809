package memory

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/weircrawl/weir/storage"
)

// segment is the name of the only segment.
const segment = "memory"

// shelf holds artifacts by the order of their appending. An offset is never
// given twice, also after a crash, so that an old reference cannot find a new
// artifact.
type shelf struct {
	artifacts map[int64]storage.Artifact
	next      int64 // offset of the next one
	synced    int64 // all below it are durable; synced <= next
}

func newShelf() shelf {
	return shelf{artifacts: map[int64]storage.Artifact{}}
}

func (s *shelf) sync() { s.synced = s.next }

// drop forgets what was not synced.
func (s *shelf) drop() {
	for i := s.synced; i < s.next; i++ {
		delete(s.artifacts, i)
	}
	s.synced = s.next
}

// Append implements storage.ArtifactSink.
func (s *Store) Append(ctx context.Context, a storage.Artifact) (storage.Ref, error) {
	digest := storage.Sum(a.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return storage.Ref{}, fmt.Errorf("memory: append %s: %w", a.URL, err)
	}
	ref := storage.Ref{Segment: segment, Offset: s.shelf.next, Length: int64(len(a.Body)), Digest: digest}
	s.shelf.artifacts[ref.Offset] = copied(a)
	s.shelf.next++
	return ref, nil
}

// Open implements storage.ArtifactSink.
func (s *Store) Open(ctx context.Context, r storage.Ref) (storage.Artifact, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return storage.Artifact{}, fmt.Errorf("memory: open artifact %d: %w", r.Offset, err)
	}
	a, ok := s.shelf.artifacts[r.Offset]
	if !ok || r.Segment != segment || r.Length != int64(len(a.Body)) || r.Digest != storage.Sum(a.Body) {
		return storage.Artifact{}, fmt.Errorf("memory: open artifact %v: %w: no such artifact", r, storage.ErrCorrupt)
	}
	return copied(a), nil
}

// Sync implements storage.ArtifactSink.
func (s *Store) Sync(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return fmt.Errorf("memory: sync: %w", err)
	}
	s.shelf.sync()
	return nil
}

// copied returns a with slices of its own, and its time as a sink keeps it.
func copied(a storage.Artifact) storage.Artifact {
	a.Time = a.Time.UTC().Truncate(time.Microsecond)
	a.Request, a.Header, a.Body = bytes.Clone(a.Request), bytes.Clone(a.Header), bytes.Clone(a.Body)
	return a
}

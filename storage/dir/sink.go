package dir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/weircrawl/weir/internal/lockfile"
	"github.com/weircrawl/weir/storage"
)

// A Sink keeps artifacts in one directory. It is a [storage.ArtifactSink].
type Sink struct {
	path   string
	disk   disk
	lock   *lockfile.Lock
	serial atomic.Int64  // of the last temporary file
	turn   chan struct{} // holds one value while a Sync is at work

	gate   sync.RWMutex // held for reading during a call, for writing by Close
	closed bool

	mu       sync.Mutex
	appended int64             // artifacts that Append has written
	synced   int64             // how many of them a Sync has made durable
	pending  map[string]string // name to temporary file: what the next Sync takes
	moving   map[string]string // the same: what a Sync is naming now
	broken   error             // the first failure of a Sync
}

// Append writes a to a temporary file and returns the reference under which a
// Sync will make it durable. Open knows it at once.
func (s *Sink) Append(ctx context.Context, a storage.Artifact) (storage.Ref, error) {
	e := encode(a)
	err := s.during(ctx, func() error { return s.append(e) })
	if err != nil {
		return storage.Ref{}, fmt.Errorf("append artifact of %s: %w", a.URL, err)
	}
	return e.ref(), nil
}

// Sync makes durable, under their names, all artifacts appended before it was
// called.
func (s *Sink) Sync(ctx context.Context) error {
	err := s.during(ctx, func() error { return s.sync(ctx) })
	if err != nil {
		return fmt.Errorf("sync artifacts in %s: %w", s.path, err)
	}
	return nil
}

// Open returns the artifact that r refers to, with name and digest checked.
func (s *Sink) Open(ctx context.Context, r storage.Ref) (a storage.Artifact, err error) {
	err = s.during(ctx, func() error {
		a, err = s.load(r)
		return err
	})
	if err != nil {
		return storage.Artifact{}, fmt.Errorf("open artifact %.*q: %w", hexes, r.Segment, err)
	}
	return a, nil
}

// Close waits for the calls in progress, syncs, and lets another process have
// the directory. After a Sync that failed it returns that failure.
func (s *Sink) Close() error {
	s.gate.Lock()
	defer s.gate.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	err := errors.Join(s.sync(context.Background()), s.disk.close(), s.lock.Close())
	if err != nil {
		return fmt.Errorf("close artifacts in %s: %w", s.path, err)
	}
	return nil
}

// during runs call unless the sink is closed or ctx has ended, and holds Close
// back until call returns.
func (s *Sink) during(ctx context.Context, call func() error) error {
	s.gate.RLock()
	defer s.gate.RUnlock()
	if s.closed {
		return storage.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return call()
}

func (s *Sink) append(e encoded) error {
	if err := s.failure(); err != nil {
		return err
	}
	temporary := filepath.Join(s.path, tmp, e.name+"."+strconv.FormatInt(s.serial.Add(1), 10))
	if err := s.disk.write(temporary, e.head, e.body); err != nil {
		return explain(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if twin, found := s.pending[e.name]; found {
		_ = os.Remove(twin) // holds the same bytes; should it stay, opening the sink removes it
	}
	s.pending[e.name] = temporary
	s.appended++
	return nil
}

func (s *Sink) sync(ctx context.Context) error {
	s.mu.Lock()
	want := s.appended
	s.mu.Unlock()
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.turn }()
	return s.round(want)
}

// round makes everything pending durable, unless an earlier round has already
// covered the first want artifacts. The caller has the turn.
func (s *Sink) round(want int64) error {
	s.mu.Lock()
	if s.broken != nil || s.synced >= want {
		defer s.mu.Unlock()
		return s.broken
	}
	covers := s.appended
	s.moving, s.pending = s.pending, make(map[string]string)
	s.mu.Unlock()

	err := publish(s.disk, s.path, s.moving)

	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.broken = fmt.Errorf("a sync has failed, open the sink again: %w", explain(err))
		return s.broken
	}
	s.moving, s.synced = nil, covers
	return nil
}

// publish is the protocol: bytes, then names, then the durability of the names.
func publish(d disk, path string, files map[string]string) error {
	if err := d.settle(); err != nil {
		return err
	}
	for name, temporary := range files {
		if err := d.rename(temporary, named(path, name)); err != nil {
			return err
		}
	}
	return d.settle()
}

func (s *Sink) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.broken
}

func (s *Sink) load(r storage.Ref) (storage.Artifact, error) {
	if !isName(r.Segment) {
		return storage.Artifact{}, fmt.Errorf("%w: no artifact has such a name", storage.ErrCorrupt)
	}
	file, err := s.read(r)
	if errors.Is(err, fs.ErrNotExist) {
		return storage.Artifact{}, fmt.Errorf("%w: its file is gone", storage.ErrCorrupt)
	}
	if err != nil {
		return storage.Artifact{}, err
	}
	return decode(r, file)
}

// read returns the file of r, which may get its name while we look for it.
func (s *Sink) read(r storage.Ref) ([]byte, error) {
	if temporary := s.temporary(r.Segment); temporary != "" {
		file, err := readExactly(temporary, r.Length)
		if !errors.Is(err, fs.ErrNotExist) {
			return file, err
		}
	}
	return readExactly(named(s.path, r.Segment), r.Length)
}

func (s *Sink) temporary(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if file, found := s.pending[name]; found {
		return file
	}
	return s.moving[name]
}

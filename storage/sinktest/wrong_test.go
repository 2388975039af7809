package sinktest

import (
	"context"
	"errors"
	"os"
	"sync"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/dir"
)

func openDir(path string) (storage.ArtifactSink, error) { return dir.Open(path) }

// A wrong sink is a right one with a fault.
type wrong struct {
	storage.ArtifactSink
	append func(context.Context, storage.Artifact) (storage.Ref, error)
	open   func(context.Context, storage.Ref) (storage.Artifact, error)
	sync   func(context.Context) error
	close  func() error
}

func (w *wrong) Append(ctx context.Context, a storage.Artifact) (storage.Ref, error) {
	if w.append != nil {
		return w.append(ctx, a)
	}
	return w.ArtifactSink.Append(ctx, a)
}

func (w *wrong) Open(ctx context.Context, r storage.Ref) (storage.Artifact, error) {
	if w.open != nil {
		return w.open(ctx, r)
	}
	return w.ArtifactSink.Open(ctx, r)
}

func (w *wrong) Sync(ctx context.Context) error {
	if w.sync != nil {
		return w.sync(ctx)
	}
	return w.ArtifactSink.Sync(ctx)
}

func (w *wrong) Close() error {
	if w.close != nil {
		return w.close()
	}
	return w.ArtifactSink.Close()
}

// A buffer is a sink that holds artifacts back in memory. It gives the references
// that the sink behind it will give.
type buffer struct {
	storage.ArtifactSink
	scout  *dir.Sink // gives the same references
	folder string    // of scout

	mu   sync.Mutex
	held []storage.Artifact
}

// newBuffer makes a folder for its scout below root.
func newBuffer(s storage.ArtifactSink, root string) *buffer {
	folder, err := os.MkdirTemp(root, "scout")
	if err != nil {
		panic(err)
	}
	scout, err := dir.Open(folder)
	if err != nil {
		panic(err)
	}
	return &buffer{ArtifactSink: s, scout: scout, folder: folder}
}

func (b *buffer) Append(ctx context.Context, a storage.Artifact) (storage.Ref, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r, err := b.scout.Append(ctx, a)
	if err == nil {
		b.held = append(b.held, a)
	}
	return r, err
}

func (b *buffer) Open(ctx context.Context, r storage.Ref) (storage.Artifact, error) {
	b.mu.Lock()
	holds := len(b.held) > 0
	b.mu.Unlock()
	if holds {
		return b.scout.Open(ctx, r)
	}
	return b.ArtifactSink.Open(ctx, r)
}

// flush appends what is held.
func (b *buffer) flush(ctx context.Context) error {
	b.mu.Lock()
	held := b.held
	b.held = nil
	b.mu.Unlock()
	for _, a := range held {
		if _, err := b.ArtifactSink.Append(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

func (b *buffer) Sync(ctx context.Context) error {
	return errors.Join(b.flush(ctx), b.ArtifactSink.Sync(ctx))
}

func (b *buffer) Close() error {
	return errors.Join(b.ArtifactSink.Close(), b.scout.Close(), os.RemoveAll(b.folder))
}

package dir

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
)

// A faulty disk works until one of its functions is set.
type faulty struct {
	disk
	onWrite, onRename, onSettle func() error
	settles                     int
	closed                      bool
}

func (f *faulty) close() error {
	f.closed = true
	return f.disk.close()
}

func (f *faulty) write(path string, parts ...[]byte) error {
	if err := run(f.onWrite); err != nil {
		return err
	}
	return f.disk.write(path, parts...)
}

func (f *faulty) rename(from, to string) error {
	if err := run(f.onRename); err != nil {
		return err
	}
	return f.disk.rename(from, to)
}

func (f *faulty) settle() error {
	f.settles++
	if err := run(f.onSettle); err != nil {
		return err
	}
	return f.disk.settle()
}

func run(f func() error) error {
	if f == nil {
		return nil
	}
	return f()
}

// onFaulty opens a sink on a disk that syncs nothing.
func onFaulty(t *testing.T, path string) (*Sink, *faulty) {
	t.Helper()
	f := &faulty{disk: unsynced{newFiles()}}
	s, err := openWith(path, func(string) (disk, error) { return f, nil })
	require.NoError(t, err)
	return s, f
}

func TestFailedSyncBreaksTheSinkUntilItIsOpenedAgain(t *testing.T) {
	fault := errors.New("input/output error")
	fails := func() error { return fault }
	for name, breakIt := range map[string]func(f *faulty){
		"settle of bytes": func(f *faulty) { f.onSettle = fails },
		"rename":          func(f *faulty) { f.onRename = fails },
		"settle of names": func(f *faulty) { f.onRename = func() error { f.onSettle = fails; return nil } },
	} {
		t.Run(name, func(t *testing.T) {
			path := t.TempDir()
			s, f := onFaulty(t, path)
			before, err := s.Append(ctx, example)
			require.NoError(t, err)
			require.NoError(t, s.Sync(ctx))

			other := example
			other.URL = "http://a.test/other"
			_, err = s.Append(ctx, other)
			require.NoError(t, err)
			breakIt(f)
			require.ErrorIs(t, s.Sync(ctx), fault)
			f.onRename, f.onSettle = nil, nil
			require.ErrorIs(t, s.Sync(ctx), fault, "the disk works, but what it has lost is unknown")
			_, err = s.Append(ctx, other)
			require.ErrorIs(t, err, fault)
			assert.ErrorContains(t, err, "open the sink again")
			_, err = s.Open(ctx, before)
			require.NoError(t, err, "what was synced is whole")
			require.ErrorIs(t, s.Close(), fault)

			s = opened(t, path)
			r, err := s.Append(ctx, other)
			require.NoError(t, err)
			require.NoError(t, s.Sync(ctx))
			for _, r := range []storage.Ref{before, r} {
				_, err = s.Open(ctx, r)
				require.NoError(t, err)
			}
		})
	}
}

func TestFailedAppendConcernsNoOther(t *testing.T) {
	fault := errors.New("no")
	s, f := onFaulty(t, t.TempDir())
	first, err := s.Append(ctx, example)
	require.NoError(t, err)
	f.onWrite = func() error { return fault }
	other := example
	other.URL = "http://a.test/other"
	_, err = s.Append(ctx, other)
	require.ErrorIs(t, err, fault)
	assert.ErrorContains(t, err, other.URL)
	f.onWrite = nil
	second, err := s.Append(ctx, other)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	s = opened(t, s.path)
	for _, r := range []storage.Ref{first, second} {
		_, err = s.Open(ctx, r)
		require.NoError(t, err)
	}
}

func TestTwinsShareOneFile(t *testing.T) {
	s := opened(t, t.TempDir())
	for range 3 {
		_, err := s.Append(ctx, example)
		require.NoError(t, err)
	}
	waiting, err := os.ReadDir(filepath.Join(s.path, tmp))
	require.NoError(t, err)
	assert.Len(t, waiting, 1)
	require.NoError(t, s.Sync(ctx))
	waiting, err = os.ReadDir(filepath.Join(s.path, tmp))
	require.NoError(t, err)
	assert.Empty(t, waiting)
}

func TestWriteThatFailsLeavesNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	fault := errors.New("no")
	err := create(path, func(*os.File) error { return fault }, [][]byte{[]byte("x")})
	require.ErrorIs(t, err, fault)
	assert.NoFileExists(t, path)
}

func TestCallersThatWaitShareOneSync(t *testing.T) {
	path := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s, f := onFaulty(t, path)
		release := make(chan struct{})
		f.onSettle = func() error { <-release; return nil }
		var all sync.WaitGroup
		for n := range 50 {
			all.Go(func() {
				a := example
				a.URL = fmt.Sprintf("http://a.test/%d", n)
				r, err := s.Append(ctx, a)
				require.NoError(t, err)
				require.NoError(t, s.Sync(ctx))
				assert.FileExists(t, named(path, r.Segment))
			})
		}
		synctest.Wait() // all but one wait for their turn
		close(release)
		all.Wait()
		assert.LessOrEqual(t, f.settles, 4, "two for the first caller, two for all the others")
		settles := f.settles
		require.NoError(t, s.Sync(ctx))
		assert.Equal(t, settles, f.settles, "nothing to do")
		require.NoError(t, s.Close())
	})
}

func TestSyncCoversWhatWasAppendedWhileItWaited(t *testing.T) {
	path := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s, f := onFaulty(t, path)
		_, err := s.Append(ctx, example)
		require.NoError(t, err)
		release := make(chan struct{})
		f.onSettle = func() error { <-release; return nil }
		var all sync.WaitGroup
		all.Go(func() { assert.NoError(t, s.Sync(ctx)) })
		synctest.Wait() // the first Sync is at work

		other := example
		other.URL = "http://a.test/other"
		r, err := s.Append(ctx, other)
		require.NoError(t, err)
		all.Go(func() {
			assert.NoError(t, s.Sync(ctx))
			assert.FileExists(t, named(path, r.Segment), "the first Sync began too early for it")
		})
		synctest.Wait()
		close(release)
		all.Wait()
		require.NoError(t, s.Close())
	})
}

func TestEndedContextChangesNothing(t *testing.T) {
	path := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s, f := onFaulty(t, path)
		r, err := s.Append(ctx, example)
		require.NoError(t, err)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = s.Append(ended, example)
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, s.Sync(ended), context.Canceled)
		_, err = s.Open(ended, r)
		require.ErrorIs(t, err, context.Canceled)
		assert.Zero(t, f.settles)

		release := make(chan struct{})
		f.onSettle = func() error { <-release; return nil }
		var first sync.WaitGroup
		first.Go(func() { assert.NoError(t, s.Sync(ctx)) })
		synctest.Wait() // the first Sync is at work
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, s.Sync(short), context.DeadlineExceeded, "while it waits for its turn")
		close(release)
		first.Wait()
		require.NoError(t, s.Close())
	})
}

func TestCloseWaitsForASync(t *testing.T) {
	s, f := onFaulty(t, t.TempDir())
	_, err := s.Append(ctx, example)
	require.NoError(t, err)
	working, release := make(chan struct{}), make(chan struct{})
	f.onSettle = func() error {
		if f.settles == 1 {
			close(working)
			<-release
		}
		require.False(t, f.closed, "the disk is closed under a Sync")
		return nil
	}
	var all sync.WaitGroup
	all.Go(func() { assert.NoError(t, s.Sync(ctx)) })
	<-working
	all.Go(func() { assert.NoError(t, s.Close()) })
	for s.gate.TryRLock() { // until Close waits
		s.gate.RUnlock()
		runtime.Gosched()
	}
	close(release)
	all.Wait()
	assert.True(t, f.closed)
}

package bolt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"github.com/weircrawl/weir/storage"
)

func openAt(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(Config{Path: path, Wait: -1})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

func put(key, value string) storage.Op {
	return storage.Op{Space: spaces[0], Key: []byte(key), Value: []byte(value)}
}

func get(t *testing.T, s storage.Store, key string) string {
	t.Helper()
	r, err := s.Read(t.Context(), storage.ReadRequest{Space: spaces[0], Keys: [][]byte{[]byte(key)}})
	require.NoError(t, err)
	return string(r[0].Values[0])
}

// failures are the ways in which a commit fails.
var failures = []struct {
	name    string
	commit  func(tx *bbolt.Tx) error
	rewrite bool // whether the file must be left behind
}{
	{"the sync fails, and the transaction is in the file", func(tx *bbolt.Tx) error {
		return errors.Join(tx.Commit(), syscall.EIO)
	}, true},
	{"the sync fails, and the transaction is not in the file", func(tx *bbolt.Tx) error {
		return errors.Join(tx.Rollback(), syscall.EIO)
	}, true},
	{"the meta page was written, and who knows what of it", func(tx *bbolt.Tx) error {
		return errors.Join(tx.Commit(), &fs.PathError{Op: "write", Err: syscall.EIO})
	}, true},
	{"the meta page is torn", func(tx *bbolt.Tx) error {
		path, page := tx.DB().Path(), int64(tx.ID()%2*os.Getpagesize())
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		_, torn := f.WriteAt(make([]byte, 40), page+16)
		return errors.Join(tx.Rollback(), err, torn, f.Close(), &fs.PathError{Op: "write", Err: syscall.EIO})
	}, true},
	{"the disk is full", func(tx *bbolt.Tx) error {
		return errors.Join(tx.Rollback(), &fs.PathError{Op: "write", Err: syscall.ENOSPC})
	}, false},
}

// A failed commit is not applied, then and for ever, and the store goes on.
func TestFailedCommitIsNeverApplied(t *testing.T) {
	for _, c := range failures {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "frontier.db")
			s := openAt(t, path)
			f := commit(t, s, claim(t, s, "a"), put("k", "1"))
			before, err := os.Stat(path)
			require.NoError(t, err)

			s.commit = c.commit
			failed := f
			failed.Sequence++
			err = s.Commit(t.Context(), failed, []storage.Op{put("k", "2"), put("new", "2")})
			require.Error(t, err)
			require.NotErrorIs(t, err, storage.ErrFenced)
			require.NotErrorIs(t, err, storage.ErrCorrupt)
			require.Equal(t, errors.Is(err, syscall.ENOSPC), errors.Is(err, storage.ErrNoSpace))
			s.commit = (*bbolt.Tx).Commit

			require.Equal(t, "1", get(t, s, "k"), "the acknowledged state")
			require.Equal(t, "", get(t, s, "new"))
			claimed := claim(t, s, "a")
			require.EqualValues(t, 1, claimed.Sequence, "the sequence says that it was not applied")
			require.Equal(t, f.Generation+1, claimed.Generation)
			after, err := os.Stat(path)
			require.NoError(t, err)
			require.Equal(t, c.rewrite, !os.SameFile(before, after), "the file was left behind")
			f = commit(t, s, claimed, put("k", "3"))
			require.NoError(t, s.Close())

			require.NoError(t, checkAll(path))
			s = openAt(t, path)
			require.Equal(t, "3", get(t, s, "k"))
			require.Equal(t, f.Sequence, claim(t, s, "b").Sequence)
		})
	}
}

// While the file cannot be settled nothing is answered from it, and nothing is
// acknowledged; then the store goes on by itself.
func TestDoubtStaysUntilTheFileIsSettled(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "frontier.db")
	s := openAt(t, path)
	f := commit(t, s, claim(t, s, "a"), put("k", "1"))
	s.commit = failures[0].commit
	f.Sequence++
	require.ErrorIs(t, s.Commit(t.Context(), f, []storage.Op{put("k", "2")}), syscall.EIO)
	s.commit = (*bbolt.Tx).Commit

	obstacle := filepath.Join(path+".new", "in the way") // the copy cannot be made
	require.NoError(t, os.MkdirAll(obstacle, 0o700))
	for range 2 {
		_, err := s.Read(t.Context(), storage.ReadRequest{Space: spaces[0], Limit: 1})
		require.ErrorContains(t, err, "cannot be settled")
		require.ErrorIs(t, err, syscall.EIO, "why it is in doubt")
		_, err = s.Claim(t.Context(), storage.Fence{Name: "p/0", Owner: "a", TTL: time.Hour})
		require.ErrorContains(t, err, "cannot be settled")
		require.ErrorContains(t, s.Commit(t.Context(), f, nil), "cannot be settled")
	}
	require.NoError(t, os.RemoveAll(path+".new"))
	require.Equal(t, "1", get(t, s, "k"))
	require.EqualValues(t, 1, claim(t, s, "a").Sequence)
}

func TestCloseSettlesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "frontier.db")
	s := openAt(t, path)
	f := commit(t, s, claim(t, s, "a"), put("k", "1"))
	s.commit = failures[0].commit
	f.Sequence++
	require.ErrorIs(t, s.Commit(t.Context(), f, []storage.Op{put("k", "2")}), syscall.EIO)
	require.NoError(t, s.Close())
	s = openAt(t, path)
	require.Equal(t, "1", get(t, s, "k"))
}

func TestCloseFreesAStoreThatCannotBeSettled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "frontier.db")
	s, err := Open(Config{Path: path})
	require.NoError(t, err)
	f := claim(t, s, "a")
	s.commit = failures[0].commit
	f.Sequence++
	require.ErrorIs(t, s.Commit(t.Context(), f, []storage.Op{put("k", "2")}), syscall.EIO)
	require.NoError(t, os.MkdirAll(filepath.Join(path+".new", "in the way"), 0o700))
	require.ErrorContains(t, s.Close(), "cannot be settled")
	require.NoError(t, s.Close(), "closing twice")
	s = openAt(t, path)
	require.EqualValues(t, 1, claim(t, s, "b").Sequence, "the next one finds the commit applied, or not")
}

// The newest transaction is in the file before it is on the disk. A reader must
// not be shown what a power loss could still take away.
func TestReadWaitsForTheSync(t *testing.T) {
	for _, outcome := range []error{nil, syscall.EIO} {
		synctest.Test(t, func(t *testing.T) {
			s := openAt(t, filepath.Join(t.TempDir(), "frontier.db"))
			f := commit(t, s, claim(t, s, "a"), put("k", "1"))
			syncing := make(chan struct{})
			s.commit = func(tx *bbolt.Tx) error {
				err := tx.Commit()
				<-syncing
				return errors.Join(err, outcome)
			}
			committed, read := make(chan error, 1), make(chan string, 1)
			go func() {
				f.Sequence++
				committed <- s.Commit(t.Context(), f, []storage.Op{put("k", "2")})
			}()
			synctest.Wait()
			go func() { read <- get(t, s, "k") }()
			synctest.Wait()
			require.Empty(t, read, "read what was not synced")
			close(syncing)
			if err := <-committed; outcome == nil {
				require.NoError(t, err)
				require.Equal(t, "2", <-read)
			} else {
				require.ErrorIs(t, err, outcome)
				s.commit = (*bbolt.Tx).Commit
				require.Equal(t, "1", <-read)
			}
		})
	}
}

// A commit that waits for its turn gives up when its context ends, and has done
// nothing.
func TestWaitingEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openAt(t, filepath.Join(t.TempDir(), "frontier.db"))
		f := claim(t, s, "a")
		hanging := make(chan struct{})
		s.commit = func(tx *bbolt.Tx) error { <-hanging; return tx.Commit() }
		done := make(chan error, 1)
		go func() { f := f; f.Sequence++; done <- s.Commit(t.Context(), f, nil) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := s.Claim(ctx, storage.Fence{Name: "p/0", Owner: "a", TTL: time.Hour})
		require.ErrorIs(t, err, ctx.Err())
		close(hanging)
		require.NoError(t, <-done)
		require.Equal(t, f.Generation+1, claim(t, s, "a").Generation, "the claim that gave up raised nothing")
	})
}

// S-O2: iterate, with writes from within the iteration, while others look on.
func TestSO2WritingWhileReadingDoesNotDeadlock(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "frontier.db"))
	f := claim(t, s, "a")
	var ops []storage.Op
	for n := range 2000 {
		ops = append(ops, storage.Op{Space: spaces[1], Key: fmt.Appendf(nil, "%08d", n), Value: make([]byte, 1000)})
	}
	f = commit(t, s, f, ops...)
	stop, polled := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			_, err := s.Fences(t.Context(), "")
			select {
			case <-stop:
				polled <- err
				return
			default:
			}
		}
	}()
	rows := 0
	for from := []byte(nil); ; {
		r, err := s.Read(t.Context(), storage.ReadRequest{Space: spaces[1], From: from, Limit: 100})
		require.NoError(t, err)
		if len(r[0].Keys) == 0 {
			break
		}
		for _, key := range r[0].Keys {
			rows++
			from = append(key, 0)
		}
		f = commit(t, s, f, storage.Op{Space: spaces[0], Key: from, Value: make([]byte, 1000)})
	}
	close(stop)
	require.NoError(t, <-polled)
	require.Equal(t, 2000, rows)
}

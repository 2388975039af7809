package faults

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/bolt"
	"github.com/weircrawl/weir/storage/memory"
	"github.com/weircrawl/weir/storage/storetest"
)

var points = storage.Space{Name: "points"}

func put(key, value string) []storage.Op {
	return []storage.Op{{Space: points, Key: []byte(key), Value: []byte(value)}}
}

func TestStoreWithoutFaultIsAStore(t *testing.T) {
	stores := map[string]*memory.Store{}
	storetest.Run(t, func(dir string) (storage.Store, error) {
		s, err := memory.New(), error(nil)
		if last := stores[dir]; last != nil {
			s, err = last.Reopen()
		}
		if err != nil {
			return nil, err
		}
		stores[dir] = s
		return NewStore(s, func(context.Context, StorePoint, int64) error { return nil }), nil
	})
}

// owned returns a memory store, and the fence of its owner's first commit.
func owned(t *testing.T) (*memory.Store, storage.Fence) {
	t.Helper()
	s := memory.New()
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	f, err := s.Claim(t.Context(), storage.Fence{Name: "p/0", Owner: "a", TTL: time.Hour})
	require.NoError(t, err)
	f.Sequence++
	return s, f
}

func TestStoreFailsAtTheBoundaryItIsTold(t *testing.T) {
	claim := func(s storage.Store, f storage.Fence) error {
		got, err := s.Claim(context.Background(), f)
		return errors.Join(err, noAnswer(got.Name != ""))
	}
	commit := func(s storage.Store, f storage.Fence) error { return s.Commit(context.Background(), f, put("k", "v")) }
	read := func(s storage.Store, _ storage.Fence) error {
		got, err := s.Read(context.Background(), storage.ReadRequest{Space: points, Limit: 1})
		return errors.Join(err, noAnswer(got != nil))
	}
	fences := func(s storage.Store, _ storage.Fence) error {
		got, err := s.Fences(context.Background(), "")
		return errors.Join(err, noAnswer(got != nil))
	}
	for _, c := range []struct {
		name                 string
		at                   StorePoint
		call                 func(storage.Store, storage.Fence) error
		generation, sequence uint64 // of the fence afterwards
	}{
		{"before claim", BeforeClaim, claim, 1, 0},
		{"after claim", AfterClaim, claim, 2, 0},
		{"before commit", BeforeCommit, commit, 1, 0},
		{"after commit", AfterCommit, commit, 1, 1},
		{"before read", BeforeRead, read, 1, 0},
		{"after read", AfterRead, read, 1, 0},
		{"before fences", BeforeFences, fences, 1, 0},
		{"after fences", AfterFences, fences, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			inner, f := owned(t)
			s := NewStore(inner, NthStore(c.at, 1, full))
			err := c.call(s, f)
			require.ErrorIs(t, err, storage.ErrNoSpace)
			require.NotErrorIs(t, err, errAnswer)
			list, err := inner.Fences(t.Context(), "")
			require.NoError(t, err)
			require.Equal(t, c.generation, list[0].Generation)
			require.Equal(t, c.sequence, list[0].Sequence)
		})
	}
}

// errAnswer marks what a failed call must not do.
var errAnswer = errors.New("answered all the same")

func noAnswer(answered bool) error {
	if answered {
		return errAnswer
	}
	return nil
}

func TestStoreFailsTheCallItIsTold(t *testing.T) {
	inner, f := owned(t)
	nth := NewStore(inner, NthStore(BeforeCommit, 2, full))
	for n := range 4 {
		err := nth.Commit(t.Context(), f, put("k", fmt.Sprint(n)))
		if n == 1 {
			require.ErrorIs(t, err, storage.ErrNoSpace)
			continue
		}
		require.NoError(t, err)
		f.Sequence++
	}
	from := NewStore(inner, FromNthStore(BeforeCommit, 2, full))
	require.NoError(t, from.Commit(t.Context(), f, nil))
	for range 3 {
		require.ErrorIs(t, from.Commit(t.Context(), f, nil), storage.ErrNoSpace)
	}
}

// A refusal keeps what comes with it, and reaches no boundary: nothing happened.
func TestRefusedClaimAnswersTheFence(t *testing.T) {
	inner, _ := owned(t)
	s := NewStore(inner, FromNthStore(AfterClaim, 1, full))
	f, err := s.Claim(t.Context(), storage.Fence{Name: "p/0", Owner: "b", TTL: time.Second})
	require.ErrorIs(t, err, storage.ErrHeld)
	require.Equal(t, "a", f.Owner)
}

func TestStoreWaitsAtTheBoundary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner, f := owned(t)
		release := make(chan struct{})
		s := NewStore(inner, NthStore(AfterCommit, 1, func(context.Context) error { <-release; return nil }))
		done := make(chan error, 1)
		go func() { done <- s.Commit(t.Context(), f, put("k", "v")) }()
		synctest.Wait()
		require.Empty(t, done, "the commit has returned")
		r, err := s.Read(t.Context(), storage.ReadRequest{Space: points, Limit: 1})
		require.NoError(t, err)
		require.Equal(t, "v", string(r[0].Values[0]), "durable, not yet acknowledged")
		close(release)
		require.NoError(t, <-done)
	})
}

// killFolder tells the re-executed test where its store is, killPoint where it
// kills itself.
const killFolder, killPoint = "WEIR_FAULTS_STORE", "WEIR_FAULTS_STORE_POINT"

func TestStoreKilledAtTheBoundary(t *testing.T) {
	if dir := os.Getenv(killFolder); dir != "" {
		commitUntilKilled(dir, os.Getenv(killPoint))
		return
	}
	for _, c := range []struct {
		point    StorePoint
		sequence uint64 // that is found afterwards
	}{{BeforeCommit, 2}, {AfterCommit, 3}} {
		dir := t.TempDir()
		child := exec.Command(os.Args[0], "-test.run=^TestStoreKilledAtTheBoundary$")
		child.Env = append(os.Environ(), killFolder+"="+dir, fmt.Sprintf("%s=%d", killPoint, c.point))
		out, err := child.CombinedOutput()
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit, "%s", out)
		require.Equal(t, syscall.SIGKILL, exit.Sys().(syscall.WaitStatus).Signal(), "%s", out)
		s, err := bolt.Open(bolt.Config{Path: filepath.Join(dir, "store")})
		require.NoError(t, err)
		list, err := s.Fences(t.Context(), "")
		require.NoError(t, err)
		require.Equal(t, c.sequence, list[0].Sequence)
		require.NoError(t, s.Close())
	}
}

// commitUntilKilled commits until its third commit kills it.
func commitUntilKilled(dir, point string) {
	inner, err := bolt.Open(bolt.Config{Path: filepath.Join(dir, "store")})
	if err != nil {
		panic(err)
	}
	var at StorePoint
	if _, err := fmt.Sscan(point, &at); err != nil {
		panic(err)
	}
	s := NewStore(inner, NthStore(at, 3, func(context.Context) error {
		return errors.Join(syscall.Kill(os.Getpid(), syscall.SIGKILL), errors.New("still alive"))
	}))
	f, err := s.Claim(context.Background(), storage.Fence{Name: "p/0", Owner: "a", TTL: time.Hour})
	for err == nil {
		f.Sequence++
		err = s.Commit(context.Background(), f, put("k", fmt.Sprint(f.Sequence)))
	}
	panic(err)
}

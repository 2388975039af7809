package memory_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
	"github.com/weircrawl/weir/storage/sinktest"
)

func TestSink(t *testing.T) {
	open := folders()
	sinktest.Run(t, func(dir string) (storage.ArtifactSink, error) {
		s, err := open(dir)
		if err != nil {
			return nil, err
		}
		return s.(*memory.Store), nil
	})
}

// A crash takes what was not synced, nothing else; and an old reference never
// finds what was appended later.
func TestCrashTakesWhatWasNotSynced(t *testing.T) {
	ctx := t.Context()
	s := memory.New()
	f, err := s.Claim(ctx, storage.Fence{Name: "p/0", Owner: "a", TTL: time.Hour})
	require.NoError(t, err)
	synced, err := s.Append(ctx, storage.Artifact{URL: "http://a.test/1", Body: []byte("one")})
	require.NoError(t, err)
	require.NoError(t, s.Sync(ctx))
	lost, err := s.Append(ctx, storage.Artifact{URL: "http://a.test/2", Body: []byte("two")})
	require.NoError(t, err)
	f.Sequence++
	require.NoError(t, s.Commit(ctx, f, []storage.Op{{Space: storage.Space{Name: "points"}, Key: []byte("k"), Value: []byte("v")}}))

	s.Crash()
	_, err = s.Open(ctx, synced)
	require.ErrorIs(t, err, storage.ErrClosed)
	s, err = s.Reopen()
	require.NoError(t, err)
	later, err := s.Append(ctx, storage.Artifact{URL: "http://a.test/3", Body: []byte("two")})
	require.NoError(t, err)
	require.NotEqual(t, lost, later)

	a, err := s.Open(ctx, synced)
	require.NoError(t, err)
	require.Equal(t, "one", string(a.Body))
	_, err = s.Open(ctx, lost)
	require.ErrorIs(t, err, storage.ErrCorrupt)
	r, err := s.Read(ctx, storage.ReadRequest{Space: storage.Space{Name: "points"}, Limit: 1})
	require.NoError(t, err)
	require.Equal(t, "v", string(r[0].Values[0]), "a commit is durable")
}

// A closed store is opened again once, by its last handle.
func TestOnlyAClosedStoreIsReopenedAndOnlyOnce(t *testing.T) {
	s := memory.New()
	_, err := s.Reopen()
	require.ErrorIs(t, err, storage.ErrLocked)
	require.NoError(t, s.Close())
	next, err := s.Reopen()
	require.NoError(t, err)
	_, err = s.Reopen()
	require.ErrorIs(t, err, storage.ErrLocked)
	_, err = s.Fences(t.Context(), "")
	require.ErrorIs(t, err, storage.ErrClosed, "the old handle stays closed")
	require.NoError(t, next.Close())
}

package dir

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
)

// kept returns a sink that holds the example under the file it returns.
func kept(t *testing.T) (s *Sink, r storage.Ref, file string) {
	t.Helper()
	s = opened(t, filepath.Join(t.TempDir(), "artifacts"))
	r, err := s.Append(ctx, example)
	require.NoError(t, err)
	require.NoError(t, s.Sync(ctx))
	return s, r, named(s.path, r.Segment)
}

func TestEveryDamagedByteIsNamed(t *testing.T) {
	s, r, file := kept(t)
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	for i := range whole {
		damaged := append([]byte(nil), whole...)
		damaged[i] ^= 1 << (i % 8)
		require.NoError(t, os.WriteFile(file, damaged, 0o600))
		_, err := s.Open(ctx, r)
		require.ErrorIs(t, err, storage.ErrCorrupt, "byte %d", i)
	}
}

func TestShorterLongerOrMissingFileIsCorrupt(t *testing.T) {
	s, r, file := kept(t)
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, n := range []int{0, 1, len(whole) / 2, len(whole) - 1} {
		require.NoError(t, os.WriteFile(file, whole[:n], 0o600))
		_, err := s.Open(ctx, r)
		require.ErrorIs(t, err, storage.ErrCorrupt, "%d bytes", n)
	}
	require.NoError(t, os.WriteFile(file, append(whole, 0), 0o600))
	_, err = s.Open(ctx, r)
	require.ErrorIs(t, err, storage.ErrCorrupt, "a byte too many")

	require.NoError(t, os.Remove(file))
	_, err = s.Open(ctx, r)
	require.ErrorIs(t, err, storage.ErrCorrupt)
	assert.ErrorContains(t, err, "gone")
}

func TestNameThatLeadsElsewhereIsNotFollowed(t *testing.T) {
	s, r, _ := kept(t)
	for _, segment := range []string{".", "..", "../..", "/", "../" + r.Segment[:1] + "/" + r.Segment, r.Segment[1:]} {
		info, err := os.Stat(filepath.Join(s.path, segment))
		wrong := r
		if wrong.Segment = segment; err == nil {
			wrong.Length = info.Size() // so that nothing but the name is wrong
		}
		_, err = s.Open(ctx, wrong)
		require.ErrorIs(t, err, storage.ErrCorrupt, segment)
		assert.ErrorContains(t, err, "no artifact has such a name")
	}
}

func TestExchangedFilesAreCorrupt(t *testing.T) {
	s, r, file := kept(t)
	other := example
	other.URL = "http://a.test/other"
	o, err := s.Append(ctx, other)
	require.NoError(t, err)
	require.NoError(t, s.Sync(ctx))
	require.NoError(t, os.Rename(named(s.path, o.Segment), file))
	_, err = s.Open(ctx, r)
	require.ErrorIs(t, err, storage.ErrCorrupt)
}

func TestUnknownVersionIsNotCalledDamage(t *testing.T) {
	s, r, file := kept(t)
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	whole[len(family)] = '2'
	require.NoError(t, os.WriteFile(file, whole, 0o600))
	_, err = s.Open(ctx, r)
	require.ErrorIs(t, err, storage.ErrVersion)
	assert.ErrorContains(t, err, "format 2")
}

func TestAppendingAgainMendsAndRenews(t *testing.T) {
	s, r, file := kept(t)
	require.NoError(t, os.WriteFile(file, []byte("damaged"), 0o600))
	long := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(file, long, long))

	again, err := s.Append(ctx, example)
	require.NoError(t, err)
	require.Equal(t, r, again)
	require.NoError(t, s.Sync(ctx))
	got, err := s.Open(ctx, r)
	require.NoError(t, err)
	assert.Equal(t, example, got)
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.WithinDuration(t, time.Now(), info.ModTime(), time.Minute)
}

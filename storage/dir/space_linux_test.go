package dir

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/weircrawl/weir/storage"
)

func TestFullDiskIsNamedAndLeavesEarlierArtifactsWhole(t *testing.T) {
	path := t.TempDir()
	if err := unix.Mount("none", path, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("needs the right to mount: %v", err)
	}
	defer func() { require.NoError(t, unix.Unmount(path, 0)) }()
	s, err := Open(filepath.Join(path, "artifacts"))
	require.NoError(t, err)
	var kept []storage.Ref
	a := example
	for len(kept) < 100 && err == nil {
		a.Body = append(a.Body, make([]byte, 5_000)...)
		var r storage.Ref
		if r, err = s.Append(ctx, a); err == nil {
			kept = append(kept, r)
		}
	}
	require.ErrorIs(t, err, storage.ErrNoSpace)
	assert.ErrorContains(t, err, "free some space")
	require.NotEmpty(t, kept)

	require.NoError(t, s.Sync(ctx), "what fitted is kept")
	require.NoError(t, s.Close())
	s, err = Open(filepath.Join(path, "artifacts"))
	require.NoError(t, err)
	for _, r := range kept {
		_, err := s.Open(ctx, r)
		require.NoError(t, err)
	}
	small := example
	small.URL = "http://a.test/small"
	_, err = s.Append(ctx, small)
	require.NoError(t, err, "the large one left nothing behind")
	require.NoError(t, s.Close())
}

func TestFullDiskAtSyncIsNamed(t *testing.T) {
	s, f := onFaulty(t, t.TempDir())
	_, err := s.Append(ctx, example)
	require.NoError(t, err)
	f.onRename = func() error { return unix.ENOSPC }
	require.ErrorIs(t, s.Sync(ctx), storage.ErrNoSpace)
	require.ErrorIs(t, s.Close(), storage.ErrNoSpace)
}

func TestKernelReleaseDecidesOnSyncfs(t *testing.T) {
	for release, want := range map[string]bool{
		"5.8.0": true, "5.10.0-28-amd64": true, "6.1.0": true, "10.0": true,
		"5.7.19": false, "4.19.0-26-amd64": false, "": false, "odd": false,
	} {
		assert.Equal(t, want, atLeast([]byte(release), 5, 8), release)
	}
}

func TestReadOnlyFileSystemSaysWhatToDo(t *testing.T) {
	path := t.TempDir()
	if err := unix.Mount("none", path, "tmpfs", unix.MS_RDONLY, ""); err != nil {
		t.Skipf("needs the right to mount: %v", err)
	}
	defer func() { require.NoError(t, unix.Unmount(path, 0)) }()
	_, err := Open(filepath.Join(path, "artifacts"))
	require.ErrorIs(t, err, ErrUnwritable)
	require.True(t, errors.Is(err, unix.EROFS))
}

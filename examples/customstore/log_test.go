//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
)

var state = storage.Space{Name: "state"}

// written returns the path and bytes of a log with a claim and three commits, and
// where its lines end.
func written(t *testing.T) (path string, log []byte, ends []int) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "crawl.log")
	s, err := Open(path)
	require.NoError(t, err)
	f, err := s.Claim(t.Context(), storage.Fence{Name: "p/0", Owner: "a", TTL: time.Hour})
	require.NoError(t, err)
	for _, v := range []string{"one", "two", "three"} {
		f.Sequence++
		require.NoError(t, s.Commit(t.Context(), f, []storage.Op{{Space: state, Key: []byte("k"), Value: []byte(v)}}))
	}
	require.NoError(t, s.Close())
	log, err = os.ReadFile(path)
	require.NoError(t, err)
	for i, c := range log {
		if c == '\n' {
			ends = append(ends, i+1)
		}
	}
	require.Len(t, ends, 5)
	return path, log, ends
}

// holds opens the log and returns the value that the commits have left.
func holds(t *testing.T, path string) string {
	t.Helper()
	s, err := Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	r, err := s.Read(t.Context(), storage.ReadRequest{Space: state, Keys: [][]byte{[]byte("k")}})
	require.NoError(t, err)
	return string(r[0].Values[0])
}

func TestTornLineIsCutWhereverItTears(t *testing.T) {
	path, log, ends := written(t)
	for size := ends[3]; size < ends[4]; size++ {
		require.NoError(t, os.WriteFile(path, log[:size], 0o600))
		require.Equal(t, "two", holds(t, path), "cut to %d bytes", size)
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, log[:ends[3]], after, "cut to %d bytes", size)
	}
}

func TestDamageAnywhereIsCorruptAndChangesNothing(t *testing.T) {
	path, log, ends := written(t)
	for i := ends[0]; i < ends[4]-1; i++ {
		damaged := bytes.Clone(log)
		damaged[i] ^= 0x10
		require.NoError(t, os.WriteFile(path, damaged, 0o600))
		_, err := Open(path)
		require.ErrorIs(t, err, storage.ErrCorrupt, "byte %d", i)
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, damaged, after, "byte %d", i)
	}
}

func TestOtherFilesAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "crawl.log")
	for content, want := range map[string]error{
		"":                       storage.ErrCorrupt,
		"weir cust":              storage.ErrCorrupt,
		"weir customstore 2\n":   storage.ErrVersion,
		"To whom it may concern": storage.ErrCorrupt,
	} {
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		_, err := Open(path)
		require.ErrorIs(t, err, want, "%q", content)
	}
	_, err := Open(filepath.Join(path, "no folder"))
	require.ErrorIs(t, err, syscall.ENOTDIR)
}

// After a failed write the log may end in half a line: another line behind it
// would make the whole log unreadable.
func TestFailedWriteStopsTheStore(t *testing.T) {
	path, _, _ := written(t)
	s, err := Open(path)
	require.NoError(t, err)
	f, err := s.Claim(t.Context(), storage.Fence{Name: "p/0", Owner: "a", TTL: time.Hour})
	require.NoError(t, err)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("needs /dev/full:", err)
	}
	log := s.log
	s.log = full
	f.Sequence++
	ops := []storage.Op{{Space: state, Key: []byte("k"), Value: []byte("four")}}
	require.ErrorIs(t, s.Commit(t.Context(), f, ops), storage.ErrNoSpace)
	s.log = log
	require.ErrorIs(t, s.Commit(t.Context(), f, ops), storage.ErrNoSpace, "the log works again, but who knows what it holds")
	_, err = s.Claim(t.Context(), f)
	require.ErrorIs(t, err, storage.ErrNoSpace)
	require.NoError(t, s.Close())
	require.NoError(t, full.Close())
	require.Equal(t, "three", holds(t, path))
}

func TestRunsAreCounted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.log")
	var out strings.Builder
	for range 2 {
		require.NoError(t, run(t.Context(), &out, []string{path}))
	}
	require.Equal(t, `run 1: generation 1, sequence 1
run 2: generation 2, sequence 2
run 3: generation 3, sequence 3
run 4: generation 4, sequence 4
`, out.String())
}

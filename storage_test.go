package weir

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/internal/faults"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
)

// fullDisk is a sink that has no space for its n-th artifact, nor for later ones.
func fullDisk(mem *memory.Store, n int64) *faults.Sink {
	return faults.NewSink(mem, faults.FromNthSink(faults.BeforeAppend, n, func(context.Context) error {
		return fmt.Errorf("%w: %w", storage.ErrNoSpace, syscall.ENOSPC)
	}))
}

func star(pages int) string {
	var b strings.Builder
	b.WriteString("-- http://a.test/ --\n")
	for i := range pages {
		fmt.Fprintf(&b, "<a href=/%d>x</a>", i)
	}
	for i := range pages {
		fmt.Fprintf(&b, "\n-- http://a.test/%d --\npage %d", i, i)
	}
	return b.String()
}

// S-O5: a full disk stops the run, named and resumable.
func TestSO5AFullDiskStopsTheRunAndLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, star(20)), memory.New()
		cfg := over(w, mem)
		cfg.Artifacts = fullDisk(mem, 10)
		receipt, err := Run(t.Context(), cfg, "http://a.test/")
		require.ErrorIs(t, err, storage.ErrNoSpace)
		require.ErrorIs(t, err, frontier.ErrStorageFailed)
		assert.ErrorContains(t, err, "free some space, and run again")
		assert.Equal(t, frontier.Stopped, receipt.Phase)
		assert.EqualValues(t, "storage_failed: no_space", receipt.Reason)
		assert.Equal(t, ledger.PartialResumable, receipt.Verdict, receipt.Why)
		assert.Zero(t, receipt.Counts[frontier.Leased])
		assert.EqualValues(t, 8, receipt.Counts[frontier.Done], "nine artifacts, one of robots.txt")
		readable(t, mem)

		receipt, err = Run(t.Context(), over(w, mem))
		require.NoError(t, err)
		assert.Equal(t, ledger.Complete, receipt.Verdict, receipt.Why)
		assert.EqualValues(t, 21, receipt.Counts[frontier.Done])
		readable(t, mem)
	})
}

func TestNoResultPointsAtBytesThatWereNotSynced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, star(20)), memory.New()
		cfg := over(w, mem)
		cfg.Artifacts = faults.NewSink(mem, faults.FromNthSink(faults.BeforeSync, 6, func(context.Context) error { return syscall.EIO }))
		receipt, err := Run(t.Context(), cfg, "http://a.test/")
		require.ErrorIs(t, err, syscall.EIO)
		assert.EqualValues(t, "storage_failed", receipt.Reason)
		assert.Positive(t, receipt.Results)

		mem.Crash() // a power loss: what was not synced is gone
		mem, err = mem.Reopen()
		require.NoError(t, err)
		readable(t, mem)
		receipt, err = Run(t.Context(), over(w, mem))
		require.NoError(t, err)
		assert.Equal(t, ledger.Complete, receipt.Verdict, receipt.Why)
		readable(t, mem)
	})
}

// readable opens every artifact that a result refers to.
func readable(t *testing.T, mem *memory.Store) {
	t.Helper()
	for r := range allResults(t, mem) {
		if r.Evidence.Status > 0 {
			_, err := mem.Open(context.Background(), r.Evidence.Artifact)
			require.NoError(t, err, r.URL)
		}
	}
}

func TestADamagedStoreIsNamedAndLeftAlone(t *testing.T) {
	for name, damage := range map[string]func(file *os.File) error{
		"truncated to nothing": func(f *os.File) error { return f.Truncate(0) },
		"cut short":            func(f *os.File) error { return f.Truncate(5000) },
		"overwritten": func(f *os.File) error {
			_, err := f.WriteAt([]byte(strings.Repeat("weir", 4096)), 0)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, dir := web(t, twoPages), t.TempDir()
			cfg := Config{UserAgent: "weirbot/1.0", Dir: dir, Fetch: fetch.Config{Transport: w}, Policy: frontier.Policy{Delay: -1}}
			_, err := Run(t.Context(), cfg, "http://a.test/")
			require.NoError(t, err)
			path := filepath.Join(dir, "frontier.db")
			file, err := os.OpenFile(path, os.O_RDWR, 0)
			require.NoError(t, err)
			require.NoError(t, damage(file))
			require.NoError(t, file.Close())
			before, err := os.ReadFile(path)
			require.NoError(t, err)

			_, err = New(cfg)
			require.ErrorIs(t, err, storage.ErrCorrupt)
			assert.ErrorContains(t, err, path)
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, len(before), len(after))
			assert.True(t, string(before) == string(after), "nothing was changed")
		})
	}
}

func TestAStoreOfAnotherVersionIsNamedAndLeftAlone(t *testing.T) {
	w, dir := web(t, twoPages), t.TempDir()
	cfg := Config{UserAgent: "weirbot/1.0", Dir: dir, Fetch: fetch.Config{Transport: w}, Policy: frontier.Policy{Delay: -1}}
	_, err := Run(t.Context(), cfg, "http://a.test/")
	require.NoError(t, err)
	path := filepath.Join(dir, "frontier.db")
	bytes, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, page := range []int{0, os.Getpagesize()} {
		meta := bytes[page+16:]
		meta[4]++ // bbolt's version; then the checksum of all before it
		sum := fnv.New64a()
		_, _ = sum.Write(meta[:56])
		binary.NativeEndian.PutUint64(meta[56:], sum.Sum64())
	}
	require.NoError(t, os.WriteFile(path, bytes, 0o600))
	_, err = New(cfg)
	require.ErrorIs(t, err, storage.ErrVersion)
	assert.ErrorContains(t, err, path)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.True(t, string(bytes) == string(after), "nothing was changed")
}

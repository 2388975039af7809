//go:build unix

package bolt

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
)

// spread is what commit n writes: n under many keys of all spaces, and nothing of
// the commits before it in the queue.
func spread(n uint64) (ops []storage.Op) {
	value := strconv.AppendUint(nil, n, 10)
	r := rand.New(rand.NewPCG(n, n))
	for i := range 40 {
		ops = append(ops,
			storage.Op{Space: spaces[0], Key: fmt.Appendf(nil, "%02d", i), Value: value},
			storage.Op{Space: spaces[1], Key: fmt.Appendf(nil, "%08d/%02d", n, i), Value: make([]byte, r.IntN(200))},
			storage.Op{Space: spaces[2], Key: fmt.Appendf(nil, "%08d/%02d", n, i), Value: value},
			storage.Op{Space: spaces[2], Key: fmt.Appendf(nil, "%08d/%02d", n-1, i), Delete: true})
	}
	return ops
}

// requireSpread requires that s holds what commit n left, and nothing else.
func requireSpread(t *testing.T, s storage.Store, n uint64) {
	t.Helper()
	r, err := s.Read(t.Context(),
		storage.ReadRequest{Space: spaces[0], Limit: 1000},
		storage.ReadRequest{Space: spaces[1], Limit: 1 << 30},
		storage.ReadRequest{Space: spaces[2], Limit: 1000})
	require.NoError(t, err)
	require.Len(t, r[0].Keys, 40)
	require.Len(t, r[1].Keys, int(40*n))
	require.Len(t, r[2].Keys, 40)
	for i := range 40 {
		require.Equal(t, fmt.Sprint(n), string(r[0].Values[i]))
		require.Equal(t, fmt.Sprint(n), string(r[2].Values[i]))
	}
}

// commitForEver commits, and prints each sequence once it is acknowledged.
func commitForEver(path string) error {
	s, err := Open(Config{Path: path})
	if err != nil {
		return err
	}
	f, err := s.Claim(context.Background(), storage.Fence{Name: "p/0", Owner: fmt.Sprint(os.Getpid()), TTL: time.Hour})
	for err == nil {
		f.Sequence++
		if err = s.Commit(context.Background(), f, spread(f.Sequence)); err == nil {
			fmt.Println(f.Sequence)
		}
	}
	return err
}

// A process that is killed at any moment loses nothing that it was told was done,
// and leaves nothing half done.
func TestKilledProcessLosesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "frontier.db")
	kills, acknowledged := 8, uint64(0)
	if os.Getenv("WEIR_SOAK") != "" {
		kills = 200
	}
	for range kills {
		c := child("commit", path)
		out, err := c.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, c.Start())
		lines := bufio.NewScanner(out)
		for n := rand.IntN(15); lines.Scan(); n-- {
			acknowledged, err = strconv.ParseUint(lines.Text(), 10, 64)
			require.NoError(t, err, lines.Text())
			if n == 0 {
				time.AfterFunc(time.Duration(rand.IntN(3000))*time.Microsecond, func() { _ = c.Process.Kill() })
			}
		}
		require.ErrorContains(t, c.Wait(), "killed")

		s, err := Open(Config{Path: path})
		require.NoError(t, err)
		list, err := s.Fences(t.Context(), "")
		require.NoError(t, err)
		require.GreaterOrEqual(t, list[0].Sequence, acknowledged, "an acknowledged commit is lost")
		require.LessOrEqual(t, list[0].Sequence, acknowledged+1)
		require.Zero(t, list[0].TTL, "opening frees the fence")
		requireSpread(t, s, list[0].Sequence)
		require.NoError(t, s.Close())
		require.NoError(t, checkAll(path))
	}
}

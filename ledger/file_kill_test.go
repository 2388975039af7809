//go:build unix

package ledger

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const exportVariable = "WEIR_EXPORT"

// soaking reports whether tests do all of their work.
func soaking() bool { return os.Getenv("WEIR_SOAK") != "" }

// exportTo exports many results to path, and says so after each page.
func exportTo(path string) (Receipt, error) {
	many, pages := books{2_000, "g"}, 40
	if soaking() {
		many.n = 20_000
	}
	return Materialize(context.Background(), Export{From: many, To: &File{Path: path}, Page: PageRequest{Records: many.n / pages},
		Trace: func(l PageReceipt) { fmt.Println("page", l.Ordinal) }})
}

// killed runs exportTo in a process of its own and kills it a moment after so many
// pages. It reports false if the process was faster.
func killed(t *testing.T, path string, pages int, moment time.Duration) bool {
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.count=1")
	child.Env = append(os.Environ(), exportVariable+"="+path)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	lines := bufio.NewScanner(out)
	for n := 0; n < pages && lines.Scan(); n++ {
	}
	<-time.After(moment)
	_ = child.Process.Kill() // unless it has just ended
	for lines.Scan() {
	}
	err = child.Wait()
	exit := (*exec.ExitError)(nil)
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
		return true
	}
	require.NoError(t, err)
	return false
}

func TestAnExportKilledAtAnyMomentEndsInTheSameDatasetAndReceipt(t *testing.T) {
	if path := os.Getenv(exportVariable); path != "" {
		_, err := exportTo(path)
		require.NoError(t, err)
		return
	}
	kills := 5 // of each format
	if soaking() {
		kills = 100
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	dice := rand.New(rand.NewPCG(seed, 0))
	for _, name := range []string{"pages.jsonl", "pages.csv"} {
		whole := filepath.Join(t.TempDir(), name)
		r, err := exportTo(whole)
		require.NoError(t, err)
		require.True(t, r.Publishable(), r.Why)
		path := filepath.Join(t.TempDir(), name)
		for n, lives := 0, 0; n < kills; lives++ {
			require.Less(t, lives, 20*kills, "exports end before they are killed")
			if killed(t, path, dice.IntN(30), time.Duration(dice.IntN(20_000))*time.Microsecond) {
				n++
				continue
			}
			assertSame(t, whole, path)
			path = filepath.Join(t.TempDir(), name)
		}
		_, err = exportTo(path)
		require.NoError(t, err)
		assertSame(t, whole, path)
	}
}

func assertSame(t *testing.T, want, got string) {
	assert.Equal(t, len(files(t, want)), len(files(t, got)), "%s", files(t, got))
	for _, suffix := range []string{"", ".receipt.json"} {
		a, err := os.ReadFile(want + suffix)
		require.NoError(t, err)
		b, err := os.ReadFile(got + suffix)
		require.NoError(t, err)
		assert.True(t, string(a) == string(b), "%s%s differs", filepath.Base(want), suffix)
	}
}

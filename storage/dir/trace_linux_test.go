package dir

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The system is asked for what the protocol promises, in its order: a model of a
// disk cannot see that the real one syncs nothing.
func TestSystemIsAskedToSyncInOrder(t *testing.T) {
	oneByOne := "fsync /tmp, fsync /tmp, rename /tmp, rename /tmp, fsync"
	atOnce := "syncfs, rename /tmp, rename /tmp, syncfs"
	for name, want := range map[string]string{"best": atOnce, "files": oneByOne} {
		t.Run(name, func(t *testing.T) {
			if folder := os.Getenv(tracedFolder); folder != "" {
				appendTwo(t, folder, name)
				return
			}
			folder := filepath.Join(t.TempDir(), "artifacts")
			if d, err := openDisk(filepath.Dir(folder)); err == nil && name == "best" {
				if _, whole := d.(*volume); !whole {
					want = oneByOne
				}
				require.NoError(t, d.close())
			}
			require.Equal(t, want, strings.Join(calls(trace(t, folder), folder), ", "))
		})
	}
}

// tracedFolder is the environment variable that makes a test the traced process.
const tracedFolder = "WEIR_DIR_TRACED"

// appendTwo is what the traced process does between two renames that mark it.
func appendTwo(t *testing.T, folder, name string) {
	s, err := openWith(folder, disks[name])
	require.NoError(t, err)
	a, b := example, example
	for b.URL += "b"; encode(b).name[0] != encode(a).name[0]; { // until there is one directory to sync
		b.URL += "b"
	}
	mark(folder, "begin")
	_, err = s.Append(ctx, a)
	require.NoError(t, err)
	_, err = s.Append(ctx, b)
	require.NoError(t, err)
	require.NoError(t, s.Sync(ctx))
	mark(folder, "end")
	require.NoError(t, s.Close())
}

// mark makes a call that fails, to be seen in the trace.
func mark(folder, word string) {
	_ = os.Rename(filepath.Join(folder, word), filepath.Join(folder, "mark"))
}

// trace runs the calling test under strace.
func trace(t *testing.T, folder string) string {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("needs strace")
	}
	log := filepath.Join(t.TempDir(), "log")
	child := exec.Command(strace, "-f", "-y", "-o", log, "-e", "trace=fsync,syncfs,/^rename",
		os.Args[0], "-test.run=^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$")
	child.Env = append(os.Environ(), tracedFolder+"="+folder)
	out, err := child.CombinedOutput()
	if err != nil && strings.Contains(strings.ToLower(string(out)), "ptrace") {
		t.Skipf("needs the right to trace: %s", out)
	}
	require.NoError(t, err, "%s", out)
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	return string(text)
}

var call = regexp.MustCompile(`(fsync|syncfs|rename)[a-z0-9]*\((?:AT_FDCWD[^,]*, |\d+<)?"?([^">]+)`)

// calls returns the marked part of a trace, and says of each call whether its
// first file is in tmp.
func calls(trace, folder string) (all []string) {
	_, trace, _ = strings.Cut(trace, "/begin\"")
	_, trace, _ = strings.Cut(trace, "\n")
	trace, _, _ = strings.Cut(trace, "/end\"")
	for line := range strings.Lines(trace) {
		m := call.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if filepath.Dir(m[2]) == filepath.Join(folder, tmp) {
			m[1] += " /" + tmp
		}
		all = append(all, m[1])
	}
	if n := len(all); n > 0 { // the second mark
		all = all[:n-1]
	}
	return all
}

package dir

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
)

func TestSecondSinkIsLockedOut(t *testing.T) {
	path := t.TempDir()
	first := opened(t, path)
	r, err := first.Append(ctx, example)
	require.NoError(t, err)

	_, err = Open(path)
	require.ErrorIs(t, err, storage.ErrLocked)
	assert.ErrorContains(t, err, path)
	assert.ErrorContains(t, err, fmt.Sprintf("process %d", os.Getpid()))
	require.NoError(t, first.Sync(ctx), "its temporary files are still there")
	_, err = first.Open(ctx, r)
	require.NoError(t, err)

	require.NoError(t, first.Close())
	opened(t, path)
}

func TestOtherProcessIsNamedByItsPid(t *testing.T) {
	const folder = "WEIR_DIR_HOLD"
	if path := os.Getenv(folder); path != "" {
		opened(t, path)
		fmt.Println("held")
		select {} // until killed
	}
	path := t.TempDir()
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), folder+"="+path)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	_, err = out.Read(make([]byte, 64))
	require.NoError(t, err)

	_, err = Open(path)
	require.ErrorIs(t, err, storage.ErrLocked)
	assert.ErrorContains(t, err, fmt.Sprintf("process %d", child.Process.Pid))

	require.NoError(t, child.Process.Kill())
	_ = child.Wait() // killed
	opened(t, path)
}

func TestLeftoversAreRemovedAndNothingElse(t *testing.T) {
	path := t.TempDir()
	s := opened(t, path)
	r, err := s.Append(ctx, example)
	require.NoError(t, err)
	require.NoError(t, s.Close())

	leftover := filepath.Join(path, tmp, r.Segment+".12")
	others := []string{
		named(path, r.Segment),
		filepath.Join(path, r.Segment+".12"),
		filepath.Join(path, tmp, r.Segment),
		filepath.Join(path, tmp, r.Segment+".x"),
		filepath.Join(path, tmp, "notes.txt"),
		filepath.Join(path, tmp, "notes.12"),
		filepath.Join(path, r.Segment[:1], "notes.1"),
	}
	for _, file := range append(others, leftover) {
		if file != named(path, r.Segment) {
			require.NoError(t, os.WriteFile(file, []byte("x"), 0o600))
		}
	}
	folder := filepath.Join(path, tmp, r.Segment+".13")
	require.NoError(t, os.Mkdir(folder, 0o700))

	opened(t, path)
	assert.NoFileExists(t, leftover)
	assert.DirExists(t, folder)
	for _, file := range others {
		assert.FileExists(t, file)
	}
}

func TestUnwritableDirectorySaysWhatToDo(t *testing.T) {
	for _, c := range []struct {
		name string
		path func(t *testing.T) string
	}{
		{"below a file", func(t *testing.T) string {
			file := filepath.Join(t.TempDir(), "file")
			require.NoError(t, os.WriteFile(file, nil, 0o600))
			return filepath.Join(file, "artifacts")
		}},
		{"a file", func(t *testing.T) string {
			file := filepath.Join(t.TempDir(), "file")
			require.NoError(t, os.WriteFile(file, nil, 0o600))
			return file
		}},
		{"read-only, new", func(t *testing.T) string { return filepath.Join(readOnly(t), "artifacts") }},
		{"read-only, known", func(t *testing.T) string {
			path := t.TempDir()
			require.NoError(t, opened(t, path).Close())
			require.NoError(t, os.Remove(filepath.Join(path, "lock")))
			protect(t, path)
			return path
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := c.path(t)
			_, err := Open(path)
			require.ErrorIs(t, err, ErrUnwritable)
			assert.ErrorContains(t, err, path)
			assert.ErrorContains(t, err, "choose another directory")
		})
	}
}

func readOnly(t *testing.T) string {
	path := t.TempDir()
	protect(t, path)
	return path
}

func protect(t *testing.T, path string) {
	if os.Geteuid() <= 0 {
		t.Skip("root, and Windows, may write everywhere")
	}
	require.NoError(t, os.Chmod(path, 0o500))
	t.Cleanup(func() { _ = os.Chmod(path, 0o700) }) // so that TempDir can remove it
}

func TestNewDirectoriesAreMadeWithTheirParents(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "c")
	s := opened(t, path)
	require.NoError(t, s.Close())
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, "drwx------", info.Mode().String(), "requests hold cookies: nobody else reads them")
	entries, err := os.ReadDir(path)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	assert.Equal(t, "0 1 2 3 4 5 6 7 8 9 a b c d e f lock tmp", strings.Join(names, " "))
}

//go:build unix

package bolt

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"github.com/weircrawl/weir/storage"
)

// childRole tells the re-executed test binary what to do instead of testing, and
// childPath with which file.
const childRole, childPath = "WEIR_BOLT_CHILD", "WEIR_BOLT_PATH"

var roles = map[string]func(path string) error{"hold": hold, "commit": commitForEver}

func TestMain(m *testing.M) {
	maps.Copy(roles, diskRoles)
	role, ok := roles[os.Getenv(childRole)]
	if !ok {
		os.Exit(m.Run())
	}
	if err := role(os.Getenv(childPath)); err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// child returns a command that runs this test binary in a role.
func child(role, path string) *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), childRole+"="+role, childPath+"="+path)
	c.Stderr = os.Stderr
	return c
}

// hold keeps a store open until its standard input ends.
func hold(path string) error {
	s, err := Open(Config{Path: path})
	if err != nil {
		return err
	}
	fmt.Println("open")
	_, _ = os.Stdin.Read(make([]byte, 1)) // the parent closes it
	return s.Close()
}

func TestSO3LockedByAnotherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "frontier.db")
	c := child("hold", path)
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	_, err = out.Read(make([]byte, len("open\n")))
	require.NoError(t, err)
	before, err := os.ReadFile(path)
	require.NoError(t, err)

	start := time.Now()
	_, err = Open(Config{Path: path, Wait: 100 * time.Millisecond})
	require.ErrorIs(t, err, storage.ErrLocked)
	require.ErrorContains(t, err, path)
	require.ErrorContains(t, err, fmt.Sprintf("process %d", c.Process.Pid), "the holder")
	require.GreaterOrEqual(t, time.Since(start), 100*time.Millisecond)
	require.Less(t, time.Since(start), 10*time.Second)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, before, after, "nothing is written")

	go func() { _ = in.Close() }() // while the next one waits
	s, err := Open(Config{Path: path, Wait: time.Minute})
	require.NoError(t, err)
	require.NoError(t, c.Wait())
	require.NoError(t, s.Close())
}

func TestSO3LockedByThisProcess(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "frontier.db")
	s := openAt(t, path)
	require.NoError(t, os.Symlink(path, filepath.Join(dir, "link.db")))
	require.NoError(t, os.Symlink(dir, filepath.Join(dir, "folder")))
	for _, name := range []string{"frontier.db", "link.db", "folder/frontier.db", "folder/link.db"} {
		_, err := Open(Config{Path: filepath.Join(dir, name), Wait: -1})
		require.ErrorIs(t, err, storage.ErrLocked, name)
		require.ErrorContains(t, err, fmt.Sprintf("another handle of this process (%d)", os.Getpid()))
	}
	require.NoError(t, s.Close())
	openAt(t, filepath.Join(dir, "folder", "link.db"))
}

// The lock is kept while the file is replaced.
func TestLockOutlastsTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "frontier.db")
	s := openAt(t, path)
	f := claim(t, s, "a")
	s.commit = failures[0].commit
	f.Sequence++
	require.Error(t, s.Commit(t.Context(), f, nil))
	s.commit = (*bbolt.Tx).Commit
	claim(t, s, "a")
	_, err := Open(Config{Path: path, Wait: -1})
	require.ErrorIs(t, err, storage.ErrLocked)
}

// A program that knows nothing of the lock beside the file is met at bbolt's own.
func TestLockedByAnotherProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "frontier.db")
	require.NoError(t, openAt(t, path).Close())
	db, err := bbolt.Open(path, 0o600, nil)
	require.NoError(t, err)
	_, err = Open(Config{Path: path})
	require.ErrorIs(t, err, storage.ErrLocked)
	require.NoError(t, db.Close())
	openAt(t, path)
}

func TestNewStoreAppearsWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "frontier.db")
	require.NoError(t, os.WriteFile(path+".new", []byte("what a crash has left"), 0o600))
	s := openAt(t, path)
	commit(t, s, claim(t, s, "a"), put("k", "v"))
	require.NoError(t, s.Close())
	var names []string
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	require.Equal(t, []string{"frontier.db", "frontier.db.lock"}, names)
	require.Equal(t, "v", get(t, openAt(t, path), "k"))
}

func TestPathsThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	require.NoError(t, os.Symlink(filepath.Join(dir, "nowhere"), filepath.Join(dir, "dangling")))
	for name, says := range map[string]string{
		"no folder/frontier.db": "no such file or directory",
		"file/frontier.db":      "not a directory",
		"folder":                "not a regular file",
		"dangling":              "no such file or directory",
	} {
		_, err := Open(Config{Path: filepath.Join(dir, name)})
		require.ErrorContains(t, err, says, name)
		require.ErrorContains(t, err, name)
	}
	_, err := Open(Config{})
	require.ErrorContains(t, err, "set Config.Path")
	_, err = os.Lstat(filepath.Join(dir, "nowhere"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestUnwritableFolderSaysSo(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o500))
	_, err := Open(Config{Path: filepath.Join(dir, "frontier.db")})
	require.ErrorIs(t, err, fs.ErrPermission)
	require.ErrorContains(t, err, strings.TrimPrefix(dir, "/"))
}

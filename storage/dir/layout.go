package dir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/weircrawl/weir/storage"
)

const (
	tmp    = "tmp"
	digits = "0123456789abcdef" // of names; each is a directory
)

// ErrUnwritable means that the directory cannot be created or written by this
// user. Nothing was changed. Give the user the right, or choose another
// directory.
var ErrUnwritable = errors.New("dir: cannot write to the directory")

// Open opens the sink in the directory path, and creates it where there is none.
// The directory belongs to the sink until Close: storage.ErrLocked names the
// process that has it. Temporary files of a process that died are removed.
func Open(path string) (*Sink, error) {
	s, err := openWith(filepath.Clean(path), openDisk)
	if err != nil {
		return nil, fmt.Errorf("open artifacts in %s: %w", path, err)
	}
	return s, nil
}

func openWith(path string, openDisk func(path string) (disk, error)) (*Sink, error) {
	if err := makeDirectories(path); err != nil {
		return nil, unwritable(err)
	}
	lock, err := acquire(filepath.Join(path, "lock"))
	if err != nil {
		return nil, unwritable(err)
	}
	d, err := openDisk(path)
	if err != nil {
		return nil, unwritable(errors.Join(err, lock.Close()))
	}
	if err := removeLeftovers(filepath.Join(path, tmp)); err != nil {
		return nil, unwritable(errors.Join(err, d.close(), lock.Close()))
	}
	return &Sink{
		path: path, disk: d, lock: lock,
		turn: make(chan struct{}, 1), pending: make(map[string]string),
	}, nil
}

// named returns where the artifact called name has its file. Sixteen directories
// keep each one small enough for any file system, and few enough to be synced
// one by one where syncfs is not to be had.
func named(path, name string) string {
	return filepath.Join(path, name[:1], name)
}

func isName(s string) bool {
	return len(s) == hexes && strings.Trim(s, digits) == ""
}

// makeDirectories creates what is missing and makes it durable. The parent is
// synced even if path is there: whoever made it may have died before doing so.
func makeDirectories(path string) error {
	changed := []string{path, filepath.Dir(path)}
	for p := filepath.Dir(path); missing(p) && p != filepath.Dir(p); p = filepath.Dir(p) {
		changed = append(changed, filepath.Dir(p))
	}
	for _, name := range append(strings.Split(digits, ""), tmp) {
		if err := os.MkdirAll(filepath.Join(path, name), 0o700); err != nil {
			return err
		}
	}
	for _, p := range changed {
		if err := syncDirectory(p); err != nil && !errors.Is(err, fs.ErrPermission) { // a directory we may not read was not made by us
			return err
		}
	}
	return nil
}

func missing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// removeLeftovers removes the files in tmp that only Append can have left there.
func removeLeftovers(tmp string) error {
	entries, err := os.ReadDir(tmp)
	for _, entry := range entries {
		name, serial, _ := strings.Cut(entry.Name(), ".")
		if entry.Type().IsRegular() && isName(name) && serial != "" && strings.Trim(serial, "0123456789") == "" {
			err = errors.Join(err, os.Remove(filepath.Join(tmp, entry.Name())))
		}
	}
	return err
}

// unwritable gives an error of opening its typed meaning.
func unwritable(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("%w: give this user the right to, or choose another directory: %w", ErrUnwritable, err)
	}
	return explain(err)
}

// explain marks a full disk.
func explain(err error) error {
	if isFull(err) {
		return fmt.Errorf("%w: free some space, then open the sink again: %w", storage.ErrNoSpace, err)
	}
	return err
}

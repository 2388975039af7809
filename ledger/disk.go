package ledger

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/weircrawl/weir/internal/lockfile"
	"github.com/weircrawl/weir/storage"
)

// A disk is where a [File] keeps what it has. The bytes that a file had at its last
// sync, and the names that a folder had at its last settle, are what a loss of
// power leaves for certain.
type disk interface {
	open(path string) (file, error) // to read; fs.ErrNotExist
	make(path string) (file, error) // to read and write; new where there is none
	rename(from, to string) error   // replaces what is there
	remove(path string) error       // nil also where there is none
	settle(path string) error       // the folder of path
	lock(path string) (lock, error)
}

// A file is open.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	Sync() error
	size() (int64, error)
}

// A lock is held until it is removed.
type lock interface{ Remove() error }

// realDisk is the disk of the machine.
type realDisk struct{}

type realFile struct{ *os.File }

func (f realFile) size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, fmt.Errorf("ledger: %s is no regular file", f.Name())
	}
	return info.Size(), nil
}

func (realDisk) open(path string) (file, error) {
	f, err := os.Open(path)
	return realFile{f}, err
}

func (realDisk) make(path string) (file, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666) // less the umask, as any output
	return realFile{f}, err
}

func (realDisk) rename(from, to string) error { return os.Rename(from, to) }

func (realDisk) remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (realDisk) settle(path string) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced; a rename is durable when the file system makes it so
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

func (realDisk) lock(path string) (lock, error) {
	held := (*lockfile.HeldError)(nil)
	l, err := lockfile.Acquire(path)
	if errors.As(err, &held) {
		return nil, fmt.Errorf("%w by %s, which writes this dataset: wait for it, or choose another path", storage.ErrLocked, held.Holder)
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// noSpace adds storage.ErrNoSpace to an error of a full disk or quota.
func noSpace(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w: %w", storage.ErrNoSpace, err)
	}
	return err
}

package dir

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/weircrawl/weir/storage"
)

// A disk is where the order of a sink's effects matters. What was written and
// renamed before settle is durable when settle has returned without an error;
// of all else a loss of power keeps any part.
type disk interface {
	write(path string, parts ...[]byte) error // a new file; after an error there is none
	rename(from, to string) error             // replaces what is there
	settle() error
	close() error
}

// files is the disk that works everywhere: each file is synced by the write that
// makes it, each directory by the next settle.
type files struct {
	mu      sync.Mutex
	renamed map[string]bool // directories with names that are not durable yet
}

func newFiles() *files { return &files{renamed: make(map[string]bool)} }

func (f *files) write(path string, parts ...[]byte) error {
	return create(path, (*os.File).Sync, parts)
}

func (f *files) rename(from, to string) error {
	f.mu.Lock()
	f.renamed[filepath.Dir(to)] = true
	f.mu.Unlock()
	return os.Rename(from, to)
}

func (f *files) settle() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for directory := range f.renamed {
		if err := syncDirectory(directory); err != nil {
			return err
		}
		delete(f.renamed, directory)
	}
	return nil
}

func (f *files) close() error { return nil }

// create writes a new file, or none.
func create(path string, finish func(*os.File) error, parts [][]byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	for _, part := range parts {
		if err == nil && len(part) > 0 {
			_, err = file.Write(part)
		}
	}
	if err == nil {
		err = finish(file)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// readExactly reads a file of size bytes; of another size it is corrupt. It
// takes no more memory than the file has bytes.
func readExactly(path string, size int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() != size {
		return nil, fmt.Errorf("%w: its file has %d bytes, not %d", storage.ErrCorrupt, info.Size(), size)
	}
	content := make([]byte, size)
	_, err = io.ReadFull(file, content)
	return content, err
}

//go:build unix

package bolt

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/weircrawl/weir/storage"
)

// initialMap is how much of the file is mapped at first. Growing beyond it waits
// for readers; address space costs nothing where there is plenty.
const initialMap = (1 << 30) * (strconv.IntSize / 64)

// lockPoll is how often a held lock is tried again.
const lockPoll = 20 * time.Millisecond

// A lock is the right to open one store. It is a file of its own, because the
// store's file is replaced while the store stays open.
type lock struct{ file *os.File }

// acquire takes the lock at path, or answers storage.ErrLocked after wait.
func acquire(path string, wait time.Duration) (*lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := flock(f, wait); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if err := writeHolder(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &lock{file: f}, nil
}

func flock(f *os.File, wait time.Duration) error {
	tick := time.NewTicker(lockPoll)
	defer tick.Stop()
	for start := time.Now(); ; {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil || !errors.Is(err, unix.EWOULDBLOCK) {
			return err
		}
		if time.Since(start) >= wait {
			return fmt.Errorf("%w by %s: close it there, or choose another path", storage.ErrLocked, holder(f))
		}
		<-tick.C
	}
}

func writeHolder(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// holder says who has written their name into f.
func holder(f *os.File) string {
	var text [32]byte
	n, _ := f.ReadAt(text[:], 0) // an unreadable name is an unknown one
	pid, err := strconv.Atoi(strings.TrimSpace(string(text[:n])))
	switch {
	case err != nil:
		return "an unknown process"
	case pid == os.Getpid():
		return fmt.Sprintf("another handle of this process (%d)", pid)
	default:
		return fmt.Sprintf("process %d", pid)
	}
}

// release frees the lock. The file stays: removing it could part two processes
// that both believe to hold it.
func (l *lock) release() {
	_ = l.file.Truncate(0) // the name is a courtesy
	_ = l.file.Close()     // frees the lock whatever it answers
}

// syncDir makes the names in dir durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

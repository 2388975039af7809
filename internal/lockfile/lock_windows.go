package lockfile

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// beyond is where the lock lies: Windows keeps others from reading locked bytes,
// and the first ones say who holds it.
const beyond = 1 << 30

// tryLock locks file, or reports that another open file holds the lock.
func tryLock(file *os.File) (held bool, err error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err = windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, &windows.Overlapped{Offset: beyond})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return true, nil
	}
	return false, err
}

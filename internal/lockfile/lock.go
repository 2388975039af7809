package lockfile

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// A Lock is held until it is closed.
type Lock struct{ file *os.File }

// A HeldError means that another Lock has the path.
type HeldError struct{ Holder string }

func (e *HeldError) Error() string { return "the lock is held by " + e.Holder }

// Acquire locks the file at path, which it makes where there is none, or returns a
// *HeldError at once.
func Acquire(path string) (*Lock, error) {
	for {
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		current, err := take(file, path)
		if current {
			return &Lock{file}, nil
		}
		if err = errors.Join(err, file.Close()); err != nil {
			return nil, err
		}
	}
}

// take locks file and signs it. It reports false if path names another file since
// file was opened: a holder has removed it.
func take(file *os.File, path string) (current bool, err error) {
	held, err := tryLock(file)
	if held {
		return false, &HeldError{holder(file)}
	}
	if err != nil {
		return false, err
	}
	mine, err := file.Stat()
	if err != nil {
		return false, err
	}
	named, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) || err == nil && !os.SameFile(mine, named) {
		return false, nil
	}
	if err == nil {
		err = sign(file)
	}
	return err == nil, err
}

// sign leaves in the lock file who holds it.
func sign(file *os.File) error {
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err := file.WriteAt(fmt.Appendf(nil, "process %d", os.Getpid()), 0)
	return err
}

func holder(file *os.File) string {
	text, err := io.ReadAll(io.LimitReader(file, 64))
	if err != nil || len(text) == 0 {
		return "a process that has not signed yet"
	}
	return string(text)
}

// Close frees the lock and leaves its file.
func (l *Lock) Close() error { return l.file.Close() }

// Remove frees the lock and removes its file, where the system lets it: whoever
// has opened it meanwhile opens anew.
func (l *Lock) Remove() error {
	_ = os.Remove(l.file.Name()) // it may stay: an unlocked file is in nobody's way
	return l.file.Close()
}

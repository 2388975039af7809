package dir

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/weircrawl/weir/storage"
)

// acquire locks the file at path for as long as the returned file is open. The
// system frees the lock when the process dies, however it dies.
func acquire(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	held, err := tryLock(file)
	if held {
		err = fmt.Errorf("%w by %s: stop that process, or choose another directory", storage.ErrLocked, holder(file))
	}
	if err == nil {
		err = sign(file)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
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

package dir

import (
	"errors"
	"fmt"

	"github.com/weircrawl/weir/internal/lockfile"
	"github.com/weircrawl/weir/storage"
)

// acquire locks the file at path until it is closed, or says who holds it.
func acquire(path string) (*lockfile.Lock, error) {
	lock, err := lockfile.Acquire(path)
	if held := (*lockfile.HeldError)(nil); errors.As(err, &held) {
		return nil, fmt.Errorf("%w by %s: stop that process, or choose another directory", storage.ErrLocked, held.Holder)
	}
	return lock, err
}

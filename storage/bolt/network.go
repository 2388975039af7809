package bolt

import (
	"errors"
	"fmt"
)

// ErrNetwork means that the directory of a store lies on a network file system,
// where neither locks nor mapped files can be relied on: a store there would be
// damaged sooner or later. Use a local directory, or a Store of your own that is
// made for several machines (storage/storetest says when it is one).
var ErrNetwork = errors.New("bolt: on a network file system: use a local directory, or a Store of your own over a server such as PostgreSQL")

// local answers ErrNetwork if dir is on a file system that is known to be one.
func local(dir string) error {
	kind, err := fileSystem(dir)
	if err != nil {
		return err
	}
	return refused(dir, kind)
}

// refused answers ErrNetwork if kind names a network file system.
func refused(dir, kind string) error {
	if kind == "" {
		return nil
	}
	return fmt.Errorf("%w: %s is on %s", ErrNetwork, dir, kind)
}

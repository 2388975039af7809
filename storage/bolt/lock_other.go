//go:build !unix

package bolt

import "time"

// Without flock, bbolt's own lock on the file is the only one: a held store is
// storage.ErrLocked at once, and its holder unknown. The map grows with the file,
// which would otherwise be as large as the map, and a rename is durable when the
// file system makes it so.
const initialMap = 0

type lock struct{}

func acquire(string, time.Duration) (*lock, error) { return &lock{}, nil }

func (*lock) release() {}

func syncDir(string) error { return nil }

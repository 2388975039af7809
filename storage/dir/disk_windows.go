package dir

import (
	"errors"

	"golang.org/x/sys/windows"
)

// syncDirectory does nothing: Windows cannot sync a directory, and NTFS keeps
// names in its journal.
func syncDirectory(string) error { return nil }

func isFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}

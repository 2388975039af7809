//go:build !linux

package bolt

// fileSystem knows no network file systems here.
func fileSystem(string) (string, error) { return "", nil }

package dir

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// volume is the disk on a file system whose syncfs(2) makes everything durable
// in one call and reports every write that was lost. It costs less than half the
// CPU of files; see BenchmarkAppendSync.
type volume struct{ root *os.File }

// openDisk returns the cheapest disk that is right for path.
func openDisk(path string) (disk, error) {
	root, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if reportsLostWrites() && syncsWhole(root) {
		return &volume{root}, nil
	}
	_ = root.Close() // only looked at
	return newFiles(), nil
}

// write is create in four system calls: package os makes twice as many, to be
// ready for what is done with other files.
func (v *volume) write(path string, parts ...[]byte) error {
	file, err := unix.Open(path, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	err = errors.Join(writeAll(file, parts), unix.Close(file))
	if err != nil {
		return errors.Join(&os.PathError{Op: "write", Path: path, Err: err}, unix.Unlink(path))
	}
	return nil
}

// writeAll writes all parts, in one call unless the disk takes less.
func writeAll(file int, parts [][]byte) error {
	for rest := skip(parts, 0); len(rest) > 0; {
		n, err := unix.Writev(file, rest)
		if err != nil {
			return err
		}
		if n == 0 {
			return io.ErrShortWrite
		}
		rest = skip(rest, n)
	}
	return nil
}

// skip returns parts without their first n bytes.
func skip(parts [][]byte, n int) [][]byte {
	for len(parts) > 0 && n >= len(parts[0]) {
		n -= len(parts[0])
		parts = parts[1:]
	}
	if n == 0 {
		return parts
	}
	return append([][]byte{parts[0][n:]}, parts[1:]...)
}

func (v *volume) rename(from, to string) error {
	if err := unix.Rename(from, to); err != nil { // os.Rename looks first
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}

func (v *volume) settle() error {
	return os.NewSyscallError("syncfs", unix.Syncfs(int(v.root.Fd())))
}

func (v *volume) close() error { return v.root.Close() }

// syncsWhole reports whether syncfs reaches the medium under root: a local file
// system of our own list, since FUSE and overlays may answer before it did.
func syncsWhole(root *os.File) bool {
	var fs unix.Statfs_t
	if unix.Fstatfs(int(root.Fd()), &fs) != nil {
		return false
	}
	known := []int64{unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC}
	return slices.Contains(known, int64(fs.Type))
}

// reportsLostWrites reports whether the kernel is 5.8 or newer: before, syncfs
// returned nil after a write had failed (man 2 syncfs).
func reportsLostWrites() bool {
	var name unix.Utsname
	return unix.Uname(&name) == nil && atLeast(name.Release[:], 5, 8)
}

// atLeast compares the first two numbers of a release like "6.1.0-13-amd64".
func atLeast(release []byte, major, minor int) bool {
	fields := bytes.FieldsFunc(release, func(r rune) bool { return r < '0' || r > '9' })
	if len(fields) < 2 {
		return false
	}
	x, _ := strconv.Atoi(string(fields[0])) // digits alone; too many of them read as 0
	y, _ := strconv.Atoi(string(fields[1]))
	return x > major || x == major && y >= minor
}

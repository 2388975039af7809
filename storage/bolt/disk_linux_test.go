package bolt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/weircrawl/weir/storage"
)

// diskRoles are what a child does on Linux only.
var diskRoles = map[string]func(path string) error{"sync": commitUntilError, "fill": fillDisk}

// commitUntilError commits three times, of which one fails; claims, tells what it
// finds, and commits again.
func commitUntilError(path string) error {
	runtime.LockOSThread() // strace counts the calls of each thread
	ctx := context.Background()
	s, err := Open(Config{Path: path})
	if err != nil {
		return err
	}
	f, err := s.Claim(ctx, storage.Fence{Name: "p/0", Owner: "a", TTL: time.Hour})
	if err != nil {
		return err
	}
	for range 3 {
		f.Sequence++
		if err := s.Commit(ctx, f, spread(f.Sequence)); err != nil {
			fmt.Printf("commit %d: EIO %v\n", f.Sequence, errors.Is(err, syscall.EIO))
			if f, err = s.Claim(ctx, f); err != nil {
				return err
			}
			fmt.Printf("claim: %d\n", f.Sequence)
		}
	}
	f.Sequence++
	return errors.Join(s.Commit(ctx, f, spread(f.Sequence)), s.Close())
}

// TestFailedSync lets the system fail one fdatasync(2) of a real process: that of
// the pages, or that of the meta page, which the file then shows already.
func TestFailedSyncIsNeverAcknowledged(t *testing.T) {
	if err := exec.Command("strace", "-e", "trace=none", "true").Run(); err != nil {
		t.Skip("needs strace:", err)
	}
	for _, sync := range []string{"the pages", "the meta page"} {
		t.Run(sync, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "frontier.db")
			s := openAt(t, path)
			claim(t, s, "a")
			require.NoError(t, s.Close())
			nth := map[string]int{"the pages": 5, "the meta page": 6}[sync] // after a claim and a commit, of two each
			trace := exec.Command("strace", "-f", "-o", os.DevNull, "-e", fmt.Sprintf("inject=fdatasync:error=EIO:when=%d", nth), os.Args[0])
			trace.Env = append(os.Environ(), childRole+"=sync", childPath+"="+path)
			out, err := trace.CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Equal(t, "commit 2: EIO true\nclaim: 1\n", string(out))
			s = openAt(t, path)
			require.EqualValues(t, 3, claim(t, s, "b").Sequence, "the two commits that succeeded, and the last one")
			r, err := s.Read(t.Context(), storage.ReadRequest{Space: spaces[0], Limit: 1})
			require.NoError(t, err)
			require.Equal(t, "3", string(r[0].Values[0]))
			require.NoError(t, s.Close())
			require.NoError(t, checkAll(path))
		})
	}
}

const ballast = "ballast"

// fillDisk fills a small disk, removes the ballast from it, and goes on.
func fillDisk(dir string) error {
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=24m"); err != nil {
		fmt.Println("skip:", err)
		return nil
	}
	ctx := context.Background()
	if err := os.WriteFile(filepath.Join(dir, ballast), make([]byte, 12<<20), 0o600); err != nil {
		return err
	}
	s, err := Open(Config{Path: filepath.Join(dir, "frontier.db")})
	if err != nil {
		return err
	}
	f, err := s.Claim(ctx, storage.Fence{Name: "p/0", Owner: "a", TTL: time.Hour})
	if err != nil {
		return err
	}
	committed := uint64(0)
	for err == nil {
		f.Sequence = committed + 1
		if err = s.Commit(ctx, f, large(f.Sequence)); err == nil {
			committed++
		}
	}
	fmt.Println("full:", errors.Is(err, storage.ErrNoSpace))
	_, err = s.Read(ctx, storage.ReadRequest{Space: spaces[1], Limit: 1})
	fmt.Println("read:", err)
	f, err = s.Claim(ctx, f)
	fmt.Println("claim while full:", err == nil || errors.Is(err, storage.ErrNoSpace))
	if err := os.Remove(filepath.Join(dir, ballast)); err != nil {
		return err
	}
	if f, err = s.Claim(ctx, storage.Fence{Name: "p/0", Owner: "a", TTL: time.Hour}); err != nil {
		return err
	}
	fmt.Println("nothing lost, nothing gained:", f.Sequence == committed)
	f.Sequence++
	if err := errors.Join(s.Commit(ctx, f, large(f.Sequence)), s.Close(), checkAll(filepath.Join(dir, "frontier.db"))); err != nil {
		return err
	}
	if s, err = Open(Config{Path: filepath.Join(dir, "frontier.db")}); err != nil {
		return err
	}
	r, err := s.Read(ctx, storage.ReadRequest{Space: spaces[1], Limit: 1 << 20})
	if err != nil {
		return err
	}
	fmt.Println("opened again:", len(r[0].Keys) == int(f.Sequence)*20)
	return s.Close()
}

// large is commit n of a megabyte.
func large(n uint64) (ops []storage.Op) {
	for i := range 20 {
		ops = append(ops, storage.Op{Space: spaces[1], Key: fmt.Appendf(nil, "%08d/%02d", n, i), Value: make([]byte, 50<<10)})
	}
	return ops
}

// TestSO5 fills a real disk: a small one in memory, in a name space of its own.
func TestSO5FullDiskIsNoSpaceAndLosesNothing(t *testing.T) {
	c := child("fill", t.TempDir())
	c.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := c.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) || err == nil {
		if strings.HasPrefix(string(out), "skip") {
			t.Skip("needs a mount of its own:", string(out))
		}
		require.NoError(t, err, "%s", out)
		require.Equal(t, strings.Join([]string{
			"full: true", "read: <nil>", "claim while full: true",
			"nothing lost, nothing gained: true", "opened again: true", "",
		}, "\n"), string(out))
		return
	}
	t.Skip("needs a user name space:", err)
}

func TestNetworkFileSystemsAreKnown(t *testing.T) {
	const mounts = `22 1 254:0 / / rw,relatime - ext4 /dev/root rw
30 22 0:26 / /mnt/far rw,nosuid - fuse.sshfs host:/srv rw
31 22 0:27 / /mnt/far/near rw,nosuid - fuseblk /dev/sdb1 rw
32 22 0:28 / /mnt/bucket rw shared:3 - fuse.rclone remote: rw
33 22 0:29 / /mnt/ceph\040fs rw - fuse.ceph-fuse ceph rw
garbage
`
	for _, c := range []struct {
		magic uint32
		dir   string
		want  string
	}{
		{0x6969, "/srv", "NFS"},
		{0xFF534D42, "/srv", "CIFS"},
		{0xFE534D42, "/srv", "SMB2"},
		{0x01021997, "/srv", "9p"},
		{0xEF53, "/srv", ""},     // ext4
		{0x01021994, "/tmp", ""}, // tmpfs
		{fuseMagic, "/mnt/far", "fuse.sshfs"},
		{fuseMagic, "/mnt/far/away", "fuse.sshfs"},
		{fuseMagic, "/mnt/farther", ""},
		{fuseMagic, "/mnt/far/near/file", ""},
		{fuseMagic, "/mnt/bucket/x", "fuse.rclone"},
		{fuseMagic, "/home", ""},
	} {
		require.Equal(t, c.want, networkName(c.magic, c.dir, mounts), "%#x %s", c.magic, c.dir)
	}
	require.ErrorIs(t, refused("/srv", "NFS"), ErrNetwork)
	require.ErrorContains(t, refused("/srv", "NFS"), "PostgreSQL")
	require.NoError(t, refused("/srv", ""))
	require.NoError(t, local(t.TempDir()))
}

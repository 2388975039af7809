package bolt

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// networkMagic holds the numbers by which statfs(2) names file systems that
// several machines share.
var networkMagic = map[uint32]string{
	0x00006969: "NFS",
	0x0000517B: "SMB",
	0xFE534D42: "SMB2",
	0xFF534D42: "CIFS",
	0x01021997: "9p",
	0x5346414F: "AFS",
	0x73757245: "Coda",
	0x0000564C: "NCP",
	0x00C36400: "Ceph",
	0x01161970: "GFS2",
	0x7461636F: "OCFS2",
	0x0BD00BD0: "Lustre",
	0x47504653: "GPFS",
	0x19830326: "BeeGFS",
	0x013111A8: "IBRIX",
	0xAAD7AAEA: "PanFS",
}

// fuseMagic is that of every file system in user space: local ones, such as NTFS,
// and those below.
const fuseMagic = 0x65735546

var networkFuse = []string{
	"sshfs", "glusterfs", "ceph", "s3fs", "s3ql", "goofys", "gcsfuse", "rclone", "blobfuse", "juicefs",
	"davfs", "curlftpfs", "smbnetfs", "fuse-nfs", "moosefs", "mfs", "lizardfs", "seaweedfs", "beegfs",
	"mount-s3", "mountpoint-s3", "cvmfs", "hdfs", "alluxio", "google-drive-ocamlfuse", "onedriver",
}

// fileSystem returns the name of dir's file system if that is a network one.
func fileSystem(dir string) (string, error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return "", &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	mounts, _ := os.ReadFile("/proc/self/mountinfo") // without it, FUSE is taken for local
	return networkName(uint32(stat.Type), dir, string(mounts)), nil
}

// networkName names the network file system with the number magic, or the one in
// user space that dir lies on by the table mounts.
func networkName(magic uint32, dir, mounts string) string {
	if magic != fuseMagic {
		return networkMagic[magic]
	}
	kind := mountType(dir, mounts)
	for _, name := range networkFuse {
		if strings.HasPrefix(strings.TrimPrefix(kind, "fuse."), name) {
			return kind
		}
	}
	return ""
}

// mountType finds the type of the file system that dir lies on in the table of
// proc(5), mountinfo. Of two mounts on one place, the later covers the earlier.
func mountType(dir, mounts string) (kind string) {
	longest := -1
	for line := range strings.Lines(mounts) {
		before, after, found := strings.Cut(line, " - ")
		fields, types := strings.Fields(before), strings.Fields(after)
		if !found || len(fields) < 5 || len(types) < 1 {
			continue
		}
		if point := fields[4]; below(dir, point) && len(point) >= longest {
			longest, kind = len(point), types[0]
		}
	}
	return kind
}

// below tells whether dir is point or lies under it.
func below(dir, point string) bool {
	return dir == point || point == "/" || strings.HasPrefix(dir, point+"/")
}

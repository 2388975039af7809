package dir

import (
	"context"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
)

// BenchmarkAppendSync appends artifacts of 15 KB from 64 goroutines, of which
// one in fifty calls Sync: a crawler with group commit.
//
// The protocol was chosen by these figures, from a program that does nothing but
// the system calls: 15 KB a file, groups of 50, ext4 on two cores of which other
// work took a part. CPU is user and system time of the process, a file.
//
//	                                                     CPU      a group's sync
//	fsync each in turn, rename, fsync directory          195 µs   14.3 ms
//	fsync each, 8 at once, one directory                 185 µs    7.1 ms
//	fsync each, 8 at once, 256 directories               253 µs   16.4 ms
//	sync_file_range, then fsync, 8 at once               191 µs    4.1 ms
//	syncfs, rename, fsync 1 directory                     87 µs    2.9 ms
//	syncfs, rename, fsync 16 directories                 114 µs    5.3 ms
//	syncfs, rename, fsync 256 directories                164 µs   11.2 ms
//	syncfs, rename, syncfs; 1 directory                   83 µs    2.5 ms
//	syncfs, rename, syncfs; 16 directories                85 µs    2.5 ms
//	syncfs, rename, syncfs; 256 directories               84 µs    2.8 ms
//	O_TMPFILE, syncfs, linkat, syncfs                     82 µs    2.5 ms
//	write under the name, syncfs (names torn files)       89 µs    2.5 ms
//
// Two syncfs cost less than half of anything with fsync, and the number of
// directories costs them nothing; with fsync each directory costs. Sixteen are
// enough for a hundred million files and few enough for the fallback. O_TMPFILE
// saves nothing, and would keep a file open for each artifact that waits.
func BenchmarkAppendSync(b *testing.B) {
	for _, name := range []string{"best", "files"} {
		b.Run("disk="+name, func(b *testing.B) {
			s, err := openWith(filepath.Join(b.TempDir(), "artifacts"), disks[name])
			require.NoError(b, err)
			appendSync(b, s)
			require.NoError(b, s.Close())
		})
	}
}

// disks are the disks of this system: the one that Open takes, and the one that
// it falls back to.
var disks = map[string]func(string) (disk, error){
	"best":  openDisk,
	"files": func(string) (disk, error) { return newFiles(), nil },
}

func appendSync(b *testing.B, s *Sink) {
	const workers, group, size = 64, 50, 15_000
	ctx := context.Background()
	b.SetBytes(size)
	b.ReportAllocs()
	start := time.Now()
	var next atomic.Int64
	var appenders sync.WaitGroup
	b.ResetTimer()
	for range workers {
		appenders.Go(func() {
			body := make([]byte, size)
			for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
				binary.LittleEndian.PutUint64(body, uint64(n))
				_, err := s.Append(ctx, storage.Artifact{URL: fmt.Sprintf("http://a.test/%d", n), Time: start, Body: body})
				if n%group == 0 {
					err = s.Sync(ctx)
				}
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	appenders.Wait()
	if err := s.Sync(ctx); err != nil {
		b.Error(err)
	}
	b.ReportMetric(float64(b.N)/time.Since(start).Seconds(), "artifacts/s")
}

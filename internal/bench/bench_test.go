//go:build unix

package bench

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"
	"golang.org/x/sys/unix"
)

// BenchmarkCrawl measures each crawler beside the yardstick: pages a second,
// their ratio, what a page costs in CPU time, which includes the site's, and in
// allocations, and what weir keeps of it on disk. The ratio of CPU times says on
// a busy machine too which of two crawlers is the dearer.
//
// On ext4, creating a file passes over every inode that was deleted nearby in the
// last minute: weir's figures suffer where other programs have just deleted many
// files. TMPDIR names another file system.
func BenchmarkCrawl(b *testing.B) {
	for _, pages := range []int{1_000, 10_000} {
		for _, c := range []Crawler{Weir, Handled, Colly} {
			b.Run(fmt.Sprintf("pages=%d/%s", pages, c.Name), func(b *testing.B) { compare(b, c, pages) })
		}
	}
}

// compare runs rounds of the yardstick and of c.
func compare(b *testing.B, c Crawler, pages int) {
	site, err := Open()
	require.NoError(b, err)
	defer func() { require.NoError(b, site.Close()) }()
	var yardstick, own usage
	var rows, files int64 // bytes on disk
	for b.Loop() {
		for range 2 {
			b.StopTimer()
			yardstick.add(measure(b, Minimal, site, pages, ""))
			dir := b.TempDir()
			runtime.GC()
			b.StartTimer()
			own.add(measure(b, c, site, pages, dir))
			b.StopTimer()
			rows += rowsIn(b, dir)
			files += filesIn(b, dir)
			b.StartTimer()
		}
	}
	n := float64(2 * b.N * pages)
	b.ReportMetric(n/own.wall.Seconds(), "pages/s")
	b.ReportMetric(n/yardstick.wall.Seconds(), "minimal-pages/s")
	b.ReportMetric(yardstick.wall.Seconds()/own.wall.Seconds(), "ratio")
	b.ReportMetric(yardstick.cpu.Seconds()/own.cpu.Seconds(), "cpu-ratio")
	b.ReportMetric(own.cpu.Seconds()*1e6/n, "cpu-µs/page")
	b.ReportMetric(float64(own.allocs)/n, "allocs/page")
	b.ReportMetric(float64(own.bytes)/n, "B/page")
	b.ReportMetric(float64(rows)/n, "row-B/page")
	b.ReportMetric(float64(files)/n, "artifact-B/page")
	b.ReportMetric(0, "ns/op") // of two crawls: says nothing
}

// usage is what crawls have taken.
type usage struct {
	wall, cpu     time.Duration
	allocs, bytes uint64
}

func (u *usage) add(more usage) {
	u.wall += more.wall
	u.cpu += more.cpu
	u.allocs += more.allocs
	u.bytes += more.bytes
}

func measure(b *testing.B, c Crawler, site *Site, pages int, dir string) usage {
	before, began := now(b), time.Now()
	require.NoError(b, c.Crawl(b.Context(), site, pages, dir))
	wall, after := time.Since(began), now(b)
	return usage{wall, after.cpu - before.cpu, after.allocs - before.allocs, after.bytes - before.bytes}
}

// rowsIn returns the bytes of weir's store in dir that are in use: its file grows
// in steps of 16 MiB.
func rowsIn(b *testing.B, dir string) (size int64) {
	path := filepath.Join(dir, "frontier.db")
	if found, _ := filepath.Glob(path); found == nil {
		return 0
	}
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
	require.NoError(b, err)
	require.NoError(b, db.View(func(tx *bbolt.Tx) error {
		size = tx.Size()
		return nil
	}))
	require.NoError(b, db.Close())
	return size
}

// filesIn returns the bytes of the artifacts in dir.
func filesIn(b *testing.B, dir string) (size int64) {
	require.NoError(b, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Dir(path) == dir {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	}))
	return size
}

// now is what this process has taken so far.
func now(b *testing.B) usage {
	var times unix.Rusage
	require.NoError(b, unix.Getrusage(unix.RUSAGE_SELF, &times))
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return usage{cpu: time.Duration(times.Utime.Nano() + times.Stime.Nano()), allocs: memory.Mallocs, bytes: memory.TotalAlloc}
}

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

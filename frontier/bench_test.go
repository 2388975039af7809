package frontier

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/bolt"
)

func openBolt(b *testing.B, path string) storage.Store {
	s, err := bolt.Open(bolt.Config{Path: path})
	require.NoError(b, err)
	return s
}

// benchURL spreads identities over 100 origins.
func benchURL(i int) string { return fmt.Sprintf("http://h%02d.test/path/to/page-%d.html", i%100, i) }

// fill admits n identities.
func fill(b *testing.B, f *Frontier, n int) {
	var refs []Reference
	for i := range n {
		if refs = append(refs, Reference{Observed: benchURL(i), Rule: "a"}); len(refs) == 5000 || i == n-1 {
			_, err := f.Enqueue(b.Context(), Sitemap, refs...)
			require.NoError(b, err)
			refs = refs[:0]
		}
	}
}

func benchFrontier(b *testing.B, s storage.Store) *Frontier {
	f, err := Open(b.Context(), Config{Store: s, Policy: Policy{Delay: -1, Concurrency: 1 << 20}, Scope: Scope{Sites: []string{"test"}},
		Budget: Budget{URLs: 1 << 40, Origins: 1 << 20, Response: 64 << 10, Bytes: 1 << 50, Wall: 1000 * time.Hour}})
	require.NoError(b, err)
	return f
}

// BenchmarkEnqueue offers references, 95 of 100 known, durably, in batches of
// 50 by 16 callers.
func BenchmarkEnqueue(b *testing.B) {
	for _, known := range []int{100_000, 1_000_000} {
		for _, draw := range []string{"zipf", "uniform"} {
			b.Run(fmt.Sprintf("known=%d/%s", known, draw), func(b *testing.B) {
				s := openBolt(b, filepath.Join(b.TempDir(), "f.db"))
				defer s.Close()
				f := benchFrontier(b, s)
				defer f.Close()
				fill(b, f, known)
				benchEnqueue(b, f, known, draw)
			})
		}
	}
}

func benchEnqueue(b *testing.B, f *Frontier, known int, draw string) {
	const callers, batch = 16, 50
	var mu sync.Mutex
	next := known
	fresh := func() int {
		mu.Lock()
		defer mu.Unlock()
		next++
		return next
	}
	left := make(chan struct{}, 1<<16)
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(c), 7))
			zipf := rand.NewZipf(r, 1.1, 1, uint64(known-1))
			for range left {
				refs := make([]Reference, batch)
				for i := range refs {
					n := 0
					switch {
					case r.IntN(100) < 5:
						n = fresh()
					case draw == "zipf":
						n = int(zipf.Uint64())
					default:
						n = r.IntN(known)
					}
					refs[i] = Reference{Observed: benchURL(n), Rule: "a"}
				}
				if _, err := f.Enqueue(context.Background(), Link, refs...); err != nil {
					panic(err)
				}
			}
		})
	}
	start, n := time.Now(), 0
	for b.Loop() {
		left <- struct{}{}
		n++
	}
	close(left)
	wg.Wait()
	b.ReportMetric(float64(n*batch)/time.Since(start).Seconds(), "refs/s")
}

// BenchmarkCycle leases and completes, durably, with 64 workers.
func BenchmarkCycle(b *testing.B) {
	s := openBolt(b, filepath.Join(b.TempDir(), "f.db"))
	defer s.Close()
	f := benchFrontier(b, s)
	defer f.Close()
	fill(b, f, 200_000)
	var mu sync.Mutex
	filled := 200_000
	more := func() {
		mu.Lock()
		defer mu.Unlock()
		refs := make([]Reference, 5000)
		for i := range refs {
			refs[i] = Reference{Observed: benchURL(filled), Rule: "a"}
			filled++
		}
		if _, err := f.Enqueue(context.Background(), Sitemap, refs...); err != nil {
			panic(err)
		}
	}
	leases := make(chan Lease, 64)
	done := make(chan Completion, 64)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for l := range leases {
				if _, err := f.Complete(context.Background(), page(l)); err != nil {
					panic(err)
				}
			}
		})
	}
	_ = done
	start, n := time.Now(), 0
	var got []Lease
	for b.Loop() {
		if len(got) == 0 {
			var err error
			if filled-n < 10_000 {
				more()
			}
			if got, err = f.Lease(ctx, 64); err != nil {
				b.Fatal(err)
			}
		}
		leases <- got[0]
		got = got[1:]
		n++
	}
	close(leases)
	wg.Wait()
	cancel()
	b.ReportMetric(float64(n)/time.Since(start).Seconds(), "cycles/s")
}

// BenchmarkReopen opens a store with many identities and leases one.
func BenchmarkReopen(b *testing.B) {
	for _, known := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprintf("known=%d", known), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "f.db")
			s := openBolt(b, path)
			f := benchFrontier(b, s)
			fill(b, f, known)
			require.NoError(b, f.Close())
			require.NoError(b, s.Close())
			info, err := os.Stat(path)
			require.NoError(b, err)
			for b.Loop() {
				s := openBolt(b, path)
				f := benchFrontier(b, s)
				l, err := f.Lease(b.Context(), 1)
				if err != nil && !errors.Is(err, ErrDone) {
					b.Fatal(err)
				}
				_ = l
				f.Close()
				s.Close()
			}
			b.ReportMetric(float64(info.Size())/float64(known), "B/url")
		})
	}
}

//go:build unix

package frontier

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/bolt"
	"github.com/weircrawl/weir/urlnorm"
)

const (
	benchCallers = 64 // as many as a Crawler has workers
	benchBatch   = 50 // references of one Enqueue: a page's
	benchOrigins = 100
)

func openBolt(b *testing.B, path string) storage.Store {
	s, err := bolt.Open(bolt.Config{Path: path})
	require.NoError(b, err)
	return s
}

func benchFrontier(b *testing.B, s storage.Store) *Frontier {
	f, err := Open(b.Context(), Config{Store: s, Policy: Policy{Delay: -1, Concurrency: 1 << 20}, Scope: Scope{Sites: []string{"test"}},
		Budget: Budget{URLs: 1 << 40, Pattern: 1 << 40, Origins: 1 << 20, Response: 64 << 10, Bytes: 1 << 50, Wall: 1000 * time.Hour}})
	require.NoError(b, err)
	return f
}

// cpuTime is the CPU time that the process has used: unlike the clock it says the
// same on a busy machine and on a slow disk.
func cpuTime(b *testing.B) time.Duration {
	var usage unix.Rusage
	require.NoError(b, unix.Getrusage(unix.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// benchReference names identity i; identities are spread over the origins.
func benchReference(i int) Reference {
	url := make([]byte, 0, 48)
	url = append(url, "http://h"...)
	url = strconv.AppendInt(url, int64(i%benchOrigins), 10)
	url = append(url, ".test/path/to/page-"...)
	url = strconv.AppendInt(url, int64(i), 10)
	return Reference{Observed: string(append(url, ".html"...)), Rule: "a"}
}

// admit makes identities from, from+1, ... known, n of them.
func admit(b *testing.B, f *Frontier, from, n int) {
	const batch = 50_000 // each one touches most pages of the store once
	for begin := from; begin < from+n; begin += batch {
		refs := make([]Reference, min(batch, from+n-begin))
		for i := range refs {
			refs[i] = benchReference(begin + i)
		}
		answer, err := f.Enqueue(b.Context(), Sitemap, refs...)
		require.NoError(b, err)
		require.Equal(b, len(refs), answer.Accepted)
	}
}

// filled makes a store that knows n identities, and returns its path.
func filled(b *testing.B, n int) string {
	path := filepath.Join(b.TempDir(), "frontier.db")
	s := openBolt(b, path)
	f := benchFrontier(b, s)
	admit(b, f, 0, n)
	require.NoError(b, f.Close())
	require.NoError(b, s.Close())
	return path
}

// copied opens a frontier on a copy of the store at path.
func copied(b *testing.B, path string) *Frontier {
	to := filepath.Join(b.TempDir(), "frontier.db")
	in, err := os.Open(path)
	require.NoError(b, err)
	defer in.Close()
	out, err := os.Create(to)
	require.NoError(b, err)
	_, err = io.Copy(out, in)
	require.NoError(b, err)
	require.NoError(b, out.Sync())
	require.NoError(b, out.Close())
	s := openBolt(b, to)
	b.Cleanup(func() { require.NoError(b, s.Close()) })
	f := benchFrontier(b, s)
	b.Cleanup(func() { require.NoError(b, f.Close()) })
	return f
}

// BenchmarkEnqueue offers references, 95 of 100 known, durably, in batches: the
// known ones by Zipf, as the pages of a site link to each other, and uniformly.
func BenchmarkEnqueue(b *testing.B) {
	for _, known := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprintf("known=%d", known), func(b *testing.B) {
			path := filled(b, known)
			b.Run("zipf", func(b *testing.B) {
				benchEnqueue(b, copied(b, path), known, func(r *rand.Rand) func() int {
					zipf := rand.NewZipf(r, 1.1, 1, uint64(known-1))
					return func() int { return int(zipf.Uint64()) }
				})
			})
			b.Run("uniform", func(b *testing.B) {
				benchEnqueue(b, copied(b, path), known, func(r *rand.Rand) func() int {
					return func() int { return r.IntN(known) }
				})
			})
		})
	}
}

func benchEnqueue(b *testing.B, f *Frontier, known int, drawer func(*rand.Rand) func() int) {
	fresh := atomic.Int64{}
	fresh.Store(int64(known))
	turns := make(chan struct{})
	var callers sync.WaitGroup
	for c := range benchCallers {
		callers.Go(func() {
			r := rand.New(rand.NewPCG(uint64(c), 7))
			draw := drawer(r)
			for range turns {
				refs := make([]Reference, benchBatch)
				for i := range refs {
					if r.IntN(100) < 5 {
						refs[i] = benchReference(int(fresh.Add(1)))
					} else {
						refs[i] = benchReference(draw())
					}
				}
				if _, err := f.Enqueue(context.Background(), Link, refs...); err != nil {
					panic(err)
				}
			}
		})
	}
	b.ReportAllocs()
	start, cpu, before := time.Now(), cpuTime(b), f.Summary().Sequence
	for b.Loop() {
		turns <- struct{}{}
	}
	close(turns)
	callers.Wait()
	refs := float64(b.N * benchBatch)
	b.ReportMetric(refs/time.Since(start).Seconds(), "refs/s")
	b.ReportMetric(float64(cpuTime(b)-cpu)/refs/1e3, "cpu-µs/ref")
	b.ReportMetric(refs/float64(f.Summary().Sequence-before), "refs/commit")
}

// BenchmarkCycle leases and completes, durably: pages without a link.
func BenchmarkCycle(b *testing.B) {
	s := openBolt(b, filepath.Join(b.TempDir(), "frontier.db"))
	defer s.Close()
	f := benchFrontier(b, s)
	defer f.Close()
	const reserve = 100_000
	admitted := 0
	leases := make(chan Lease)
	var workers sync.WaitGroup
	for range benchCallers {
		workers.Go(func() {
			for l := range leases {
				if _, err := f.Complete(context.Background(), page(l)); err != nil {
					panic(err)
				}
			}
		})
	}
	b.ReportAllocs()
	var spent, cpuSpent time.Duration // on admitting, which is not part of a cycle
	start, cpu, n := time.Now(), cpuTime(b), 0
	var got []Lease
	for b.Loop() {
		if n == admitted {
			b.StopTimer()
			began, cpuBegan := time.Now(), cpuTime(b)
			admit(b, f, admitted, reserve)
			admitted += reserve
			spent += time.Since(began)
			cpuSpent += cpuTime(b) - cpuBegan
			b.StartTimer()
		}
		for len(got) == 0 {
			var err error
			got, err = f.Lease(b.Context(), benchCallers)
			require.NoError(b, err)
		}
		leases <- got[0]
		got = got[1:]
		n++
	}
	close(leases)
	workers.Wait()
	b.ReportMetric(float64(n)/(time.Since(start)-spent).Seconds(), "cycles/s")
	b.ReportMetric(float64(cpuTime(b)-cpu-cpuSpent)/float64(n)/1e3, "cpu-µs/cycle")
}

// BenchmarkReopen opens a store that knows many identities, and leases one URL.
func BenchmarkReopen(b *testing.B) {
	for _, known := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprintf("known=%d", known), func(b *testing.B) {
			path := filled(b, known)
			info, err := os.Stat(path)
			require.NoError(b, err)
			for b.Loop() {
				s := openBolt(b, path)
				f := benchFrontier(b, s)
				_, err := f.Lease(b.Context(), 1)
				require.NoError(b, err)
				b.StopTimer()
				require.NoError(b, f.Close())
				require.NoError(b, s.Close())
				b.StartTimer()
			}
			b.ReportMetric(float64(info.Size())/float64(known), "B/url")
		})
	}
}

// BenchmarkRekey replays a run of pages that are done, of 50 links each, durably.
func BenchmarkRekey(b *testing.B) {
	const pages, links = 2_000, 50
	s := openBolt(b, filepath.Join(b.TempDir(), "frontier.db"))
	b.Cleanup(func() { require.NoError(b, s.Close()) })
	f := benchFrontier(b, s)
	admit(b, f, 0, pages)
	rng := rand.New(rand.NewPCG(1, 2))
	for done := 0; done < pages; {
		leases, err := f.Lease(b.Context(), maxLeases)
		require.NoError(b, err)
		cs := make([]Completion, len(leases))
		for i, l := range leases {
			cs[i] = l.Fetched(Evidence{Status: 200, Bytes: 1000, Digest: storage.Sum([]byte(l.URL))})
			for range links {
				cs[i].References = append(cs[i].References, benchReference(rng.IntN(2*pages)))
			}
		}
		_, err = f.CompleteAll(b.Context(), cs)
		require.NoError(b, err)
		done += len(leases)
	}
	from := f.Summary().Run
	require.NoError(b, f.Stop(b.Context(), "benchmark"))
	require.NoError(b, f.Close())
	began, n := cpuTime(b), 0
	for b.Loop() {
		n++
		classes := map[string]urlnorm.Class{strconv.Itoa(n): urlnorm.Tracking}
		done, err := Rekey(b.Context(), Config{Store: s, Normalizer: urlnorm.Standard{Params: map[string]map[string]urlnorm.Class{"h0.test": classes}}}, from, nil)
		require.NoError(b, err)
		from = done.Run
	}
	b.ReportMetric(float64((cpuTime(b)-began).Nanoseconds())/float64(n)/(pages*links)/1e3, "cpu-µs/ref")
	b.ReportMetric(float64(n)*pages*links/b.Elapsed().Seconds(), "refs/s")
}

//go:build unix

package bolt_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/bolt"
)

// A load makes the ops of successive commits.
type load struct {
	name string
	op   func(r *rand.Rand, n uint64) storage.Op
}

var loads = []load{
	{"random", func(r *rand.Rand, _ uint64) storage.Op { // a fingerprint and a number: dedupe
		return storage.Op{Space: storage.Space{Name: "dedupe"}, Key: randomKey(r), Value: make([]byte, 8)}
	}},
	{"sequential", func(_ *rand.Rand, n uint64) storage.Op { // packed rows: log, edge
		return storage.Op{Space: storage.Space{Name: "log", Use: storage.Append}, Key: key(n), Value: make([]byte, 200)}
	}},
	{"queue", func(_ *rand.Rand, n uint64) storage.Op { // written now, removed 5,000 ops later
		op := storage.Op{Space: storage.Space{Name: "lease", Use: storage.Queue}, Key: key(n / 2), Value: make([]byte, 40)}
		if n%2 == 1 && n > 10_000 {
			op.Key, op.Value, op.Delete = key(n/2-5_000), nil, true
		}
		return op
	}},
}

func key(n uint64) []byte { return binary.BigEndian.AppendUint64(make([]byte, 0, 24), n) }

func randomKey(r *rand.Rand) []byte {
	return binary.BigEndian.AppendUint64(key(r.Uint64()), r.Uint64())
}

// BenchmarkCommit measures durable ops a second by the size of a batch, in a
// store that holds 100,000 rows of that kind already.
func BenchmarkCommit(b *testing.B) {
	for _, l := range loads {
		for _, size := range []int{1, 50, 1000} {
			b.Run(fmt.Sprintf("%s/batch=%d", l.name, size), func(b *testing.B) {
				w := newBencher(b)
				w.fill(l, 100_000)
				start, cpu, ops := time.Now(), cpuTime(b), 0
				b.ReportAllocs()
				for b.Loop() {
					w.commit(w.ops(l, size))
					ops += size
				}
				b.ReportMetric(float64(ops)/time.Since(start).Seconds(), "ops/s")
				b.ReportMetric(float64(cpuTime(b)-cpu)/float64(ops)/1e3, "cpu-µs/op")
			})
		}
	}
}

// BenchmarkRead measures points a second in reads of 100 random keys, half of
// which are there.
func BenchmarkRead(b *testing.B) {
	w := newBencher(b)
	var there [][]byte
	for range 100 {
		ops := w.ops(loads[0], 1000)
		for _, op := range ops {
			there = append(there, op.Key)
		}
		w.commit(ops)
	}
	start, keys := time.Now(), 0
	b.ReportAllocs()
	for b.Loop() {
		r := storage.ReadRequest{Space: storage.Space{Name: "dedupe"}, Keys: make([][]byte, 100)}
		for i := range r.Keys {
			if r.Keys[i] = there[w.rand.IntN(len(there))]; i%2 == 0 {
				r.Keys[i] = randomKey(w.rand)
			}
		}
		_, err := w.store.Read(b.Context(), r)
		require.NoError(b, err)
		keys += len(r.Keys)
	}
	b.ReportMetric(float64(keys)/time.Since(start).Seconds(), "points/s")
}

// cpuTime returns the CPU time that the process has used: unlike the clock it says
// the same on a busy machine and on a slow disk.
func cpuTime(b *testing.B) time.Duration {
	var usage unix.Rusage
	require.NoError(b, unix.Getrusage(unix.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// A bencher owns a fence of a new store.
type bencher struct {
	b     *testing.B
	store *bolt.Store
	fence storage.Fence
	rand  *rand.Rand
	n     uint64
}

func newBencher(b *testing.B) *bencher {
	s, err := bolt.Open(bolt.Config{Path: filepath.Join(b.TempDir(), "frontier.db")})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, s.Close()) })
	f, err := s.Claim(context.Background(), storage.Fence{Name: "p/0", Owner: "bench", TTL: time.Hour})
	require.NoError(b, err)
	return &bencher{b: b, store: s, fence: f, rand: rand.New(rand.NewPCG(1, 2))}
}

func (w *bencher) fill(l load, rows int) {
	for left := rows; left > 0; left -= 5000 {
		w.commit(w.ops(l, 5000))
	}
}

func (w *bencher) ops(l load, size int) []storage.Op {
	ops := make([]storage.Op, size)
	for i := range ops {
		ops[i] = l.op(w.rand, w.n)
		w.n++
	}
	return ops
}

func (w *bencher) commit(ops []storage.Op) {
	w.fence.Sequence++
	w.fence.TTL = time.Hour
	require.NoError(w.b, w.store.Commit(context.Background(), w.fence, ops))
}

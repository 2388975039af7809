package frontier

import (
	"context"
	"errors"
	"flag"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/internal/faults"
	"github.com/weircrawl/weir/storage"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

// golden compares got with a file in testdata, or rewrites it with -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run the test with -update to write it")
	require.Equal(t, string(want), string(got), "run the test with -update and review the difference")
}

// soak is the count of a test: full with WEIR_SOAK=1, else a tenth.
func soak(full int) int {
	if os.Getenv("WEIR_SOAK") == "1" {
		return full
	}
	return max(full/10, 1)
}

// seeded returns a source of chance whose seed is in the test's log. WEIR_SEED
// repeats a run.
func seeded(t *testing.T) *rand.Rand {
	seed := rand.Uint64()
	if s := os.Getenv("WEIR_SEED"); s != "" {
		var err error
		seed, err = strconv.ParseUint(s, 10, 64)
		require.NoError(t, err)
	}
	t.Logf("WEIR_SEED=%d", seed)
	h := fnv.New64a()
	h.Write([]byte(t.Name()))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// shaky is a store whose calls may fail or wait at their boundaries, and whose
// limits a test may change.
type shaky struct {
	*faults.Store
	at     atomic.Pointer[func(faults.StorePoint) error]
	shared bool // not exclusive: leases of others are kept until they end
	batch  int  // if not 0, bytes of one commit
}

func newShaky(s storage.Store) *shaky {
	k := &shaky{}
	k.Store = faults.NewStore(s, func(_ context.Context, p faults.StorePoint, _ int64) error {
		if f := k.at.Load(); f != nil && *f != nil {
			return (*f)(p)
		}
		return nil
	})
	return k
}

// on makes f the store's fault from now on; nil for none.
func (s *shaky) on(f func(faults.StorePoint) error) { s.at.Store(&f) }

func (s *shaky) Commit(ctx context.Context, f storage.Fence, ops []storage.Op) error {
	if err := s.Limits().CheckCommit(f, ops); err != nil {
		return err
	}
	return s.Store.Commit(ctx, f, ops)
}

func (s *shaky) Limits() storage.Limits {
	l := s.Store.Limits()
	l.Exclusive = l.Exclusive && !s.shared
	if s.batch != 0 {
		l.Batch = s.batch
	}
	return l
}

var errBroken = errors.New("broken on purpose")

// once fails at p one time with err.
func once(p faults.StorePoint, err error) func(faults.StorePoint) error {
	var done atomic.Bool
	return func(at faults.StorePoint) error {
		if at == p && !done.Swap(true) {
			return err
		}
		return nil
	}
}

// seed enqueues urls as seeds.
func seed(t testing.TB, f *Frontier, urls ...string) {
	t.Helper()
	_, err := f.Enqueue(t.Context(), Seed, refs(urls...)...)
	require.NoError(t, err)
}

// lease takes at most n leases, by URL.
func lease(t testing.TB, f *Frontier, n int) map[string]Lease {
	t.Helper()
	leases, err := f.Lease(t.Context(), n)
	require.NoError(t, err)
	got := map[string]Lease{}
	for _, l := range leases {
		assert.NotContains(t, got, l.URL)
		got[l.URL] = l
	}
	return got
}

// one takes a single lease.
func one(t testing.TB, f *Frontier) Lease {
	t.Helper()
	leases, err := f.Lease(t.Context(), 1)
	require.NoError(t, err)
	require.Len(t, leases, 1)
	return leases[0]
}

// complete settles a lease and requires that the report is accepted.
func complete(t testing.TB, f *Frontier, c Completion) Answer {
	t.Helper()
	a, err := f.Complete(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, Accepted, a.Kind, "%s %s", c.Lease.URL, c.Outcome)
	return a
}

// done requires that the run is over.
func done(t testing.TB, f *Frontier) {
	t.Helper()
	_, err := f.Lease(t.Context(), 1)
	require.ErrorIs(t, err, ErrDone)
}

// stopped requires that the run has stopped for a reason.
func stopped(t testing.TB, f *Frontier, why Reason) {
	t.Helper()
	_, err := f.Lease(t.Context(), 1)
	require.ErrorIs(t, err, ErrStopped)
	require.Equal(t, why, f.Summary().Reason)
}

// nothing requires that no lease comes within d.
func nothing(t testing.TB, f *Frontier, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	leases, err := f.Lease(ctx, 1)
	require.ErrorIs(t, err, context.DeadlineExceeded, "%v", leases)
}

// drain crawls to the end: every page answers what site says of it, no links by
// default. It returns how often each URL was leased.
func drain(t testing.TB, f *Frontier, site func(Lease) Completion) map[string]int {
	t.Helper()
	hits := map[string]int{}
	for {
		leases, err := f.Lease(t.Context(), 100)
		if errors.Is(err, ErrDone) {
			return hits
		}
		require.NoError(t, err)
		for _, l := range leases {
			hits[l.URL]++
			if site == nil {
				complete(t, f, page(l))
				continue
			}
			complete(t, f, site(l))
		}
	}
}

// linked is a site of pages by URL with their links; every other page is empty.
func linked(pages map[string][]string) func(Lease) Completion {
	return func(l Lease) Completion { return page(l, pages[l.URL]...) }
}

// decidedAs is the count of a decision and reason.
func decidedAs(s Summary, d Decision, why Reason) int64 {
	for _, t := range s.Decided {
		if t.Decision == d && t.Reason == why {
			return t.Count
		}
	}
	return 0
}

// endedAs is the count of a terminal state and reason.
func endedAs(s Summary, st State, why Reason) int64 {
	for _, t := range s.Ends {
		if t.State == st && t.Reason == why {
			return t.Count
		}
	}
	return 0
}

package frontier

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/internal/faults"
	"github.com/weircrawl/weir/storage/memory"
)

// TestNoScheduleChangesAFrozenGeneration lets workers, freezers and whoever stops,
// fails or closes the run race one another over a store whose commits are slow, fail,
// or are applied unanswered, in one incarnation after another. Whatever Freeze has
// returned stays a prefix of the results that never changes.
func TestNoScheduleChangesAFrozenGeneration(t *testing.T) {
	chance, seen := seeded(t), 0
	for i := range soak(400) {
		ok := t.Run(fmt.Sprint(i), func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				s := newSchedule(t, rand.New(rand.NewPCG(chance.Uint64(), chance.Uint64())))
				for lives := 0; lives < 4 && s.live(); lives++ {
				}
				s.finish()
				s.compare()
				seen += len(s.frozen)
			})
		})
		if !ok {
			return
		}
	}
	require.Greater(t, seen, 2*soak(400), "most schedules freeze more than once")
}

// schedule is one life of a run.
type schedule struct {
	t    *testing.T
	disk *shaky

	accepted atomic.Int64 // results whose completion was acknowledged

	mu     sync.Mutex
	chance *rand.Rand
	frozen []sighting
}

// sighting is what a Freeze has returned, with what it could see.
type sighting struct {
	Generation
	before  int64    // results acknowledged before it was called
	results []string // read when it had returned
}

func newSchedule(t *testing.T, chance *rand.Rand) *schedule {
	s := &schedule{t: t, chance: chance, disk: newShaky(memory.New())}
	return s
}

func (s *schedule) n(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.chance.IntN(n)
}

// fault makes one boundary in six slow, and one commit in twelve fail.
func (s *schedule) fault(p faults.StorePoint) error {
	if s.n(6) == 0 {
		time.Sleep(time.Duration(s.n(3000)) * time.Millisecond)
	}
	if (p == faults.BeforeCommit || p == faults.AfterCommit) && s.n(12) == 0 {
		return errBroken
	}
	return nil
}

// live opens the run and lets all who work on it race. It reports false if the run is
// over.
func (s *schedule) live() bool {
	f, err := Open(context.Background(), Config{Store: s.disk, Run: "life", Policy: Policy{Delay: -1, Concurrency: 1000}, Budget: Budget{URLs: 60, Attempts: 3, Depth: 8}})
	if errors.Is(err, ErrRunFinished) {
		return false
	}
	require.NoError(s.t, err)
	seed(s.t, f, fmt.Sprintf("http://a.test/%d", s.n(100)))
	s.disk.on(s.fault)
	var actors sync.WaitGroup
	for range 3 {
		actors.Go(func() { s.work(f) })
	}
	for range 2 {
		actors.Go(func() { s.freeze(f) })
	}
	actors.Go(func() { s.end(f) })
	actors.Wait()
	s.disk.on(nil)
	require.NoError(s.t, f.Close())
	return true
}

// work settles leases until the run has stopped or the frontier is closed.
func (s *schedule) work(f *Frontier) {
	for {
		leases, err := f.Lease(context.Background(), 1+s.n(4))
		if err != nil {
			s.over(f, err)
			return
		}
		for _, l := range leases {
			time.Sleep(time.Duration(s.n(2000)) * time.Millisecond)
			c, final := s.report(l)
			a, err := f.Complete(context.Background(), c)
			if err == nil && a.Kind == Accepted && final {
				s.accepted.Add(1)
			}
			if err != nil && !errors.Is(err, ErrStale) {
				s.over(f, err)
			}
		}
	}
}

// over requires that err says that the run has stopped or that f was closed, perhaps
// in an outage.
func (s *schedule) over(f *Frontier, err error) {
	select {
	case <-f.closed:
		assert.True(s.t, errors.Is(err, ErrClosed) || errors.Is(err, ErrStorageFailed) || errors.Is(err, ErrStopped) || errors.Is(err, ErrDone), "%v", err)
	default:
		assert.True(s.t, errors.Is(err, ErrStopped) || errors.Is(err, ErrDone), "%v", err)
	}
}

// report is one answer of a site, and whether it is final.
func (s *schedule) report(l Lease) (Completion, bool) {
	switch s.n(6) {
	case 0:
		return l.Retry("timeout", time.Second, Evidence{}), false
	case 1:
		return l.Failed("dns", Evidence{}), true
	}
	c := page(l, fmt.Sprintf("/%d", s.n(100)), fmt.Sprintf("/%d", s.n(100)))
	c.Records = []Record{{Kind: "page", Data: fmt.Appendf(nil, "%q", l.URL)}}
	return c, true
}

// freeze closes generations until the frontier is closed or the run is over.
func (s *schedule) freeze(f *Frontier) {
	for range 6 {
		time.Sleep(time.Duration(s.n(1500)) * time.Millisecond)
		seen := sighting{before: s.accepted.Load()}
		var err error
		if seen.Generation, err = f.Freeze(context.Background()); err != nil {
			s.over(f, err)
			return
		}
		s.note(seen)
	}
}

// note keeps what a Freeze has returned, with the results that it is of.
func (s *schedule) note(seen sighting) {
	seen.results = s.upTo(seen.Last)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frozen = append(s.frozen, seen)
}

// upTo reads all results up to a position, below the faults.
func (s *schedule) upTo(last uint64) (all []string) {
	r, err := NewReader(context.Background(), s.disk.Store.Store, "life")
	if !assert.NoError(s.t, err) {
		return nil
	}
	position := uint64(0)
	all = []string{}
	for res, err := range r.Results(context.Background(), 0) {
		if !assert.NoError(s.t, err) || res.Position > last {
			break
		}
		assert.Greater(s.t, res.Position, position)
		position = res.Position
		all = append(all, fmt.Sprintf("%+v", res))
	}
	return all
}

// end stops the run, closes it under those who work, or lets it be, and closes it
// when it has had its time.
func (s *schedule) end(f *Frontier) {
	time.Sleep(time.Duration(s.n(8000)) * time.Millisecond)
	if s.n(2) == 0 {
		assert.NoError(s.t, f.Stop(context.Background(), "operator"))
		time.Sleep(time.Duration(s.n(3000)) * time.Millisecond)
	}
	if err := f.Close(); err != nil {
		assert.ErrorIs(s.t, err, errBroken)
	}
}

// finish ends the run over a store that works, and freezes it twice.
func (s *schedule) finish() {
	f, err := Open(context.Background(), Config{Store: s.disk, Run: "life", Policy: Policy{Delay: -1, Concurrency: 1000}})
	if errors.Is(err, ErrRunFinished) {
		return
	}
	require.NoError(s.t, err)
	synctest.Wait() // what a raised bound lets go is decided again
	seen := sighting{before: s.accepted.Load(), Generation: freeze(s.t, f)}
	require.Equal(s.t, seen.Generation, freeze(s.t, f))
	s.note(seen)
	drain(s.t, f, nil)
	seen = sighting{before: s.accepted.Load(), Generation: freeze(s.t, f)}
	require.Equal(s.t, Finished, seen.Summary.Phase)
	require.Equal(s.t, seen.Generation, freeze(s.t, f))
	s.note(seen)
	require.NoError(s.t, f.Close())
}

// compare holds every generation that was returned against what is kept.
func (s *schedule) compare() {
	verify(s.t, s.disk)
	kept := generations(s.t, s.disk, "life")
	slices.SortStableFunc(s.frozen, func(a, b sighting) int { return int(a.Ordinal) - int(b.Ordinal) })
	for i, g := range s.frozen {
		require.Equal(s.t, kept[g.Ordinal-1], g.Generation)
		require.Equal(s.t, g.results, s.upTo(g.Last), "generation %s is what it was", g.ID)
		require.Len(s.t, g.results, int(g.Summary.Results))
		require.GreaterOrEqual(s.t, g.Summary.Results, g.before, "what was acknowledged before it is in it")
		if i > 0 {
			before := s.frozen[i-1]
			require.Equal(s.t, before.results, g.results[:len(before.results)], "%s is a prefix of %s", before.ID, g.ID)
		}
	}
	for i := 1; i < len(kept); i++ {
		now, before := kept[i], kept[i-1]
		require.Greater(s.t, now.Sequence, before.Sequence)
		now.Summary.Active, now.Summary.Sequence, now.Summary.Time = before.Summary.Active, before.Summary.Sequence, before.Summary.Time
		now.Summary.Generation, now.Summary.Queue = before.Summary.Generation, before.Summary.Queue
		now.Summary.Since = before.Summary.Since
		if now.Summary.Phase == Running { // a stop keeps one whatever has changed
			require.NotEqual(s.t, before.Summary, now.Summary, "nothing is frozen twice: %s", now.ID)
		}
	}
}

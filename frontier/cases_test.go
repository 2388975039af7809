package frontier

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
)

// The cases of cases/faults.md as far as they concern a frontier alone. The name
// of each test begins with the case's id.

// reopen closes f and opens its run again.
func reopen(t *testing.T, f *Frontier, s storage.Store, change ...func(*Config)) *Frontier {
	t.Helper()
	require.NoError(t, f.Close())
	return open(t, s, change...)
}

// crash ends a process in which f was open, and opens what it left.
func crash(t *testing.T, f *Frontier, s *memory.Store) *memory.Store {
	t.Helper()
	s.Crash()
	_ = f.Close() // its store is gone: it can only end
	next, err := s.Reopen()
	require.NoError(t, err)
	return next
}

// openRaw opens a frontier whose end is the test's own matter.
func openRaw(t *testing.T, s storage.Store, change ...func(*Config)) *Frontier {
	t.Helper()
	cfg := Config{Store: s, Policy: Policy{Delay: -1, Concurrency: 1000}}
	for _, c := range change {
		c(&cfg)
	}
	f, err := Open(t.Context(), cfg)
	require.NoError(t, err)
	return f
}

func numbered(n int) []string {
	urls := make([]string, n)
	for i := range urls {
		urls[i] = fmt.Sprintf("http://a.test/%d", i)
	}
	return urls
}

// lettered writes a number in letters, so that no two have one pattern.
func lettered(n int) string {
	return strings.Map(func(r rune) rune { return r - '0' + 'g' }, strconv.Itoa(n))
}

func TestSA1HardKillLosesNothing(t *testing.T) {
	rng := seeded(t)
	for range soak(200) {
		s := memory.New()
		f := openRaw(t, s)
		seed(t, f, numbered(100)...)
		var mu sync.Mutex
		hits := map[string]int{}
		worker := func(ctx context.Context, f *Frontier) {
			for {
				leases, err := f.Lease(ctx, 1)
				if err != nil {
					return
				}
				mu.Lock()
				hits[leases[0].URL]++
				mu.Unlock()
				if _, err := f.Complete(ctx, page(leases[0])); err != nil {
					return
				}
			}
		}
		var workers sync.WaitGroup
		for range 8 {
			workers.Go(func() { worker(t.Context(), f) })
		}
		for stop := rng.IntN(100); f.Summary().States[Done] < int64(stop); {
		}
		s = crash(t, f, s)
		workers.Wait()
		verify(t, s)

		f = openRaw(t, s)
		if f.Summary().Number == 1 { // else the first run was over before the crash
			for range 8 {
				workers.Go(func() { worker(t.Context(), f) })
			}
			workers.Wait()
		}
		again := 0
		for _, n := range hits {
			again += n - 1
		}
		r, err := NewReader(t.Context(), s, "1")
		require.NoError(t, err)
		sum, err := r.Summary(t.Context())
		require.NoError(t, err)
		require.Equal(t, Finished, sum.Phase)
		require.EqualValues(t, 100, sum.States[Done], "none is missing")
		require.Len(t, hits, 100)
		require.LessOrEqual(t, again, 8, "at most what was in flight")
		require.NoError(t, f.Close())
		verify(t, s)
	}
}

func TestSA2RestartGoesOnWithWhatWasQueued(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := memory.New()
		f := open(t, s)
		seed(t, f, "http://a.test/")
		complete(t, f, page(one(t, f), "/1", "/2", "/3"))
		f = reopen(t, f, s)
		e, err := f.Enqueue(t.Context(), Seed, refs("http://a.test/")...)
		require.NoError(t, err)
		assert.Equal(t, 1, e.Known)
		assert.Equal(t, Running, f.Summary().Phase, "pending is above zero")
		assert.Equal(t, map[string]int{"http://a.test/1": 1, "http://a.test/2": 1, "http://a.test/3": 1}, drain(t, f, nil))
	})
}

func TestSA3ResumeRefetchesNothing(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		all := []string{"/0", "/1", "/2", "/3", "/4"}
		s := memory.New()
		f := open(t, s)
		seed(t, f, "http://a.test/0")
		for range 2 {
			complete(t, f, page(one(t, f), all...))
		}
		require.NoError(t, f.Stop(t.Context(), "operator"))
		f = reopen(t, f, s)
		hits := drain(t, f, func(l Lease) Completion { return page(l, all...) })
		assert.Len(t, hits, 3)
		assert.EqualValues(t, 5, f.Summary().Requests)
	})
}

func TestSA4EmptyStateIsCorruptAndNeverNew(t *testing.T) {
	ctx := t.Context()
	for name, empty := range map[string]func(s storage.Store, fence storage.Fence) error{
		"head": func(s storage.Store, fence storage.Fence) error {
			return s.Commit(ctx, fence, []storage.Op{{Space: spaceHead, Key: keys{run: 1}.head()}})
		},
		"header of the fence": func(s storage.Store, fence storage.Fence) error {
			fence.Value = nil
			return s.Commit(ctx, fence, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := memory.New()
			f := openRaw(t, s)
			seed(t, f, "http://a.test/")
			require.NoError(t, f.Close())
			fence, err := s.Claim(ctx, storage.Fence{Name: fenceName, Owner: "damage", TTL: time.Second})
			require.NoError(t, err)
			fence.Sequence++
			fence.TTL = 0
			require.NoError(t, empty(s, fence))
			_, err = Open(ctx, Config{Store: s})
			require.ErrorIs(t, err, storage.ErrCorrupt)
			fences, err := s.Fences(ctx, fenceName)
			require.NoError(t, err)
			assert.Equal(t, fence.Sequence, fences[0].Sequence, "nothing was written")
		})
	}
}

func TestSA5ReopenWithAnOriginThatHasOnlyCompletedURLs(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := memory.New()
		f := open(t, s)
		seed(t, f, "http://o1.test/1", "http://o1.test/2", "http://o1.test/3", "http://o2.test/1")
		for u, l := range lease(t, f, 4) {
			if u != "http://o2.test/1" {
				complete(t, f, page(l))
			}
		}
		f = reopen(t, f, s)
		assert.EqualValues(t, 3, f.Summary().States[Done])
		assert.Equal(t, map[string]int{"http://o2.test/1": 1}, drain(t, f, nil))
	})
}

// TestSA6RunEndsOnlyWhenNothingIsLeft lets two workers follow a chain: whenever
// the queue is empty, one of them is just finding the next URL.
func TestSA6RunEndsOnlyWhenNothingIsLeft(t *testing.T) {
	for range soak(100) {
		s := memory.New()
		f := openRaw(t, s, func(c *Config) { c.Budget.Depth = 1000 })
		seed(t, f, "http://a.test/0")
		var hits atomic.Int64
		together(2, func(int) {
			for {
				leases, err := f.Lease(t.Context(), 1)
				if err != nil {
					assert.ErrorIs(t, err, ErrDone)
					return
				}
				var links []string
				if i := hits.Add(1); i < 200 {
					links = []string{fmt.Sprintf("/%d", i)}
				}
				_, err = f.Complete(t.Context(), page(leases[0], links...))
				assert.NoError(t, err)
			}
		})
		require.EqualValues(t, 200, hits.Load())
		sum := f.Summary()
		require.Equal(t, Finished, sum.Phase)
		require.Less(t, sum.Sequence, uint64(3*200+10), "no busy loop: a commit for each lease and each completion")
		require.NoError(t, f.Close())
		verify(t, s)
	}
}

// TestSA7EveryURLIsInOneStateAtEveryMoment checks the equation of the counters
// while 100 workers fail and give up at random.
func TestSA7EveryURLIsInOneStateAtEveryMoment(t *testing.T) {
	rng := seeded(t)
	n, chances := soak(10_000), [100]uint64{}
	for i := range chances {
		chances[i] = rng.Uint64()
	}
	s := memory.New()
	f := openRaw(t, s, func(c *Config) {
		c.Budget.URLs = int64(n)
		c.TTL = 200 * time.Millisecond
		c.Deadline = time.Millisecond
		c.Budget.Attempts = 100
	})
	for lo := 0; lo < n; lo += 500 {
		seed(t, f, numbered(n)[lo:min(lo+500, n)]...)
	}
	over := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() {
		for {
			sum := f.Summary()
			total := int64(0)
			for _, c := range sum.States {
				total += c
			}
			if !assert.EqualValues(t, n, total) || !assert.Equal(t, sum.Slots+sum.Moved, total) {
				return
			}
			select {
			case <-over:
				return
			case <-time.After(time.Millisecond):
			}
		}
	})
	together(100, func(i int) {
		rng := rand.New(rand.NewPCG(chances[i], 0))
		for {
			ctx, cancel := context.WithCancel(t.Context())
			if rng.IntN(100) < 5 {
				go cancel()
			}
			leases, err := f.Lease(ctx, 1)
			if err != nil && !errors.Is(err, context.Canceled) {
				assert.ErrorIs(t, err, ErrDone)
				cancel()
				return
			}
			if err == nil {
				c := page(leases[0])
				switch rng.IntN(40) {
				case 0:
					c = leases[0].Retry("timeout", time.Millisecond, Evidence{})
				case 1:
					c = leases[0].Failed("dns", Evidence{})
				}
				if _, err := f.Complete(ctx, c); err != nil {
					assert.ErrorIs(t, err, context.Canceled)
				}
			}
			cancel()
		}
	})
	close(over)
	watcher.Wait()
	sum := f.Summary()
	assert.Zero(t, sum.Unresolved())
	assert.Zero(t, sum.Reserved)
	assert.EqualValues(t, n, sum.States[Done]+sum.States[Failed])
	require.NoError(t, f.Close())
	verify(t, s)
}

func TestSA8StopReturnsAtOnceAndFailsNothing(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := memory.New()
		f := open(t, s)
		seed(t, f, numbered(100)...)
		leases := lease(t, f, 100)
		waits := make(chan error, 1)
		go func() {
			_, err := f.Lease(t.Context(), 1)
			waits <- err
		}()
		synctest.Wait()
		began := time.Now()
		require.NoError(t, f.Stop(t.Context(), "operator"))
		require.ErrorIs(t, <-waits, ErrStopped)
		for _, l := range leases {
			complete(t, f, l.Release("stopped"))
		}
		require.Zero(t, time.Since(began))
		assert.EqualValues(t, 100, f.Summary().States[Queued])
		f = reopen(t, f, s)
		assert.Len(t, drain(t, f, nil), 100)
		assert.EqualValues(t, 100, f.Summary().States[Done])
	})
}

func TestSA9TransientErrorIsNotFinal(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New(), func(c *Config) { c.Budget.Attempts = 2 })
		seed(t, f, "http://a.test/x")
		complete(t, f, one(t, f).Retry("connect", time.Second, Evidence{}))
		e, err := f.Enqueue(t.Context(), Seed, refs("http://a.test/x")...)
		require.NoError(t, err)
		assert.Equal(t, 1, e.Known)
		l := one(t, f)
		assert.Equal(t, 2, l.Attempt)
		complete(t, f, page(l))
		done(t, f)
		res := results(t, f)
		require.Len(t, res, 1)
		assert.Equal(t, OutcomeFetched, res[0].Outcome)
		assert.Equal(t, 2, res[0].Attempts)
	})
}

// results reads what the run has come to so far.
func results(t *testing.T, f *Frontier) (all []Result) {
	t.Helper()
	r, err := NewReader(t.Context(), f.cfg.Store, "")
	require.NoError(t, err)
	for res, err := range r.Results(t.Context(), 0) {
		require.NoError(t, err)
		all = append(all, res)
	}
	return all
}

// TestSB1ExpiredLeaseIsSkippedNotFetched is a worker that leases more than it
// can do, beside one that polls.
func TestSB1ExpiredLeaseIsSkippedNotFetched(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New(), func(c *Config) { c.Budget.Attempts = 100 })
		seed(t, f, numbered(20)...)
		var mu sync.Mutex
		busy, hits := map[string]bool{}, map[string]int{}
		fetch := func(l Lease) {
			if f.Sent(l, time.Now()) != nil {
				return // its time ran out while it waited here
			}
			mu.Lock()
			assert.False(t, busy[l.URL], "%s is fetched by two", l.URL)
			busy[l.URL] = true
			hits[l.URL]++
			mu.Unlock()
			for range 8 {
				time.Sleep(time.Second)
				_, err := f.Extend(l)
				assert.NoError(t, err)
			}
			mu.Lock()
			busy[l.URL] = false
			mu.Unlock()
			complete(t, f, page(l))
		}
		var workers sync.WaitGroup
		for _, greed := range []int{20, 1} {
			workers.Go(func() {
				for {
					leases, err := f.Lease(t.Context(), greed)
					if err != nil {
						assert.ErrorIs(t, err, ErrDone)
						return
					}
					for _, l := range leases {
						fetch(l)
					}
				}
			})
			synctest.Wait()
		}
		workers.Wait()
		assert.Len(t, hits, 20)
		for u, n := range hits {
			assert.Equal(t, 1, n, u)
		}
	})
}

func TestSB2FailedHandlerIsRetriedSoonAndWithoutARequest(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New(), func(c *Config) { c.TTL = 10 * time.Minute })
		seed(t, f, "http://a.test/slow")
		response := Evidence{Status: 200, Bytes: 100, Artifact: storage.Ref{Segment: "s", Offset: 1, Length: 2, Digest: storage.Sum([]byte("x"))}}
		c := one(t, f).HandlerFailed(response)
		c.After = 5 * time.Second
		complete(t, f, c)
		began := time.Now()
		l := one(t, f)
		assert.Equal(t, 5*time.Second, time.Since(began).Round(time.Millisecond))
		require.NotNil(t, l.Stored)
		assert.Equal(t, response, *l.Stored)
		complete(t, f, l.Fetched(*l.Stored))
		done(t, f)
		assert.EqualValues(t, 100, f.Summary().Bytes, "one response")
	})
}

func TestSB3PolitenessIsWaitedForBeforeTheLease(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New(), func(c *Config) { c.Policy = Policy{Delay: 2 * time.Second}; c.TTL = 30 * time.Second })
		seed(t, f, numbered(20)...)
		var mu sync.Mutex
		hits := map[string]int{}
		var workers sync.WaitGroup
		for range 20 {
			workers.Go(func() {
				for {
					leases, err := f.Lease(t.Context(), 1)
					if err != nil {
						assert.ErrorIs(t, err, ErrDone)
						return
					}
					assert.Equal(t, 30*time.Second, time.Until(leases[0].Deadline), "a fresh lease")
					assert.NoError(t, f.Sent(leases[0], time.Now()))
					mu.Lock()
					hits[leases[0].URL]++
					mu.Unlock()
					time.Sleep(5 * time.Second)
					complete(t, f, page(leases[0]))
				}
			})
		}
		workers.Wait()
		assert.Len(t, hits, 20)
		for u, n := range hits {
			assert.Equal(t, 1, n, u)
		}
	})
}

func TestSB4CompletedURLIsNotHandedOutAgain(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New())
		seed(t, f, numbered(50)...)
		seen := map[string]bool{}
		for range 50 {
			l := one(t, f)
			require.False(t, seen[l.URL], l.URL)
			seen[l.URL] = true
			complete(t, f, page(l))
		}
		done(t, f)
	})
}

func TestSB5URLInProgressIsKnown(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New())
		seed(t, f, "http://a.test/u", "http://a.test/page")
		leases := lease(t, f, 2)
		complete(t, f, page(leases["http://a.test/page"], "/u"))
		e, err := f.Enqueue(t.Context(), Seed, refs("http://a.test/u")...)
		require.NoError(t, err)
		assert.Equal(t, Enqueued{Known: 1, Sequence: e.Sequence}, e)
		complete(t, f, page(leases["http://a.test/u"]))
		done(t, f)
		assert.EqualValues(t, 2, f.Summary().Requests)
	})
}

func TestSB6EveryURLIsHandledOnceUnderLoad(t *testing.T) {
	rng := seeded(t)
	for range soak(20) {
		const n = 2000
		links := make([][]string, n)
		for i := range links {
			for range 20 {
				links[i] = append(links[i], fmt.Sprintf("/%d", rng.IntN(n)))
			}
		}
		s := memory.New()
		f := openRaw(t, s)
		seed(t, f, numbered(100)...)
		var handled [n]atomic.Int64
		together(32, func(int) {
			for {
				leases, err := f.Lease(t.Context(), 2)
				if err != nil {
					assert.ErrorIs(t, err, ErrDone)
					return
				}
				for _, l := range leases {
					var i int
					_, err := fmt.Sscanf(l.URL, "http://a.test/%d", &i)
					assert.NoError(t, err)
					handled[i].Add(1)
					a, err := f.Complete(t.Context(), page(l, links[i]...))
					assert.NoError(t, err)
					assert.Equal(t, Accepted, a.Kind)
				}
			}
		})
		total := int64(0)
		for i := range handled {
			require.LessOrEqual(t, handled[i].Load(), int64(1))
			total += handled[i].Load()
		}
		require.Equal(t, total, f.Summary().States[Done])
		require.NoError(t, f.Close())
		verify(t, s)
	}
}

func TestSB7RunsOfOneStoreStayApart(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		ctx := t.Context()
		s := memory.New()
		first := openRaw(t, s, func(c *Config) { c.Run = "R1" })
		seed(t, first, "http://a.test/1", "http://a.test/2")
		complete(t, first, page(one(t, first)))
		require.NoError(t, first.Close())

		_, err := Open(ctx, Config{Store: s, Run: "R2"})
		require.ErrorIs(t, err, ErrRunActive)
		first = openRaw(t, s, func(c *Config) { c.Run = "R1" })
		drain(t, first, nil)
		require.NoError(t, first.Close())
		r1, err := NewReader(ctx, s, "R1")
		require.NoError(t, err)
		before, err := r1.Summary(ctx)
		require.NoError(t, err)

		second := openRaw(t, s, func(c *Config) { c.Run = "R2" })
		seed(t, second, "http://a.test/2", "http://b.test/1")
		assert.Equal(t, map[string]int{"http://a.test/2": 1, "http://b.test/1": 1}, drain(t, second, nil))
		require.NoError(t, second.Close())
		after, err := r1.Summary(ctx)
		require.NoError(t, err)
		assert.Equal(t, []bool{false, true}, []bool{before.Newer, after.Newer})
		after.Newer = false
		assert.Equal(t, before, after)
		_, err = Open(ctx, Config{Store: s, Run: "R1"})
		require.ErrorIs(t, err, ErrRunFinished)
		require.NoError(t, r1.Check(ctx))
		require.NoError(t, r1.Replay(ctx))
		verify(t, s)
	})
}

func TestSC2FailedRequestsCount(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New(), func(c *Config) { c.Budget.URLs = 5; c.Budget.Attempts = 2 })
		seed(t, f, "http://a.test/index")
		var links []string
		for i := range 1000 {
			links = append(links, fmt.Sprintf("/%d", i))
		}
		hits := drain(t, f, func(l Lease) Completion {
			c := l.Retry("status_500", time.Second, Evidence{Status: 500})
			if l.URL == "http://a.test/index" {
				c.References = refs(links...)
			}
			return c
		})
		assert.Len(t, hits, 5)
		for u, n := range hits {
			assert.Equal(t, 2, n, u)
		}
		assert.EqualValues(t, 5, endedAs(f.Summary(), Failed, "status_500"))
	})
}

func TestSC3LargerLimitFindsWhatTheSmallerHeldBack(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		var links []string
		for i := range 179 {
			links = append(links, fmt.Sprintf("/%d", i))
		}
		site := linked(map[string][]string{"http://a.test/": links})
		s := memory.New()
		f := open(t, s, func(c *Config) { c.Budget.URLs = 10 })
		seed(t, f, "http://a.test/")
		for range 9 {
			complete(t, f, site(one(t, f)))
		}
		require.NoError(t, f.Stop(t.Context(), "operator"))
		assert.EqualValues(t, 170, decidedAs(f.Summary(), LimitReached, ReasonURLs))
		f = reopen(t, f, s, func(c *Config) { c.Budget.URLs = 50 })
		drain(t, f, site)
		sum := f.Summary()
		assert.EqualValues(t, 50, sum.States[Done])
		assert.EqualValues(t, 50, sum.Slots)
		assert.EqualValues(t, 130, decidedAs(sum, LimitReached, ReasonURLs))
		assert.EqualValues(t, 180, sum.Observed, "no reference is counted twice")
	})
}

func TestSC4RedirectingSeedCostsARequestAndNoPage(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New(), func(c *Config) { c.Budget.URLs = 10 })
		seed(t, f, "http://a.example/")
		var links []string
		for i := range 20 {
			links = append(links, fmt.Sprintf("/%d", i))
		}
		drain(t, f, func(l Lease) Completion {
			if l.URL == "http://a.example/" {
				return l.Redirected("http://www.a.example/", Evidence{Status: 301})
			}
			return page(l, links...)
		})
		sum := f.Summary()
		assert.EqualValues(t, 10, endedAs(sum, Done, "fetched"), "content pages")
		assert.EqualValues(t, 11, sum.Requests)
		assert.EqualValues(t, 10, sum.Slots)
		assert.EqualValues(t, 1, sum.Moved)
		assert.Equal(t, []string{"a.example", "www.a.example"}, sum.Scope.Hosts, "adopted")
	})
}

func TestSC5DiscoveredIsNotCrawled(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New(), func(c *Config) { c.Budget.URLs = 1 })
		seed(t, f, "http://a.test/")
		var links []string
		for i := range 30 {
			links = append(links, fmt.Sprintf("/%d", i))
		}
		assert.Len(t, drain(t, f, func(l Lease) Completion { return page(l, links...) }), 1)
		assert.Len(t, results(t, f), 1)
		assert.EqualValues(t, 30, decidedAs(f.Summary(), LimitReached, ReasonURLs))
	})
}

// TestSC6TooDeepIsRevisable is the site / -> /a -> /b -> /deep -> /deeper, with
// /late -> /deep found when the rest is settled.
func TestSC6TooDeepIsRevisable(t *testing.T) {
	site := linked(map[string][]string{"http://a.test/": {"/a"}, "http://a.test/a": {"/b"}, "http://a.test/b": {"/deep"},
		"http://a.test/late": {"/deep"}, "http://a.test/deep": {"/deeper"}, "http://a.test/shorter": {"/b"}})
	t.Run("a shorter path admits it", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			f := open(t, memory.New(), func(c *Config) { c.Budget.Depth = 2 })
			seed(t, f, "http://a.test/", "http://a.test/hold")
			leases := lease(t, f, 2)
			complete(t, f, site(leases["http://a.test/"]))
			complete(t, f, site(one(t, f)))
			complete(t, f, site(one(t, f)))
			require.EqualValues(t, 1, decidedAs(f.Summary(), LimitReached, ReasonDepth))
			complete(t, f, page(leases["http://a.test/hold"], "/late"))
			complete(t, f, site(one(t, f)))
			l := one(t, f)
			assert.Equal(t, "http://a.test/deep", l.URL)
			assert.Equal(t, 2, l.Depth)
			complete(t, f, site(l))
			done(t, f)
			assert.EqualValues(t, 2, decidedAs(f.Summary(), LimitReached, ReasonDepth), "/deep, once, and /deeper")
		})
	})
	t.Run("a lowered depth passes on to what the page links", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			f := open(t, memory.New(), func(c *Config) { c.Budget.Depth = 2 })
			seed(t, f, "http://a.test/", "http://a.test/shorter")
			leases := lease(t, f, 2)
			complete(t, f, site(leases["http://a.test/"]))
			complete(t, f, site(one(t, f)))
			complete(t, f, site(one(t, f)))
			require.EqualValues(t, 1, decidedAs(f.Summary(), LimitReached, ReasonDepth))
			complete(t, f, site(leases["http://a.test/shorter"])) // /b is at depth 1 now
			l := one(t, f)
			assert.Equal(t, "http://a.test/deep", l.URL)
			assert.Equal(t, 2, l.Depth)
			complete(t, f, page(l))
			done(t, f)
			assert.Zero(t, decidedAs(f.Summary(), LimitReached, ReasonDepth), "its count has moved")
		})
	})
}

func TestSC7EveryBoundIsFiniteByDefault(t *testing.T) {
	b := reflect.ValueOf(Budget{}.WithDefaults())
	for i := range b.NumField() {
		assert.Positive(t, b.Field(i).Int(), b.Type().Field(i).Name)
	}
	require.NoError(t, Budget{}.WithDefaults().Validate())
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New())
		seed(t, f, "http://a.test/")
		for i := range 12 {
			l := one(t, f)
			var links []string
			for j := range 1000 {
				links = append(links, "/"+lettered(i)+"/"+lettered(j))
			}
			complete(t, f, page(l, links...))
		}
		sum := f.Summary()
		assert.EqualValues(t, 10_000, sum.Slots)
		assert.EqualValues(t, 12_001-10_000, decidedAs(sum, LimitReached, ReasonURLs))
		for _, d := range sum.Decided {
			if d.Decision == LimitReached {
				assert.NotEmpty(t, d.Example)
			}
		}
	})
}

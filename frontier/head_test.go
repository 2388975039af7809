package frontier

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weircrawl/weir/internal/faults"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
)

func TestIdleRunCommitsEveryTenSeconds(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		for _, c := range []struct {
			name string
			idle func(f *Frontier)
		}{
			{"nobody asks for anything", func(*Frontier) {}},
			{"its only URL is leased", func(f *Frontier) { one(t, f) }},
			{"it has stopped", func(f *Frontier) { require.NoError(t, f.Stop(t.Context(), "operator")) }},
		} {
			f := openRaw(t, memory.New(), func(c *Config) { c.TTL = time.Hour })
			seed(t, f, numbered(1)...)
			c.idle(f)
			for range 30 {
				before := f.Summary()
				require.LessOrEqual(t, time.Since(before.Time), 10*time.Second, c.name)
				time.Sleep(10 * time.Second)
				synctest.Wait()
				now := f.Summary()
				require.Greater(t, now.Sequence, before.Sequence, c.name)
				require.LessOrEqual(t, now.Sequence, before.Sequence+2, "%s: no more often than that", c.name)
			}
			require.NoError(t, f.Close())
		}
	})
}

func TestQueueIsTheAgeOfTheOldestCallThatWaits(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShaky(memory.New())
		f := openRaw(t, s)
		seed(t, f, numbered(3)...)
		leases := lease(t, f, 3)
		require.Zero(t, f.Queue(), "nobody waits")
		s.on(func(p faults.StorePoint) error {
			if p == faults.BeforeCommit {
				time.Sleep(4 * time.Second)
			}
			return nil
		})
		for _, l := range leases { // the first is committed alone, the others together, four seconds later
			go func() { _, _ = f.Complete(t.Context(), page(l)) }()
			time.Sleep(time.Second)
		}
		synctest.Wait()
		assert.Equal(t, 3*time.Second, f.Queue())
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assert.EqualValues(t, 1, f.Summary().Results)
		assert.Zero(t, f.Summary().Queue, "it was decided at once")
		assert.Equal(t, 4*time.Second, f.Queue(), "the second one waits since the first second")
		time.Sleep(4 * time.Second)
		synctest.Wait()
		assert.EqualValues(t, 3, f.Summary().Results)
		assert.Equal(t, 3*time.Second, f.Summary().Queue, "it was decided once the first commit was done")
		assert.Zero(t, f.Queue())

		r, err := NewReader(t.Context(), s, "")
		require.NoError(t, err)
		kept, err := r.Summary(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 3*time.Second, kept.Queue)
		s.on(nil)
		require.NoError(t, f.Close())
		verify(t, s)
	})
}

func TestQueueGrowsWhileTheStoreFails(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShaky(memory.New())
		f := openRaw(t, s)
		broken := func(faults.StorePoint) error { return errBroken }
		s.on(broken)
		go func() { _, _ = f.Enqueue(t.Context(), Seed, refs(numbered(1)...)...) }()
		time.Sleep(30 * time.Second)
		assert.Equal(t, 30*time.Second, f.Queue())
		s.on(nil)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		assert.Zero(t, f.Queue())
		assert.GreaterOrEqual(t, f.Summary().Queue, 30*time.Second, "it had waited so long when its commit was decided")
		assert.EqualValues(t, 1, f.Summary().Slots)
		require.NoError(t, f.Close())
		verify(t, s)
	})
}

func TestRunSaysWhatItGoesOnWith(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := memory.New()
		f := openRaw(t, s, func(c *Config) { c.Policy, c.Robots = Policy{Version: "p1"}, "robots/1" })
		want := Versions{Policy: "p1", Normalizer: f.head.contract.Normalizer, Weir: builtFrom(), Store: storeFormat, Engine: "memory", Robots: "robots/1"}
		require.NotEmpty(t, want.Normalizer)
		assert.Equal(t, want, f.Summary().Versions)
		seed(t, f, numbered(1)...)
		old := freeze(t, f)
		require.NoError(t, f.Close())

		f = openRaw(t, s, func(c *Config) { c.Policy, c.Robots = Policy{Version: "p2"}, "robots/2" })
		seed(t, f, numbered(2)...)
		r, err := NewReader(t.Context(), s, "")
		require.NoError(t, err)
		kept, err := r.Summary(t.Context())
		require.NoError(t, err)
		assert.Equal(t, want, old.Summary.Versions)
		want.Policy, want.Robots = "p2", "robots/2"
		assert.Equal(t, want, kept.Versions)
		var policies []string
		for a, err := range r.Admissions(t.Context()) {
			require.NoError(t, err)
			policies = append(policies, a.Policy)
		}
		assert.Equal(t, []string{"p1", "p2", "p2"}, policies, "each decision has the version that it was made under")
		require.NoError(t, f.Close())
		verify(t, s)

		_, err = Open(t.Context(), Config{Store: s, Robots: "\xff"})
		require.ErrorContains(t, err, "Robots")
	})
}

// TestARunThatIsOpenedAgainUnderTheSameVersionsNotesNothing keeps its contract as
// it is.
func TestARunThatIsOpenedAgainUnderTheSameVersionsNotesNothing(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := memory.New()
		for range 3 {
			f := openRaw(t, s)
			require.NoError(t, f.Close())
		}
		r, err := NewReader(t.Context(), s, "")
		require.NoError(t, err)
		contracts := 0
		for l, err := range r.entries(t.Context()) {
			require.NoError(t, err)
			if len(l.contract) > 0 {
				contracts++
			}
		}
		assert.Equal(t, 1, contracts)
	})
}

// older makes the head of a store's only run as it was kept before there were
// generations.
func older(t *testing.T, s storage.Store) {
	t.Helper()
	h, err := readHead(t.Context(), s, keys{run: 1})
	require.NoError(t, err)
	require.Zero(t, h.frozen)
	h.queue, h.held, h.sketch, h.terms = 0, patterns{}, nil, nil
	h.contract.Versions = Versions{Policy: h.contract.Policy, Normalizer: h.contract.Normalizer}
	v := h.encode()
	require.EqualValues(t, headVersion, v[0])
	rewrite(t, s, storage.Op{Space: spaceHead, Key: keys{run: 1}.head(), Value: v})
}

func TestRunOfBeforeGenerationsGoesOn(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := memory.New()
		f := openRaw(t, s, func(c *Config) { c.Budget.URLs = 2 })
		seed(t, f, numbered(10)...)
		require.NoError(t, f.Close())
		older(t, s)

		r, err := NewReader(t.Context(), s, "")
		require.NoError(t, err)
		kept, err := r.Summary(t.Context())
		require.NoError(t, err)
		assert.Empty(t, kept.Patterns)
		assert.EqualValues(t, 8, kept.PatternRest, "nobody has noted their patterns")

		f = openRaw(t, s, func(c *Config) { c.Budget.URLs = 4 })
		synctest.Wait() // two of the eight are admitted
		seed(t, f, "http://a.test/new/1", "http://a.test/new/2")
		now := f.Summary()
		assert.EqualValues(t, 4, now.Slots)
		assert.Equal(t, []PatternTally{{Pattern: "a.test/new/{n}", Reason: ReasonURLs, Count: 2, Example: "http://a.test/new/1"}}, now.Patterns)
		assert.EqualValues(t, 6, now.PatternRest)
		assert.Equal(t, storeFormat, now.Versions.Store)
		drain(t, f, nil)
		require.NoError(t, f.Close())
		require.Len(t, generations(t, s, ""), 1)
		verify(t, s)
	})
}

// heldBy counts what limits hold back by pattern, line by line.
func heldBy(t testing.TB, s storage.Store) map[string]int64 {
	r := &Reader{store: s, keys: keys{run: 1}}
	held := map[string]int64{}
	for row, err := range r.all(t.Context(), spaceEdge) {
		require.NoError(t, err)
		edge, err := decodeEdge(row[1])
		require.NoError(t, err)
		for _, d := range edge.lines {
			u, err := normalized(Reference{Observed: d.ref.Observed, Base: edge.source.base})
			if err != nil {
				continue
			}
			if edge.source.kind == Offer && d.was == LimitReached {
				held[fmt.Sprintf("%s {%s}", patternOf(u.Request), d.wasFor.Word())]--
			}
			if d.decision == LimitReached {
				held[fmt.Sprintf("%s {%s}", patternOf(u.Request), d.reason.Word())]++
			}
		}
	}
	maps.DeleteFunc(held, func(_ string, n int64) bool { return n == 0 })
	return held
}

func TestPatternsOfWhatIsHeldBackFollowTheLedger(t *testing.T) {
	checks(t, soak(300))
	url := rapid.Custom(func(rt *rapid.T) string {
		return fmt.Sprintf("http://a.test/%s/%d", rapid.SampledFrom([]string{"x", "y", "z"}).Draw(rt, "kind"), rapid.IntRange(0, 30).Draw(rt, "i"))
	})
	rapid.Check(t, func(rt *rapid.T) {
		runs := rapid.SliceOfN(rapid.SliceOfN(rapid.SliceOfN(url, 1, 6), 0, 4), 1, 4).Draw(rt, "urls of steps of runs")
		raise := rapid.Int64Range(0, 4).Draw(rt, "raise")
		var want, got []map[string]int64
		synctest.Test(t, func(t *testing.T) {
			s := memory.New()
			for i, steps := range runs {
				f := openRaw(t, s, func(c *Config) { c.Budget.URLs, c.Budget.Depth = 3+int64(i)*raise, 2 })
				synctest.Wait() // until what is offered again is decided
				for i, urls := range steps {
					if i%2 == 0 {
						seed(t, f, urls...)
						continue
					}
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					leases, _ := f.Lease(ctx, 1)
					cancel()
					for _, l := range leases {
						complete(t, f, page(l, urls...))
					}
				}
				now, kept := f.Summary(), map[string]int64{}
				for _, p := range now.Patterns {
					kept[fmt.Sprintf("%s {%s}", p.Pattern, p.Reason)] = p.Count
				}
				require.Zero(t, now.PatternRest)
				want, got = append(want, heldBy(t, s)), append(got, kept)
				require.NoError(t, f.Stop(t.Context(), "operator"))
				require.NoError(t, f.Close())
				verify(t, s)
				if now.Slots == now.States[Done] {
					return // the next one would be another run
				}
			}
		})
		require.Equal(rt, want, got)
	})
}

func TestSummaryListsTheEightHeaviestPatternsAndTheRest(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New(), func(c *Config) { c.Budget.URLs = 1 })
		var urls []string
		for i := range 12 {
			for n := range i + 1 {
				urls = append(urls, fmt.Sprintf("http://a.test/%c/%d", 'a'+i, n))
			}
		}
		seed(t, f, append(numbered(1), urls...)...)
		now := f.Summary()
		require.Len(t, now.Patterns, 8)
		assert.Equal(t, PatternTally{Pattern: "a.test/l/{n}", Reason: ReasonURLs, Count: 12, Example: "http://a.test/l/0"}, now.Patterns[0])
		assert.EqualValues(t, 1+2+3+4, now.PatternRest)
		l := one(t, f)
		c := page(l)
		c.Overflow = Overflow{Count: 40, Example: "/more"}
		complete(t, f, c)
		assert.Equal(t, PatternTally{Pattern: "a.test/{n}", Reason: ReasonReferences, Count: 40, Example: "/more"}, f.Summary().Patterns[0], "the page that names too many")
	})
}

// TestSlotsAboveTheLimitStopAllAdmission plants more spent slots than the limit:
// nothing is admitted, not even a redirect's target, until the limit is raised
// above them.
func TestSlotsAboveTheLimitStopAllAdmission(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := memory.New()
		f := openRaw(t, s, func(c *Config) { c.Budget.URLs = 3 })
		seed(t, f, numbered(3)...)
		require.NoError(t, f.Close())
		h, err := readHead(t.Context(), s, keys{run: 1})
		require.NoError(t, err)
		h.slots = 5
		rewrite(t, s, storage.Op{Space: spaceHead, Key: keys{run: 1}.head(), Value: h.encode()})

		for _, asked := range []int64{0, 3, 4} { // a resume changes nothing, nor does a raise that is too small
			f = openRaw(t, s, func(c *Config) { c.Budget.URLs = asked })
			synctest.Wait()
			before := f.Summary()
			e, err := f.Enqueue(t.Context(), Seed, refs(fmt.Sprintf("http://a.test/more%d", asked))...)
			require.NoError(t, err)
			require.Len(t, e.Others, 1)
			assert.Equal(t, LimitReached, e.Others[0].Decision)
			assert.Equal(t, ReasonOverBudget, e.Others[0].Reason)
			l := one(t, f)
			complete(t, f, l.Redirected(l.URL+"/moved", Evidence{Status: 301}))
			now := f.Summary()
			assert.EqualValues(t, 5, now.Slots)
			assert.Zero(t, now.Moved)
			assert.EqualValues(t, 2, decidedAs(now, LimitReached, ReasonOverBudget)-decidedAs(before, LimitReached, ReasonOverBudget))
			assert.True(t, slices.ContainsFunc(now.Patterns, func(p PatternTally) bool { return p.Reason == ReasonOverBudget }))
			require.NoError(t, f.Close())
		}
		r, err := NewReader(t.Context(), s, "")
		require.NoError(t, err)
		assert.ErrorContains(t, r.Check(t.Context()), "5 slots are spent, the limit is 4")

		f = openRaw(t, s, func(c *Config) { c.Budget.URLs = 20 })
		synctest.Wait() // what was held back is offered again
		now := f.Summary()
		assert.Zero(t, decidedAs(now, LimitReached, ReasonOverBudget))
		assert.EqualValues(t, 11, now.Slots, "three more seeds, and three targets")
		assert.Empty(t, now.Patterns)
		require.NoError(t, f.Close())
	})
}

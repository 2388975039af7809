package frontier

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/internal/faults"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
)

// generations lists the generations of a run, and requires that each can be asked
// for by its ID.
func generations(t testing.TB, s storage.Store, run string) (all []Generation) {
	t.Helper()
	ctx := context.Background()
	r, err := NewReader(ctx, s, run)
	require.NoError(t, err)
	for g, err := range r.Generations(ctx) {
		require.NoError(t, err)
		again, err := r.Generation(ctx, g.ID)
		require.NoError(t, err)
		require.Equal(t, g, again)
		require.Equal(t, g.ID, g.Summary.Generation)
		require.Equal(t, uint64(len(all)+1), g.Ordinal)
		all = append(all, g)
	}
	newest, err := r.Generation(ctx, "")
	if len(all) == 0 {
		require.ErrorIs(t, err, ErrNoGeneration)
		return nil
	}
	require.NoError(t, err)
	require.Equal(t, all[len(all)-1], newest)
	return all
}

func freeze(t testing.TB, f *Frontier) Generation {
	t.Helper()
	g, err := f.Freeze(t.Context())
	require.NoError(t, err)
	return g
}

// upTo counts the results and records of a generation, row by row.
func upTo(t testing.TB, s storage.Store, g Generation) (results, records int64) {
	t.Helper()
	r, err := NewReader(context.Background(), s, g.Run)
	require.NoError(t, err)
	for res, err := range r.Results(context.Background(), 0) {
		require.NoError(t, err)
		if res.Position > g.Last {
			break
		}
		results++
		records += int64(len(res.Records))
	}
	return results, records
}

func TestLateResultIsOfTheNextGeneration(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := memory.New()
		f := open(t, s, named("main"))
		seed(t, f, numbered(3)...)
		leases := lease(t, f, 3)
		before := freeze(t, f)
		complete(t, f, page(leases["http://a.test/0"]))
		first := freeze(t, f)
		require.NoError(t, f.Stop(t.Context(), "operator"))
		second := freeze(t, f)
		complete(t, f, page(leases["http://a.test/1"]))
		third := freeze(t, f)

		all := generations(t, s, "main")
		require.Equal(t, []Generation{before, first, second, third}, all)
		for i, want := range []struct {
			id      string
			results int64
			phase   Phase
		}{{"main.1", 0, Running}, {"main.2", 1, Running}, {"main.3", 1, Stopped}, {"main.4", 2, Stopped}} {
			assert.Equal(t, want.id, all[i].ID)
			assert.Equal(t, want.results, all[i].Summary.Results, want.id)
			assert.Equal(t, want.phase, all[i].Summary.Phase, want.id)
			results, _ := upTo(t, s, all[i])
			assert.Equal(t, want.results, results, want.id)
		}
		assert.Zero(t, before.Last)
		assert.Equal(t, first.Last, second.Last)
		assert.Greater(t, third.Last, second.Last)
		assert.Equal(t, "main.4", f.Summary().Generation)
	})
}

func TestFreezeAgainReturnsTheSameUntilSomethingIsDecided(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := memory.New()
		f := open(t, s)
		seed(t, f, numbered(2)...)
		first := freeze(t, f)
		require.Equal(t, first, freeze(t, f))
		time.Sleep(time.Minute) // it commits as long as it idles
		require.Greater(t, f.Summary().Sequence, first.Sequence)
		require.Equal(t, first, freeze(t, f))

		seed(t, f, numbered(2)...) // two duplicates are observed
		second := freeze(t, f)
		require.Equal(t, first.Summary.Observed+2, second.Summary.Observed)
		require.Equal(t, first.Ordinal+1, second.Ordinal)
		drain(t, f, nil)
		last := freeze(t, f)
		require.Equal(t, Finished, last.Summary.Phase)
		require.Equal(t, last, freeze(t, f), "the end has frozen it")
		require.Len(t, generations(t, s, ""), 3)
	})
}

// TestFreezeAgainReturnsTheSameOverAnOutageAndAReopening: memory of the last one is
// gone, and its row says what it was.
func TestFreezeAgainReturnsTheSameOverAnOutageAndAReopening(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShaky(memory.New())
		f := openRaw(t, s, func(c *Config) { c.Budget.URLs = 2 })
		seed(t, f, numbered(4)...)
		complete(t, f, page(one(t, f)))
		first := freeze(t, f)
		for _, at := range []faults.StorePoint{faults.BeforeCommit, faults.AfterCommit} {
			s.on(once(at, errBroken))
			time.Sleep(time.Minute) // the commit of an idle run fails
			require.Equal(t, first, freeze(t, f), "%v", at)
		}
		require.NoError(t, f.Close())
		f = openRaw(t, s)
		require.Equal(t, first, freeze(t, f), "it is opened again")
		complete(t, f, page(one(t, f)))
		second := freeze(t, f)
		require.Equal(t, first.Ordinal+1, second.Ordinal)
		require.Equal(t, first.Summary.Results+1, second.Summary.Results)
		require.NoError(t, f.Close())
		verify(t, s)
	})
}

// TestARowOfAGenerationIsAtMost48KiB fills every list of a head with its longest texts.
func TestARowOfAGenerationIsAtMost48KiB(t *testing.T) {
	h := &head{name: strings.Repeat("n", 255), tallies: map[tallyKey]*tally{}, finish: 1 << 62, frozen: 1 << 62, seq: 1 << 62, queue: 1 << 62, at: 1 << 62,
		contract: contract{Budget: Budget{}.WithDefaults(), Versions: Versions{Policy: strings.Repeat("p", maxReason), Normalizer: strings.Repeat("v", maxDetail), Engine: strings.Repeat("e", maxReason)}}}
	for _, n := range h.counters() {
		*n = 1 << 62
	}
	for i := range 2 * maxTallies {
		word := Reason(fmt.Sprintf("%0*d", maxReason, i))
		example := fmt.Sprintf("%0*d", 2*exampleSize, i)
		for _, kind := range []tallyKind{tallyEnd, tallyDecided, tallyStop} {
			h.count(tallyKey{kind, 1, word}, 1<<62, example)
		}
		h.hold(LimitReached, word, 1<<40, "http://a.test/"+strings.Repeat("x", i)+"/"+strings.Repeat("y", 200), example)
		h.join(strings.Repeat("h", 253) + ":65535")
	}
	require.Len(t, h.tallies, 3*(maxTallies+1))
	require.Len(t, h.held.list, maxPatterns)
	size := len(h.encode())
	assert.LessOrEqual(t, size, 48<<10)
	assert.Greater(t, size, 40<<10, "the bound is near")
}

func TestEveryEndOfARunFreezes(t *testing.T) {
	for _, c := range []struct {
		name  string
		phase Phase
		why   Reason
		end   func(t *testing.T, f *Frontier)
	}{
		{"an operator stops it", Stopped, "operator", func(t *testing.T, f *Frontier) { require.NoError(t, f.Stop(t.Context(), "operator")) }},
		{"it fails", FailedRun, "bad", func(t *testing.T, f *Frontier) { require.NoError(t, f.Fail(t.Context(), "bad")) }},
		{"it is over", Finished, "done", func(t *testing.T, f *Frontier) { drain(t, f, nil) }},
		{"its time is spent", Stopped, ReasonWall, func(t *testing.T, f *Frontier) {
			time.Sleep(time.Hour + time.Second)
			stopped(t, f, ReasonWall)
		}},
		{"no seed is admitted", FailedRun, ReasonNoneAdmitted, func(t *testing.T, f *Frontier) {
			_, err := f.Lease(t.Context(), 1)
			require.ErrorIs(t, err, ErrStopped)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				s := memory.New()
				f := open(t, s, func(c *Config) { c.Budget.Wall = time.Hour })
				urls := numbered(3)
				if c.why == ReasonNoneAdmitted {
					urls = []string{"mailto:x@a.test"}
				}
				seed(t, f, urls...)
				c.end(t, f)
				all := generations(t, s, "")
				require.Len(t, all, 1)
				now := f.Summary()
				assert.Equal(t, c.phase, now.Phase)
				assert.Equal(t, c.why, now.Reason)
				assert.Equal(t, now.Sequence, all[0].Sequence, "in the same commit")
				assert.Equal(t, now, all[0].Summary)
			})
		})
	}
}

func TestAFailureAfterAStopFreezesAgain(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := memory.New()
		f := open(t, s)
		seed(t, f, numbered(2)...)
		require.NoError(t, f.Stop(t.Context(), "operator"))
		require.NoError(t, f.Stop(t.Context(), "again"))
		require.NoError(t, f.Fail(t.Context(), "bad"))
		all := generations(t, s, "")
		require.Len(t, all, 2)
		assert.Equal(t, []Phase{Stopped, FailedRun}, []Phase{all[0].Summary.Phase, all[1].Summary.Phase})
	})
}

func frozenRows(t *testing.T, s storage.Store) []string {
	rows := []string{}
	for _, c := range cells(t, s) {
		if c.space == spaceGeneration {
			rows = append(rows, fmt.Sprintf("%x: %x", c.key, c.value))
		}
	}
	return rows
}

func TestFrozenGenerationsStayAsTheyAreOverResumeAndRaise(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := memory.New()
		before := []string{}
		for i := range 5 {
			f := openRaw(t, s, func(c *Config) { c.Budget.URLs = int64(4 + 2*i) })
			seed(t, f, numbered(20)...)
			for u, l := range lease(t, f, 2) {
				complete(t, f, page(l, u+"/more"))
			}
			freeze(t, f)
			require.NoError(t, f.Stop(t.Context(), "operator"))
			require.NoError(t, f.Close())
			now := frozenRows(t, s)
			require.Len(t, now, 2*(i+1))
			require.Equal(t, before, now[:2*i])
			before = now
		}
		verify(t, s)
	})
}

func TestFreezeIsExactWhile64WorkersComplete(t *testing.T) {
	const workers, urls = 64, 640
	s := memory.New()
	f := open(t, s, func(c *Config) { c.Budget.URLs = 2 * urls })
	seed(t, f, numbered(urls)...)
	leases, err := f.Lease(t.Context(), 500)
	require.NoError(t, err)
	var completed, done atomic.Int64
	type seen struct {
		before, after int64
		Generation
	}
	var all []seen
	together(workers+1, func(w int) {
		if w == workers {
			for done.Load() < workers {
				g := seen{before: completed.Load()}
				if g.Generation, err = f.Freeze(t.Context()); !assert.NoError(t, err) {
					return
				}
				g.after = f.Summary().Results
				all = append(all, g)
			}
			return
		}
		defer done.Add(1)
		for i := w; i < len(leases); i += workers {
			c := page(leases[i])
			c.Records = []Record{{Kind: "page", Data: []byte("1")}}
			_, err := f.Complete(t.Context(), c)
			assert.NoError(t, err)
			completed.Add(1)
		}
	})
	require.NotEmpty(t, all)
	for _, g := range all {
		assert.GreaterOrEqual(t, g.Summary.Results, g.before, "what was acknowledged before is in it")
		assert.LessOrEqual(t, g.Summary.Results, g.after)
		assert.Equal(t, g.Summary.Results, g.Summary.States[Done])
		results, records := upTo(t, s, g.Generation)
		assert.Equal(t, g.Summary.Results, results, g.ID)
		assert.Equal(t, g.Summary.Records, records, g.ID)
	}
}

// TestACrashLeavesAGenerationWholeOrNone ends the store at each commit of a life
// with several generations, before it and after it.
func TestACrashLeavesAGenerationWholeOrNone(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		live := func(s *shaky) error {
			f, err := Open(t.Context(), Config{Store: s, Policy: Policy{Delay: -1, Concurrency: 1000}, Outage: time.Second})
			if err != nil {
				return err
			}
			defer func() { _ = f.Close() }()
			for i := range 4 {
				if _, err := f.Enqueue(t.Context(), Seed, refs(numbered(4*i+4)...)...); err != nil {
					return err
				}
				leases, err := f.Lease(t.Context(), 3)
				if errors.Is(err, ErrDone) {
					return nil // it was killed where little was left
				}
				if err != nil {
					return err
				}
				for _, l := range leases {
					if _, err := f.Complete(t.Context(), page(l, "/x")); err != nil {
						return err
					}
				}
				if _, err := f.Freeze(t.Context()); err != nil {
					return err
				}
			}
			return f.Stop(t.Context(), "operator")
		}
		whole, commits := newShaky(memory.New()), 0
		whole.on(func(p faults.StorePoint) error {
			if p == faults.AfterCommit {
				commits++
			}
			return nil
		})
		require.NoError(t, live(whole))
		require.Len(t, generations(t, whole, ""), 5)
		counts := map[int]bool{}
		for _, at := range []faults.StorePoint{faults.BeforeCommit, faults.AfterCommit} {
			for kill := 2; kill <= commits; kill++ {
				s, passed, dead := newShaky(memory.New()), 0, false
				s.on(func(p faults.StorePoint) error {
					if p == at {
						passed++
					}
					if dead = dead || passed == kill; dead {
						return errBroken
					}
					return nil
				})
				require.ErrorIs(t, live(s), errBroken, "killed at commit %d", kill)
				s.on(nil)
				verify(t, s)
				left := generations(t, s, "")
				counts[len(left)] = true
				for _, g := range left {
					results, _ := upTo(t, s, g)
					require.Equal(t, g.Summary.Results, results, g.ID)
				}
				time.Sleep(fenceTTL + time.Second)
				kept := frozenRows(t, s)
				require.NoError(t, live(s), "it goes on")
				require.Equal(t, kept, frozenRows(t, s)[:len(kept)])
				verify(t, s)
			}
		}
		require.Len(t, counts, 6, "every number of generations was left")
	})
}

// TestAnUnknownOutcomeOfAFreezeIsLookedUp loses the answer of the commit that
// freezes: it is not frozen twice.
func TestAnUnknownOutcomeOfAFreezeIsLookedUp(t *testing.T) {
	for _, c := range []struct {
		name string
		at   faults.StorePoint
	}{{"it was applied", faults.AfterCommit}, {"it was not", faults.BeforeCommit}} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				s := newShaky(memory.New())
				f := open(t, s)
				seed(t, f, numbered(2)...)
				s.on(once(c.at, errBroken))
				g := freeze(t, f)
				assert.Equal(t, g, freeze(t, f))
				assert.Equal(t, []Generation{g}, generations(t, s, ""))
			})
		})
	}
}

func TestFreezeWhoseCallerHasGoneMayBeRepeated(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShaky(memory.New())
		f := open(t, s)
		seed(t, f, numbered(2)...)
		s.on(slowly)
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, err := f.Freeze(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		g := freeze(t, f)
		assert.Equal(t, []Generation{g}, generations(t, s, ""))
		require.NoError(t, f.Close())
		_, err = f.Freeze(t.Context())
		require.ErrorIs(t, err, ErrClosed)
	})
}

func TestARunThatIsRekeyedKeepsItsGenerationsAndFreezesItsOwn(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := crawled(t, linked(map[string][]string{"http://a.test/0": {"/1", "/2"}}), numbered(1))
		before := generations(t, s, "first")
		require.Len(t, before, 1)
		rekey(t, s, "first", "second", renamed{})
		after := generations(t, s, "second")
		require.Len(t, after, 1)
		assert.Equal(t, ReasonRekeyed, after[0].Summary.Reason)
		assert.EqualValues(t, 3, after[0].Summary.Results)

		f := openRaw(t, s, named("second"), func(c *Config) { c.Normalizer = renamed{} })
		drain(t, f, nil)
		require.NoError(t, f.Close())
		verify(t, s)
		assert.Equal(t, before, generations(t, s, "first"))
		assert.Len(t, generations(t, s, "second"), 2)
	})
}

func TestFreezeWhileAnEarlierRunIsReplayedIsExact(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := rekeyedLife(t)
		f := openRaw(t, s, named("life"), func(c *Config) { c.Normalizer = renamed{} })
		g := freeze(t, f)
		synctest.Wait()
		drain(t, f, nil)
		require.NoError(t, f.Close())
		results, _ := upTo(t, s, g)
		assert.Equal(t, g.Summary.Results, results)
		verify(t, s)
	})
}

func TestGenerationIsAskedForByItsOwnName(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := memory.New()
		f := open(t, s, named("a.1"))
		r, err := NewReader(t.Context(), s, "")
		require.NoError(t, err)
		_, err = r.Generation(t.Context(), "")
		require.ErrorIs(t, err, ErrNoGeneration)
		seed(t, f, numbered(1)...)
		freeze(t, f)
		_, err = r.Generation(t.Context(), "a.1.1")
		require.NoError(t, err)
		for _, id := range []string{"a.1", "a.1.", "a.1.0", "a.1.2", "a.1.01", "a.1.+1", "b.1", ".1", "1", "a.1.1 ", "a.1.18446744073709551616"} {
			_, err = r.Generation(t.Context(), id)
			require.ErrorIs(t, err, ErrNoGeneration, id)
			require.False(t, errors.Is(err, storage.ErrCorrupt), id)
		}
	})
}

// TestFreezeHasWhatIsDecidedBeforeItInItsGroup lets a completion and a Freeze wait
// for a commit that decides nothing: they are decided together, in their order.
func TestFreezeHasWhatIsDecidedBeforeItInItsGroup(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShaky(memory.New())
		f := open(t, s)
		seed(t, f, numbered(2)...)
		leases := lease(t, f, 2)
		first := freeze(t, f)
		s.on(func(p faults.StorePoint) error {
			if p == faults.BeforeCommit {
				time.Sleep(4 * time.Second)
			}
			return nil
		})
		time.Sleep(11 * time.Second) // the commit of an idle run is under way
		go func() { _, _ = f.Complete(t.Context(), page(leases["http://a.test/0"])) }()
		synctest.Wait()
		time.Sleep(time.Second)
		assert.Equal(t, time.Second, f.Queue(), "it waits, and nobody has gathered it")
		second := freeze(t, f)
		s.on(nil)
		assert.EqualValues(t, 0, first.Summary.Results)
		assert.EqualValues(t, 1, second.Summary.Results)
		assert.Equal(t, 3*time.Second, second.Summary.Queue)
	})
}

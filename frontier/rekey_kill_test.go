package frontier

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/internal/faults"
	"github.com/weircrawl/weir/storage/memory"
	"github.com/weircrawl/weir/urlnorm"
)

// halfCrawled is a store whose run "first" has many answers and much left, always
// the same one. Its batches are small, so that a Rekey takes many commits.
func halfCrawled(t *testing.T) *shaky {
	s := newShaky(memory.New())
	s.batch = 48 * kib
	f := openRaw(t, s, named("first"))
	seed(t, f, "http://a.test/", "http://a.test/?s=9", "http://b.test/")
	w := &decorated{seed: 11, rng: rand.New(rand.NewPCG(1, 2)), hits: map[string]int{}}
	w.crawl(t, f, 60)
	seed(t, f, "http://a.test/late?s=1", "http://a.test/late?s=2", "mailto:x@a.test")
	w.crawl(t, f, 5)
	require.NoError(t, f.Close())
	return s
}

// slowly is a store whose every commit takes a second.
func slowly(p faults.StorePoint) error {
	if p == faults.BeforeCommit {
		time.Sleep(time.Second)
	}
	return nil
}

// retold lists all that a rekeyed run says of itself but times and commits.
func retold(t testing.TB, s *shaky, run string) []string {
	t.Helper()
	ctx := context.Background()
	r, err := NewReader(ctx, s, run)
	require.NoError(t, err)
	require.NoError(t, r.Check(ctx))
	require.NoError(t, r.Replay(ctx))
	report, ok, err := r.Rekeyed(ctx)
	require.NoError(t, err)
	require.True(t, ok)
	b, err := json.Marshal(report)
	require.NoError(t, err)
	all := []string{string(b)}
	for a, err := range r.Admissions(ctx) {
		require.NoError(t, err)
		all = append(all, fmt.Sprintf("%v %s %s %s {%s} depth %d slots %d", a.Reference, a.Source, a.Parent, a.Decision, a.Reason, a.Depth, a.Slots))
	}
	for res, err := range r.Results(ctx, 0) {
		require.NoError(t, err)
		all = append(all, fmt.Sprintf("%s %s {%s} %s %s %v", res.URL, res.State, res.Reason, res.Carried, res.Target, res.Records))
	}
	for tr, err := range r.Transitions(ctx) {
		require.NoError(t, err)
		all = append(all, fmt.Sprintf("%s %s -%s-> %s {%s}", tr.URL, tr.From, tr.Event, tr.To, tr.Reason))
	}
	return all
}

// TestARekeyThatIsKilledAnywhereGoesOnAndComesToTheSame fails the store from each
// of its commits on, before and after it, and begins again.
func TestARekeyThatIsKilledAnywhereGoesOnAndComesToTheSame(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		n := classed("s", urlnorm.Tracking)
		cfg := func(s *shaky) Config {
			return Config{Store: s, Run: "second", Normalizer: n, Policy: Policy{Delay: -1, Concurrency: 1000}}
		}
		s, commits := halfCrawled(t), 0
		s.on(func(p faults.StorePoint) error {
			if p == faults.AfterCommit {
				commits++
			}
			return nil
		})
		_, err := Rekey(t.Context(), cfg(s), "first", nil)
		require.NoError(t, err)
		want := retold(t, s, "second")
		require.Greater(t, commits, 6, "it takes several commits")

		large := halfCrawled(t)
		large.batch = 0
		_, err = Rekey(t.Context(), cfg(large), "first", nil)
		require.NoError(t, err)
		require.Equal(t, want, retold(t, large, "second"), "whatever its commits are")

		for _, at := range []faults.StorePoint{faults.BeforeCommit, faults.AfterCommit} {
			for kill := 1; kill <= commits; kill++ {
				s, passed, dead := halfCrawled(t), 0, false
				s.on(func(p faults.StorePoint) error {
					if p == at {
						passed++
					}
					if dead = dead || passed == kill; dead {
						return errBroken
					}
					return nil
				})
				_, err := Rekey(t.Context(), cfg(s), "first", nil)
				require.ErrorIs(t, err, errBroken, "killed at commit %d", kill)
				s.on(nil)
				time.Sleep(fenceTTL + time.Second) // nobody has given the partition up
				if kill%2 == 0 {                   // whoever opens the run goes on with it, too
					f, err := Open(t.Context(), cfg(s))
					if err == nil {
						require.NoError(t, f.Close())
					} else {
						require.ErrorIs(t, err, ErrRunActive, "it had not begun")
					}
				}
				done, err := Rekey(t.Context(), cfg(s), "first", nil)
				require.NoError(t, err)
				require.True(t, done.Done)
				require.Equal(t, want, retold(t, s, "second"), "killed at commit %d", kill)
			}
		}
	})
}

// TestARekeyThatIsKilledAfterEachCommitComesToItsEnd lets every incarnation make
// two commits: that which opens the run, and one piece.
func TestARekeyThatIsKilledAfterEachCommitComesToItsEnd(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		n := classed("s", urlnorm.Tracking)
		s := halfCrawled(t)
		_, err := Rekey(t.Context(), Config{Store: s, Run: "second", Normalizer: n}, "first", nil)
		require.NoError(t, err)
		want := retold(t, s, "second")

		s = halfCrawled(t)
		lives := 0
		for ; ; lives++ {
			require.Less(t, lives, 1000)
			commits := 0
			s.on(func(p faults.StorePoint) error {
				if p == faults.BeforeCommit {
					commits++
				}
				if commits > 2 {
					return errBroken
				}
				return nil
			})
			done, err := Rekey(t.Context(), Config{Store: s, Run: "second", Normalizer: n}, "first", nil)
			if done.Done && lives > 0 {
				break
			}
			require.Error(t, err)
			s.on(nil)
			time.Sleep(fenceTTL + time.Second)
		}
		s.on(nil)
		assert.Greater(t, lives, 4)
		assert.Equal(t, want, retold(t, s, "second"))
	})
}

func TestARekeyThatIsCancelledGoesOn(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		n := classed("s", urlnorm.Tracking)
		cfg := func(s *shaky) Config { return Config{Store: s, Normalizer: n} }
		s := halfCrawled(t)
		_, err := Rekey(t.Context(), cfg(s), "first", nil)
		require.NoError(t, err)
		want := retold(t, s, "")

		s = halfCrawled(t)
		s.on(slowly)
		ctx, cancel := context.WithCancelCause(t.Context())
		seen := 0
		_, err = Rekey(ctx, cfg(s), "first", func(now Rekeyed) {
			if seen++; now.Read > 20 {
				cancel(errBroken)
			}
		})
		require.ErrorIs(t, err, context.Canceled)
		require.False(t, errors.Is(err, ErrClosed))
		r, err := NewReader(t.Context(), s, "")
		require.NoError(t, err)
		half, ok, err := r.Rekeyed(t.Context())
		require.NoError(t, err)
		require.True(t, ok)
		sum, err := r.Summary(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []any{Stopped, ReasonRekeying}, []any{sum.Phase, sum.Reason})
		assert.False(t, half.Done)
		assert.Less(t, half.Read, half.Total)

		last := int64(0)
		done, err := Rekey(t.Context(), cfg(s), "first", func(now Rekeyed) {
			assert.GreaterOrEqual(t, now.Read, half.Read, "it goes on from there")
			assert.GreaterOrEqual(t, now.Read, last)
			last = now.Read
		})
		require.NoError(t, err)
		assert.Equal(t, done.Total, last)
		assert.Equal(t, want, retold(t, s, ""))
	})
}

// TestNothingIsLeasedBeforeTheEarlierRunIsReplayed opens a run that Rekey has
// left half made.
func TestNothingIsLeasedBeforeTheEarlierRunIsReplayed(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		n := classed("s", urlnorm.Tracking)
		s := halfCrawled(t)
		known := keyed(t, s, "first", n)
		s.on(slowly)
		ctx, cancel := context.WithCancel(t.Context())
		_, err := Rekey(ctx, Config{Store: s, Normalizer: n}, "first", func(Rekeyed) { cancel() })
		require.ErrorIs(t, err, context.Canceled)
		f := openRaw(t, s, under(n))
		require.Positive(t, f.Summary().Offers, "it is not done")
		hits := drain(t, f, nil)
		require.NoError(t, f.Close())
		assert.NotEmpty(t, hits)
		for at := range hits {
			u, err := n.Normalize(nil, at)
			require.NoError(t, err)
			assert.NotEqual(t, "done {", known[u.Key.Text], "%s is known", at)
		}
		verify(t, s)
	})
}

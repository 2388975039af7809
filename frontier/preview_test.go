package frontier

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
	"github.com/weircrawl/weir/urlnorm"
)

// lookOnly is a store that refuses every claim and commit.
type lookOnly struct{ storage.Store }

var errTouched = errors.New("a reader has changed the store")

func (lookOnly) Claim(context.Context, storage.Fence) (storage.Fence, error) {
	return storage.Fence{}, errTouched
}

func (lookOnly) Commit(context.Context, storage.Fence, []storage.Op) error { return errTouched }

// plain is a without what only a decision that was made has.
func plain(a Admission) Admission {
	a.Claim, a.Cursor, a.Time = ClaimID{}, "", time.Time{}
	return a
}

// decidedIn is the record of the only reference that one commit decided for a caller.
func decidedIn(t testing.TB, r *Reader, seq uint64) Admission {
	t.Helper()
	for e, err := range r.edges(t.Context(), r.keys.seq(seq), end(r.keys.seq(seq))) {
		require.NoError(t, err)
		all, err := r.decisions(t.Context(), e)
		require.NoError(t, err)
		if e.source.kind != Offer {
			require.Len(t, all, 1)
			return all[0]
		}
	}
	t.Fatalf("commit %d decided nothing", seq)
	return Admission{}
}

// TestPreviewSaysWhatEnqueueThenDecides is the law of Preview: on a random web, at
// any moment of a crawl, of any reference.
func TestPreviewSaysWhatEnqueueThenDecides(t *testing.T) {
	rng := seeded(t)
	told := map[string]bool{}
	for range soak(300) {
		inBubble(t, func(t *testing.T) {
			s, w := memory.New(), newManifold(rng.Uint64())
			cfg := Config{Store: s, Policy: Policy{Delay: -1, Concurrency: 10, URLs: rng.Int64N(2) * 15, Version: "mine/1"},
				Budget: Budget{URLs: 10 + rng.Int64N(40), Depth: 2 + rng.IntN(4), Origins: 1 + rng.Int64N(3)}}
			f, err := Open(t.Context(), cfg)
			require.NoError(t, err)
			seed(t, f, "http://a.test/0")
			r, err := NewReader(t.Context(), lookOnly{s}, "")
			require.NoError(t, err)
			r.Policy = cfg.Policy
			for range 12 {
				pool := manySeeds()
				if f.Summary().Unresolved() > 0 {
					l := one(t, f)
					c := w.answer(l)
					complete(t, f, c)
					for _, ref := range c.References {
						ref.Base = l.URL
						pool = append(pool, ref)
					}
				}
				ref, source := pool[rng.IntN(len(pool))], []Source{Seed, Link, AdminCall, Sitemap}[rng.IntN(4)]
				ref.Priority = int8(rng.IntN(3) - 1)
				time.Sleep(time.Millisecond) // what is offered again is decided by then
				preview, err := r.Preview(t.Context(), source, ref)
				require.NoError(t, err)
				if rng.IntN(4) == 0 { // a run that has stopped in between
					require.NoError(t, f.Close())
					preview, err = r.Preview(t.Context(), source, ref)
					require.NoError(t, err)
					f, err = Open(t.Context(), cfg)
					require.NoError(t, err)
				}
				answer, err := f.Enqueue(t.Context(), source, ref)
				if errors.Is(err, ErrStopped) || errors.Is(err, ErrDone) {
					break
				}
				require.NoError(t, err)
				decided := decidedIn(t, r, answer.Sequence)
				require.Equal(t, plain(decided), plain(preview))
				require.Equal(t, preview, withTime(plain(preview), preview.Time), "it has no claim")
				told[fmt.Sprintf("%s %s", preview.Decision, preview.Reason.Word())] = true
			}
			require.NoError(t, f.Close())
		})
	}
	for _, kind := range []string{"admitted new", "duplicate known", "limit_reached urls", "policy_stop out_of_scope", "policy_stop unsupported_scheme"} {
		assert.True(t, told[kind], "no preview was %s: %v", kind, told)
	}
}

func withTime(a Admission, at time.Time) Admission {
	a.Time = at
	return a
}

func TestPreviewTellsWhatARunThatIsOverWouldHaveDecided(t *testing.T) {
	s := memory.New()
	f := open(t, s, func(c *Config) { c.Budget.URLs = 3 })
	seed(t, f, "http://a.test/0")
	drain(t, f, linked(map[string][]string{"http://a.test/0": {"/1"}}))
	r := reader(t, lookOnly{s})
	for url, want := range map[string]string{
		"http://a.test/1": "duplicate {known}", "http://a.test/2": "admitted {new}", "http://b.test/": "policy_stop {out_of_scope}", "tel:1": "policy_stop {unsupported_scheme}",
	} {
		a, err := r.Preview(t.Context(), Link, Reference{Observed: url})
		require.NoError(t, err)
		assert.Equal(t, want, fmt.Sprintf("%s {%s}", a.Decision, a.Reason), url)
		assert.EqualValues(t, 2, a.Slots)
	}
	a, err := r.Preview(t.Context(), Seed, Reference{Observed: "http://b.test/"})
	require.NoError(t, err)
	assert.Equal(t, Admitted, a.Decision, "as a seed it brings its host into the scope")
}

func TestPreviewRefusesWhatItCannotAnswer(t *testing.T) {
	s := memory.New()
	f := open(t, s)
	seed(t, f, "http://a.test/0")
	r := reader(t, s)
	_, err := r.Preview(t.Context(), Redirect, Reference{Observed: "http://a.test/"})
	assert.ErrorContains(t, err, "name another source")
	r.Normalizer = urlnorm.StandardExact{}
	_, err = r.Preview(t.Context(), Link, Reference{Observed: "http://a.test/"})
	assert.ErrorIs(t, err, ErrNormalizerChanged)
}

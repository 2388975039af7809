package frontier

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/internal/faults"
	"github.com/weircrawl/weir/storage/memory"
)

// days are n links to pages of one calendar, from one on.
func days(from, n int) (links []string) {
	for i := range n {
		links = append(links, fmt.Sprintf("/cal?day=%d", from+i))
	}
	return links
}

// bounded opens a run of at most ten URLs a pattern.
func bounded(c *Config) { c.Budget.Pattern = 10 }

func TestAPatternHasSoManyURLsAndNoMore(t *testing.T) {
	for _, c := range []struct {
		name   string
		policy Policy
		links  []string
		want   int64 // admitted beside the seed
		held   int64
	}{
		{"up to the bound", Policy{}, days(1, 10), 10, 0},
		{"and not beyond", Policy{}, days(1, 25), 10, 15},
		{"whatever the values are", Policy{}, []string{"/p/1", "/p/2026-01-02", "/p/22", "/q?a=1&b=2", "/q?b=3&a=4"}, 5, 0},
		{"pages that only one URL can be have no bound", Policy{}, []string{"/a", "/b", "/c", "/d", "/e", "/f", "/g", "/h", "/i", "/j", "/k", "/l"}, 12, 0},
		{"a policy may say less", Policy{Pattern: 3}, days(1, 25), 3, 22},
		{"or more", Policy{Pattern: 20}, days(1, 25), 20, 5},
		{"or that a pattern has no bound", Policy{Exempt: []string{"a.test/cal?day"}}, days(1, 25), 25, 0},
		{"a repeat is none", Policy{}, append(days(1, 10), days(1, 10)...), 10, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				c.policy.Delay = -1
				f := open(t, memory.New(), bounded, func(cfg *Config) { cfg.Policy = c.policy })
				seed(t, f, "http://a.test/")
				complete(t, f, page(one(t, f), c.links...))
				s := f.Summary()
				assert.Equal(t, c.want+1, s.Slots)
				assert.Equal(t, c.held, decidedAs(s, LimitReached, ReasonPattern))
				if c.held > 0 {
					require.NotEmpty(t, s.Patterns)
					assert.Equal(t, PatternTally{Pattern: "a.test/cal?day", Reason: ReasonPattern, Count: c.held, Example: s.Patterns[0].Example}, s.Patterns[0])
					assert.Contains(t, s.Patterns[0].Example, "/cal?day=")
				}
			})
		})
	}
}

func TestWhatAnOperatorNamesIsNoTrap(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New(), bounded)
		var urls []string
		for _, link := range days(1, 50) {
			urls = append(urls, "http://a.test"+link)
		}
		seed(t, f, urls...)
		assert.EqualValues(t, 50, f.Summary().Slots)
		complete(t, f, page(one(t, f), days(51, 5)...))
		assert.EqualValues(t, 5, decidedAs(f.Summary(), LimitReached, ReasonPattern), "and counts for what follows")
	})
}

// The count must hold across crashes, commits of which nobody knows, and what
// memory has dropped.
func TestAPatternsCountOutlivesEverything(t *testing.T) {
	for _, p := range []faults.StorePoint{faults.BeforeCommit, faults.AfterCommit} {
		inBubble(t, func(t *testing.T) {
			store := newShaky(memory.New())
			for i := range 8 {
				f := openRaw(t, store, bounded)
				if i == 0 {
					seed(t, f, "http://a.test/")
				}
				l := one(t, f)
				store.on(once(p, errBroken))
				complete(t, f, page(l, append(days(3*i, 3), fmt.Sprintf("/next/%s", lettered(i)))...))
				f.cardinalityIsForgotten(t)
				if i < 7 {
					complete(t, f, page(one(t, f)))
				}
				require.NoError(t, f.Close())
			}
			f := openRaw(t, store)
			assert.EqualValues(t, 10, f.patternOf(t, "/cal?day=1"))
			assert.EqualValues(t, 14, decidedAs(f.Summary(), LimitReached, ReasonPattern))
			require.NoError(t, f.Close())
			verify(t, store)
		})
	}
}

// cardinalityIsForgotten makes the writer drop what memory knows of patterns.
func (f *Frontier) cardinalityIsForgotten(t *testing.T) {
	require.NoError(t, f.submit(t.Context(), &call{decide: func(tx *tx) error {
		tx.f.cardinality = newCardinality()
		return nil
	}}))
}

// patternOf is how many URLs of the pattern of a path of a.test are admitted.
func (f *Frontier) patternOf(t *testing.T, path string) (n int64) {
	url := "http://a.test" + path
	require.NoError(t, f.submit(t.Context(), &call{decide: func(tx *tx) (err error) {
		n, err = tx.patternCount(keyOf(originID("http://a.test", 0), url, patternOf(url)))
		return err
	}}))
	return n
}

func TestARaisedPatternOffersWhatItHeldBack(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memory.New()
		f := openRaw(t, store, bounded)
		seed(t, f, "http://a.test/")
		complete(t, f, page(one(t, f), days(1, 25)...))
		require.NoError(t, f.Stop(t.Context(), "context"))
		require.NoError(t, f.Close())
		f = open(t, store, func(c *Config) { c.Budget.Pattern = 20 })
		lease(t, f, 500)
		s := f.Summary()
		assert.EqualValues(t, 21, s.Slots)
		assert.EqualValues(t, 5, decidedAs(s, LimitReached, ReasonPattern))
	})
}

package frontier

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage/memory"
)

// sitemaps are references to n sitemaps of a.test.
func sitemaps(n int) (refs []Reference) {
	for i := range n {
		refs = append(refs, Reference{Observed: fmt.Sprintf("http://a.test/sitemap%d.xml", i), Hint: true, Priority: 1})
	}
	return refs
}

func offered(t *testing.T, f *Frontier, s Source, refs ...Reference) Enqueued {
	t.Helper()
	answer, err := f.Enqueue(t.Context(), s, refs...)
	require.NoError(t, err)
	return answer
}

func TestAHintIsWorkWithoutAPageSlot(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memory.New()
		f := open(t, store, func(c *Config) { c.Budget.URLs, c.Budget.Hints = 2, 3 })
		seed(t, f, "http://a.test/")
		answer := offered(t, f, Sitemap, sitemaps(5)...)
		assert.Equal(t, 3, answer.Accepted)
		assert.Equal(t, 2, answer.Limited)
		assert.EqualValues(t, 2, decidedAs(f.Summary(), LimitReached, ReasonHints))
		assert.EqualValues(t, 1, f.Summary().Slots)
		assert.EqualValues(t, 3, f.Summary().Hints)
		leases := lease(t, f, 10)
		require.Len(t, leases, 4)
		assert.False(t, leases["http://a.test/"].Hint)
		complete(t, f, leases["http://a.test/"].Fetched(Evidence{}))
		for i := range 3 {
			l := leases[fmt.Sprintf("http://a.test/sitemap%d.xml", i)]
			assert.True(t, l.Hint)
			complete(t, f, l.Fetched(Evidence{}))
		}
		done(t, f)
		reader, err := NewReader(t.Context(), store, "")
		require.NoError(t, err)
		hints := 0
		for r, err := range reader.Results(t.Context(), 0) {
			require.NoError(t, err)
			if r.Hint {
				hints++
			}
		}
		assert.Equal(t, 3, hints, "each has its result, which says what it is")
	})
}

func TestAPageAndAHintOfOneURLAreTwoIdentities(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New())
		both := []Reference{{Observed: "http://a.test/sitemap0.xml"}, sitemaps(1)[0], {Observed: "http://a.test/sitemap0.xml"}, sitemaps(1)[0]}
		answer := offered(t, f, AdminCall, append([]Reference{{Observed: "http://a.test/"}}, both...)...)
		assert.Zero(t, answer.Accepted, "nothing is in the scope of a run without seeds")
		seed(t, f, "http://a.test/")
		answer = offered(t, f, AdminCall, both...)
		assert.Equal(t, 2, answer.Accepted)
		assert.Equal(t, 2, answer.Known)
	})
}

func TestTheTargetOfAHintsRedirectIsAHint(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New(), func(c *Config) { c.Budget.Hints = 1 })
		seed(t, f, "http://a.test/")
		complete(t, f, one(t, f).Fetched(Evidence{}))
		offered(t, f, Sitemap, sitemaps(1)...)
		complete(t, f, one(t, f).Redirected("/real.xml", Evidence{Status: 301}))
		l := one(t, f)
		assert.Equal(t, "http://a.test/real.xml", l.URL)
		assert.True(t, l.Hint)
		complete(t, f, l.Fetched(Evidence{}))
		assert.EqualValues(t, 1, f.Summary().Hints)
		assert.EqualValues(t, 1, f.Summary().Moved)
		done(t, f)
	})
}

func TestARaiseOffersTheHintsThatWereHeldBack(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memory.New()
		f := openRaw(t, store, func(c *Config) { c.Budget.Hints = 2 })
		seed(t, f, "http://a.test/")
		offered(t, f, Sitemap, sitemaps(5)...)
		require.NoError(t, f.Close())
		f = open(t, store, func(c *Config) { c.Budget.Hints = 4 })
		for url, l := range lease(t, f, 10) {
			assert.Equal(t, url != "http://a.test/", l.Hint)
			complete(t, f, l.Fetched(Evidence{}))
		}
		for f.Summary().Hints < 4 || f.Summary().Unresolved() > 0 {
			l := one(t, f)
			assert.True(t, l.Hint, "what was held back is still a hint")
			complete(t, f, l.Fetched(Evidence{}))
		}
		done(t, f)
		assert.EqualValues(t, 1, decidedAs(f.Summary(), LimitReached, ReasonHints))
	})
}

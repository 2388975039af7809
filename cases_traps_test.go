package weir

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/fetch/fetchtest"
	"github.com/weircrawl/weir/frontier"
)

// Traps: spaces of URLs without end. Each ends by a named bound with an example, and
// holds up no page beside it.

// trap is a web of fifty pages, and of a handler that never runs out of links.
func trap(t *testing.T, h http.HandlerFunc) *fetchtest.Web {
	t.Helper()
	w := web(t, "-- http://a.test/robots.txt --\n")
	require.NoError(t, w.Handle("http://a.test/*", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/real/") {
			h(rw, r)
			return
		}
		var n int
		if _, err := fmt.Sscanf(r.URL.Path, "/real/%d", &n); err == nil && n < 49 {
			fmt.Fprintf(rw, "<a href=/real/%d>next</a>", n+1)
		}
	})))
	return w
}

// trapped crawls a trap whose entrance is a seed, with at most 100 URLs a pattern.
func trapped(t *testing.T, w *fetchtest.Web, entrance string) crawled {
	t.Helper()
	return crawlWeb(t, w, func(cfg *Config) {
		cfg.Budget = Budget{Pattern: 100, Depth: 10_000}
		cfg.Policy = frontier.Policy{Delay: -1}
		cfg.Scope = frontier.Scope{Hosts: []string{"a.test"}}
	}, "http://a.test"+entrance)
}

// endsBy requires that a crawl has ended by a pattern's bound, with an example, and
// that it has fetched so many URLs of the trap.
func (c crawled) endsBy(pattern string, fetched int) {
	c.t.Helper()
	n := 0
	for _, url := range c.requested() {
		if !strings.Contains(url, "/real/") {
			n++
		}
	}
	assert.Equal(c.t, fetched, n)
	assert.Contains(c.t, c.receipt.Why, "held back by pattern")
	reader, err := frontier.NewReader(c.t.Context(), c.mem, "")
	require.NoError(c.t, err)
	s, err := reader.Summary(c.t.Context())
	require.NoError(c.t, err)
	require.NotEmpty(c.t, s.Patterns)
	assert.Equal(c.t, pattern, s.Patterns[0].Pattern)
	assert.NotEmpty(c.t, s.Patterns[0].Example)
}

func TestSL1AGrowingParameterEndsByThePatternBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := trapped(t, trap(t, func(rw http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(rw, "<a href='/p?%s&q='>more</a><a href=/real/0>pages</a>", r.URL.RawQuery)
		}), "/p?q=")
		c.endsBy("a.test/p?q", 100)
		assert.Equal(t, 1, c.hits("http://a.test/real/49"), "pages elsewhere are not starved")
	})
}

func TestSL2AnEndlessCalendarEndsAndThePagesBesideItDoNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := trapped(t, trap(t, func(rw http.ResponseWriter, r *http.Request) {
			var year int
			_, _ = fmt.Sscanf(r.URL.RawQuery, "y=%d", &year)
			fmt.Fprintf(rw, "<a href=/cal?y=%d>next</a><a href=/cal?y=%d>before</a><a href=/real/0>pages</a>", year+1, year-1)
		}), "/cal?y=2024")
		c.endsBy("a.test/cal?y", 100)
		assert.Equal(t, 1, c.hits("http://a.test/real/49"))
	})
}

func TestSL3APathThatGrowsByItselfEnds(t *testing.T) {
	for _, segment := range []string{"1/", "a/", "a/b/"} {
		synctest.Test(t, func(t *testing.T) {
			c := trapped(t, trap(t, func(rw http.ResponseWriter, r *http.Request) {
				fmt.Fprintf(rw, "<a href=%s%s>deeper</a>", r.URL.Path, segment)
			}), "/c/"+segment)
			folded := strings.Replace(strings.TrimSuffix(segment, "/"), "1", "{n}", 1)
			assert.Contains(t, c.receipt.Why, "held back by pattern")
			assert.LessOrEqual(t, len(c.requested()), 103)
			assert.True(t, slicesContain(c, "a.test/c/"+folded+"+/"), "%v", c.receipt.Why)
		})
	}
}

// slicesContain reports whether a pattern is among those that hold most back.
func slicesContain(c crawled, pattern string) bool {
	reader, err := frontier.NewReader(c.t.Context(), c.mem, "")
	require.NoError(c.t, err)
	top, _, err := reader.Patterns(c.t.Context(), 10)
	require.NoError(c.t, err)
	for _, p := range top {
		if p.Pattern == pattern && p.Reason == frontier.ReasonPattern {
			return true
		}
	}
	return false
}

func TestSL4ARefreshToItselfIsOneFetch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, `-- http://a.test/robots.txt --
-- http://a.test/ --
<a href=/news>n</a><a href=/now>o</a><a href=/chain>c</a>
-- http://a.test/news --
<meta http-equiv=refresh content="1800">
-- http://a.test/now --
<meta http-equiv=refresh content="0;url=/now">
-- http://a.test/chain --
<meta http-equiv=refresh content="0;url=/chain?x=1">
`, nil, "http://a.test/")
		assert.Equal(t, 1, c.hits("http://a.test/news"))
		assert.Equal(t, 1, c.hits("http://a.test/now"))
		assert.LessOrEqual(t, c.hits("http://a.test/chain"), 2)
	})
}

func TestSL5ThePatternBoundHoldsForRedirectsAndTheirTargets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := trapped(t, trap(t, func(rw http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/go" {
				rw.Header().Set("Location", "/map?"+r.URL.RawQuery)
				rw.WriteHeader(http.StatusPermanentRedirect)
				return
			}
			var n int
			_, _ = fmt.Sscanf(r.URL.RawQuery, "x=%d", &n)
			for i := range 3 {
				fmt.Fprintf(rw, "<a href='/go?x=%d&z=1'>on</a>", 3*n+i+1)
			}
		}), "/go?x=0&z=1")
		c.endsBy("a.test/go?x&z", 200)
	})
}

func TestSH9SessionIdsAreOnePatternAndReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		c := trapped(t, trap(t, func(rw http.ResponseWriter, _ *http.Request) {
			n++
			fmt.Fprintf(rw, "<a href='/s/p;jsessionid=%X'>a</a><a href='/s/q?osCsid=%d'>b</a>", 1<<40+n, n)
		}), "/s/p;jsessionid=ABC")
		assert.Contains(t, c.receipt.Why, "held back by pattern")
		assert.Less(t, len(c.requested()), 203)
		assert.True(t, slicesContain(c, "a.test/s/p;jsessionid"))
		assert.True(t, slicesContain(c, "a.test/s/q?osCsid"))
	})
}

// TestAnEndlessFacetSiteEndsByItsPatterns: every page has a link for each set of
// ten facets, so that the sets of names are finite and the values are not.
func TestAnEndlessFacetSiteEndsByItsPatterns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		c := trapped(t, trap(t, func(rw http.ResponseWriter, r *http.Request) {
			for i := range 4 {
				n++
				fmt.Fprintf(rw, "<a href='/shop?%s&f%c=%d'>f</a>", r.URL.RawQuery, 'a'+i, n)
			}
		}), "/shop?page=1")
		assert.Contains(t, c.receipt.Why, "held back by pattern")
		assert.LessOrEqual(t, len(c.requested()), 100*16+2, "16 sets of names")
	})
}

// transport answers requests without a network.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestAFarmOfHostsEndsByTheOriginsBound: each of 50,000 hosts links to the next
// three.
func TestAFarmOfHostsEndsByTheOriginsBound(t *testing.T) {
	farm := transport(func(r *http.Request) (*http.Response, error) {
		rw, n := httptest.NewRecorder(), 0
		_, err := fmt.Sscanf(r.URL.Host, "h%d.farm.test", &n)
		if r.URL.Path == "/robots.txt" {
			rw.WriteHeader(http.StatusNotFound)
		}
		for i := range 3 {
			fmt.Fprintf(rw, "<a href=http://h%d.farm.test/>on</a>", (3*n+i+1)%50_000)
		}
		return rw.Result(), err
	})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	c := crawlWeb(t, web(t, "-- http://a.test/ --\n"), func(cfg *Config) {
		cfg.Fetch.Transport = farm
		cfg.Workers, cfg.Budget = 64, Budget{Origins: 2_000, URLs: 50_000, Depth: 1_000}
		cfg.Policy = frontier.Policy{Delay: -1, SiteConcurrency: 64}
		cfg.Scope = frontier.Scope{Sites: []string{"farm.test"}}
	}, "http://h0.farm.test/")
	assert.Contains(t, c.receipt.Why, "held back by origins")
	assert.EqualValues(t, 2_000, c.receipt.Admitted)
	runtime.GC()
	runtime.ReadMemStats(&after)
	assert.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(64<<20), "bytes that are left, its store and log of the web among them")
}

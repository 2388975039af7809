//go:build unix

package weir_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir"
	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/internal/faults"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/storage/memory"
)

// A graph is a site of one host, known by the links of each page. It answers
// without sockets, and remembers nothing.
type graph struct {
	links func(n int) []int
	text  string // of every page
}

func (g graph) RoundTrip(r *http.Request) (*http.Response, error) {
	response := &http.Response{StatusCode: http.StatusNotFound, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"text/html"}}, Request: r}
	var b strings.Builder
	b.WriteString(g.text)
	if n, err := strconv.Atoi(strings.TrimPrefix(r.URL.RequestURI(), "/")); err == nil {
		response.StatusCode = http.StatusOK
		for _, to := range g.links(n) {
			fmt.Fprintf(&b, "<a href=/%d>page %d</a>\n", to, to)
		}
	}
	response.Body, response.ContentLength = io.NopCloser(strings.NewReader(b.String())), int64(b.Len())
	return response, nil
}

// config is for a crawl of g in memory.
func (g graph) config(workers int) weir.Config {
	mem := memory.New()
	return weir.Config{UserAgent: "weirtest/1.0", Store: mem, Artifacts: mem, Workers: workers, Fetch: fetch.Config{Transport: g},
		Budget: weir.Budget{URLs: 2_000_000, Pattern: 2_000_000, Depth: 10_000}, Policy: frontier.Policy{Delay: -1, Concurrency: workers}}
}

func TestSB6NoPageOfADenseWebIsHandledTwice(t *testing.T) {
	const pages = 2000
	roll := dice(t)
	for range tenth(20) {
		seed := roll.Uint64()
		site := graph{links: func(n int) (to []int) {
			random := rand.New(rand.NewPCG(seed, uint64(n)))
			for range 20 {
				to = append(to, random.IntN(pages))
			}
			return to
		}}
		var mu sync.Mutex
		calls := map[string]int{}
		cfg := site.config(32)
		cfg.OnPage = func(_ context.Context, p *weir.Page) error {
			mu.Lock()
			defer mu.Unlock()
			calls[p.URL]++
			return nil
		}
		receipt, err := weir.Run(t.Context(), cfg, "http://site.test/0")
		require.NoError(t, err)
		require.Equal(t, ledger.Complete, receipt.Verdict, receipt)
		assert.EqualValues(t, pages, receipt.Counts[frontier.Done], "with 20 links a page, none is out of reach")
		assert.EqualValues(t, pages+1, receipt.Used.Requests, "and robots.txt")
		assert.Len(t, calls, pages)
		for url, n := range calls {
			assert.Equal(t, 1, n, url)
		}
	}
}

// On the real clock, what races is the end of the run with the last discovery.
func TestSA6AChainIsFollowedToItsEndOnTheRealClock(t *testing.T) {
	const pages = 200
	site := graph{links: func(n int) []int { return []int{min(n+1, pages-1)} }}
	for range tenth(100) {
		cfg := site.config(2)
		var commits atomic.Int64
		cfg.Store = faults.NewStore(cfg.Store, func(_ context.Context, p faults.StorePoint, n int64) error {
			if p == faults.AfterCommit {
				commits.Store(n)
			}
			return nil
		})
		receipt, err := weir.Run(t.Context(), cfg, "http://site.test/0")
		require.NoError(t, err)
		require.Equal(t, ledger.Complete, receipt.Verdict, receipt)
		require.EqualValues(t, pages, receipt.Counts[frontier.Done])
		require.Less(t, commits.Load(), int64(3*pages), "nobody polls while a page is at work")
	}
}

// S-R3 is measured by what is live after a collection: a URL that is known may
// cost its place in the bounded set of recent identities, and nothing else.
func TestSR3MemoryDoesNotGrowWithTheFrontier(t *testing.T) {
	urls := int64(50_000)
	if soaking() {
		urls = 1_000_000
	}
	site := graph{text: strings.Repeat("<p>Lorem ipsum dolor sit amet, consectetur adipiscing elit.\n", 500), links: func(n int) (to []int) {
		for i := 1; i <= 50; i++ {
			to = append(to, 50*n+i)
		}
		return to
	}}
	ctx, enough := context.WithCancel(t.Context())
	defer enough()
	var mu sync.Mutex
	var at, live []int64 // URLs, and the bytes that were live then
	peak := int64(0)
	cfg := site.config(16)
	cfg.Dir, cfg.Store, cfg.Artifacts = t.TempDir(), nil, nil // on disk
	cfg.OnPage = func(_ context.Context, p *weir.Page) error { return p.Emit("size", len(p.Body)) }
	cfg.Trace.Commit = func(s frontier.Summary) {
		mu.Lock()
		defer mu.Unlock()
		n := s.Admitted()
		peak = max(peak, heap("/memory/classes/heap/objects:bytes"))
		if n >= int64(len(at)+1)*urls/4 {
			runtime.GC()
			at, live = append(at, n), append(live, heap("/gc/heap/live:bytes"))
		}
		if n >= urls {
			enough()
		}
	}
	receipt, err := weir.Run(ctx, cfg, "http://site.test/0")
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, ledger.PartialResumable, receipt.Verdict, receipt)
	require.GreaterOrEqual(t, receipt.Admitted, urls)
	last := len(at) - 1
	require.Positive(t, last)
	cost := float64(live[last]-live[0]) / float64(at[last]-at[0])
	t.Logf("at %d URLs %d bytes are live, %.0f a URL; at most %d MiB were in use", at, live, cost, peak>>20)
	assert.Less(t, cost, 400.0, "bytes a URL")
	assert.Less(t, peak, int64(200<<20))
}

// heap reads one number of runtime/metrics.
func heap(name string) int64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

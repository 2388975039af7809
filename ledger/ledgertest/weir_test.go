package ledgertest_test

import (
	"context"
	"errors"
	"iter"
	"net/netip"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir"
	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/internal/faults"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/ledger/ledgertest"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/bolt"
	"github.com/weircrawl/weir/storage/memory"
)

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// A weirCrawl is weir over a store, as the kit sees it.
type weirCrawl struct {
	store     storage.Store
	artifacts storage.ArtifactSink
	wire      *ledgertest.Wire
	change    func(*weir.Config) // what is wrong with it; nil: nothing

	mu     sync.Mutex
	watch  *ledger.Watch
	broken bool // reads of results fail, but for the first of them
	reads  int  // of results, since then
}

func (c *weirCrawl) crawl() ledgertest.Crawl {
	return ledgertest.Crawl{Run: c.run, Fail: c.fail, Admissions: c.admissions, Poll: c.poll, Results: c.results, Fault: c.fault, Close: c.store.Close}
}

func (c *weirCrawl) run(ctx context.Context, p ledgertest.Plan) error {
	cfg := weir.Config{
		UserAgent: "weirtest/1.0", Store: c.store, Artifacts: c.artifacts, Workers: p.Workers,
		Budget: weir.Budget{URLs: p.URLs}, Policy: policy(p),
		Fetch: fetch.Config{Dial: p.Dial, Allow: loopback}, Trace: weir.Trace{Commit: p.Commit},
	}
	if c.change != nil {
		c.change(&cfg)
	}
	_, err := weir.Run(ctx, cfg, p.Seeds...)
	return err
}

func policy(p ledgertest.Plan) frontier.Policy {
	if p.Delay < 0 {
		return frontier.Policy{Delay: -1, Concurrency: 8}
	}
	return frontier.Policy{Delay: p.Delay}
}

func (c *weirCrawl) fail(ctx context.Context) error {
	f, err := frontier.Open(ctx, frontier.Config{Store: c.store, Gates: true})
	if err != nil {
		return err
	}
	if err := f.Fail(ctx, "operator"); err != nil {
		return err
	}
	return f.Close()
}

func (c *weirCrawl) admissions(ctx context.Context) iter.Seq2[frontier.Admission, error] {
	return func(yield func(frontier.Admission, error) bool) {
		reader, err := frontier.NewReader(ctx, c.store, "")
		if err != nil {
			yield(frontier.Admission{}, err)
			return
		}
		for a, err := range reader.Admissions(ctx) {
			if !yield(a, err) {
				return
			}
		}
	}
}

func (c *weirCrawl) poll(ctx context.Context) (any, error) {
	watch, err := c.polls(ctx)
	if err != nil {
		return nil, err
	}
	return watch.Status(ctx)
}

// polls opens, once, what polls read by.
func (c *weirCrawl) polls(ctx context.Context) (watch *ledger.Watch, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watch == nil {
		c.watch, err = ledger.NewWatch(ctx, c.wire.Store(c.store), "", nil)
	}
	return c.watch, err
}

func (c *weirCrawl) results(ctx context.Context) (ledger.Source, error) {
	reader, err := frontier.NewReader(ctx, faults.NewStore(c.store, c.at), "")
	if err != nil {
		return nil, err
	}
	return ledger.Latest(ctx, reader)
}

// fault breaks the store where a page fails: each page is one read.
func (c *weirCrawl) fault(f ledgertest.Fault) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken, c.reads = f == ledgertest.PageFails, 0
	return f == ledgertest.NoFault || f == ledgertest.PageFails
}

func (c *weirCrawl) at(_ context.Context, p faults.StorePoint, _ int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.broken || p != faults.BeforeRead {
		return nil
	}
	if c.reads++; c.reads > 1 {
		return errors.New("the disk does not answer")
	}
	return nil
}

func TestWeirPassesTheWholeMatrix(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		ledgertest.Crawler(t, func(_ *testing.T, w *ledgertest.Wire) (ledgertest.Crawl, error) {
			return inMemory(w).crawl(), nil
		})
	})
	t.Run("bolt", func(t *testing.T) {
		ledgertest.Crawler(t, func(t *testing.T, w *ledgertest.Wire) (ledgertest.Crawl, error) {
			store, err := bolt.Open(bolt.Config{Path: t.TempDir() + "/frontier.db"})
			require.NoError(t, err)
			return (&weirCrawl{store: store, artifacts: memory.New(), wire: w}).crawl(), nil
		})
	})
}

func inMemory(w *ledgertest.Wire) *weirCrawl {
	mem := memory.New()
	return &weirCrawl{store: mem, artifacts: mem, wire: w}
}

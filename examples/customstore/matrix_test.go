//go:build unix

package main

import (
	"context"
	"iter"
	"net/netip"
	"path/filepath"
	"sync"
	"testing"

	"github.com/weircrawl/weir"
	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/ledger/ledgertest"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
)

// A crawler over this store accounts for what it does as one over any other.
func TestACrawlOverThisStorePassesTheMatrix(t *testing.T) {
	ledgertest.Crawler(t, func(t *testing.T, w *ledgertest.Wire) (ledgertest.Crawl, error) {
		store, err := Open(filepath.Join(t.TempDir(), "crawl.log"))
		if err != nil {
			return ledgertest.Crawl{}, err
		}
		c := crawl{store: store, artifacts: memory.New()}
		c.watch = sync.OnceValues(func() (*ledger.Watch, error) {
			return ledger.NewWatch(context.Background(), w.Store(store), "", nil)
		})
		return ledgertest.Crawl{Run: c.run, Fail: c.fail, Admissions: c.admissions, Poll: c.poll, Results: c.results, Close: store.Close}, nil
	})
}

// A crawl is a crawler over this store, as the matrix sees it.
type crawl struct {
	store     *Store
	artifacts storage.ArtifactSink
	watch     func() (*ledger.Watch, error)
}

func (c crawl) run(ctx context.Context, p ledgertest.Plan) error {
	policy := frontier.Policy{Delay: p.Delay}
	if p.Delay < 0 {
		policy.Concurrency = 8
	}
	_, err := weir.Run(ctx, weir.Config{
		UserAgent: "customstore/1.0 (+https://example.com/bot)", Store: c.store, Artifacts: c.artifacts,
		Workers: p.Workers, Budget: weir.Budget{URLs: p.URLs}, Policy: policy, Trace: weir.Trace{Commit: p.Commit},
		Fetch: fetch.Config{Dial: p.Dial, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
	}, p.Seeds...)
	return err
}

func (c crawl) fail(ctx context.Context) error {
	f, err := frontier.Open(ctx, frontier.Config{Store: c.store, Gates: true})
	if err != nil {
		return err
	}
	if err := f.Fail(ctx, "operator"); err != nil {
		return err
	}
	return f.Close()
}

func (c crawl) admissions(ctx context.Context) iter.Seq2[frontier.Admission, error] {
	return func(yield func(frontier.Admission, error) bool) {
		reader, err := frontier.NewReader(ctx, c.store, "")
		if err != nil {
			yield(frontier.Admission{}, err)
			return
		}
		reader.Admissions(ctx)(yield)
	}
}

func (c crawl) poll(ctx context.Context) (any, error) {
	watch, err := c.watch()
	if err != nil {
		return nil, err
	}
	return watch.Status(ctx)
}

func (c crawl) results(ctx context.Context) (ledger.Source, error) {
	reader, err := frontier.NewReader(ctx, c.store, "")
	if err != nil {
		return nil, err
	}
	return ledger.Latest(ctx, reader)
}

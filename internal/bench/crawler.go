package bench

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"

	"github.com/weircrawl/weir"
	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/frontier"
)

// concurrency is how many requests each crawler has under way.
const concurrency = 64

// A Crawler fetches pages of a site, from its root on, until it has fetched as
// many different ones as it was asked for. What it keeps, it keeps in dir.
type Crawler struct {
	Name  string
	Crawl func(ctx context.Context, site *Site, pages int, dir string) error
}

// Weir is weir with what it does by default, except for politeness: all durable,
// links followed, no handler.
var Weir = Crawler{"weir", func(ctx context.Context, site *Site, pages int, dir string) error {
	return crawl(ctx, site, pages, weir.Config{Dir: dir})
}}

// Handled is Weir with a handler that emits one record a page.
var Handled = Crawler{"weir-emit", func(ctx context.Context, site *Site, pages int, dir string) error {
	return crawl(ctx, site, pages, weir.Config{Dir: dir, OnPage: func(_ context.Context, p *weir.Page) error {
		return p.Emit("page", map[string]any{"url": p.URL, "bytes": len(p.Body)})
	}})
}}

func crawl(ctx context.Context, site *Site, pages int, cfg weir.Config) error {
	cfg.UserAgent = "weirbench/1.0"
	cfg.Workers = concurrency
	cfg.Budget = weir.Budget{URLs: int64(pages), Pattern: int64(pages), Depth: 1000}
	cfg.Policy = frontier.Policy{Delay: -1, Concurrency: 1 << 20} // the workers alone are a bound
	cfg.Fetch = fetch.Config{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	receipt, err := weir.Run(ctx, cfg, site.Root())
	if err == nil && receipt.Counts[frontier.Done] != int64(pages) {
		err = fmt.Errorf("weir: %d pages of %d: %v", receipt.Counts[frontier.Done], pages, receipt)
	}
	return err
}

// newTransport is what the other crawlers reach the site through: as many
// connections as weir keeps, and no compression, which the site has not.
func newTransport() *http.Transport {
	return &http.Transport{MaxIdleConns: concurrency, MaxIdleConnsPerHost: concurrency, DisableCompression: true}
}

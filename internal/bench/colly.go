package bench

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/gocolly/colly/v2"
)

// Colly is Colly as its documentation shows it, asynchronous, with its visited
// set in memory. It keeps neither pages nor a queue on disk.
var Colly = Crawler{"colly", func(ctx context.Context, site *Site, pages int, _ string) error {
	c := colly.NewCollector(colly.Async(true), colly.StdlibContext(ctx))
	c.WithTransport(newTransport())
	if err := c.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: concurrency}); err != nil {
		return err
	}
	var begun, fetched atomic.Int64
	c.OnRequest(func(r *colly.Request) {
		if begun.Add(1) > int64(pages) {
			r.Abort()
		}
	})
	c.OnHTML("a[href]", func(e *colly.HTMLElement) {
		if begun.Load() < int64(pages) {
			_ = e.Request.Visit(e.Attr("href")) // says mostly that the page is known
		}
	})
	c.OnResponse(func(*colly.Response) { fetched.Add(1) })
	if err := c.Visit(site.Root()); err != nil {
		return err
	}
	c.Wait()
	if n := fetched.Load(); n != int64(pages) {
		return fmt.Errorf("colly: %d pages of %d", n, pages)
	}
	return nil
}}

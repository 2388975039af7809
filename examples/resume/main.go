// Command resume stops a crawl in the middle, twice, and goes on with it: nothing
// is lost and nothing is fetched twice.
//
// It crawls a web of ten pages that lives in this file, so that it can show the
// requests that the web has seen.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/weircrawl/weir"
	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/fetch/fetchtest"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
)

func main() {
	dir, err := os.MkdirTemp("", "weir-resume-")
	if err == nil {
		err = run(context.Background(), dir, os.Stdout)
	}
	if err = errors.Join(err, os.RemoveAll(dir)); err != nil {
		log.Fatal(err)
	}
}

// run crawls in dir, each time with a new crawler, as a new process would, until
// the run is over.
func run(ctx context.Context, dir string, out io.Writer) error {
	web, err := fetchtest.Parse("web", []byte(pages()))
	if err != nil {
		return err
	}
	for {
		receipt, err := visit(ctx, dir, web, 4)
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
		fmt.Fprintf(out, "%s: %d done, %d to go, %d requests so far\n",
			receipt.Verdict, receipt.Counts[frontier.Done], receipt.Counts[frontier.Queued], len(web.Log()))
		if receipt.Phase.Terminal() {
			return nil
		}
	}
}

// visit crawls until most pages have been seen, and then stops as Ctrl-C would.
func visit(ctx context.Context, dir string, web *fetchtest.Web, most int) (ledger.Receipt, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	seen := 0
	return weir.Run(ctx, weir.Config{
		UserAgent: "resumebot/1.0 (+https://example.com/bot)",
		Dir:       dir,
		Workers:   1,
		Policy:    frontier.Policy{Delay: -1},
		Fetch:     fetch.Config{Transport: web},
		OnPage: func(context.Context, *weir.Page) error {
			if seen++; seen == most {
				stop()
			}
			return nil
		},
	}, "http://example.test/0") // a known seed changes nothing
}

// pages is a web in which every page links to all the others.
func pages() string {
	var links, web strings.Builder
	for i := range 10 {
		fmt.Fprintf(&links, "<a href=/%d>%[1]d</a> ", i)
	}
	for i := range 10 {
		fmt.Fprintf(&web, "-- http://example.test/%d --\n%s\n", i, &links)
	}
	return web.String()
}

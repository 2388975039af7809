package weir_test

import (
	"context"
	"fmt"
	"log"

	"github.com/weircrawl/weir"
	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/fetch/fetchtest"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/storage/memory"
)

// A crawl of a web in memory: what its pages emit, and what became of each URL.
func Example() {
	web, err := fetchtest.Parse("shop", []byte(`
-- http://shop.test/ --
<title>Shop</title> <a href="/one">1</a> <a href="/two#top">2</a>
-- http://shop.test/one --
<title>One</title>
`))
	if err != nil {
		log.Fatal(err)
	}
	ctx, mem := context.Background(), memory.New()
	crawler, err := weir.New(weir.Config{
		UserAgent: "examplebot/1.0 (+https://example.com/bot)",
		OnPage: func(_ context.Context, p *weir.Page) error {
			return p.Emit("title", p.Doc().Find("title").Text())
		},
		Policy: frontier.Policy{Delay: -1},
		Store:  mem, Artifacts: mem, Fetch: fetch.Config{Transport: web}, // leave out for the real web
	})
	if err != nil {
		log.Fatal(err)
	}
	defer crawler.Close()
	receipt, err := crawler.Run(ctx, "http://shop.test/")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(receipt.Verdict)

	reader, err := crawler.Reader(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for result, err := range reader.Results(ctx, 0) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(result.URL, result.State, result.Reason)
		for _, record := range result.Records {
			fmt.Printf("  %s %s\n", record.Kind, record.Data)
		}
	}
	// Output:
	// complete
	// http://shop.test/ done fetched
	//   title "Shop"
	// http://shop.test/one done fetched
	//   title "One"
	// http://shop.test/two done missing
}

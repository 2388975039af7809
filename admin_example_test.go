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

// A bound is raised after the run, which goes on with what it had held back.
func ExampleCrawler_Admin() {
	web, err := fetchtest.Parse("shop", []byte("-- http://shop.test/ --\n<a href=/1>1</a> <a href=/2>2</a>\n-- http://shop.test/1 --\n1\n-- http://shop.test/2 --\n2\n"))
	if err != nil {
		log.Fatal(err)
	}
	ctx, mem := context.Background(), memory.New()
	crawler, err := weir.New(weir.Config{
		UserAgent: "examplebot/1.0 (+https://example.com/bot)",
		Budget:    weir.Budget{URLs: 2},
		Policy:    frontier.Policy{Delay: -1},
		Store:     mem, Artifacts: mem, Fetch: fetch.Config{Transport: web},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer crawler.Close()
	receipt, err := crawler.Run(ctx, "http://shop.test/")
	fmt.Println(receipt.Counts[frontier.Done], receipt.Dispositions[frontier.LimitReached], err)

	err = crawler.Admin(ctx, "ann", func(a frontier.Admin) error {
		return a.Raise(ctx, weir.Budget{URLs: 10}, "it is a small shop after all")
	})
	if err != nil {
		log.Fatal(err)
	}
	receipt, err = crawler.Run(ctx)
	fmt.Println(receipt.Counts[frontier.Done], receipt.Dispositions[frontier.LimitReached], err)
	// Output:
	// 2 1 <nil>
	// 3 0 <nil>
}

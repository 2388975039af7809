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
	"github.com/weircrawl/weir/urlnorm"
)

// A parameter multiplies a site. The report of unknown parameters names it; once
// it is classed, Rekey keeps what was crawled, one URL a page.
func ExampleRekey() {
	web, err := fetchtest.Parse("shop", []byte(`
-- http://shop.test/ --
<a href="/one?sid=a">1</a> <a href="/one?sid=b">1</a> <a href="/one?sid=c">1</a>
-- http://shop.test/one?sid=a --
-- http://shop.test/one?sid=b --
-- http://shop.test/one?sid=c --
`))
	if err != nil {
		log.Fatal(err)
	}
	ctx, mem := context.Background(), memory.New()
	cfg := weir.Config{
		UserAgent: "examplebot/1.0 (+https://example.com/bot)", Policy: frontier.Policy{Delay: -1},
		Store: mem, Artifacts: mem, Fetch: fetch.Config{Transport: web},
	}
	before, err := weir.Run(ctx, cfg, "http://shop.test/")
	if err != nil {
		log.Fatal(err)
	}
	params, err := weir.Params(ctx, cfg)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(before.Admitted, " URLs\n", params)

	cfg.Normalizer = urlnorm.Standard{Params: map[string]map[string]urlnorm.Class{"shop.test": {"sid": urlnorm.Tracking}}}
	if _, err := weir.Rekey(ctx, cfg, before.Run); err != nil {
		log.Fatal(err)
	}
	after, err := weir.Run(ctx, cfg)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(after.Admitted, "URLs,", after.Verdict)
	// Output:
	// 4 URLs
	// shop.test
	//   sid: tracking would merge 2 of 3 URLs (3 references, 3 values): http://shop.test/one?sid=a http://shop.test/one?sid=b
	// 2 URLs, complete
}

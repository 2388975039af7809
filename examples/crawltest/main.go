// Command crawltest is a small scraper: it keeps the prices of a shop. What it is
// here for is its test, which crawls a shop in a text file, in virtual time.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/weircrawl/weir"
	"github.com/weircrawl/weir/frontier"
)

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: crawltest url ...")
	}
	if err := scrape(context.Background(), weir.Config{}, os.Stdout, os.Args[1:]...); err != nil {
		log.Fatal(err)
	}
}

// price is what is kept of a page.
type price struct {
	Item  string `json:"item"`
	Price string `json:"price"`
}

// onPage keeps the price of a page that has one.
func onPage(_ context.Context, p *weir.Page) error {
	amount := p.Doc().Find(".price").First().Text()
	if amount == "" {
		return nil
	}
	return p.Emit("price", price{Item: p.Doc().Find("h1").First().Text(), Price: amount})
}

// scrape crawls the shop at seeds, and prints its prices and the receipt.
func scrape(ctx context.Context, cfg weir.Config, out io.Writer, seeds ...string) error {
	cfg.UserAgent = "pricebot/1.0 (+https://example.com/bot)"
	cfg.OnPage = onPage
	crawler, err := weir.New(cfg)
	if err != nil {
		return err
	}
	defer crawler.Close()
	receipt, err := crawler.Run(ctx, seeds...)
	if err != nil {
		return err
	}
	reader, err := crawler.Reader(ctx)
	if err != nil {
		return err
	}
	for result, err := range reader.Results(ctx, 0) {
		if err != nil {
			return err
		}
		if err := print(out, result); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(out, "%s: %s\n", receipt.Verdict, receipt.Why)
	return err
}

func print(out io.Writer, result frontier.Result) error {
	for _, record := range result.Records {
		var p price
		if err := json.Unmarshal(record.Data, &p); err != nil {
			return err
		}
		fmt.Fprintf(out, "%-8s %s  %s\n", p.Price, p.Item, result.URL)
	}
	return nil
}

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/weircrawl/weir"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/urlnorm"
)

// tellOver says that the newest run of the folder is over, and what it was. It
// is an error to ask for URLs that this run did not begin with: they were not
// crawled.
func tellOver(ctx context.Context, crawler *weir.Crawler, o options, receipt ledger.Receipt, stderr io.Writer) error {
	began, err := seedsOf(ctx, crawler)
	if err != nil {
		return err
	}
	const advice = "-again begins a new one, -dir another folder"
	for _, seed := range o.seeds {
		if !slices.Contains(began, canonical(seed)) {
			return fmt.Errorf("%s was not crawled: run %d of %s is over, and began with %s; %s", seed, receipt.Number, o.dir, list(began), advice)
		}
	}
	fmt.Fprintf(stderr, "run %d of %s is over; it began with %s; %s\n", receipt.Number, o.dir, list(began), advice)
	return nil
}

// seedsOf lists what the newest run began with.
func seedsOf(ctx context.Context, crawler *weir.Crawler) ([]string, error) {
	reader, err := crawler.Reader(ctx)
	if err != nil {
		return nil, err
	}
	var seeds []string
	for admission, err := range reader.Admissions(ctx) {
		if err != nil {
			return nil, err
		}
		if admission.Source != frontier.Seed {
			break
		}
		seeds = append(seeds, canonical(admission.Reference.Observed))
	}
	return seeds, nil
}

// canonical is how a seed is requested, so that two spellings of one compare
// equal.
func canonical(seed string) string {
	u, err := urlnorm.Standard{}.Normalize(nil, seed)
	if err != nil {
		return seed
	}
	return u.Request
}

// list shows the first of many seeds.
func list(seeds []string) string {
	if len(seeds) > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(seeds[:3], ", "), len(seeds)-3)
	}
	return strings.Join(seeds, ", ")
}

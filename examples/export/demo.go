package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/weircrawl/weir"
	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/fetch/fetchtest"
	"github.com/weircrawl/weir/frontier"
)

const agent = "exportbot/1.0 (+https://github.com/weircrawl/weir)"

// crawlDemo crawls the built-in site into dir, unless that is done.
func crawlDemo(ctx context.Context, dir string) error {
	web, err := fetchtest.Parse("demo", []byte(demo()))
	if err != nil {
		return err
	}
	_, err = weir.Run(ctx, weir.Config{
		UserAgent: agent, Dir: dir, Run: "demo",
		Policy: frontier.Policy{Delay: -1}, // nobody else is there
		Fetch:  fetch.Config{Transport: web},
		OnPage: func(_ context.Context, p *weir.Page) error {
			return p.Emit("page", map[string]any{"title": p.Doc().Find("title").First().Text()})
		},
	}, "http://demo.test/")
	if errors.Is(err, weir.ErrRunFinished) {
		return nil
	}
	return err
}

// demo is a site of thirty pages, one of them forbidden and one missing.
func demo() string {
	var links, pages strings.Builder
	for i := range 30 {
		fmt.Fprintf(&links, "<a href=/%d>%[1]d</a>\n", i)
		if i > 1 {
			fmt.Fprintf(&pages, "-- http://demo.test/%d --\n<title>Page %[1]d</title>\n", i)
		}
	}
	return "-- http://demo.test/robots.txt --\nUser-agent: *\nDisallow: /0\n" +
		"-- http://demo.test/ --\n<title>Thirty pages</title>\n" + links.String() + pages.String()
}

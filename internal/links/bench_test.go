package links

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// article is a page of about 15 KB with 42 links, as the average page of the web.
func article() []byte {
	var page strings.Builder
	page.WriteString(`<!doctype html><html lang="en"><head><title>A page</title><meta charset="utf-8"><link rel="stylesheet" href="/style.css"></head><body class="page">`)
	for i := range 40 {
		fmt.Fprintf(&page, `<div class="row" id="row-%d"><p>%s</p><a class="link" href="/section/%d/page-%d.html" title="More">Read more about number %d</a></div>`,
			i, strings.Repeat("Plain words make up most of a page. ", 6), i%7, i, i)
	}
	page.WriteString(`<script src="/app.js"></script></body></html>`)
	return []byte(page.String())
}

func BenchmarkExtract(b *testing.B) {
	body := article()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		Extract(body, Options{})
	}
}

// BenchmarkTokenizer is the floor: the tokens alone, nothing taken from them.
func BenchmarkTokenizer(b *testing.B) {
	body := article()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		for z := html.NewTokenizer(bytes.NewReader(body)); z.Next() != html.ErrorToken; {
		}
	}
}

package links

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
)

// article is a page of about size bytes as most of the web: rows of text with a
// link each, about 42 in 15 KB.
func article(size int) []byte {
	var page strings.Builder
	page.WriteString(`<!doctype html><html lang="en"><head><title>A page</title><meta charset="utf-8"><link rel="stylesheet" href="/style.css"></head><body class="page">`)
	for i := 0; page.Len() < size; i++ {
		fmt.Fprintf(&page, `<div class="row" id="row-%d"><p>%s</p><a class="link" href="/section/%d/page-%d.html" title="More">Read more about number %d</a></div>`,
			i, strings.Repeat("Plain words make up most of a page. ", 6), i%7, i, i)
	}
	page.WriteString(`<script src="/app.js"></script></body></html>`)
	return []byte(page.String())
}

// rustDoc is where the Debian package rust-doc keeps its pages.
const rustDoc = "/usr/share/doc/rust-doc/html"

// manual returns some 200 pages of rust-doc, of all its parts.
func manual(b *testing.B) (pages [][]byte) {
	files, _ := filepath.Glob(rustDoc + "/std/*/*.html")
	more, _ := filepath.Glob(rustDoc + "/book/*.html")
	files = append(files, more...)
	if len(files) == 0 {
		b.Skip("rust-doc is not installed: apt-get install --no-install-recommends rust-doc")
	}
	for i := 0; i < len(files); i += max(len(files)/200, 1) {
		page, err := os.ReadFile(files[i])
		if err != nil {
			b.Fatal(err)
		}
		pages = append(pages, page)
	}
	return pages
}

func BenchmarkExtract(b *testing.B) {
	for _, size := range []int{1 << 10, 15 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("bytes=%d", size), func(b *testing.B) { compare(b, slices.Repeat([][]byte{article(size)}, max(1, 128<<10/size))) })
	}
	b.Run("rust-doc", func(b *testing.B) { compare(b, manual(b)) })
}

// compare extracts the links of pages, cuts them into tokens with the tokenizer of
// x/net/html, and asks goquery for them, by turns.
func compare(b *testing.B, pages [][]byte) {
	size, pass := 0, [3]time.Duration{}
	for _, page := range pages {
		size += len(page)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		for batch := range slices.Chunk(pages, 8) {
			for i, run := range []func([]byte){extract, tokenize, query} {
				pass[i] += timed(run, batch...)
			}
		}
	}
	megabytes := float64(size) * float64(b.N) / 1e6
	for i, name := range []string{"extract-MB/s", "tokenizer-MB/s", "goquery-MB/s"} {
		b.ReportMetric(megabytes/pass[i].Seconds(), name)
	}
	b.ReportMetric(pass[0].Seconds()/pass[1].Seconds(), "of-tokenizer")
	b.ReportMetric(pass[0].Seconds()/pass[2].Seconds(), "of-goquery")
	b.ReportMetric(0, "MB/s") // of all three
	b.ReportMetric(float64(pass[0])/float64(b.N*len(pages)), "extract-ns/page")
}

func timed(run func([]byte), pages ...[]byte) time.Duration {
	start := cpuTime()
	for _, page := range pages {
		run(page)
	}
	return cpuTime() - start
}

func extract(page []byte) { Extract(page, Options{References: 50_000, Bytes: 16 << 20}) }

// tokenize is the floor: tokens alone, nothing taken from them.
func tokenize(page []byte) {
	for z := html.NewTokenizer(bytes.NewReader(page)); z.Next() != html.ErrorToken; {
	}
}

// query is what most crawlers do: a tree, and the links of its a elements.
func query(page []byte) {
	doc, err := goquery.NewDocumentFromReader(bytes.NewReader(page))
	if err != nil {
		return // nested beyond 512 elements
	}
	doc.Find("a[href]").Each(func(_ int, a *goquery.Selection) { a.AttrOr("href", "") })
}

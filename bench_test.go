package weir

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/weircrawl/weir/fetch"
)

// BenchmarkPage measures what a handler pays for what it asks of a page of 15 KB
// with 42 links: "offered" is what every page costs.
func BenchmarkPage(b *testing.B) {
	var body strings.Builder
	for i := range 42 {
		fmt.Fprintf(&body, "<p>%s<a href=\"/page/%d\">another page</a></p>\n", strings.Repeat("What came down the river. ", 12), i)
	}
	response := fetch.Response{Body: []byte(body.String()), Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}}
	for _, ask := range []struct {
		name string
		of   func(p *Page)
	}{
		{"offered", func(p *Page) { p.references(nil, nil) }},
		{"links", func(p *Page) { p.Links() }},
		{"text", func(p *Page) { p.Text() }},
		{"doc", func(p *Page) { p.Doc() }},
		{"emit", func(p *Page) { _ = p.Emit("page", map[string]any{"url": p.URL, "bytes": len(p.Body)}) }},
	} {
		b.Run(ask.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ask.of(pageOf(Budget{}, response))
			}
		})
	}
}

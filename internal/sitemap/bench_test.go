package sitemap

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// bodyOf is a sitemap of 10,000 pages.
func bodyOf(format string, around ...string) []byte {
	var b bytes.Buffer
	b.WriteString(around[0])
	for i := range 10_000 {
		b.WriteString(strings.ReplaceAll(format, "#", fmt.Sprint(i)))
	}
	b.WriteString(around[1])
	return b.Bytes()
}

func BenchmarkRead(b *testing.B) {
	pages := bodyOf("<url>\n <loc>https://site.test/catalog/article-#?a=1&amp;b=2</loc>\n <lastmod>2024-05-06T07:08:09+00:00</lastmod>\n <changefreq>weekly</changefreq>\n <priority>0.5</priority>\n</url>\n", "<urlset>", "</urlset>")
	for _, c := range []struct {
		name string
		body []byte
	}{
		{"urlset", pages},
		{"urlset.gz", gz(b, pages)},
		{"hreflang", bodyOf("<url><loc>https://site.test/#</loc>"+strings.Repeat(`<xhtml:link rel="alternate" hreflang="de" href="https://site.test/de/#"/>`, 5)+"</url>", "<urlset>", "</urlset>")},
		{"rss", bodyOf("<item><title>T</title><description><![CDATA[<p>Some text.</p>]]></description><link>https://site.test/#</link><pubDate>Thu, 05 Jan 2017 12:34:50 GMT</pubDate></item>", "<rss><channel>", "</channel></rss>")},
		{"text", bodyOf("https://site.test/catalog/article-#\n", "", "")},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.body)))
			b.ReportAllocs()
			entries := 0
			for b.Loop() {
				for _, err := range New(bytes.NewReader(c.body), Options{}).Entries() {
					if err != nil {
						b.Fatal(err)
					}
					entries++
				}
			}
			b.ReportMetric(float64(entries)/b.Elapsed().Seconds(), "entries/s")
		})
	}
}

package fetch_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/fetch"
)

// page is as large as the pages of the design's measurements.
var page = "<!doctype html><title>page</title>" + strings.Repeat(`<p><a href="/some/other/page">a link</a> and text`, 300)

// BenchmarkDo compares an exchange with a bare loop over net/http, on loopback.
func BenchmarkDo(b *testing.B) {
	archive := "-- http://a.test/ --\n" + page + "\n" + encodedPage("http://a.test/gzip", "gzip", pack("gzip", []byte(page)))
	for _, path := range []string{"", "gzip"} {
		url := "http://a.test/" + path
		b.Run("client=bare/"+path, func(b *testing.B) {
			web := parse(b, archive)
			dial, closing, err := web.Serve()
			require.NoError(b, err)
			defer closing()
			client := http.Client{Transport: &http.Transport{DialContext: dial, MaxIdleConnsPerHost: 256}}
			defer client.CloseIdleConnections()
			b.ReportAllocs()
			b.SetParallelism(32)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					response, err := client.Get(url)
					if err != nil {
						b.Fatal(err)
					}
					if _, err = io.ReadAll(response.Body); err != nil {
						b.Fatal(err)
					}
					response.Body.Close()
				}
			})
		})
		b.Run("client=weir/"+path, func(b *testing.B) {
			web := parse(b, archive)
			dial, closing, err := web.Serve()
			require.NoError(b, err)
			defer closing()
			client := open(b, fetch.Config{Dial: dial, Allow: loopback})
			b.ReportAllocs()
			b.SetParallelism(32)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if got := client.Do(b.Context(), fetch.Request{URL: url}); got.Class != fetch.Fetched || got.Truncated != "" {
						b.Fatal(got.Class, got.Err)
					}
				}
			})
		})
	}
}

// BenchmarkBody measures what an exchange costs beside the network: the body is
// read, decoded, bounded and classified.
func BenchmarkBody(b *testing.B) {
	text := []byte(strings.Repeat(page, (1<<20)/len(page)+1))
	for _, size := range []int{1 << 10, 64 << 10, 1 << 20} {
		for _, coding := range []string{"", "gzip", "deflate", "br", "zstd"} {
			body := text[:size]
			if coding != "" {
				body = pack(coding, body)
			}
			b.Run(fmt.Sprintf("size=%dKiB/coding=%s", size>>10, coding), func(b *testing.B) {
				client := canned(b, coding, body)
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					if got := client.Do(b.Context(), fetch.Request{URL: "http://a.test/"}); len(got.Body) != size || got.Defect != "" {
						b.Fatal(len(got.Body), got.Defect, got.Err)
					}
				}
			})
		}
	}
}

// BenchmarkWall measures the look at a page that is none, and at pages that make
// it look closely.
func BenchmarkWall(b *testing.B) {
	pages := map[string]string{
		"page":    page,
		"form":    "<title>Log in</title>" + page + "<input type=password>",
		"paywall": `<script type="application/ld+json">{"isAccessibleForFree": true}</script>` + page,
		"large":   strings.Repeat(page, 100),
	}
	for _, name := range []string{"page", "large", "form", "paywall"} {
		b.Run("page="+name, func(b *testing.B) {
			client := canned(b, "", []byte(pages[name]))
			b.SetBytes(int64(len(pages[name])))
			for b.Loop() {
				client.Do(b.Context(), fetch.Request{URL: "http://a.test/"})
			}
		})
	}
}

package fetch_test

import (
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

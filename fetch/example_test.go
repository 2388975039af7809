package fetch_test

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/fetch/fetchtest"
)

// One exchange never follows: each hop is a request of its own.
func ExampleClient_Do() {
	web, err := fetchtest.Parse("web.txtar", []byte(`
-- http://a.test/old --
HTTP 301
Location: /new
-- http://a.test/busy --
HTTP 503
Retry-After: 120
-- http://gone.test/* --
! dns
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	client, err := fetch.New(fetch.Config{UserAgent: "examplebot/1.0 (+https://example.com/bot)", Transport: web})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	for _, url := range []string{"http://a.test/old", "http://a.test/busy", "http://gone.test/"} {
		response := client.Do(context.Background(), fetch.Request{URL: url})
		fmt.Println(response.Class, response.Status, response.Header.Get("Location"), response.RetryAfter)
	}
	// Output:
	// redirected 301 /new 0s
	// busy 503  2m0s
	// dns 0  0s
}

// OnSent tells the moment from which politeness counts.
func ExampleRequest() {
	web, err := fetchtest.Parse("web.txtar", []byte("-- http://a.test/ --\nHTTP 304\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	client, err := fetch.New(fetch.Config{UserAgent: "examplebot/1.0", Transport: web})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	response := client.Do(context.Background(), fetch.Request{
		URL:    "http://a.test/",
		ETag:   `"v1"`,
		OnSent: func(time.Time) { fmt.Println("sent") },
	})
	fmt.Println(response.Class)
	// Output:
	// sent
	// unchanged
}

// Text reads a page in the encoding that fits, and says what decided.
func ExampleText() {
	header := http.Header{"Content-Type": {"text/html"}}
	text, charset := fetch.Text(header, []byte("<meta charset=windows-1251>\xcf\xf0\xe8\xe2\xe5\xf2"))
	fmt.Println(text, charset.Name, charset.From)
	// Output: <meta charset=windows-1251>Привет windows-1251 meta
}

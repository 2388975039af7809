package fetchtest_test

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/weircrawl/weir/fetch/fetchtest"
)

// A web needs no network: it is a RoundTripper.
func Example() {
	web, err := fetchtest.Parse("shop.txtar", []byte(`
-- http://shop.test/ --
<a href="/one">1</a>
-- http://shop.test/one --
HTTP 503
Retry-After: 9
-- http://shop.test/one --
<b class=price>9.50</b>
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	client := http.Client{Transport: web}
	for range 2 {
		response, err := client.Get("http://shop.test/one")
		if err != nil {
			fmt.Println(err)
			return
		}
		body, _ := io.ReadAll(response.Body) // of a web in memory
		fmt.Printf("%s %q\n", response.Status, body)
	}
	fmt.Println(web.Log().Hits("http://shop.test/one"), "hits")
	// Output:
	// 503 Service Unavailable ""
	// 200 OK "<b class=price>9.50</b>\n"
	// 2 hits
}

// On sockets, the dialer finds every host of the web.
func ExampleWeb_Serve() {
	web, err := fetchtest.Parse("web.txtar", []byte("-- http://a.test/ --\nok\n-- http://down.test/* --\n! refused\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	dial, closing, err := web.Serve()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer closing()
	for _, address := range []string{"a.test:80", "down.test:80", "nowhere.test:80"} {
		conn, err := dial(context.Background(), "tcp", address)
		if err != nil {
			fmt.Println(address, err)
			continue
		}
		fmt.Println(address, "ok")
		conn.Close()
	}
	// Output:
	// a.test:80 ok
	// down.test:80 dial tcp: connect: connection refused
	// nowhere.test:80 dial tcp: lookup nowhere.test: no such host
}

// Handle answers what no file could hold.
func ExampleWeb_Handle() {
	web, err := fetchtest.Parse("endless.txtar", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = web.Handle("http://calendar.test/day/*", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var day int
		fmt.Sscanf(r.URL.Path, "/day/%d", &day)
		fmt.Fprintf(w, `<a href="/day/%d">tomorrow</a>`, day+1)
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	client := http.Client{Transport: web}
	response, err := client.Get("http://calendar.test/day/41")
	if err != nil {
		fmt.Println(err)
		return
	}
	body, _ := io.ReadAll(response.Body) // of a web in memory
	fmt.Println(string(body))
	// Output: <a href="/day/42">tomorrow</a>
}

package robots_test

import (
	"fmt"

	"github.com/weircrawl/weir/robots"
)

func ExampleParse() {
	rules := robots.Parse([]byte(`
User-agent: *
Crawl-delay: 5
Disallow: /private
Allow: /private/open$
Sitemap: https://site.test/sitemap.xml
`))
	for _, url := range []string{"https://site.test/", "https://site.test/private/x", "https://site.test/private/open"} {
		d := rules.Decide("examplebot/1.0 (+https://example.com/bot)", url)
		fmt.Printf("%v %q %v\n", d.Allowed, d.Rule, d.Delay)
	}
	fmt.Println(rules.Sitemaps())
	// Output:
	// true "" 5s
	// false "Disallow: /private" 5s
	// true "Allow: /private/open$" 5s
	// [https://site.test/sitemap.xml]
}

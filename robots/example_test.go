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

func ExampleSecondOpinion() {
	body := []byte("User-agent: weir\nDisallow: /\n")
	fmt.Println("RFC 9309:", robots.Parse(body).Decide("weirbot/1.0", "/page"))
	fmt.Println("others:   ", robots.SecondOpinion(body, "weirbot/1.0", "/page"))
	// Output:
	// RFC 9309: allowed: no group holds
	// others:    disallowed
}

func ExampleRecord_Gate() {
	record := robots.Record{Origin: "https://site.test", Status: 403}
	visit := robots.Visit{Agent: "examplebot", Policy: robots.Policy{Forbidden: robots.Deny}}
	gate := record.Gate(visit)
	fmt.Println("protocol:", gate.Note.Protocol, "policy:", gate.Note.Policy)
	fmt.Println(gate.Rules.Decide("examplebot", "https://site.test/"))
	// Output:
	// protocol: allow policy: deny
	// allowed by status 403; disallowed by policy
}

package urlnorm_test

import (
	"fmt"

	"github.com/weircrawl/weir/urlnorm"
)

func ExampleStandard() {
	var n urlnorm.Normalizer = urlnorm.Standard{}
	page, err := n.Normalize(nil, "http://site.test/a/b.html")
	if err != nil {
		panic(err)
	}
	u, err := n.Normalize(&page, " ../%7Ec?utm_source=x&n=1#top ")
	if err != nil {
		panic(err)
	}
	fmt.Printf("observed %q\n", u.Observed)
	fmt.Println("request ", u.Request)
	fmt.Println("key     ", u.Key.Text)
	fmt.Println("origin  ", u.Origin)
	fmt.Println("unknown ", u.Unknown)

	_, err = n.Normalize(&page, "mailto:someone@site.test")
	fmt.Println(err == urlnorm.UnsupportedScheme)
	// Output:
	// observed " ../%7Ec?utm_source=x&n=1#top "
	// request  http://site.test/%7Ec?utm_source=x&n=1
	// key      http://site.test/~c?n=1
	// origin   http://site.test
	// unknown  [n]
	// true
}

func ExampleStandard_params() {
	shop := urlnorm.Standard{Params: map[string]map[string]urlnorm.Class{
		"shop.test": {"session": urlnorm.Tracking, "color": urlnorm.Content, "size": urlnorm.Content},
	}}
	for _, ref := range []string{
		"http://www.shop.test/shirt?session=1&size=l&color=red",
		"http://www.shop.test/shirt?color=red&size=l",
	} {
		u, err := shop.Normalize(nil, ref)
		fmt.Println(u.Key.Text, err)
	}
	// Output:
	// http://www.shop.test/shirt?color=red&size=l <nil>
	// http://www.shop.test/shirt?color=red&size=l <nil>
}

func ExampleStandard_rules() {
	n := urlnorm.Standard{Rules: map[string][]urlnorm.Rule{
		"shop.test": {urlnorm.FoldSessions, urlnorm.FoldIndex, urlnorm.FoldToWWW},
	}}
	if err := n.Validate(); err != nil {
		panic(err)
	}
	u, err := n.Normalize(nil, "http://shop.test/shirts/index.html;jsessionid=1?gclid=2")
	fmt.Println(u.Request, err)
	fmt.Println(u.Key.Text)
	fmt.Println(u.Folded)
	// Output:
	// http://www.shop.test/shirts/index.html;jsessionid=1?gclid=2 <nil>
	// http://www.shop.test/shirts/
	// [to_www sessions index tracking]
}

func ExampleParamReport() {
	var report urlnorm.ParamReport
	for _, ref := range []string{
		"http://shop.test/shirts?visit=1&page=1", "http://shop.test/shirts?visit=2&page=1", "http://shop.test/shirts?visit=3&page=2",
	} {
		u, err := urlnorm.Standard{}.Normalize(nil, ref)
		if err != nil {
			panic(err)
		}
		report.Add(u)
	}
	for _, site := range report.Sites() {
		for _, p := range site.Params {
			fmt.Printf("%s %s: %d values, tracking would merge %d of %d URLs\n", site.Site, p.Name, p.Values, p.Merges, p.URLs)
		}
	}
	// Output:
	// shop.test visit: 3 values, tracking would merge 1 of 3 URLs
	// shop.test page: 2 values, tracking would merge 0 of 3 URLs
}

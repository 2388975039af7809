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

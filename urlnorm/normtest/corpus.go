package normtest

import (
	"strings"

	"github.com/weircrawl/weir/urlnorm"
)

// bases returns no page and one page of each site.
func (t *trial) bases() []*urlnorm.URL {
	all := []*urlnorm.URL{nil}
	for _, ref := range append([]string{"http://a.test/b/c?d"}, t.References...) {
		if page, err := t.ask(nil, ref); err == nil {
			all = append(all, &page)
		}
	}
	return all
}

// references returns the Subject's own and, of each of their origins and some
// others, variants that a rule may or may not take for one.
func (t *trial) references() []string {
	all := append([]string{}, relative...)
	origins := map[string]bool{}
	for _, ref := range append([]string{"http://a.test/", "http://www.a.test/", "https://a.test/", "http://a.test:8080/", "http://a.test./", "http://b.test/"}, t.References...) {
		all = append(all, ref)
		if u, err := (urlnorm.StandardExact{}).Normalize(nil, ref); err == nil && !origins[string(u.Origin)] {
			origins[string(u.Origin)] = true
			for _, variant := range variants {
				all = append(all, string(u.Origin)+variant)
			}
		}
	}
	return all
}

// relative are references as pages write them.
var relative = []string{
	"", "#", "#part", "?", "?e=f", "g", "./g", "../g", "../../../g", "/g", "//c.test/g", "g?h#i", "g;x=1/../i",
	" g ", "g\t\nh", `\g`, "g h", "g\u00fc?\u00fc", "g%zz", "http:g", "HTTP://C.test:80/%7e/./x/../y?a=b#c",
	"http://b\u00fccher.test/", "http://0x7f.1/", "http://[2001:DB8::1]/", "g?utm_source=x", "g?a=1&utm_source=x&b=2", "mailto:a@b.test",
}

// variants are paths and queries of one host. No two of them are equal by RFC 3986,
// unless they stand on one line.
var variants = []string{
	"/", "/.", "/#a", "/#b", "/a/..",
	"/?",
	"/index.html",
	"/INDEX.HTML",
	"/p", "/%70", "/./p", "/p#part",
	"/p#!route",
	"/p#/route",
	"/P",
	"/p/",
	"//p",
	"/p%2F",
	"/p?",
	"/p;x=1",
	"/p;jsessionid=1",
	"/p;jsessionid=2",
	"/(S(1))/p",
	"/p?a=1&b=2", "/p?%61=1&b=%32",
	"/p?b=2&a=1",
	"/p?a=1&&b=2",
	"/p?a=1&b=2&",
	"/p?a=1;b=2",
	"/p?A=1&b=2",
	"/p?a=1&b=2&utm_source=x",
	"/p?a=1&b=2&fbclid=x",
	"/p?a=1&b=2&sid=3",
	"/p?a=1",
	"/p?a=1&a=2",
	"/p?a=2&a=1",
	"/p?a=",
	"/p?a",
	"/p?q=a+b",
	"/p?q=a%20b", "/p?q=a b",
	"/p?q=a%2Bb",
	"/p?q=a%26b",
	"/p?q=a&b",
	"/p?page=1",
	"/p?page=2",
	"/p%", "/p%25",
	"/caf%C3%A9", "/caf%c3%a9", "/caf\u00e9",
	"/cafe",
}

// unrequestable are references without a page that nobody can request.
var unrequestable = []string{
	"mailto:a@a.test", "javascript:void(0)", "data:,x", "ftp://a.test/", "file:///etc/passwd", "blob:http://a.test/x",
	"http://user@a.test/", "http://user:password@a.test/", "http://a.test:65536/", "http://a.test:x/",
	"http://a b.test/", "http://a%00.test/", "http://[::1/", "http://256.256.256.256/", "http://", "https:///",
	"relative", "/path", "?query", "//a.test/", "",
	"http://a.test/" + strings.Repeat("x", urlnorm.MaxLength),
}

// hostile calls f with references of the greatest length, made of what is costly
// somewhere, and with bytes that are no text.
func hostile(f func(ref string)) {
	for _, prefix := range []string{"", "http://", "http://a.test/", "?", "#", `\`, "//", "http://["} {
		for _, unit := range []string{
			"@", ":", "/", "../", "%2e/", "%", "%4", "%41", "\u00fc", "\u00fc.", "1.", "\t", "?", "#", "[", "&", "&a=", "&utm_source=", ";a=",
			"xn--a.", "\xff", "\xed\xa0\x80", "\x00", "\U0001f600", "\u202e", "(S(1))/",
		} {
			f(prefix + strings.Repeat(unit, (urlnorm.MaxLength-len(prefix))/len(unit)))
			f(prefix + unit)
		}
	}
	f("http://a.test/" + strings.Repeat("x", 1<<20))
}

package urlnorm

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func BenchmarkNormalize(b *testing.B) {
	base, err := Standard{}.Normalize(nil, "https://www.example.com/docs/guide/start.html")
	if err != nil {
		b.Fatal(err)
	}
	for _, bench := range []struct{ name, ref string }{
		{"relative", "chapter-2.html"},
		{"parent", "../reference/index.html#part"},
		{"root", "/blog/2024/05/a-fine-day.html"},
		{"absolute", "https://www.example.com/blog/2024/05/a-fine-day.html"},
		{"fragment", "#part"},
		{"query", "/list?page=2&sort=price"},
		{"tracking", "/list?page=2&utm_source=x"},
		{"escaped", "/wiki/%C3%9Cber%20uns"},
		{"spaces", "/a b/c d.html"},
		{"international", "/\u00dcber-uns/stra\u00dfe"},
		{"upper-case host", "https://WWW.Example.com/x"},
		{"javascript", "javascript:void(0)"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = Standard{}.Normalize(&base, bench.ref)
			}
		})
	}
}

func TestHostileReferencesTakeLinearTime(t *testing.T) {
	base := URL{Request: "http://a.test/b/c"}
	start := time.Now()
	for _, prefix := range []string{"", "/", "?", "http://", "http://a/", "http://[", "http://a:", `\`, "./", "http:", "mailto:"} {
		for _, unit := range []string{
			"@", ":@", "a@", "/", "//", "../", "x/../", "./", "%2e/", "%", "%4", "%41", "a", "A", "\u00fc", "\u00fc.", "a.", "1.",
			"\t", "?", "[", ":", `\`, "&", "=", "&a=", "xn--a.", "\xff", "\u00df", " ", "-",
		} {
			ref := prefix + strings.Repeat(unit, (MaxLength-len(prefix))/len(unit))
			_, _ = Standard{}.Normalize(&base, ref)
		}
	}
	assert.Less(t, time.Since(start), 5*time.Second, "341 references; in quadratic time it is more than a minute")
}

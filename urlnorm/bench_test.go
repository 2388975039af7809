package urlnorm

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// BenchmarkNormalize normalizes one reference of each kind, as a page of a site
// writes it.
func BenchmarkNormalize(b *testing.B) {
	shop := Standard{
		Params: map[string]map[string]Class{"example.com": {"page": Ordered, "sort": Content}},
		Rules:  map[string][]Rule{"example.com": {FoldSessions, FoldIndex, FoldTrailingSlash}},
	}
	for _, bench := range []struct {
		name, ref string
		n         Normalizer
	}{
		{"relative", "chapter-2.html", Standard{}},
		{"parent", "../reference/index.html#part", Standard{}},
		{"root", "/blog/2024/05/a-fine-day.html", Standard{}},
		{"absolute", "https://www.example.com/blog/2024/05/a-fine-day.html", Standard{}},
		{"fragment", "#part", Standard{}},
		{"query", "/list?page=2&sort=price", Standard{}},
		{"tracking", "/list?page=2&utm_source=x", Standard{}},
		{"escaped", "/wiki/%C3%9Cber%20uns", Standard{}},
		{"spaces", "/a b/c d.html", Standard{}},
		{"international path", "/\u00dcber-uns/stra\u00dfe", Standard{}},
		{"international host", "https://b\u00fccher.example/x", Standard{}},
		{"upper-case host", "https://WWW.Example.com/x", Standard{}},
		{"address", "http://192.168.1.1:8080/x", Standard{}},
		{"charset", "/list?q=stra\u00dfe", Standard{}},
		{"site with rules", "/list/index.html?page=2&sort=price", shop},
		{"refused", "javascript:void(0)", Standard{}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			base, err := bench.n.Normalize(nil, "https://www.example.com/docs/guide/start.html")
			if err != nil {
				b.Fatal(err)
			}
			if bench.name == "charset" {
				base.Charset = "windows-1252"
			}
			b.ReportAllocs()
			b.SetBytes(int64(len(bench.ref)))
			for b.Loop() {
				_, _ = bench.n.Normalize(&base, bench.ref)
			}
		})
	}
}

// BenchmarkParamReport counts a URL with two parameters that no rule classes.
func BenchmarkParamReport(b *testing.B) {
	u, err := Standard{}.Normalize(nil, "https://www.example.com/list?page=2&sort=price")
	if err != nil {
		b.Fatal(err)
	}
	var report ParamReport
	b.ReportAllocs()
	for b.Loop() {
		report.Add(u)
	}
}

func TestOrdinaryReferencesAreNormalizedWithoutGarbage(t *testing.T) {
	base, err := Standard{}.Normalize(nil, "https://www.example.com/docs/guide/start.html")
	assert.NoError(t, err)
	for ref, most := range map[string]float64{
		"https://www.example.com/blog/a-fine-day.html": 0,
		"#part":           0,
		"chapter-2.html":  1, // the request
		"../index.html#a": 1,
		"/blog/":          1,
		"/list?page=2":    2, // and the list of unknown parameters
	} {
		allocs := testing.AllocsPerRun(100, func() { _, _ = Standard{}.Normalize(&base, ref) })
		assert.LessOrEqual(t, allocs, most, ref)
	}
}

func TestHostileReferencesTakeLinearTime(t *testing.T) {
	base := URL{Request: "http://a.test/b/c", Charset: "iso-2022-jp"}
	n := Standard{Rules: map[string][]Rule{"a.test": {
		FoldSessions, FoldOrder, FoldEmpty, FoldSlashes, FoldIndex, FoldTrailingSlash, FoldPathCase, FoldToWWW, SplitRoutes,
	}}}
	var report ParamReport
	start := time.Now()
	for _, prefix := range []string{"", "/", "?", "http://", "http://a/", "http://[", "http://a:", `\`, "./", "http:", "mailto:", "#/"} {
		for _, unit := range []string{
			"@", ":@", "a@", "/", "//", "../", "x/../", "./", "%2e/", "%", "%4", "%41", "a", "A", "\u00fc", "\u00fc.", "a.", "1.",
			"\t", "?", "[", ":", `\`, "&", "=", "&a=", "xn--a.", "\xff", "\u00df", " ", "-", "&utm_source=", ";sid=", "&sid=", "(S(1))/", "\u65e5", "&b&a",
		} {
			ref := prefix + strings.Repeat(unit, (MaxLength-len(prefix))/len(unit))
			u, _ := n.Normalize(&base, ref)
			report.Add(u)
			_, _ = Standard{}.Normalize(nil, ref)
		}
	}
	assert.Less(t, time.Since(start), 5*time.Second, "888 references; in quadratic time it is minutes")
}

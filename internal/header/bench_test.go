package header

import (
	"strings"
	"testing"
)

func BenchmarkContentType(b *testing.B) {
	for name, values := range map[string][]string{
		"plain":   {"text/html; charset=utf-8"},
		"odd":     {"TEXT/HTML;Charset=\"gb\\k\";x=y"},
		"several": {"text/html;charset=gbk", "text/html", "*/*"},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(join(values))))
			b.ReportAllocs()
			for b.Loop() {
				ContentType(values)
			}
		})
	}
}

func BenchmarkLinks(b *testing.B) {
	next := `<https://a.test/items?page=2>; rel="next", <https://a.test/items?page=9>; rel="last"; title="The end, \"really\""`
	for name, value := range map[string]string{
		"two":      next,
		"thousand": strings.Repeat(next+", ", MaxLinks/2),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(value)))
			b.ReportAllocs()
			for b.Loop() {
				Links([]string{value})
			}
		})
	}
}

func BenchmarkDate(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Date("Sun, 06 Nov 1994 08:49:37 GMT", now)
	}
}

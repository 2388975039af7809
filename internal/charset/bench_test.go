package charset

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

var benchSizes = []int{4 << 10, 64 << 10, 1 << 20}

func BenchmarkUTF8(b *testing.B) {
	const english = "The quick brown fox jumps over the lazy dog. "
	const chinese = "今天天气很好，我们去公园散步了。北京是中国的首都，也是一座历史悠久的城市。"
	utf16 := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	for _, c := range []struct {
		name, label, text string
		encoding          encoding.Encoding
	}{
		{"ascii", "utf-8", english, encoding.Nop},
		{"utf-8", "utf-8", cyrillic, encoding.Nop},
		{"invalid", "utf-8", cyrillic + "\xff", encoding.Nop},
		{"windows-1251", "windows-1251", cyrillic, charmap.Windows1251},
		{"gbk", "gbk", chinese, simplifiedchinese.GBK},
		{"shift_jis", "shift_jis", kana, japanese.ShiftJIS},
		{"iso-2022-jp", "iso-2022-jp", kana, japanese.ISO2022JP},
		{"utf-16", "utf-16le", cyrillic, utf16},
		{"undeclared", "", cyrillic, encoding.Nop},
		{"detected", "", cyrillic, charmap.Windows1251},
	} {
		for _, size := range benchSizes {
			body := benchPage(c.encoding, c.text, size)
			b.Run(fmt.Sprintf("%s/size=%d", c.name, size), func(b *testing.B) {
				s := Source{Body: body, Media: "text/html", Label: c.label}
				b.SetBytes(int64(len(body)))
				b.ReportAllocs()
				for b.Loop() {
					s.UTF8()
				}
			})
		}
	}
}

// BenchmarkValid is what UTF8 is to be measured by: a bare utf8.Valid.
func BenchmarkValid(b *testing.B) {
	for _, size := range benchSizes {
		body := benchPage(encoding.Nop, cyrillic, size)
		b.Run(fmt.Sprintf("utf-8/size=%d", size), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				utf8.Valid(body)
			}
		})
	}
}

// benchPage is a page of that size, of which about half is markup.
func benchPage(e encoding.Encoding, text string, size int) []byte {
	line := "<p class=\"text\"><a href=\"/path/to/page.html\">" + text + "</a></p>\n"
	if e != encoding.Nop {
		line = encoded(e, line)
	}
	head := "<!doctype html><html><head><title>A page</title><link rel=stylesheet href=/style.css></head><body>\n"
	if e == encoding.Nop {
		head = strings.Replace(head, "<title>", "<meta name=viewport content=x><title>", 1)
	} else {
		head = encoded(e, head)
	}
	return []byte(head + strings.Repeat(line, max(1, size/len(line))))
}

package fetch

import (
	"net/http"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
)

func TestTextIsReadInTheEncodingThatFits(t *testing.T) {
	const cyrillic = "Привет, как дела? Большинство страниц длиннее одной строки и содержат обычные слова."
	const kana = "これは日本語の文章です。検出されるはずです。"
	const http251 = `<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">`
	cases := []struct{ name, header, body, text, encoding, from string }{
		{"S-J1 charset only in the page", "text/html", http251 + "\xcf\xf0\xe8\xe2\xe5\xf2", http251 + "Привет", "windows-1251", "meta"},
		{"S-J2 unquoted meta", "", `<META http-equiv=Content-Type content="text/html; charset=gb2312">` + "\xd6\xd0\xce\xc4",
			`<META http-equiv=Content-Type content="text/html; charset=gb2312">` + "中文", "gbk", "meta"},
		{"S-J3 header contradicted by the bytes", "text/html; charset=utf-8", "<meta charset=gbk>\xd6\xd0", "<meta charset=gbk>中", "gbk", "meta"},
		{"S-J3 header that fits", "text/html; charset=utf-8", "<meta charset=gbk>中", "<meta charset=gbk>中", "utf-8", "header"},
		{"header before meta", "text/html; charset=iso-8859-1", "<meta charset=koi8-r>\xe9", "<meta charset=koi8-r>é", "windows-1252", "header"},
		{"mark before header", "text/html; charset=koi8-r", "\xef\xbb\xbfä", "ä", "utf-8", "bom"},
		{"mark of UTF-16", "", "\xff\xfea\x00b\x00", "ab", "utf-16le", "bom"},
		{"quoted parameter", `text/html; x=y; Charset="KOI8-R"; z`, "\xc1", "а", "koi8-r", "header"},
		{"parameter without a value", `text/html; charset; charset=koi8-r`, "\xc1", "а", "koi8-r", "header"},
		{"unknown label", "text/html; charset=bogus", "ä", "ä", "utf-8", "utf-8"},
		{"meta in a comment", "", "<!-- <meta charset=koi8-r> -->ä", "<!-- <meta charset=koi8-r> -->ä", "utf-8", "utf-8"},
		{"UTF-16 in a meta that could be read", "", "<meta charset=utf-16>ä", "<meta charset=utf-16>ä", "utf-8", "meta"},
		{"undeclared UTF-8", "", "naïve", "naïve", "utf-8", "utf-8"},
		{"undeclared Cyrillic", "", encoded(charmap.Windows1251, cyrillic), cyrillic, "windows-1251", "detected"},
		{"undeclared Japanese", "", encoded(japanese.ShiftJIS, kana), kana, "shift_jis", "detected"},
		{"undeclared German", "", "Stra\xdfe f\xfcr Fu\xdfg\xe4nger \x96 sch\xf6n", "Straße für Fußgänger – schön", "windows-1252", "default"},
		{"declared UTF-8 that is none", "text/html; charset=utf-8", "caf\xe9", "caf\uFFFD", "utf-8", "header"},
		{"empty", "", "", "", "utf-8", "utf-8"},
	}
	for _, c := range cases {
		text, charset := Text(http.Header{"Content-Type": {c.header}}, []byte(c.body))
		assert.Equal(t, c.text, text, c.name)
		assert.Equal(t, Charset{c.encoding, c.from}, charset, c.name)
	}
}

func TestABodyInUTF8IsNotCopied(t *testing.T) {
	header := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	for _, body := range []string{"naïve", "\ufeffnaïve"} {
		body := []byte(body)
		text, _ := UTF8(header, body)
		assert.Equal(t, "naïve", string(text))
		assert.Same(t, &body[len(body)-1], &text[len(text)-1])
	}
}

// encoded returns text in another encoding.
func encoded(e encoding.Encoding, text string) string {
	encoded, err := e.NewEncoder().String(text)
	if err != nil {
		panic(err)
	}
	return encoded
}

func FuzzTextIsValidUTF8(f *testing.F) {
	f.Add("text/html; charset=gbk", []byte("<meta charset=utf-16>\xff\xfe\x00"))
	f.Add(`;charset="`, []byte("<meta content='charset=\"x"))
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		text, charset := Text(http.Header{"Content-Type": {contentType}}, body)
		if !utf8.ValidString(text) || charset.Name == "" || charset.From == "" {
			t.Fatalf("%q %q: %q, %+v", contentType, body, text, charset)
		}
		if text2, _ := Text(http.Header{"Content-Type": {"text/html; charset=utf-8"}}, []byte(text)); len(text) > 0 && text[0] < 0x80 && text2 != text {
			t.Fatalf("%q becomes %q when it is read again", text, text2)
		}
	})
}

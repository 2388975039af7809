package charset

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
)

const (
	cyrillic = "Привет, как дела? Большинство страниц длиннее одной строки и содержат обычные слова."
	kana     = "これは日本語の文章です。検出されるはずです。"
	german   = "Straße für Fußgänger – schön"
)

var far = strings.Repeat(" ", prescanSize)

func TestTheFirstClaimThatIsThereCounts(t *testing.T) {
	for _, c := range []struct{ name, media, label, body, text, charset, from string }{
		{"a mark of UTF-8", "text/html", "koi8-r", "\xef\xbb\xbf<meta charset=gbk>ä", "<meta charset=gbk>ä", "utf-8", "bom"},
		{"a mark of UTF-16, little end first", "", "", "\xff\xfea\x00b\x00", "ab", "utf-16le", "bom"},
		{"a mark of UTF-16, big end first", "text/plain", "utf-8", "\xfe\xff\x00a\x00b", "ab", "utf-16be", "bom"},
		{"one mark is taken off", "", "", "\xef\xbb\xbf\ufeffa", "\ufeffa", "utf-8", "bom"},
		{"the header", "text/html", "koi8-r", "\xc1", "а", "koi8-r", "header"},
		{"the header says UTF-16", "text/html", "utf-16", "a\x00", "a", "utf-16le", "header"},
		{"the header has an unknown label", "text/html", "utf-7", "<meta charset=koi8-r>\xc1", "<meta charset=koi8-r>а", "koi8-r", "meta"},
		{"the header means it for text too", "text/plain", "iso-8859-1", "\x93", "“", "windows-1252", "header"},
		{"a meta element", "", "", "<meta charset=koi8-r>\xc1", "<meta charset=koi8-r>а", "koi8-r", "meta"},
		{"a meta element says UTF-16", "", "", "<meta charset=utf-16>ä", "<meta charset=utf-16>ä", "utf-8", "meta"},
		{"a meta element has no say in text", "text/plain", "", "<meta charset=koi8-r>ä", "<meta charset=koi8-r>ä", "utf-8", "utf-8"},
		{"a meta element has no say in XML", "application/xhtml+xml", "", "<meta charset=koi8-r>ä", "<meta charset=koi8-r>ä", "utf-8", "utf-8"},
		{"a meta element before an XML declaration", "text/html", "", "<?xml encoding='gbk'?><meta charset=koi8-r>", "<?xml encoding='gbk'?><meta charset=koi8-r>", "koi8-r", "meta"},
		{"an XML declaration", "text/xml", "", "<?xml encoding='koi8-r'?>\xc1", "<?xml encoding='koi8-r'?>а", "koi8-r", "xml"},
		{"an XML declaration of a feed", "application/rss+xml", "", "<?xml encoding='koi8-r'?>\xc1", "<?xml encoding='koi8-r'?>а", "koi8-r", "xml"},
		{"an XML declaration in HTML", "text/html", "", "<?xml encoding='koi8-r'?>\xc1", "<?xml encoding='koi8-r'?>а", "koi8-r", "xml"},
		{"XML in UTF-16 without a mark", "text/xml", "", "<\x00?\x00x\x00", "<?x", "utf-16le", "xml"},
		{"HTML in UTF-16 without a mark", "text/html", "", "\x00<\x00?\x00x", "<?x", "utf-16be", "xml"},
		{"a late meta element", "", "", far + "<meta charset=koi8-r>\xc1", far + "<meta charset=koi8-r>а", "koi8-r", "late meta"},
		{"an early one that a cut tag hides", "", "", "<p title='" + far + "<meta charset=koi8-r>\xc1", "<p title='" + far + "<meta charset=koi8-r>Á", "windows-1252", "default"},
		{"UTF-8", "", "", "naïve", "naïve", "utf-8", "utf-8"},
		{"nothing at all", "", "", "", "", "utf-8", "utf-8"},
		{"UTF-8 with an error", "", "", "Привет\xff", "Привет\uFFFD", "utf-8", "detected"},
		{"Cyrillic", "", "", encoded(charmap.Windows1251, cyrillic), cyrillic, "windows-1251", "detected"},
		{"Japanese", "", "", encoded(japanese.ShiftJIS, kana), kana, "shift_jis", "detected"},
		{"German", "", "", encoded(charmap.Windows1252, german), german, "windows-1252", "default"},
		{"two letters are no language", "", "", "\xd6\xd0", "ÖÐ", "windows-1252", "default"},
		{"XML without a declaration", "text/xml", "", "\xd6", "\uFFFD", "utf-8", "default"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, d, _ := Source{Body: []byte(c.body), Media: c.media, Label: c.label}.UTF8()
			assert.Equal(t, c.text, string(text))
			assert.Equal(t, Claim{c.charset, c.from}, d.Claim)
		})
	}
}

func TestSJ1CharsetOnlyInThePage(t *testing.T) {
	const meta = `<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">`
	text, d, invalid := Source{Media: "text/html", Body: []byte(meta + "\xcf\xf0\xe8\xe2\xe5\xf2")}.UTF8()
	assert.Equal(t, meta+"Привет", string(text))
	assert.Equal(t, Decision{Claim: Claim{"windows-1251", FromMeta}}, d)
	assert.Zero(t, invalid)
}

func TestSJ2UnquotedMetaAttributes(t *testing.T) {
	const meta = `<META http-equiv=Content-Type content="text/html; charset=gb2312">`
	text, d, _ := Source{Media: "text/html", Body: []byte(meta + "\xd6\xd0\xce\xc4")}.UTF8()
	assert.Equal(t, meta+"中文", string(text))
	assert.Equal(t, Claim{"gbk", FromMeta}, d.Claim)
}

func TestSJ3HeaderAndMetaDisagree(t *testing.T) {
	german := encoded(charmap.Windows1252, "für Fußgänger schön")
	chinese := encoded(simplifiedchinese.GBK, "中文网页")
	for _, c := range []struct{ name, label, meta, body, charset, from string }{
		{"right under the header", "utf-8", "gbk", "中文", "utf-8", "header"},
		{"wrong under the header, right under the page", "utf-8", "gbk", chinese, "gbk", "meta"},
		{"wrong under both", "utf-8", "gbk", "\xff\xff\xff\xff", "utf-8", "header"},
		{"one error does not make UTF-8 another encoding", "utf-8", "gbk", "中文中文\xb0\xa1", "utf-8", "header"},
		{"one byte does not prove an encoding in which all is right", "utf-8", "windows-1251", "\xef", "utf-8", "header"},
		{"several bytes do", "utf-8", "windows-1252", german, "windows-1252", "meta"},
		{"UTF-8 that the header denies", "gbk", "utf-8", "中, 文, 网", "utf-8", "meta"},
		{"a header under which all is right", "windows-1251", "utf-8", "Привет", "windows-1251", "header"},
		{"browsers read neither", "iso-2022-kr", "gbk", chinese, "replacement", "header"},
		{"the page is silent", "gbk", "none", "\xff", "gbk", "header"},
		{"they agree", "gb2312", "gbk", "\xff", "gbk", "header"},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := "<meta charset=" + c.meta + ">" + c.body
			_, d, _ := Source{Media: "text/html", Label: c.label, Body: []byte(body)}.UTF8()
			assert.Equal(t, Claim{c.charset, c.from}, d.Claim)
			switch {
			case c.from == FromMeta:
				assert.Equal(t, []Claim{{Name(c.label), FromHeader}}, d.Lost)
			case Name(c.meta) != "" && Name(c.meta) != Name(c.label):
				assert.Equal(t, []Claim{{Name(c.meta), FromMeta}}, d.Lost)
			default:
				assert.Empty(t, d.Lost)
			}
		})
	}
}

func TestALateMetaIsAskedWhereTheHeaderIsWrong(t *testing.T) {
	body := far + "<meta charset=gbk>" + encoded(simplifiedchinese.GBK, "中文网页")
	_, d, _ := Source{Media: "text/html", Label: "utf-8", Body: []byte(body)}.UTF8()
	assert.Equal(t, Claim{"gbk", FromLateMeta}, d.Claim)
	assert.Equal(t, []Claim{{"utf-8", FromHeader}}, d.Lost)
}

func TestATrueMetaCountsBeforeOneInAText(t *testing.T) {
	for _, c := range []struct{ name, body, charset string }{
		{"in a script", `<script>"<meta charset=koi8-r>"</script><meta charset=gbk>`, "gbk"},
		{"in a title", `<title><meta charset=koi8-r></title><meta charset=gbk>`, "gbk"},
		{"in a title, and nowhere else", `<title><meta charset=koi8-r></title>`, "koi8-r"},
		{"behind a title", `<title>t</title><meta charset=koi8-r><meta charset=gbk>`, "koi8-r"},
		{"in a comment", `<!-- <meta charset=koi8-r> --><meta charset=gbk>`, "gbk"},
		{"behind a comment of which the prescan sees no end", `<!-- --!><meta charset=gbk>`, "gbk"},
		{"in noscript, which a crawler reads", `<noscript><meta charset=koi8-r></noscript>`, "koi8-r"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, Claim{c.charset, FromMeta}, Source{Body: []byte(c.body)}.Decide().Claim)
		})
	}
}

func TestABodyThatWasCutIsNotWrongAtItsEnd(t *testing.T) {
	for _, c := range []struct{ name, label, body, text string }{
		{"utf-8", "", "na\xc3", "na"},
		{"utf-8, four bytes", "", "na\xf0\x9f\x98", "na"},
		{"utf-8 with an error before", "utf-8", "\xffna\xe2\x82", "\uFFFDna"},
		{"gbk", "gbk", "na\xd6", "na"},
		{"gb18030", "gb18030", "na\x84\x31\xa4", "na"},
		{"big5", "big5", "na\xa4", "na"},
		{"euc-jp", "euc-jp", "na\x8f\xb0", "na"},
		{"euc-kr", "euc-kr", "na\xb0", "na"},
		{"shift_jis", "shift_jis", "na\x82", "na"},
		{"iso-2022-jp", "iso-2022-jp", "na\x1b", "na"},
		{"iso-2022-jp, half a character", "iso-2022-jp", "na\x1b$B\x24", "na"},
		{"utf-16le", "utf-16le", "n\x00a\x00\x00", "na"},
		{"utf-16le, half a pair", "utf-16le", "n\x00a\x00\x3d\xd8", "na"},
	} {
		t.Run(c.name, func(t *testing.T) {
			whole := Source{Body: []byte(c.body), Label: c.label}
			cut := whole
			cut.Cut = true
			text, d, invalid := cut.UTF8()
			assert.Equal(t, c.text, string(text))
			assert.Equal(t, strings.Count(c.text, replacement), invalid)
			if c.label == "" {
				assert.Equal(t, Claim{"utf-8", FromBytes}, d.Claim)
				whole.Label = "utf-8"
			}
			text, _, more := whole.UTF8()
			assert.Equal(t, c.text+replacement, string(text), "where it was not cut")
			assert.Equal(t, invalid+1, more)
		})
	}
}

func TestAnErrorAtTheEndOfABodyThatWasCutIsAnError(t *testing.T) {
	for name, body := range map[string]string{
		"utf-8": "\xff", "gbk": "\xff", "gb18030": "\x81\x30\x20", "big5": "\x80", "euc-jp": "\x8e\xe0", "euc-kr": "\xff",
		"shift_jis": "\xa0", "iso-2022-jp": "\x0e", "utf-16le": "\x00\xdc", "windows-1253": "\xaa", "replacement": "x",
	} {
		text, invalid := decode(name, []byte(body), true)
		assert.True(t, strings.HasPrefix(string(text), replacement), name)
		assert.Equal(t, 1, invalid, name)
	}
}

func TestABodyInUTF8IsNotCopied(t *testing.T) {
	for _, s := range []Source{
		{Body: []byte("naïve"), Label: "utf-8"},
		{Body: []byte("naïve")},
		{Body: []byte("\ufeffnaïve")},
		{Body: []byte("naïve\xc3"), Cut: true},
	} {
		text, _, _ := s.UTF8()
		assert.Equal(t, "naïve", string(text))
		assert.Same(t, &s.Body[strings.Index(string(s.Body), "v")], &text[4])
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

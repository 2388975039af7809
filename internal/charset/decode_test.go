package charset

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// standard has for each encoding the hash of what another decoder, the npm package
// @exodus/bytes 1.16.0, which passes all of web-platform-tests, makes of codes.
var standard = map[string]string{
	"ibm866": "aa5a1af090aa709c", "iso-8859-2": "3a288371854ffa48", "iso-8859-3": "e0d7057f080da816",
	"iso-8859-4": "fd353a610a346bb5", "iso-8859-5": "0294ddadc1277443",
	"iso-8859-6": "1c0de1ca245520bf", "iso-8859-7": "7404fe8479c987b4",
	"iso-8859-8": "66ab21d71a54d94a", "iso-8859-8-i": "66ab21d71a54d94a",
	"iso-8859-10": "ebaa6f1d02c233e1", "iso-8859-13": "341bcccf750354c3",
	"iso-8859-14": "00825afcf804f297", "iso-8859-15": "48703cb908372a0b",
	"iso-8859-16": "3e886618472b47db", "koi8-r": "3d3bd3d9257913dc", "koi8-u": "5e64d388e657021a",
	"macintosh": "97bc02643dbb06a1", "windows-874": "b0cdb1449d3eabae",
	"windows-1250": "0e8be96a65bf45e8", "windows-1251": "6a09f88ba65b9d8d",
	"windows-1252": "3359ea2b2045f0a0", "windows-1253": "90dad5ce34cb549e",
	"windows-1254": "f3e1215165c1d1b7", "windows-1255": "278fce9a71e9edc5",
	"windows-1256": "0d68c8fc2552f0fd", "windows-1257": "4b46f9926412fa26",
	"windows-1258": "2cc72ec8c94eb98a", "x-mac-cyrillic": "b9cf9fa9538f5936", "gbk": "7872dd9d90d3b74a",
	"gb18030": "7872dd9d90d3b74a", "big5": "eb37b683bc3b8d41", "euc-jp": "4ccb28a437a43518",
	"iso-2022-jp": "e3f5744ca6e10376", "shift_jis": "06eef6314f687274", "euc-kr": "42e8e5e2b5646caf",
	"utf-8": "1134090a6b3a3c62", "utf-16be": "737bcbb7fda43db2", "utf-16le": "fb88106df6f6333e",
	"x-user-defined": "1ba16109c5fb2898",
}

func TestEveryCodeMeansWhatTheStandardSays(t *testing.T) {
	for name, want := range standard {
		t.Run(name, func(t *testing.T) {
			text, invalid := decode(name, codes(name), false)
			sum := sha256.Sum256(text)
			assert.Equal(t, want, hex.EncodeToString(sum[:8]))
			if name != gbk && name != gb18030 && name != utf16be && name != utf16le { // they have a code for U+FFFD itself
				assert.Equal(t, strings.Count(string(text), replacement), invalid)
			}
		})
	}
}

func TestEveryEncodingIsTested(t *testing.T) {
	for _, label := range []string{"utf-8", "gbk", "iso-8859-8-i", "x-mac-cyrillic", "x-user-defined"} {
		require.Contains(t, standard, Name(label))
	}
	assert.Len(t, standard, 39, "of 40; replacement is the other one")
}

// twoBytes are all codes of two bytes, each with a line feed.
var twoBytes = sync.OnceValue(func() (all []byte) {
	for i := range 1 << 16 {
		all = append(all, byte(i>>8), byte(i), '\n')
	}
	return all
})

// codes returns all codes of two bytes, and some of more.
func codes(name string) []byte {
	all := slices.Clip(twoBytes())
	pairs := func(before ...byte) {
		for code := range slices.Chunk(twoBytes(), 3) {
			all = append(append(all, before...), code...)
		}
	}
	switch name {
	case eucJP:
		pairs(0x8f)
	case iso2022jp:
		pairs(escape, '$', 'B')
		pairs(escape, '(', 'I')
		pairs(escape, '(', 'J')
		pairs(escape)
	case gbk, gb18030:
		for _, lead := range []byte{0x81, 0x82, 0x83, 0x84, 0x8f, 0x90, 0x95, 0xe3, 0xe4, 0xfe} {
			for digit := byte('0'); digit <= '9'; digit++ {
				for third := 0x80; third <= 0xff; third++ {
					for last := byte('0' - 1); last <= '9'+1; last++ {
						all = append(all, lead, digit, byte(third), last, '\n')
					}
				}
			}
		}
	}
	return all
}

func TestAnErrorIsOneMarkAndEatsNoMarkup(t *testing.T) {
	for _, c := range []struct{ name, body, text string }{
		{"utf-8", "\xe2\x82<", "\uFFFD<"},
		{"utf-8", "\xe2\x82\xe2\x82\xac", "\uFFFD€"},
		{"utf-8", "\xf0\x9f\x98<", "\uFFFD<"},
		{"utf-8", "\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},
		{"utf-8", "\xc0\xaf", "\uFFFD\uFFFD"},
		{"utf-8", "\xf5\x80", "\uFFFD\uFFFD"},
		{"utf-8", "a\xff\xfeb", "a\uFFFD\uFFFDb"},
		{"windows-1252", "\x81\x93", "\u0081“"},
		{"windows-1251", "\x98", "\u0098"},
		{"windows-1253", "\xaa\xe1", "\uFFFDα"},
		{"windows-1255", "\xca\xd9", "\u05ba\uFFFD"},
		{"windows-874", "\x80\x81\xdb", "€\u0081\uFFFD"},
		{"gbk", "\xff<", "\uFFFD<"},
		{"gbk", "\x80\xa2\xe3", "€€"},
		{"gbk", "\x81\x30\x81\x30", "\u0080"},
		{"gbk", "\x81<p>", "\uFFFD<p>"},
		{"gb18030", "\xa8\xbc\xa6\xd9", "ḿ︐"},
		{"gb18030", "\x81\x35\xf4\x37", "\ue7c7"},
		{"gb18030", "\x81\x30\x81<", "\uFFFD0\uFFFD<"},
		{"gb18030", "\xaa\xa1", "\ue000"},
		{"big5", "\x87\xff", "\uFFFD"},
		{"big5", "\x81a>", "\uFFFDa>"},
		{"big5", "\x88\x62", "Ê̄"},
		{"big5", "\x87\x40\xf9\xfe", "䏰￭"},
		{"euc-jp", "\x8e\xb1\x8f\xa2\xaf", "ｱ˘"},
		{"euc-jp", "\x8f\xa2<", "\uFFFD<"},
		{"euc-jp", "\x8e\x80", "\uFFFD"},
		{"euc-kr", "\x81A\xc6\x53", "갂\uFFFDS"},
		{"shift_jis", "\x80\xb1\xa0\xf0\x40", "\u0080ｱ\uFFFD\ue000"},
		{"shift_jis", "\x81\x7f<", "\uFFFD\x7f<"},
		{"iso-2022-jp", "\x1b$B$\"\x1b(Bx", "あx"},
		{"iso-2022-jp", "\x1b(J\\~\x1b(I1", "¥‾ｱ"},
		{"iso-2022-jp", "\x1b(B\x1b(Ba", "\uFFFDa"},
		{"iso-2022-jp", "\x1b<\x0e", "\uFFFD<\uFFFD"},
		{"iso-2022-jp", "\x1b$B$\x1b(Ba", "\uFFFDa"},
		{"utf-16le", "\x00\xdca\x00", "\uFFFDa"},
		{"utf-16be", "\xd8\x00\x00a\xd8\x3d\xde\x00", "\uFFFDa😀"},
		{"x-user-defined", "a\x80\xff", "a\uf780\uf7ff"},
		{"replacement", "<a href=x>", "\uFFFD"},
		{"replacement", "", ""},
	} {
		text, invalid := decode(c.name, []byte(c.body), false)
		assert.Equal(t, c.text, string(text), "%s %q", c.name, c.body)
		assert.Equal(t, strings.Count(c.text, replacement), invalid, "%s %q", c.name, c.body)
	}
}

func TestAMarkThatTheBodyContainsIsNotCounted(t *testing.T) {
	for name, body := range map[string]string{"utf-8": "\uFFFD", "gb18030": "\x84\x31\xa4\x37", "utf-16be": "\xff\xfd"} {
		text, invalid := decode(name, []byte(body), false)
		assert.Equal(t, replacement, string(text), name)
		assert.Zero(t, invalid, name)
	}
}

func FuzzTextIsValidAndBounded(f *testing.F) {
	names := append(slices.Sorted(maps.Keys(standard)), replacementName)
	for i := range names {
		f.Add(uint8(i), []byte("a\x1b$B$\"\x84\x31\xa4\x37\x8f\xa2\xaf\xd8"), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, i uint8, body []byte, cut bool) {
		name := names[int(i)%len(names)]
		text, invalid := decode(name, body, cut)
		switch marks := strings.Count(string(text), replacement); {
		case !utf8.Valid(text):
			t.Fatalf("%s %q: %q is no UTF-8", name, body, text)
		case len(text) > 3*len(body)+3:
			t.Fatalf("%s %q: %d bytes", name, body, len(text))
		case invalid > marks:
			t.Fatalf("%s %q: %d are counted, %d are there", name, body, invalid, marks)
		}
		if !cut {
			return
		}
		whole, _ := decode(name, body, false)
		if !strings.HasPrefix(string(whole), string(text)) {
			t.Fatalf("%s %q: cut %q, whole %q", name, body, text, whole)
		}
	})
}

package charset

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

var medias = []string{"", "text/html", "application/xhtml+xml", "text/plain"}

func FuzzAnySourceIsRead(f *testing.F) {
	f.Add(uint8(0), "", []byte("<title>a</title><meta charset=gbk>\xd6\xd0"), false)
	f.Add(uint8(1), "utf-8", []byte(far+"<meta http-equiv=content-type content='charset=gbk'>\xd6\xd0"), true)
	f.Add(uint8(2), "", []byte("<?xml encoding='koi8-r'?>\xc1"), false)
	f.Add(uint8(3), "iso-2022-jp", []byte("\x1b$B$\""), true)
	f.Fuzz(func(t *testing.T, media uint8, label string, body []byte, cut bool) {
		s := Source{Body: body, Media: medias[int(media)%len(medias)], Label: label, Cut: cut}
		before := bytes.Clone(body)
		text, d, invalid := s.UTF8()
		switch {
		case !bytes.Equal(before, body):
			t.Fatalf("%+v: the body is another one now", s)
		case !utf8.Valid(text):
			t.Fatalf("%+v: %q is no UTF-8", s, text)
		case len(text) > 3*len(body)+3:
			t.Fatalf("%+v: %d bytes", s, len(text))
		case d.Name == "" || d.From == "" || Name(d.Name) != d.Name:
			t.Fatalf("%+v: %+v", s, d)
		case len(d.Lost) > 2:
			t.Fatalf("%+v: %+v", s, d)
		}
		for _, lost := range d.Lost {
			if lost.Name == d.Name {
				t.Fatalf("%+v: %+v", s, d)
			}
		}
		if d.From == FromBytes && (invalid != 0 || !bytes.HasPrefix(body, text) || len(text) > 0 && &text[0] != &body[0]) {
			t.Fatalf("%+v: %q is not the body", s, text)
		}
	})
}

func FuzzUTF8WithoutADeclarationIsReturned(f *testing.F) {
	f.Add("naïve <p title='charset'> \u0000 \uFFFD")
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) || strings.Contains(strings.ToLower(text), "charset") || strings.HasPrefix(text, "<?x") ||
			strings.HasPrefix(text, "\ufeff") || xmlWide([]byte(text)) != "" {
			t.Skip()
		}
		body := []byte(text)
		got, d, invalid := Source{Body: body}.UTF8()
		if string(got) != text || d.Name != utf8Name || invalid != 0 || len(body) > 0 && &got[0] != &body[0] {
			t.Fatalf("%q: %q, %+v, %d", text, got, d, invalid)
		}
	})
}

// FuzzUTF8IsWrongWhereGoSaysSo: the bytes that are replaced are those that Go's own
// decoder calls wrong, though it counts each of them.
func FuzzUTF8IsWrongWhereGoSaysSo(f *testing.F) {
	f.Add([]byte("a\xe2\x82\xffb\xed\xa0\x80"))
	f.Fuzz(func(t *testing.T, body []byte) {
		text, invalid := fixUTF8(body)
		want := bytes.ToValidUTF8(body, nil)
		valid := bytes.Count(body, []byte(replacement))
		if got := bytes.ReplaceAll(text, []byte(replacement), nil); !bytes.Equal(got, bytes.ReplaceAll(want, []byte(replacement), nil)) {
			t.Fatalf("%q: %q, want %q", body, got, want)
		}
		if marks := bytes.Count(text, []byte(replacement)); marks != invalid+valid {
			t.Fatalf("%q: %d marks, of which %d are counted and %d were there", body, marks, invalid, valid)
		}
	})
}

// TestReadingIsLinear: 64 times the body needs far less than 64 * 64 times the time.
func TestReadingIsLinear(t *testing.T) {
	for _, c := range []struct{ name, label, part string }{
		{"tags", "", "<"},
		{"comments", "", "<!--"},
		{"meta elements", "", "<meta "},
		{"meta elements that say nothing", "", "<meta content='charset"},
		{"quotes", "", "<a b='"},
		{"words", "", "charset"},
		{"errors in UTF-8", "utf-8", "\xe2\x82"},
		{"errors in every encoding", "", "\xff\x81<"},
		{"errors under the header", "gbk", "<meta charset=utf-8>\xff"},
		{"escapes", "iso-2022-jp", "\x1b$B"},
		{"codes of four bytes", "gb18030", "\x81\x30\x81\x30"},
		{"halves", "utf-16le", "\x00\xd8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			small, large := fastest(c.label, c.part, 4<<10), fastest(c.label, c.part, 256<<10)
			assert.Less(t, large, 64*10*small+time.Millisecond)
		})
	}
}

// fastest is the least time of some in which a body of parts is read.
func fastest(label, part string, size int) (least time.Duration) {
	s := Source{Body: []byte(strings.Repeat(part, size/len(part))), Label: label}
	for i := range 3 {
		start := time.Now()
		s.UTF8()
		if took := time.Since(start); i == 0 || took < least {
			least = took
		}
	}
	return least
}

func TestALabelIsOfASCII(t *testing.T) {
	for label, name := range map[string]string{
		"utf-8": "utf-8", "UTF-8": "utf-8", "\t\n\f\r utf8 ": "utf-8", "latin1": "windows-1252", "unicode": "utf-16le",
		"": "", " ": "", "utf-7": "", "\vutf-8": "", "\u00a0utf-8": "", "utf\u2010": "", "\u212aoi8-r": "", "koi8\x00-r": "",
		strings.Repeat("a", 1<<20): "",
	} {
		assert.Equal(t, name, Name(label), "%.40q", label)
	}
}

func TestAGuessIsAnEncodingOfTheWeb(t *testing.T) {
	for label, name := range map[string]string{
		"GB2312": "gbk", "TIS-620": "windows-874", "ISO-8859-9": "windows-1254", "macintosh": "macintosh", "x-mac-cyrillic": "windows-1251",
		"EUC-TW": "", "KS_C_5601-1987": "", "UTF-8": "", "UTF-16LE": "", "ISO-2022-KR": "", "IBM855": "",
	} {
		assert.Equal(t, name, guessed(label), label)
	}
}

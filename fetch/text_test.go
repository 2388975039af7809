package fetch_test

import (
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/fetch"
)

const windows1251 = `<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">`

func TestSJ1CharsetOnlyInThePage(t *testing.T) {
	text, c := read("text/html", windows1251+"\xcf\xf0\xe8\xe2\xe5\xf2")
	assert.Equal(t, windows1251+"Привет", text)
	assert.Equal(t, fetch.Charset{Name: "windows-1251", From: "meta", Version: 1}, c)
}

func TestSJ2UnquotedMetaAttributes(t *testing.T) {
	const meta = `<META http-equiv=Content-Type content="text/html; charset=gb2312">`
	text, c := read("", meta+"\xd6\xd0\xce\xc4")
	assert.Equal(t, meta+"中文", text)
	assert.Equal(t, fetch.Charset{Name: "gbk", From: "meta", Version: 1}, c)
}

func TestSJ3HeaderAndMetaDisagree(t *testing.T) {
	const meta = "<meta charset=gbk>"
	for _, c := range []struct {
		name, body, text string
		want             fetch.Charset
	}{
		{"the bytes are wrong under the header", meta + "\xd6\xd0", meta + "中", fetch.Charset{Name: "gbk", From: "meta"}},
		{"the bytes are right under the header", meta + "中", meta + "中", fetch.Charset{Name: "utf-8", From: "header"}},
		{"the bytes are wrong under both", meta + "\xff\xff", meta + "\uFFFD\uFFFD", fetch.Charset{Name: "utf-8", From: "header", Invalid: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, got := read("text/html; charset=utf-8", c.body)
			assert.Equal(t, c.text, text)
			c.want.Version = 1
			c.want.Lost = []fetch.Charset{{Name: "gbk", From: "meta"}}
			if c.want.Name == "gbk" {
				c.want.Lost[0] = fetch.Charset{Name: "utf-8", From: "header"}
			}
			assert.Equal(t, c.want, got)
		})
	}
}

func TestTheHeaderSaysTypeAndCharset(t *testing.T) {
	for _, c := range []struct{ name, header, body, text, charset, from string }{
		{"before the page", "text/html; charset=koi8-r", "<meta charset=koi8>\xc1", "<meta charset=koi8>а", "koi8-r", "header"},
		{"quoted", `text/html; x=y; Charset="KOI8-R"; z`, "\xc1", "а", "koi8-r", "header"},
		{"after a parameter without a value", "text/html; charset; charset=koi8-r", "\xc1", "а", "koi8-r", "header"},
		{"XML", "application/rss+xml", `<?xml version="1.0" encoding="koi8-r"?>` + "\xc1", `<?xml version="1.0" encoding="koi8-r"?>а`, "koi8-r", "xml"},
		{"text has no meta elements", "text/plain", "<meta charset=gbk>ä", "<meta charset=gbk>ä", "utf-8", "utf-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, got := read(c.header, c.body)
			assert.Equal(t, c.text, text)
			assert.Equal(t, fetch.Charset{Name: c.charset, From: c.from, Version: 1}, got)
		})
	}
}

func TestALabelThatNamesNoEncodingIsKept(t *testing.T) {
	text, got := read("text/html; charset=bogus", "ä")
	assert.Equal(t, "ä", text)
	assert.Equal(t, fetch.Charset{Name: "utf-8", From: "utf-8", Version: 1, Lost: []fetch.Charset{{Name: "bogus", From: "header"}}}, got)
	_, got = read("text/html; charset=bogus", "<meta charset=gbk>\xd6\xd0")
	assert.Equal(t, fetch.Charset{Name: "gbk", From: "meta", Version: 1, Lost: []fetch.Charset{{Name: "bogus", From: "header"}}}, got)
	_, got = read("text/html; charset="+strings.Repeat("x", 1000), "a")
	require.Len(t, got.Lost, 1)
	assert.Len(t, got.Lost[0].Name, 64, "it is bounded")
	_, got = read("text/html; charset=utf8", "a")
	assert.Empty(t, got.Lost, "this one names an encoding")
}

func TestABodyInUTF8IsNotCopied(t *testing.T) {
	for _, body := range []string{"naïve", "\ufeffnaïve"} {
		body := []byte(body)
		text, _ := fetch.UTF8(contentType("text/html; charset=utf-8"), body)
		assert.Equal(t, "naïve", string(text))
		assert.Same(t, &body[len(body)-1], &text[len(text)-1])
	}
}

func TestACharacterThatIsCutWithTheBodyIsLeftOut(t *testing.T) {
	body := []byte("na\xc3")
	text, c := fetch.UTF8Prefix(contentType("text/html; charset=utf-8"), body)
	assert.Equal(t, "na", string(text))
	assert.Zero(t, c.Invalid)

	text, c = fetch.UTF8(contentType("text/html; charset=utf-8"), body)
	assert.Equal(t, "na\uFFFD", string(text))
	assert.Equal(t, 1, c.Invalid)
}

func read(header, body string) (string, fetch.Charset) {
	return fetch.Text(contentType(header), []byte(body))
}

func contentType(value string) http.Header { return http.Header{"Content-Type": {value}} }

func FuzzTextIsValidUTF8(f *testing.F) {
	f.Add("text/html; charset=gbk", []byte("<meta charset=utf-16>\xff\xfe\x00"))
	f.Add(`;charset="`, []byte("<meta content='charset=\"x"))
	f.Fuzz(func(t *testing.T, header string, body []byte) {
		text, charset := fetch.Text(contentType(header), body)
		if !utf8.ValidString(text) || charset.Name == "" || charset.From == "" {
			t.Fatalf("%q %q: %q, %+v", header, body, text, charset)
		}
		again, _ := fetch.Text(contentType("text/html; charset=utf-8"), []byte(text))
		if len(text) > 0 && text[0] < utf8.RuneSelf && again != text {
			t.Fatalf("%q becomes %q when it is read again", text, again)
		}
	})
}

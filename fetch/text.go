package fetch

import (
	"bytes"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/wlynxg/chardet"
	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
)

// Charset is the encoding in which a body was read, and what decided it.
type Charset struct {
	Name string // as the encoding standard of the WHATWG names it: "utf-8", "windows-1251"
	From string // "bom", "header", "meta", "utf-8" for bytes that are valid UTF-8, "detected", or "default"
}

const (
	prescanSize = 1024    // bytes in which a page may declare its encoding, HTML, section 13.2.3.2
	detectSize  = 4 << 10 // bytes that are given to detection, which costs a millisecond
	detectSure  = 0.8     // confidence of a guess that is taken
)

// Text returns body as UTF-8. The first that is there decides: a byte order
// mark, the header, the page's meta element, bytes that are valid UTF-8,
// detection, and at last windows-1252. A header that says UTF-8 of bytes that
// are not gives way to a meta element that says something else. What no encoding
// gives a meaning to becomes U+FFFD.
func Text(header http.Header, body []byte) (string, Charset) {
	text, c := UTF8(header, body)
	return string(text), c
}

// UTF8 is Text without a copy, where body is UTF-8 already: the result is then a
// part of body.
func UTF8(header http.Header, body []byte) ([]byte, Charset) {
	e, c := charsetOf(header, body)
	body = bytes.TrimPrefix(body, []byte(utf8BOM))
	if e == nil || c.Name == "utf-8" {
		return replaceInvalid(body), c
	}
	text, err := e.NewDecoder().Bytes(body)
	if err != nil {
		return replaceInvalid(body), c
	}
	return bytes.TrimPrefix(text, []byte(utf8BOM)), c
}

// replaceInvalid returns body itself where there is nothing to replace.
func replaceInvalid(body []byte) []byte {
	if utf8.Valid(body) {
		return body
	}
	return bytes.ToValidUTF8(body, []byte("\uFFFD"))
}

const utf8BOM = "\xef\xbb\xbf"

// charsetOf decides the encoding of body.
func charsetOf(header http.Header, body []byte) (encoding.Encoding, Charset) {
	if name := bomOf(body); name != "" {
		return encodingOf(name, "bom")
	}
	e, c := encodingOf(declaredCharset(header), "header")
	if e == nil || !fits(c, body) {
		if m, meta := encodingOf(metaCharset(body), "meta"); m != nil && (e == nil || fits(meta, body)) {
			e, c = m, meta
		}
	}
	switch {
	case e != nil && fits(c, body):
		return e, c
	case utf8.Valid(body):
		return encodingOf("utf-8", "utf-8")
	case e != nil:
		return e, c // contradicted, but nothing else is known
	}
	return detect(body)
}

// detect guesses the encoding of bytes that nobody has declared. A guess that is
// not sure is worth less than the default of the web.
func detect(body []byte) (encoding.Encoding, Charset) {
	guess := chardet.Detect(body[:min(len(body), detectSize)])
	if guess.Confidence >= detectSure {
		if e, c := encodingOf(guess.Encoding, "detected"); e != nil && fits(c, body) {
			return e, c
		}
	}
	return encodingOf("windows-1252", "default")
}

// encodingOf returns the encoding of a label, or nil. Beside the labels of the
// web it knows those of the detector, which takes a short Cyrillic text for one
// of an old Macintosh: the letters are the same, and the web has none of those.
func encodingOf(label, from string) (encoding.Encoding, Charset) {
	switch strings.ToLower(label) {
	case "":
		return nil, Charset{}
	case "gb-18030":
		label = "gb18030"
	case "iso-8859-9":
		label = "windows-1254"
	case "maccyrillic":
		label = "windows-1251"
	}
	e, name := charset.Lookup(label)
	return e, Charset{name, from}
}

// fits reports whether body can be in an encoding; only UTF-8 can be refuted.
func fits(c Charset, body []byte) bool {
	return c.Name != "utf-8" || utf8.Valid(body)
}

// bomOf returns the encoding that a byte order mark names.
func bomOf(body []byte) string {
	switch {
	case bytes.HasPrefix(body, []byte(utf8BOM)):
		return "utf-8"
	case bytes.HasPrefix(body, []byte{0xfe, 0xff}):
		return "utf-16be"
	case bytes.HasPrefix(body, []byte{0xff, 0xfe}):
		return "utf-16le"
	}
	return ""
}

// metaCharset returns the label that the first meta elements of a page declare.
// A page that could be read to find it is not in UTF-16, whatever it says.
func metaCharset(body []byte) string {
	z := html.NewTokenizer(bytes.NewReader(body[:min(len(body), prescanSize)]))
	z.SetMaxBuf(prescanSize)
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			if name, more := z.TagName(); string(name) == "meta" && more {
				if label := metaLabel(z); label != "" {
					return label
				}
			}
		}
	}
}

// metaLabel returns the label of one meta element: its charset, or that of its
// content if it stands for a Content-Type header.
func metaLabel(z *html.Tokenizer) string {
	var label, content string
	pragma := false
	for more := true; more; {
		var name, value []byte
		name, value, more = z.TagAttr()
		switch string(name) {
		case "charset":
			label = strings.TrimSpace(string(value))
		case "content":
			content = string(value)
		case "http-equiv":
			pragma = strings.EqualFold(string(value), "content-type")
		}
	}
	if label == "" && pragma {
		label = contentLabel(content)
	}
	switch strings.ToLower(label) {
	case "utf-16", "utf-16be", "utf-16le":
		return "utf-8"
	case "x-user-defined":
		return "windows-1252"
	}
	return label
}

// contentLabel finds "charset=label" in a meta element's content.
func contentLabel(content string) string {
	for rest := content; ; {
		i := strings.Index(strings.ToLower(rest), "charset")
		if i < 0 {
			return ""
		}
		rest = strings.TrimLeft(rest[i+len("charset"):], " \t\r\n\f")
		value, ok := strings.CutPrefix(rest, "=")
		if !ok {
			continue
		}
		value = strings.TrimLeft(value, " \t\r\n\f")
		if value != "" && strings.ContainsAny(value[:1], `"'`) {
			quoted, _, closed := strings.Cut(value[1:], value[:1])
			if !closed {
				return ""
			}
			return quoted
		}
		return value[:indexOrEnd(value, " \t\r\n\f;")]
	}
}

func indexOrEnd(s, chars string) int {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return i
	}
	return len(s)
}

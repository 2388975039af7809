package charset

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// A meta is what the attributes of one meta element say of the encoding.
type meta struct {
	charset attr
	content attr
	pragma  attr
}

// An attr is one attribute of an element: of two with one name the first counts.
type attr struct {
	value string
	set   bool
}

// add takes the next attribute of the element.
func (m *meta) add(name, value []byte) {
	var a *attr
	switch {
	case equalFold(name, "charset"):
		a = &m.charset
	case equalFold(name, "content"):
		a = &m.content
	case equalFold(name, "http-equiv"):
		a = &m.pragma
	default:
		return
	}
	if !a.set {
		*a = attr{string(value), true}
	}
}

// prescanned returns the encoding that the prescan takes from the element: an
// unknown label in charset hides the one of content.
func (m *meta) prescanned() string {
	if m.charset.set {
		return readableHTML(Name(m.charset.value))
	}
	return m.pragmatic()
}

// parsed returns the encoding that a parser takes from the element (HTML, section
// 13.2.6.4.4): where charset has an unknown label, content is looked at.
func (m *meta) parsed() string {
	if name := Name(m.charset.value); name != "" {
		return readableHTML(name)
	}
	return m.pragmatic()
}

// pragmatic returns the encoding of an element that stands for a header.
func (m *meta) pragmatic() string {
	if !equalFold(m.pragma.value, "content-type") {
		return ""
	}
	return readableHTML(Name(contentLabel(m.content.value)))
}

// contentLabel returns the label in a text like "text/html; charset=utf-8" (HTML,
// "extracting a character encoding from a meta element").
func contentLabel(content string) string {
	for {
		i := indexFold(content, "charset")
		if i < 0 {
			return ""
		}
		content = strings.TrimLeft(content[i+len("charset"):], blanks)
		if value, ok := strings.CutPrefix(content, "="); ok {
			return contentValue(strings.TrimLeft(value, blanks))
		}
	}
}

// contentValue cuts a label from what follows it.
func contentValue(s string) string {
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		label, _, closed := strings.Cut(s[1:], s[:1])
		if !closed {
			return ""
		}
		return label
	}
	if i := strings.IndexAny(s, blanks+";"); i >= 0 {
		return s[:i]
	}
	return s
}

// indexFold returns where s has part, which is in lower-case ASCII letters, in any
// case; or -1.
func indexFold[T string | []byte](s T, part string) int {
	for i := 0; i+len(part) <= len(s); i++ {
		if s[i]|0x20 == part[0] && equalFold(s[i:i+len(part)], part) {
			return i
		}
	}
	return -1
}

// lateSize is how many bytes of a page are read to find a declaration that the
// prescan does not see.
const lateSize = 64 << 10

// parse finds the first meta element that declares an encoding, as a parser comes
// upon it: not in comments, scripts or texts, and also behind the bytes of the
// prescan. It returns where the element begins.
func parse(page []byte) (name string, at int) {
	page = page[:min(len(page), lateSize)]
	if !mayDeclare(page) {
		return "", 0
	}
	z := html.NewTokenizer(bytes.NewReader(page))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return "", 0
		}
		if kind == html.StartTagToken || kind == html.SelfClosingTagToken {
			if name := parseMeta(z); name != "" {
				return name, at
			}
		}
		at += len(z.Raw())
	}
}

// mayDeclare reports whether it is worth to look for a meta element that declares
// an encoding. Most pages that get here have none.
func mayDeclare(page []byte) bool {
	for {
		i := bytes.IndexByte(page, '<')
		if i < 0 {
			return false
		}
		if page = page[i:]; isMeta(page) {
			return indexFold(page, "charset") >= 0
		}
		page = page[1:]
	}
}

// parseMeta returns the encoding that the element at which z stands declares.
func parseMeta(z *html.Tokenizer) string {
	tag, more := z.TagName()
	if string(tag) != "meta" {
		return ""
	}
	var m meta
	for more {
		var name, value []byte
		name, value, more = z.TagAttr()
		m.add(name, value)
	}
	return m.parsed()
}

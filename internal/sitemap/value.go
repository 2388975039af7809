package sitemap

import (
	"bytes"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A value gathers the text of one field: characters whose references stand for
// others, and sections in which they do not.
type value struct {
	text []byte
	run  []byte // characters behind it, with their references
	over bool   // more than the bound was dropped
}

func (v *value) reset() { v.text, v.run, v.over = v.text[:0], v.run[:0], false }

// characters appends a piece of a value of at most limit bytes as they are written.
func (v *value) characters(b []byte, limit int) { v.run = append(v.run, v.room(b, limit)...) }

// section appends a piece that has no references.
func (v *value) section(b []byte, limit int, report *Report) {
	v.resolve(report)
	v.text = append(v.text, v.room(b, limit)...)
}

// room returns what of b there is room for, without the space before a value.
func (v *value) room(b []byte, limit int) []byte {
	used := len(v.text) + len(v.run)
	if used == 0 {
		b = trimLeft(b)
	}
	if room := limit - used; len(b) > room {
		v.over = v.over || len(trim(b[room:])) > 0
		b = b[:room]
	}
	return b
}

func (v *value) resolve(report *Report) {
	v.text = unescape(v.text, v.run, report)
	v.run = v.run[:0]
}

// bytes is the value without the space around it. It holds until the next reset.
func (v *value) bytes(report *Report) []byte {
	v.resolve(report)
	return trim(v.text)
}

// unescape appends b to dst. Each reference that ends with ";" is replaced as those
// of HTML are, which are those of XML and more. Any other "&" is itself: many sites
// write the "&" of a query as it is.
func unescape(dst, b []byte, report *Report) []byte {
	for {
		i := bytes.IndexByte(b, '&')
		if i < 0 {
			return append(dst, b...)
		}
		dst, b = append(dst, b[:i]...), b[i:]
		size := 1 + bytes.IndexByte(b[:min(len(b), nameMax)], ';')
		if size == 0 || !isReference(b[1:size-1]) {
			dst, b = append(dst, '&'), b[1:]
			continue
		}
		text, ok := meaning(b[:size])
		if !ok {
			report.note(UnknownEntity, b[:size])
			text = string(b[:size])
		}
		dst, b = append(dst, text...), b[size:]
	}
}

// isReference reports whether b is a name or a number.
func isReference(b []byte) bool {
	b = bytes.TrimPrefix(b, []byte("#"))
	for _, c := range b {
		if !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z') {
			return false
		}
	}
	return len(b) > 0
}

// meaning is what a reference with its ";" stands for.
func meaning(b []byte) (string, bool) {
	switch string(b) {
	case "&amp;":
		return "&", true
	case "&lt;":
		return "<", true
	case "&gt;":
		return ">", true
	case "&quot;":
		return `"`, true
	case "&apos;":
		return "'", true
	}
	text := html.UnescapeString(string(b))
	return text, text != string(b) && !strings.HasSuffix(text, ";") || text == ";"
}

// trim cuts off space as people see it: no-break space, marks of byte order and
// others of no width, too.
func trim(b []byte) []byte { return bytes.TrimRightFunc(trimLeft(b), isSpace) }

func trimLeft(b []byte) []byte {
	for len(b) > 0 && b[0] < utf8.RuneSelf {
		if b[0] > ' ' {
			return b
		}
		b = b[1:]
	}
	return bytes.TrimLeftFunc(b, isSpace)
}

func isSpace(r rune) bool {
	return r <= ' ' || r == '\ufeff' || r == '\u200b' || unicode.IsSpace(r)
}

// text copies b as valid UTF-8.
func (r *Report) text(b []byte) string {
	if !utf8.Valid(b) {
		r.note(InvalidText, b)
		return strings.ToValidUTF8(string(b), "\ufffd")
	}
	return string(b)
}

// attribute returns the value of an attribute, by its name without a prefix, with
// its references as they are.
func attribute(data []byte, name string) []byte {
	for len(data) > 0 {
		data = bytes.TrimLeft(data, blanks+"/")
		n := bytes.IndexAny(data, blanks+"=")
		if n < 0 {
			return nil
		}
		key := data[:n]
		data = bytes.TrimLeft(data[n:], blanks)
		if len(data) == 0 || data[0] != '=' {
			continue
		}
		var text []byte
		text, data = attributeValue(bytes.TrimLeft(data[1:], blanks))
		if bytes.EqualFold(key, []byte(name)) {
			return text
		}
	}
	return nil
}

// attributeValue cuts off the value with which data begins.
func attributeValue(data []byte) (text, rest []byte) {
	if len(data) == 0 {
		return nil, nil
	}
	if q := data[0]; q == '"' || q == '\'' {
		if end := bytes.IndexByte(data[1:], q); end >= 0 {
			return data[1 : end+1], data[end+2:]
		}
		return nil, nil // it is cut: who knows where
	}
	n := bytes.IndexAny(data, blanks)
	if n < 0 {
		return bytes.TrimSuffix(data, []byte("/")), nil
	}
	return data[:n], data[n:]
}

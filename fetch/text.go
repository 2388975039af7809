package fetch

import (
	"net/http"

	"github.com/weircrawl/weir/internal/charset"
	"github.com/weircrawl/weir/internal/header"
)

// Charset is the encoding in which a body was read, and what decided it.
type Charset struct {
	Name string // as the Encoding standard of the WHATWG names it, in lower case: "utf-8", "windows-1251"

	// From is what decided: "bom", "header", "meta", "xml" for an XML declaration,
	// "late meta" for a meta element that only a parser finds, "utf-8" for bytes
	// that are valid UTF-8, "detected", or "default".
	From string

	Invalid int       // sequences without a meaning, each of which became U+FFFD
	Lost    []Charset // other encodings that were declared, with Name and From alone, two at most; and a label in the header that names none, as written, 64 bytes of it at most
	Version int       // of the rules; the bytes of a page can be decided anew
}

// maxLabel is how much is kept of a label that names no encoding.
const maxLabel = 64

// Text returns body as UTF-8. The first that is there decides: a byte order mark,
// the header, what the page says of itself in a meta element or an XML
// declaration, bytes that are valid UTF-8, detection, and at last windows-1252. A
// header gives way to what the page says of itself where the bytes are wrong under
// the one and right under the other. A known label in the header is kept, even
// where the bytes are wrong, unless the page says another: look at
// Charset.Invalid. What has no meaning becomes U+FFFD.
func Text(header http.Header, body []byte) (string, Charset) {
	text, c := UTF8(header, body)
	return string(text), c
}

// UTF8 is Text without a copy, where body is UTF-8 already: the result is then a
// part of body.
func UTF8(header http.Header, body []byte) ([]byte, Charset) {
	return utf8Of(header, body, false)
}

// UTF8Prefix is UTF8 for a body that was cut: a character that is cut with it is
// left out.
func UTF8Prefix(header http.Header, prefix []byte) ([]byte, Charset) {
	return utf8Of(header, prefix, true)
}

func utf8Of(h http.Header, body []byte, cut bool) ([]byte, Charset) {
	media, _ := header.ContentType(h.Values("Content-Type"))
	source := charset.Source{Body: body, Media: media.Essence, Label: media.Charset(), Cut: cut}
	text, decision, invalid := source.UTF8()
	c := charsetOf(decision.Claim)
	c.Invalid, c.Version = invalid, charset.Version
	if label := source.Label; label != "" && charset.Name(label) == "" {
		c.Lost = append(c.Lost, Charset{Name: label[:min(len(label), maxLabel)], From: charset.FromHeader})
	}
	for _, claim := range decision.Lost {
		c.Lost = append(c.Lost, charsetOf(claim))
	}
	return text, c
}

func charsetOf(c charset.Claim) Charset { return Charset{Name: c.Name, From: c.From} }

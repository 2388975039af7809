package weir

import "github.com/weircrawl/weir/fetch"

// Text returns the page in UTF-8: of the rendered document where there is one.
// How its encoding is found is fetch.Text's.
func (p *Page) Text() string {
	if !p.read {
		p.text, p.read = string(p.utf8()), true
	}
	return p.text
}

// utf8 is Text as bytes that are not to be changed: the body itself where it is
// in UTF-8.
func (p *Page) utf8() []byte {
	if p.Rendered != nil {
		return p.Rendered.Document
	}
	p.decode()
	return p.decoded
}

// Charset returns the encoding in which Body was read, and what decided it. Body
// itself stays as received, so that another decision is possible.
func (p *Page) Charset() fetch.Charset {
	p.decode()
	return p.charset
}

// decode reads Body, once.
func (p *Page) decode() {
	switch {
	case p.decoded != nil:
	case p.Truncated != "":
		p.decoded, p.charset = fetch.UTF8Prefix(p.Header, p.Body)
	default:
		p.decoded, p.charset = fetch.UTF8(p.Header, p.Body)
	}
}

// isHTML reports whether a page of this media type is a document with links.
func isHTML(media string) bool {
	return media == "text/html" || media == "application/xhtml+xml"
}

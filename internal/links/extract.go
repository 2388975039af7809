package links

import (
	"bytes"
	"errors"
	"io"

	"golang.org/x/net/html"
)

// maxToken bounds the memory that a single tag, comment or script may take. A
// page with a longer one is read up to it.
const maxToken = 4 << 20

// Extract reads body, which is UTF-8, once and returns what it refers to.
func Extract(body []byte, o Options) Result {
	e := extractor{options: o.withDefaults(), tokens: html.NewTokenizer(bytes.NewReader(body))}
	e.tokens.SetMaxBuf(maxToken)
	for e.next() {
	}
	e.endAnchor()
	if !errors.Is(e.tokens.Err(), io.EOF) {
		e.result.Unread = len(body) - e.offset
	}
	return e.result
}

// extractor is one pass over a page.
type extractor struct {
	options Options
	tokens  *html.Tokenizer
	result  Result

	offset    int // of the current token
	bytes     int // of the references kept
	templates int // open template elements
	svgs      int // open svg elements
	hasBase   bool
	anchor    anchor
	found     attributes // of the current tag; reused
}

// next handles one token, and reports whether there was one.
func (e *extractor) next() bool {
	switch token := e.tokens.Next(); token {
	case html.ErrorToken:
		return false
	case html.TextToken:
		length := len(e.tokens.Raw())
		if e.anchor.open {
			e.anchor.write(e.tokens.Text())
		}
		e.offset += length
	case html.StartTagToken, html.SelfClosingTagToken:
		length := len(e.tokens.Raw())
		e.start(token == html.SelfClosingTagToken)
		e.offset += length
	case html.EndTagToken:
		length := len(e.tokens.Raw())
		e.end()
		e.offset += length
	default:
		e.offset += len(e.tokens.Raw())
	}
	return true
}

// start handles a start tag. In SVG a tag that closes itself holds no raw text.
func (e *extractor) start(closed bool) {
	name, hasAttributes := e.tokens.TagName()
	switch string(name) {
	case "template":
		e.templates++
	case "svg":
		if !closed {
			e.svgs++
		}
	case "noscript":
		e.tokens.NextIsNotRawText() // scripts do not run, so its content is markup
	}
	if closed && e.svgs > 0 {
		e.tokens.NextIsNotRawText()
	}
	element := elementOf(name)
	if element == nil || e.templates > 0 {
		return
	}
	e.found = attributes{}
	for hasAttributes {
		var key, value []byte
		key, value, hasAttributes = e.tokens.TagAttr()
		e.found.set(key, value)
	}
	element(e)
}

func (e *extractor) end() {
	switch name, _ := e.tokens.TagName(); string(name) {
	case "a":
		e.endAnchor()
	case "template":
		e.templates = max(e.templates-1, 0)
	case "svg":
		e.svgs = max(e.svgs-1, 0)
	}
}

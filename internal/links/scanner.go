package links

import (
	"bytes"
	"strings"
)

// kind is what a token is.
type kind uint8

const (
	nothing  kind = iota // the page has ended; what is left is a tag that has not
	text                 // of the page, or raw text of an element that holds no markup
	startTag             // with its attributes
	endTag
	other // a comment, a doctype, a processing instruction
)

// scanner cuts a page into tokens as browsers do (HTML, 13.2.5), without copying
// a byte: a token is a place in the page. It takes time linear in the page, and no
// memory of its own.
type scanner struct {
	page []byte
	next int // where the next token begins

	kind   kind
	start  int        // of the token
	name   []byte     // of a tag, as written
	tag    attributes // of a tag
	closed bool       // a tag that is finished, and ends in a slash
	text   []byte     // as written
	of     string     // the element whose raw text this is, or "[CDATA["

	raw   string // the element whose raw text comes next; empty if none
	cdata bool   // CDATA sections are text, as in XML, SVG and MathML
}

// scan finds the next token. One that is a tag has to be finished before the next.
func (s *scanner) scan() kind {
	s.start, s.of = s.next, ""
	if s.raw != "" && s.scanRaw() {
		return s.kind
	}
	switch at := s.markup(); {
	case at > s.start || at < 0:
		s.scanText(at)
	case isLetter(s.page[at+1]):
		s.scanTag(startTag, at+1)
	case s.page[at+1] == '/' && at+2 < len(s.page) && isLetter(s.page[at+2]):
		s.scanTag(endTag, at+2)
	case s.page[at+1] == '/' && at+2 == len(s.page):
		s.scanText(-1)
	case s.cdata && bytes.HasPrefix(s.page[at:], []byte(cdata)):
		s.scanCDATA(at + len(cdata))
	default:
		s.kind, s.next = other, s.endOfOther(at)
	}
	return s.kind
}

const cdata = "<![CDATA["

// scanCDATA makes a section that begins at at a token.
func (s *scanner) scanCDATA(at int) {
	s.kind, s.of = text, cdata
	if i := bytes.Index(s.page[at:], []byte("]]>")); i >= 0 {
		s.text, s.next = s.page[at:at+i], at+i+len("]]>")
		return
	}
	s.text, s.next = s.page[at:], len(s.page)
}

// isRaw reports whether nothing is decoded in the current text.
func (s *scanner) isRaw() bool { return s.of != "" && s.of != "textarea" && s.of != "title" }

// markup returns where the next < stands that is more than text, or -1.
func (s *scanner) markup() int {
	for at := s.next; ; at++ {
		i := bytes.IndexByte(s.page[at:], '<')
		if at += i; i < 0 || at+1 == len(s.page) {
			return -1
		}
		if c := s.page[at+1]; isLetter(c) || c == '/' || c == '!' || c == '?' {
			return at
		}
	}
}

// scanText makes what stands before end, or before the end of the page, a token.
func (s *scanner) scanText(end int) {
	if end < 0 {
		end = len(s.page)
	}
	s.kind, s.next, s.text = text, end, s.page[s.start:end]
	if s.next == s.start {
		s.kind = nothing
	}
}

// scanTag makes a tag whose name begins at at the current token. Its attributes
// are not read yet.
func (s *scanner) scanTag(k kind, at int) {
	end := at + spanTo(s.page[at:], space|slash|greater)
	s.kind, s.name = k, s.page[at:end]
	s.tag = attributes{page: s.page, next: end}
}

// finishTag reads what is left of the tag that is the current token. It reports
// whether that ends; if not, the page does.
func (s *scanner) finishTag() bool {
	for s.tag.scan() {
	}
	if !s.tag.complete {
		s.kind, s.next = nothing, len(s.page)
		return false
	}
	s.next = s.tag.next
	s.closed = s.page[s.next-2] == '/'
	if s.kind == startTag {
		s.raw = rawText(s.name)
	}
	return true
}

// endOfOther returns where a comment, or what counts as one, ends.
func (s *scanner) endOfOther(at int) int {
	if !bytes.HasPrefix(s.page[at:], []byte("<!--")) {
		return s.after('>', at+len("<!"))
	}
	begin := at + len("<!--")
	for end := begin; ; {
		next := s.after('>', end)
		if next == end || s.page[next-1] != '>' { // the end of the page
			return next
		}
		if endsComment(s.page[begin : next-1]) {
			return next
		}
		end = next
	}
}

// endsComment reports whether a > behind text ends a comment of that text.
func endsComment(text []byte) bool {
	return len(text) == 0 || len(text) == 1 && text[0] == '-' ||
		bytes.HasSuffix(text, []byte("--")) || bytes.HasSuffix(text, []byte("--!"))
}

// after returns the place behind the next c, or the end of the page.
func (s *scanner) after(c byte, at int) int {
	if i := bytes.IndexByte(s.page[at:], c); i >= 0 {
		return at + i + 1
	}
	return len(s.page)
}

// attributes reads the attributes of one tag.
type attributes struct {
	page []byte
	next int // behind the name of the tag, or behind the last attribute

	key, value []byte // as written; the key may be empty
	complete   bool   // the tag has ended, and next is behind it
}

// scan finds the next attribute, and reports whether there is one.
func (a *attributes) scan() bool {
	if a.complete {
		return false
	}
	a.skipSpace()
	if a.next == len(a.page) {
		return false
	}
	if a.page[a.next] == '>' {
		a.next++
		a.complete = true
		return false
	}
	begin := a.next
	if a.page[a.next] == '=' { // at the start it is a part of the key
		a.next++
	}
	a.next += spanTo(a.page[a.next:], space|slash|greater|equals)
	a.key, a.value = a.page[begin:a.next], a.page[a.next:a.next]
	a.skipSpace()
	if a.next == len(a.page) {
		return true
	}
	switch a.page[a.next] {
	case '/':
		a.next++
	case '=':
		a.next++
		a.skipSpace()
		a.scanValue()
	}
	return true
}

// scanValue reads what stands behind an equals sign.
func (a *attributes) scanValue() {
	rest := a.page[a.next:]
	if len(rest) == 0 || rest[0] == '>' {
		return
	}
	if quote := rest[0]; quote == '"' || quote == '\'' {
		end := bytes.IndexByte(rest[1:], quote)
		if end < 0 {
			a.next = len(a.page)
			return
		}
		a.value = rest[1 : 1+end]
		a.next += end + 2
		return
	}
	a.value = rest[:spanTo(rest, space|greater)]
	a.next += len(a.value)
}

func (a *attributes) skipSpace() {
	for a.next < len(a.page) && isSpace(a.page[a.next]) {
		a.next++
	}
}

// rawText returns the name of an element in which no markup is looked for, or "".
// That of noscript is markup where scripts do not run.
func rawText(name []byte) string {
	if len(name) < len("xmp") || len(name) > len("plaintext") || !strings.ContainsRune("inpstx", rune(name[0]|0x20)) {
		return ""
	}
	for _, raw := range []string{"iframe", "noembed", "noframes", "plaintext", "script", "style", "textarea", "title", "xmp"} {
		if equalFold(name, raw) {
			return raw
		}
	}
	return ""
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

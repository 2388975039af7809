package fetch

import (
	"bytes"
	"strings"
)

// A wall is an answer that stops a crawler while it may look like another one: a
// challenge, a login form, a page to be paid for. It is recognised, refused, and
// never worked around. The rules are few and narrow on purpose: a page that is
// taken for a wall is lost, a wall that is taken for a page is one odd page. All
// of them look at the first bytes only, in linear time.

const (
	wallSize  = 128 << 10 // bytes of a body that are looked at
	smallPage = 16 << 10  // a 2xx page larger than this is not there for its wall
)

// wall returns the class of a wall and the mark by which it is known, or nothing.
func (f facts) wall() (Class, string) {
	if mark := f.challenge(); mark != "" {
		return Challenge, mark
	}
	if mark := f.login(); mark != "" {
		return Login, mark
	}
	if mark := f.payment(); mark != "" {
		return Payment, mark
	}
	return "", ""
}

// isHTML reports whether f is a page, which all marks but those of the header
// are looked for in.
func (f facts) isHTML() bool {
	return f.media == "text/html" || f.media == "application/xhtml+xml"
}

// start returns the part of the body that is looked at.
func (f facts) start() []byte {
	return f.body[:min(len(f.body), wallSize)]
}

// title returns the page's title, in lower case and without outer space.
func title(page []byte) string {
	at := indexFold(page, "<title")
	if at < 0 {
		return ""
	}
	_, text, _ := bytes.Cut(page[at:], []byte(">"))
	text, _, _ = bytes.Cut(text[:min(len(text), 256)], []byte("<"))
	return strings.ToLower(string(bytes.TrimSpace(text)))
}

// indexFold finds an ASCII word in lower or upper case.
func indexFold(page []byte, word string) int {
	if i := bytes.Index(page, []byte(word)); i >= 0 {
		return i
	}
	return bytes.Index(page, []byte(strings.ToUpper(word)))
}

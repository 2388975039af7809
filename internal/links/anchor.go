package links

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// anchors are the a elements that are open, the innermost last, and what stands
// around them: it decides how far the text of each reaches where end tags are
// missing (HTML, 13.2.6.4.7 and the modes of tables).
type anchors struct {
	open   []anchor
	scopes []traits // table, cell, holder, foreignScope or shadowRoot
	scoped int      // how much of SVG and MathML is in scopes
}

// anchor is an a element, and its text so far.
type anchor struct {
	link  int    // index of its link
	level int    // scopes around it
	last  bool   // an a element in a table inside it has ended it: it reaches to the end of the table
	text  []byte // white space folded; reused
}

const (
	maxAnchors = 8
	maxScopes  = 64
)

// startAnchor ends the a element that is still open, as browsers do. One around a
// table reaches to the table's end, and one around a cell goes on.
func (e *extractor) startAnchor() {
	if n := len(e.scopes); n > 0 && e.scopes[n-1] == foreignScope {
		return // they may be nested there
	}
	for i := len(e.open) - 1; i >= 0; i-- {
		a := &e.open[i]
		if a.level == len(e.scopes) {
			e.endAnchors(i)
			continue
		}
		for _, s := range e.scopes[a.level:] {
			if s != table {
				return
			}
		}
		a.last = true
	}
}

// openAnchor begins the text of the newest link.
func (e *extractor) openAnchor() {
	n := len(e.open)
	if n == maxAnchors {
		e.endAnchors(0)
		n = 0
	}
	if n == cap(e.open) {
		e.open = append(e.open, anchor{})
	}
	e.open = e.open[:n+1]
	a := &e.open[n]
	*a = anchor{link: len(e.result.Links) - 1, level: len(e.scopes), text: a.text[:0]}
}

// endAnchor ends the a element to which an end tag belongs, if any does. One
// around SVG ends that too.
func (e *extractor) endAnchor() {
	if n := len(e.scopes); n > 0 && e.scopes[n-1] == foreignScope && !e.holdsAnchor(n) && e.holdsAnchor(n-1) {
		e.stayForeign(breaker)
		e.settle()
	}
	if n := len(e.open); n > 0 && e.open[n-1].level == len(e.scopes) {
		e.endAnchors(n - 1)
	}
}

// holdsAnchor reports whether an a element is open right below so many scopes.
func (e *extractor) holdsAnchor(level int) bool {
	return slices.ContainsFunc(e.open, func(a anchor) bool { return a.level == level })
}

// endAnchors ends the a elements from the one at index i on.
func (e *extractor) endAnchors(i int) {
	for _, a := range e.open[i:] {
		e.result.Links[a.link].Text = e.kept.cut(a.folded(), maxText)
	}
	e.open = e.open[:i]
}

// enterScope goes into a part of a table, or into an element that holds a
// document's part of its own.
func (e *extractor) enterScope(el *element) {
	switch kind := el.traits & (table | cell | row | holder | shadowRoot); kind {
	case table:
		if n := len(e.scopes); n > 0 && e.scopes[n-1] == table {
			e.cutScopes(n - 1)
		}
		e.push(kind)
	case cell:
		if e.cutRow() {
			e.push(kind)
		}
	case row:
		e.cutRow()
	case holder, shadowRoot:
		e.push(kind)
	}
}

// scopeForeign makes SVG and MathML scopes while they are open.
func (e *extractor) scopeForeign() {
	e.scoped = len(e.foreign)
	open, scoped := 0, 0
	for _, el := range e.foreign {
		if el.is(svgElement | mathElement) {
			open++
		}
	}
	for i, s := range e.scopes {
		if s != foreignScope {
			continue
		}
		if scoped++; scoped > open {
			e.cutScopes(i)
			return
		}
	}
	for ; scoped < open; scoped++ {
		e.push(foreignScope)
	}
}

func (e *extractor) push(kind traits) {
	if len(e.scopes) < maxScopes {
		e.scopes = append(e.scopes, kind)
	}
}

func (e *extractor) leaveScope(el *element) {
	switch el.traits & (table | cell | row | holder) {
	case table:
		if t := e.table(); t >= 0 {
			e.cutScopes(t)
		}
	case cell, row:
		e.cutRow()
	case holder:
		if n := len(e.scopes); n > 0 && e.scopes[n-1] == holder {
			e.cutScopes(n - 1)
		}
	}
}

// leaveShadow goes out of the innermost shadow root.
func (e *extractor) leaveShadow() {
	for i := len(e.scopes) - 1; i >= 0; i-- {
		if e.scopes[i] == shadowRoot {
			e.cutScopes(i)
			return
		}
	}
}

// table returns the index of the innermost table, or -1. Tables around a shadow
// root are none of its own.
func (e *extractor) table() int {
	for i := len(e.scopes) - 1; i >= 0 && e.scopes[i] != shadowRoot; i-- {
		if e.scopes[i] == table {
			return i
		}
	}
	return -1
}

// cutRow ends a cell, and the a elements between the parts of a table. It reports
// whether there is a table.
func (e *extractor) cutRow() bool {
	t := e.table()
	if t >= 0 {
		e.cutScopes(t + 1)
		e.endFrom(t + 1)
	}
	return t >= 0
}

// cutScopes ends all scopes but n, and what they hold.
func (e *extractor) cutScopes(n int) {
	e.scopes = e.scopes[:n]
	e.endFrom(n + 1)
	if i := len(e.open) - 1; i >= 0 && e.open[i].level == n && e.open[i].last {
		e.endAnchors(i)
	}
}

// endFrom ends the a elements with at least so many scopes around them.
func (e *extractor) endFrom(level int) {
	for i, a := range e.open {
		if a.level >= level {
			e.endAnchors(i)
			return
		}
	}
}

// maxText is the most bytes of an element's text that are kept.
const maxText = 256

// maxRun is how much of one run of text is read, mostly white space perhaps.
const maxRun = 8 << 10

// write adds text to all a elements around it.
func (a *anchors) write(text []byte, isRaw bool) {
	text = decodeText(text[:boundary(text, maxRun)], isRaw)
	for i := range a.open {
		a.open[i].write(text)
	}
}

// write adds text, with each run of white space as one space and without NUL.
func (a *anchor) write(text []byte) {
	for _, c := range text {
		if len(a.text) > maxText {
			return
		}
		switch n := len(a.text); {
		case c == 0:
		case !isSpace(c):
			a.text = append(a.text, c)
		case n > 0 && a.text[n-1] != ' ':
			a.text = append(a.text, ' ')
		}
	}
}

// folded returns the text, cut between two characters.
func (a *anchor) folded() []byte {
	return bytes.TrimSuffix(a.text[:boundary(a.text, maxText)], []byte(" "))
}

// boundary returns the length of what is at most n bytes of s, cut between two
// characters.
func boundary(s []byte, n int) int {
	if len(s) <= n {
		return len(s)
	}
	for end := n; end > n-utf8.UTFMax && end >= 0; end-- {
		if utf8.RuneStart(s[end]) {
			return end
		}
	}
	return n
}

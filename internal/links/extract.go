package links

import "bytes"

// Extract reads body, which is UTF-8, once and returns what it refers to. Without
// a body it returns what the header says.
func Extract(body []byte, o Options) Result {
	e := extractor{scanner: scanner{page: body, cdata: o.XML}, options: o.withDefaults()}
	e.pass()
	e.endAnchors(0)
	return e.result
}

// pass goes through the header and the page.
func (e *extractor) pass() {
	body := e.page
	e.result.Links = make([]Link, 0, min(len(body)/bytesPerLink, 128, e.options.References))
	e.header()
	if bytes.HasPrefix(body, []byte(byteOrderMark)) {
		e.next = len(byteOrderMark)
	}
	for e.scan() != nothing {
		switch e.kind {
		case text:
			e.characters()
		case startTag:
			e.startTag()
		case endTag:
			e.endTag()
		}
	}
}

// bytesPerLink is how many bytes of a page hold one link, on most pages: room is
// made for as many at once.
const bytesPerLink = 256

const byteOrderMark = "\uFEFF"

// extractor is one pass over a page.
type extractor struct {
	scanner
	document
	anchors
	options Options
	result  Result
	bytes   int    // of the references kept
	found   values // of the current tag
	kept    arena
}

// characters gives a text to the a elements around it.
func (e *extractor) characters() {
	if e.templates > 0 {
		return
	}
	e.seeText(e.of, e.text)
	if len(e.open) > 0 {
		e.write(e.text, e.isRaw())
	}
}

// startTag notes where in the document the pass is now, and what the tag refers
// to.
func (e *extractor) startTag() {
	el := e.element()
	if el.refers != nil || el.inSVG != nil || el.is(baseElement|metaElement|template) {
		e.found.read(&e.tag)
	}
	if !e.finishTag() {
		return
	}
	foreign := e.stayForeign(el)
	if el.is(template) && !foreign && e.showsShadow() {
		el = shadow
	}
	empty := e.closed && (foreign || e.options.XML)
	if foreign || empty {
		e.raw = ""
	}
	if empty || e.closed && el.is(svgElement|mathElement) {
		e.proceed(el)
	} else {
		e.enter(el)
	}
	e.settle()
	if e.templates > 0 {
		return
	}
	e.refer(el, foreign)
	if empty && el.is(anchorElement) {
		e.endAnchor()
	}
}

// enter goes into an element.
func (e *extractor) enter(el *element) {
	e.document.enter(el)
	if e.templates == 0 && !e.options.NoText {
		e.enterScope(el)
	}
}

// settle tells the scanner and the scopes whether the pass is in SVG or MathML
// now.
func (e *extractor) settle() {
	e.cdata = e.options.XML || e.inForeign()
	if e.templates == 0 && len(e.foreign) != e.scoped {
		e.scopeForeign()
	}
}

func (e *extractor) endTag() {
	el := e.element()
	if !e.finishTag() || el.traits == 0 {
		return
	}
	if !el.is(headElement | endsHead) { // those are not left before the page ends
		e.stayForeign(el)
	}
	shadows := e.shadows
	e.document.leave(el)
	if e.templates == 0 {
		e.leaveScope(el)
	}
	if e.shadows < shadows {
		e.leaveShadow()
	}
	e.settle()
	if el.is(anchorElement) && e.templates == 0 {
		e.endAnchor()
	}
}

// showsShadow reports whether the template that begins is a declarative shadow root
// (HTML, 13.2.6.4.4), which XML has none of.
func (e *extractor) showsShadow() bool {
	mode := decode(e.found[shadowRootMode])
	return !e.options.XML && (equalFold(mode, "open") || equalFold(mode, "closed"))
}

// element returns what is known of the current tag's element. A prefix means
// nothing but in XML.
func (e *extractor) element() *element {
	name := e.name
	if e.options.XML {
		name = name[bytes.LastIndexByte(name, ':')+1:]
	}
	return elementNames.find(name, &unknown)
}

package links

// document is where in a page the pass is, as far as that decides what its tags
// mean (HTML, 13.2.6).
type document struct {
	place     place
	noscript  bool       // open
	hasBase   bool       // one that counts
	templates int        // open; what they hold is no part of the page
	shadows   int        // open around them; what they hold is shown
	framesets int        // open, in a page that is made of frames
	foreign   []*element // open, of SVG, of MathML, of what holds HTML in them, and templates
}

// place is how far into the page the pass has come.
type place uint8

const (
	inHead    place = iota
	afterHead       // what belongs into the head is still taken there
	inBody
	filled // the body holds something, so that no frameset can take its place
)

// maxForeign is how deep SVG and MathML are followed.
const maxForeign = 32

// inForeign reports whether the pass is in SVG or MathML, and not in a part of it
// that holds HTML again.
func (d *document) inForeign() bool {
	n := len(d.foreign)
	return n > 0 && d.foreign[n-1].is(svgElement|mathElement)
}

// stayForeign reports whether el, which starts or ends here, is a part of SVG or
// MathML: most elements of HTML end those.
func (d *document) stayForeign(el *element) bool {
	if !d.inForeign() {
		return false
	}
	if !el.is(breaksOut) {
		return true
	}
	for d.inForeign() {
		d.foreign = d.foreign[:len(d.foreign)-1]
	}
	return false
}

// enter goes into an element.
func (d *document) enter(el *element) {
	if d.inForeign() {
		d.enterForeign(el)
		return
	}
	switch {
	case el.is(template):
		d.enterTemplate(el)
	case el.is(svgElement | mathElement):
		d.enterForeign(el)
	case d.templates > 0: // a part of no document
	case el.is(noscriptElement):
		d.noscript = true
	case el.is(frameset):
		d.enterFrameset()
	}
	d.proceed(el)
}

// enterTemplate goes into a template. SVG or MathML around it is kept apart from
// what it holds. The head shows no shadow root, nor does another template.
func (d *document) enterTemplate(el *element) {
	if el.is(shadowRoot) && d.templates == 0 && d.place >= inBody {
		d.shadows++
		d.place = filled
	} else {
		d.templates++
	}
	if len(d.foreign) < maxForeign {
		d.foreign = append(d.foreign, el)
	}
}

// leaveTemplate goes out of the innermost template, and of all that it holds.
func (d *document) leaveTemplate() {
	switch {
	case d.templates > 0:
		d.templates--
	case d.shadows > 0:
		d.shadows--
	default:
		return
	}
	for i := len(d.foreign) - 1; i >= 0; i-- {
		if d.foreign[i].is(template) {
			d.foreign = d.foreign[:i]
			return
		}
	}
}

// enterForeign goes into an element of SVG or MathML, if it is one that counts
// there.
func (d *document) enterForeign(el *element) {
	inside := svgElement | mathElement
	if n := len(d.foreign); n > 0 && d.inForeign() {
		inside = svgElement | svgHTML
		if d.foreign[n-1].is(mathElement) {
			inside = mathElement | mathHTML
		}
	}
	if el.is(inside) && len(d.foreign) < maxForeign {
		d.foreign = append(d.foreign, el)
	}
}

// enterFrameset takes a frameset for the body, where there is none yet.
func (d *document) enterFrameset() {
	if d.place < filled || d.framesets > 0 {
		d.framesets++
		d.place = filled
	}
}

// proceed moves on to the body at the first element that cannot stand in the
// head.
func (d *document) proceed(el *element) {
	switch {
	case d.templates > 0:
	case el.is(fills):
		d.place = filled
	case d.place < inBody && !el.is(ofHead), d.place == afterHead && el.is(noscriptElement):
		d.place = inBody
	}
}

// seeText moves on to the body at the first text that is more than white space.
func (d *document) seeText(of string, text []byte) {
	if d.place < filled && of == "" && span(text, isSpace) < len(text) {
		d.place = filled
	}
}

// leave goes out of an element.
func (d *document) leave(el *element) {
	switch {
	case el.is(svgElement | mathElement | svgHTML | mathHTML):
		d.leaveForeign(el)
	case el.is(template):
		d.leaveTemplate()
	case d.templates > 0:
	case el.is(noscriptElement):
		d.noscript = false
	case el.is(frameset):
		d.framesets = max(d.framesets-1, 0)
	case el.is(headElement):
		d.place = max(d.place, afterHead)
	case el.is(endsHead) && !(d.noscript && d.place == inHead):
		d.place = max(d.place, inBody)
	}
}

func (d *document) leaveForeign(el *element) {
	for i := len(d.foreign) - 1; i >= 0 && !d.foreign[i].is(template); i-- {
		if d.foreign[i] == el {
			d.foreign = d.foreign[:i]
			return
		}
	}
}

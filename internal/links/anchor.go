package links

import "unicode/utf8"

// maxText is the most bytes of an element's text that are kept.
const maxText = 256

// anchor is the a element that is open, and its text so far.
type anchor struct {
	open bool
	link int    // index of its link, or -1 if that was not kept
	text []byte // white space folded; reused
}

// startAnchor ends an a element that is still open, as browsers do, and begins
// another. In SVG the reference may stand in xlink:href.
func (e *extractor) startAnchor() {
	e.endAnchor()
	href := e.found.href
	if href == nil && e.svgs > 0 {
		href = e.found.xlink
	}
	if e.refer(href, ruleA) != nil {
		e.anchor.open, e.anchor.link = true, len(e.result.Links)-1
	}
}

func (e *extractor) endAnchor() {
	if !e.anchor.open {
		return
	}
	e.result.Links[e.anchor.link].Text = e.anchor.take()
	e.anchor.open = false
}

// maxRun is how much of one run of text is read, mostly white space perhaps.
const maxRun = 8 << 10

// write adds text, with each run of white space as one space.
func (a *anchor) write(text []byte, isRaw bool) {
	if len(a.text) > maxText {
		return
	}
	for _, c := range decodeText(text[:min(len(text), maxRun)], isRaw) {
		if len(a.text) > maxText {
			return
		}
		if !isSpace(c) {
			a.text = append(a.text, c)
		} else if n := len(a.text); n > 0 && a.text[n-1] != ' ' {
			a.text = append(a.text, ' ')
		}
	}
}

// take returns the text, cut between two characters, and forgets it.
func (a *anchor) take() string {
	text := a.text
	if len(text) > maxText {
		end := maxText
		for end > maxText-utf8.UTFMax && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	if n := len(text); n > 0 && text[n-1] == ' ' {
		text = text[:n-1]
	}
	a.text = a.text[:0]
	return string(text)
}

package links

// Extract reads body, which is UTF-8, once and returns what it refers to.
func Extract(body []byte, o Options) Result {
	e := extractor{scanner: scanner{page: body}, options: o.withDefaults()}
	e.result.Links = make([]Link, 0, min(len(body)/bytesPerLink, 128, e.options.References))
	for e.scan() != nothing {
		switch e.kind {
		case text:
			if e.anchor.open && !e.options.NoText {
				e.anchor.write(e.page[e.start:e.next], e.isRaw)
			}
		case startTag:
			e.startTag()
		case endTag:
			e.endTag()
		}
	}
	e.endAnchor()
	return e.result
}

// bytesPerLink is how many bytes of a page hold one link, on most pages: room is
// made for as many at once.
const bytesPerLink = 256

// extractor is one pass over a page.
type extractor struct {
	scanner
	options Options
	result  Result

	bytes     int // of the references kept
	templates int // open template elements
	svgs      int // open svg elements
	hasBase   bool
	anchor    anchor
	found     values // of the current tag
}

// startTag handles a start tag. In SVG a tag that closes itself holds no raw text.
func (e *extractor) startTag() {
	if e.closed && e.svgs > 0 {
		e.raw = ""
	}
	var buffer [maxName]byte
	name := lower(e.name, &buffer)
	switch string(name) {
	case "template":
		e.templates++
	case "svg":
		if !e.closed {
			e.svgs++
		}
	}
	element := elementOf(name)
	if element == nil || e.templates > 0 {
		return
	}
	e.found = values{}
	tag := attributes{page: e.page, next: e.start + len("<") + len(e.name)}
	for tag.scan() {
		e.found.set(tag.key, tag.value)
	}
	element(e)
}

func (e *extractor) endTag() {
	var buffer [maxName]byte
	switch string(lower(e.name, &buffer)) {
	case "a":
		e.endAnchor()
	case "template":
		e.templates = max(e.templates-1, 0)
	case "svg":
		e.svgs = max(e.svgs-1, 0)
	}
}

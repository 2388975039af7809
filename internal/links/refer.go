package links

import (
	"bytes"
	"slices"
	"strings"
)

// refer notes what the current tag refers to.
func (e *extractor) refer(el *element, foreign bool) {
	refers := el.refers
	if foreign && el.inSVG != nil {
		refers = el.inSVG
	}
	switch {
	case el.is(baseElement):
		e.base(foreign)
	case el.is(metaElement):
		e.meta()
	case el.is(frameElement) && e.framesets == 0: // browsers drop it
	case el.is(anchorElement):
		e.anchor(refers, foreign)
	default:
		e.referAll(refers, foreign)
	}
}

func (e *extractor) referAll(refers []reference, foreign bool) {
	if foreign && e.found[href] == nil {
		e.found[href] = e.found[xlinkHref]
	}
	for _, r := range refers {
		if value := e.found[r.attribute]; value != nil {
			e.take(r, value)
		}
	}
}

// anchor notes a link that a reader follows, and begins its text.
func (e *extractor) anchor(refers []reference, foreign bool) {
	e.startAnchor()
	before := len(e.result.Links)
	e.referAll(refers[:1], foreign)
	if len(e.result.Links) > before && !e.options.NoText {
		e.openAnchor()
	}
	e.referAll(refers[1:], foreign)
}

// take notes what one attribute refers to.
func (e *extractor) take(r reference, value []byte) {
	switch r.holds {
	case words:
		for word := range bytes.FieldsFuncSeq(e.decode(value), isSpaceRune) {
			e.add(word, r.rule)
		}
		return
	case candidates:
		e.takeCandidates(r, value)
		return
	case buttonURL:
		if !equalFold(decode(e.found[typeOf]), "image") {
			return
		}
	case otherURL:
		if bytes.HasPrefix(bytes.TrimLeftFunc(value, isSpaceRune), []byte("#")) {
			return
		}
	}
	rule := r.rule
	if rule == "link" {
		rule = relationRule("link", decode(e.found[rel]))
	}
	if l := e.add(e.decode(value), rule); l != nil {
		e.relate(l, decode(e.found[rel]))
		e.detail(&l.Hreflang, hreflang, maxDetail)
		e.detail(&l.Type, typeOf, maxDetail)
	}
}

// relate keeps the relation of a link. What it asks of crawlers is read to its end,
// however little of it is kept.
func (e *extractor) relate(l *Link, rel []byte) {
	if len(rel) > 0 {
		l.Rel, l.noFollow = e.kept.cut(rel, maxRel), hasWord(rel, "nofollow")
	}
}

// detail keeps at most n bytes of what another attribute says of a link.
func (e *extractor) detail(to *string, a attribute, n int) {
	if value := e.found[a]; len(value) > 0 {
		*to = e.kept.cut(decode(value), n)
	}
}

// decode decodes a value, unless nobody looks at it any more.
func (e *extractor) decode(value []byte) []byte {
	if len(e.result.Links) >= e.options.References && e.result.Beyond > 0 {
		return value
	}
	return decode(value)
}

// takeCandidates notes the images that a srcset offers.
func (e *extractor) takeCandidates(r reference, value []byte) {
	for c := range srcsetCandidates(e.decode(value)) {
		url := c.url
		if len(value) > maxEncoded {
			url = e.decode(url)
		}
		if l := e.add(url, r.rule); l != nil {
			l.Descriptor = e.kept.cut(c.descriptors, maxDetail)
		}
	}
}

// base keeps the base that counts: the first with a href, outside SVG. One in
// noscript is passed over, because the references of the page are written for
// browsers that do not see it; one in a shadow root is not the page's.
func (e *extractor) base(foreign bool) {
	if e.hasBase || foreign || e.noscript || e.shadows > 0 || e.found[href] == nil {
		return
	}
	e.hasBase = true
	e.result.Base = cut(decode(e.found[href]), maxReference)
}

func (e *extractor) meta() {
	text := decode(e.found[content])
	switch {
	case equalFold(decode(e.found[equiv]), "refresh"):
		target, delay, ok := refresh(text)
		if !ok {
			return
		}
		if l := e.add(target, ruleRefresh); l != nil {
			l.Delay = delay
		}
	case e.found[nameOf] != nil:
		e.result.Directives.meta(decode(e.found[nameOf]), text, e.options.Agent)
	}
}

// relationRule names the relation, so that each can be counted and classed by
// itself.
func relationRule(kind string, rel []byte) string {
	switch string(rel) {
	case "":
		return kind
	case "stylesheet":
		if kind == "link" {
			return "link[rel=stylesheet]"
		}
	}
	if len(rel) > maxRule {
		return kind + "[rel=" + shortened(rel) + "]"
	}
	return kind + "[rel=" + strings.Join(strings.Fields(strings.ToLower(string(rel))), " ") + "]"
}

// shortened names the relations for which a rule has room: first those that are
// followed, then others, none by half unless it is the first.
func shortened(rel []byte) string {
	var rule []byte
	for _, relation := range turning {
		if hasWord(rel, relation) {
			rule = append(append(rule, relation...), ' ')
		}
	}
	for word := range bytes.FieldsSeq(rel) {
		if slices.ContainsFunc(turning, func(to string) bool { return equalFold(word, to) }) {
			continue
		}
		word = word[:boundary(word, maxRule)]
		if len(rule) > 0 && len(rule)+len(word) > maxRule {
			break
		}
		rule = append(append(rule, bytes.ToLower(word)...), ' ')
	}
	return cut(trim(rule), maxRule)
}

// maxRule leaves room for "header[rel=]" in a reason of 64 bytes.
const maxRule = 52

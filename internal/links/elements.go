package links

import "strings"

// Rules that have one name whatever the element says.
const (
	ruleA       = "a"
	ruleArea    = "area"
	ruleFrame   = "frame"
	ruleIframe  = "iframe"
	ruleRefresh = "meta[refresh]"
)

// attributes are the values of one tag that any element here looks at; nil is an
// absent one.
type attributes struct {
	href, src, srcset, rel, data, poster, action []byte
	content, name, equiv, xlink                  []byte
}

func (a *attributes) set(key, value []byte) {
	if value == nil {
		value = []byte{}
	}
	switch string(key) {
	case "href":
		a.href = value
	case "src":
		a.src = value
	case "srcset":
		a.srcset = value
	case "rel":
		a.rel = value
	case "data":
		a.data = value
	case "poster":
		a.poster = value
	case "action":
		a.action = value
	case "content":
		a.content = value
	case "name":
		a.name = value
	case "http-equiv":
		a.equiv = value
	case "xlink:href":
		a.xlink = value
	}
}

// elementOf returns what to do with an element that may refer to something.
func elementOf(name []byte) func(*extractor) {
	switch string(name) {
	case "a":
		return (*extractor).startAnchor
	case "area":
		return func(e *extractor) { e.refer(e.found.href, ruleArea) }
	case "frame":
		return func(e *extractor) { e.refer(e.found.src, ruleFrame) }
	case "iframe":
		return func(e *extractor) { e.refer(e.found.src, ruleIframe) }
	case "base":
		return (*extractor).base
	case "meta":
		return (*extractor).meta
	case "link":
		return (*extractor).link
	case "img":
		return func(e *extractor) { e.image("img", "img[srcset]") }
	case "source":
		return func(e *extractor) { e.image("source", "source[srcset]") }
	case "script":
		return func(e *extractor) { e.refer(e.found.src, "script") }
	case "video":
		return func(e *extractor) {
			e.refer(e.found.src, "video")
			e.refer(e.found.poster, "video[poster]")
		}
	case "audio":
		return func(e *extractor) { e.refer(e.found.src, "audio") }
	case "track":
		return func(e *extractor) { e.refer(e.found.src, "track") }
	case "embed":
		return func(e *extractor) { e.refer(e.found.src, "embed") }
	case "object":
		return func(e *extractor) { e.refer(e.found.data, "object") }
	case "form":
		return func(e *extractor) { e.refer(e.found.action, "form") }
	}
	return nil
}

// refer keeps a reference if the attribute was there.
func (e *extractor) refer(value []byte, rule string) *Link {
	if value == nil {
		return nil
	}
	return e.add(value, rule, cut(e.found.rel, maxRel))
}

func (e *extractor) base() {
	if e.hasBase || e.svgs > 0 || e.found.href == nil {
		return
	}
	e.hasBase = true
	e.result.Base = cut(e.found.href, maxReference)
}

func (e *extractor) link() {
	e.refer(e.found.href, linkRule(e.found.rel))
}

func (e *extractor) image(src, srcset string) {
	e.refer(e.found.src, src)
	for candidate := range candidates(e.found.srcset) {
		e.refer(candidate, srcset)
	}
}

func (e *extractor) meta() {
	switch {
	case equalFold(e.found.equiv, "refresh"):
		if target, ok := refresh(string(e.found.content)); ok {
			e.refer([]byte(target), ruleRefresh)
		}
	case e.found.name != nil:
		e.result.Directives.meta(string(e.found.name), string(e.found.content), e.options.Agent)
	}
}

// linkRule names the relation, so that each can be counted and classed by itself.
func linkRule(rel []byte) string {
	switch string(rel) {
	case "":
		return "link"
	case "stylesheet":
		return "link[rel=stylesheet]"
	case "canonical":
		return "link[rel=canonical]"
	case "icon":
		return "link[rel=icon]"
	case "alternate":
		return "link[rel=alternate]"
	case "next":
		return "link[rel=next]"
	case "prev":
		return "link[rel=prev]"
	case "preload":
		return "link[rel=preload]"
	}
	words := strings.Fields(strings.ToLower(cut(rel, maxRel)))
	return "link[rel=" + cut([]byte(strings.Join(words, " ")), maxRule) + "]"
}

// maxRule leaves room for "link[rel=]" in a reason of 64 bytes.
const maxRule = 54

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

// values are those attributes of one tag that any element here looks at, as
// written; nil is an absent one.
type values struct {
	href, src, srcset, rel, data, poster, action []byte
	content, name, equiv, xlink                  []byte
}

// set keeps a value. Of two with one name the first counts.
func (v *values) set(key, value []byte) {
	var buffer [maxName]byte
	if to := v.named(lower(key, &buffer)); to != nil && *to == nil {
		*to = value
	}
}

func (v *values) named(key []byte) *[]byte {
	switch string(key) {
	case "href":
		return &v.href
	case "src":
		return &v.src
	case "srcset":
		return &v.srcset
	case "rel":
		return &v.rel
	case "data":
		return &v.data
	case "poster":
		return &v.poster
	case "action":
		return &v.action
	case "content":
		return &v.content
	case "name":
		return &v.name
	case "http-equiv":
		return &v.equiv
	case "xlink:href":
		return &v.xlink
	}
	return nil
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
	return e.add(decode(value), rule, cut(decode(e.found.rel), maxRel))
}

func (e *extractor) base() {
	if e.hasBase || e.svgs > 0 || e.found.href == nil {
		return
	}
	e.hasBase = true
	e.result.Base = cut(decode(e.found.href), maxReference)
}

func (e *extractor) link() {
	e.refer(e.found.href, linkRule(decode(e.found.rel)))
}

func (e *extractor) image(src, srcset string) {
	e.refer(e.found.src, src)
	for candidate := range candidates(decode(e.found.srcset)) {
		e.add(candidate, srcset, "")
	}
}

func (e *extractor) meta() {
	content := e.found.content
	switch {
	case equalFold(decode(e.found.equiv), "refresh"):
		if target, ok := refresh(string(decode(content))); ok {
			e.add([]byte(target), ruleRefresh, "")
		}
	case e.found.name != nil && len(content) <= maxRobots:
		e.result.Directives.meta(string(decode(e.found.name)), string(decode(content)), e.options.Agent)
	}
}

// maxRobots is more than any list of robots directives needs.
const maxRobots = 8 << 10

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

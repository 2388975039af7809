package links

import (
	"strings"

	"github.com/weircrawl/weir/internal/header"
)

// header notes what the Link and X-Robots-Tag fields of the response say. A link
// that starts from another resource is none of the page's.
func (e *extractor) header() {
	e.start = InHeader
	found, skipped := header.Links(e.options.Header.Values("Link"))
	for _, l := range found {
		if !l.Elsewhere() {
			e.headerLink(l)
		}
	}
	if len(found) == header.MaxLinks {
		e.result.Beyond += skipped
	}
	for _, value := range e.options.Header.Values("X-Robots-Tag") {
		e.result.Directives.header([]byte(value[:min(len(value), maxRobots)]), e.options.Agent)
	}
	e.start = 0
}

func (e *extractor) headerLink(found header.Link) {
	rel := []byte(strings.Join(found.Rel, " "))
	if l := e.add([]byte(found.Target), relationRule("header", rel)); l != nil {
		language, _ := found.Parameter("hreflang")
		media, _ := found.Parameter("type")
		e.relate(l, rel)
		l.Hreflang, l.Type = cut([]byte(language), maxDetail), cut([]byte(media), maxDetail)
	}
}

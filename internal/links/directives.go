package links

import "strings"

// Directives is what a page asks of crawlers, in robots meta elements or in
// X-Robots-Tag headers. Where several apply, the most restrictive wins.
type Directives struct {
	NoIndex  bool // not to be shown in an index
	NoFollow bool // its links are not to be followed
}

// Header adds what one X-Robots-Tag value says to everybody or, before a colon,
// to agent. A name holds for the rest of the value.
func (d *Directives) Header(value, agent string) {
	if name, rest, ok := strings.Cut(value, ":"); ok && !strings.Contains(name, ",") && !takesValue[strings.ToLower(trimSpace(name))] {
		d.meta(name, rest, agent)
		return
	}
	d.add(value)
}

// takesValue holds the directives that are followed by a colon, so that they are
// not taken for an agent.
var takesValue = map[string]bool{
	"unavailable_after": true, "max-snippet": true, "max-image-preview": true, "max-video-preview": true,
}

// meta adds the content of a meta element whose name speaks to agent.
func (d *Directives) meta(name, content, agent string) {
	name = trimSpace(name)
	if strings.EqualFold(name, "robots") || agent != "" && strings.EqualFold(name, agent) {
		d.add(content)
	}
}

func (d *Directives) add(content string) {
	for word := range strings.SplitSeq(content, ",") {
		switch strings.ToLower(trimSpace(word)) {
		case "noindex":
			d.NoIndex = true
		case "nofollow":
			d.NoFollow = true
		case "none":
			d.NoIndex, d.NoFollow = true, true
		}
	}
}

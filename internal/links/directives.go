package links

import (
	"iter"
	"slices"
	"strings"
)

// Directives is what a page asks of crawlers, in robots meta elements and in
// X-Robots-Tag fields. Where several apply, the most restrictive wins.
type Directives struct {
	NoIndex  bool        // not to be shown in an index: noindex, none
	NoFollow bool        // its links are not to be followed: nofollow, none
	Stated   []Directive // all that it asks of this agent, in order and once each; 64 at most
}

// Directive is one word of what a page asks, known or not. Only noindex, nofollow
// and none mean anything to this module; the rest (noarchive, nosnippet,
// unavailable_after, ...) is for those who keep or show the page.
type Directive struct {
	Name  string // lower-case: "noarchive", "max-snippet"; 64 bytes at most
	Value string // behind a colon, as written: "20"; 128 bytes at most
	Agent string // whom it names, as written; "" for everybody
}

const (
	maxRobots    = 8 << 10 // bytes of one list of directives that are read
	maxStated    = 64
	maxDirective = 64
	maxValue     = 128
)

// unavailableAfter is followed by a date, which may hold a comma.
const unavailableAfter = "unavailable_after"

// takesValue holds the directives that are followed by a colon, so that they are
// not taken for an agent.
var takesValue = map[string]bool{
	unavailableAfter: true, "max-snippet": true, "max-image-preview": true, "max-video-preview": true,
}

// header adds what one X-Robots-Tag value says to everybody or, behind its name
// and a colon, to agent. A name holds up to the next one.
func (d *Directives) header(value, agent string) {
	to := ""
	for part := range parts(value) {
		if name, rest, ok := strings.Cut(part, ":"); ok && !takesValue[strings.ToLower(trimSpace(name))] {
			to, part = trimSpace(name), rest
		}
		switch {
		case to == "" || to == "*" || strings.EqualFold(to, "robots"):
			d.state(part, "")
		case strings.EqualFold(to, agent):
			d.state(part, to)
		}
	}
}

// meta adds the content of a meta element, if its name speaks to agent.
func (d *Directives) meta(name, content, agent string) {
	name = trimSpace(name)
	switch {
	case strings.EqualFold(name, "robots"):
		name = ""
	case name == "" || !strings.EqualFold(name, agent):
		return
	}
	for part := range parts(content) {
		d.state(part, name)
	}
}

// parts cuts a list at its commas, but for one in a date.
func parts(list string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for more := true; more; {
			var part string
			part, list, more = strings.Cut(list, ",")
			if more && endsInWeekday(part) {
				date, rest, again := strings.Cut(list, ",")
				part, list, more = part+","+date, rest, again
			}
			if !yield(part) {
				return
			}
		}
	}
}

// endsInWeekday reports whether part is unavailable_after up to the comma of its
// date: "unavailable_after: Fri".
func endsInWeekday(part string) bool {
	i := strings.LastIndexByte(part, ':')
	if i < 0 || !strings.HasSuffix(strings.ToLower(trimSpace(part[:i])), unavailableAfter) {
		return false
	}
	day := trimSpace(part[i+1:])
	return day != "" && span(day, isLetter) == len(day)
}

// state notes one directive, and does what it says.
func (d *Directives) state(part, agent string) {
	name, value, _ := strings.Cut(part, ":")
	s := Directive{strings.ToLower(trimSpace(name)), cut([]byte(trimSpace(value)), maxValue), agent}
	if s.Name == "" || len(s.Name) > maxDirective {
		return
	}
	switch s.Name {
	case "noindex":
		d.NoIndex = true
	case "nofollow":
		d.NoFollow = true
	case "none":
		d.NoIndex, d.NoFollow = true, true
	}
	if len(d.Stated) < maxStated && !slices.Contains(d.Stated, s) {
		d.Stated = append(d.Stated, s)
	}
}

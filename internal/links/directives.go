package links

import (
	"bytes"
	"iter"
	"slices"
	"strings"
	"time"
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

// known are the directives that stand without a value, as search engines and those
// who train models document them.
var known = []string{
	"all", "follow", "index", "indexifembedded", "noai", "noarchive", "nocache", "nofollow", "noimageai", "noimageindex", "noindex",
	"none", "noodp", "nopagereadaloud", "nositelinkssearchbox", "nosnippet", "notranslate", "noydir",
}

// isKnown reports whether directive is one that is documented.
func isKnown(directive []byte) bool {
	directive, _, _ = bytes.Cut(directive, []byte(":"))
	if words := bytes.Fields(directive); len(words) > 0 {
		return slices.Contains(known, lowerOf(words[0])) || takesValue(words[0])
	}
	return false
}

// takesValue reports whether name is a directive that is followed by a colon, and
// so not an agent.
func takesValue(name []byte) bool {
	lower := lowerOf(name)
	return lower == unavailableAfter || strings.HasPrefix(lower, "max-")
}

// isEverybody reports whether directives behind name and a colon are for all.
func isEverybody(name []byte) bool {
	return len(name) == 0 || string(name) == "*" || equalFold(name, "robots")
}

// isAgent reports whether name, which stands before a colon, is whom the rest
// speaks to. An agent that is not ours is one if a directive follows that is known:
// else it is a directive itself, and the rest its value.
func isAgent(name, rest []byte, ours string) bool {
	return isEverybody(name) || strings.EqualFold(string(name), ours) || !takesValue(name) && isKnown(rest)
}

// header adds what one X-Robots-Tag value says to everybody or, behind its name
// and a colon, to agent. A name holds up to the next one.
func (d *Directives) header(value []byte, agent string) {
	var to []byte
	for part := range parts(value) {
		if name, rest, ok := bytes.Cut(part, []byte(":")); ok && isAgent(trim(name), rest, agent) {
			to, part = trim(name), rest
		}
		switch {
		case isEverybody(to):
			d.state(part, nil)
		case strings.EqualFold(string(to), agent):
			d.state(part, to)
		}
	}
}

// meta adds the content of a meta element, if its name speaks to agent.
func (d *Directives) meta(name, content []byte, agent string) {
	name = trim(name)
	switch {
	case equalFold(name, "robots"):
		name = nil
	case len(name) == 0 || len(name) > maxDirective || !strings.EqualFold(string(name), agent):
		return
	}
	for part := range parts(content[:min(len(content), maxRobots)]) {
		d.state(part, name)
	}
}

// parts cuts a list at its commas, but for one in a date.
func parts(list []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for rest, more := list, true; more; {
			var part []byte
			if part, rest, more = cutPart(rest); !yield(part) {
				return
			}
		}
	}
}

func cutPart(list []byte) (part, rest []byte, more bool) {
	end := bytes.IndexByte(list, ',')
	if end >= 0 && endsInWeekday(list[:end]) {
		date := bytes.IndexByte(list[end+1:], ',')
		if date < 0 {
			return list, nil, false
		}
		end += 1 + date
	}
	if end < 0 {
		return list, nil, false
	}
	return list[:end], list[end+1:], true
}

// endsInWeekday reports whether part is unavailable_after up to the comma of its
// date: "unavailable_after: Fri".
func endsInWeekday(part []byte) bool {
	i := bytes.LastIndexByte(part, ':')
	if i < 0 {
		return false
	}
	name := trim(part[:i])
	name = trim(name[bytes.LastIndexByte(name, ':')+1:])
	day := trim(part[i+1:])
	return lowerOf(name) == unavailableAfter && isWeekday(lowerOf(day))
}

// isWeekday reports whether a lower-case word begins a date: "fri", "friday".
func isWeekday(word string) bool {
	for day := time.Sunday; day <= time.Saturday; day++ {
		if name := strings.ToLower(day.String()); word == name || word == name[:3] {
			return true
		}
	}
	return false
}

// state notes one part of a list, and does what it says. Words without a value are
// directives each, because many write a space for the comma.
func (d *Directives) state(part, agent []byte) {
	if name, value, ok := bytes.Cut(part, []byte(":")); ok {
		d.stateOne(trim(name), trim(value), agent)
		return
	}
	for word := range bytes.FieldsFuncSeq(part, isSpaceRune) {
		d.stateOne(word, nil, agent)
	}
}

func (d *Directives) stateOne(name, value, agent []byte) {
	if len(name) == 0 || len(name) > maxDirective {
		return
	}
	switch {
	case equalFold(name, "noindex"):
		d.NoIndex = true
	case equalFold(name, "nofollow"):
		d.NoFollow = true
	case equalFold(name, "none"):
		d.NoIndex, d.NoFollow = true, true
	}
	if len(d.Stated) >= maxStated {
		return
	}
	s := Directive{strings.ToLower(string(name)), cut(value, maxValue), string(agent)}
	if !slices.Contains(d.Stated, s) {
		d.Stated = append(d.Stated, s)
	}
}

// lowerOf returns a name in lower case; "" for one that is too long to be known.
func lowerOf(name []byte) string {
	if len(name) > maxDirective {
		return ""
	}
	return strings.ToLower(string(name))
}

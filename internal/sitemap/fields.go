package sitemap

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// inEntry takes a start tag inside of an entry.
func (a *assembler) inEntry(t token) {
	report := a.output.report
	if !t.empty {
		defer func() { a.entry.inside++ }()
	}
	if a.entry.inside >= a.limits.Depth {
		report.note(TooDeep, t.local)
		return
	}
	own := bytes.Equal(t.prefix, a.entry.prefix)
	if a.group.kind != noGroup && a.group.kind != groupOpaque && own && !bytes.Equal(t.prefix, a.group.prefix) &&
		fieldOf(a.kind, noGroup, t.local) != noField {
		report.note(MissingEnd, a.group.local)
		a.closeGroup()
	}
	switch g := groupOf(a.kind, t.local); {
	case a.group.kind == groupOpaque:
	case string(t.local) == "link" && a.kind != RSS && (own || a.kind != Atom):
		a.link(t)
	case a.opensField(t, own):
	case g != noGroup && !t.empty && (a.group.kind == noGroup || g == a.group.kind):
		a.openGroup(t, g)
	}
}

// opensField begins a field if t is one.
func (a *assembler) opensField(t token, own bool) bool {
	if a.group.kind != noGroup {
		own = bytes.Equal(t.prefix, a.group.prefix)
	}
	if string(t.local) == "date" && a.kind == RSS { // of Dublin Core
		own = true
	}
	f := fieldOf(a.kind, a.group.kind, t.local)
	if f == noField || !own {
		return false
	}
	if t.empty {
		return true
	}
	a.field.kind, a.field.wrapped = f, false
	a.field.inside = a.entry.inside
	a.field.local = append(a.field.local[:0], t.local...)
	a.field.reset()
	return true
}

// inField takes a start tag inside of a field, and reports whether it changes
// nothing: the text of an element in a field is the field's. What can only stand
// beside it shows that its end is missing.
func (a *assembler) inField(t token) bool {
	own := bytes.Equal(t.prefix, a.entry.prefix)
	_, isEntry := entryOf(a.kind, t.local)
	switch {
	case isEntry && own && a.blank():
		a.field.wrapped = a.field.wrapped || !t.empty
		return true
	case isEntry && own:
	case a.group.kind == noGroup && own && fieldOf(a.kind, noGroup, t.local) != noField:
	case a.group.kind != noGroup && bytes.Equal(t.prefix, a.group.prefix) && fieldOf(a.kind, a.group.kind, t.local) != noField:
	default:
		return true
	}
	a.output.report.note(MissingEnd, a.field.local)
	a.closeField()
	return false
}

// blank reports whether a field has no text yet.
func (a *assembler) blank() bool { return len(a.field.text)+len(a.field.run) == 0 }

// closeField keeps what a field says.
func (a *assembler) closeField() {
	f := a.field.kind
	if f == noField {
		return
	}
	a.field.kind = noField
	a.entry.inside = a.field.inside
	text := a.field.bytes(a.output.report)
	if len(text) == 0 {
		return
	}
	if a.group.kind != noGroup {
		a.group.set(f, a.extraText(f, text), a)
		return
	}
	a.set(f, text)
}

// set keeps a field of the entry itself.
func (a *assembler) set(f field, text []byte) {
	e, report := &a.entry, a.output.report
	switch f {
	case fieldLoc:
		a.setLoc(text)
	case fieldGUID:
		if isURL(text) {
			e.guid = a.url(text, a.field.over)
		}
	case fieldLastMod:
		e.LastMod = a.stamp(text)
	case fieldCreated:
		e.created = a.stamp(text)
	case fieldChangeFreq:
		i := slices.IndexFunc(frequencies, func(f string) bool { return bytes.EqualFold(text, []byte(f)) })
		if i < 0 {
			report.note(BadChangeFreq, text)
			return
		}
		e.ChangeFreq = frequencies[i]
	case fieldPriority:
		p, err := strconv.ParseFloat(strings.Replace(string(text), ",", ".", 1), 64)
		if err != nil || !(0 <= p && p <= 1) {
			report.note(BadPriority, text)
			return
		}
		e.Priority = p
	}
}

// setLoc keeps the URL of the entry. One more begins another entry, unless it is
// that of a feed, where the first is the page.
func (a *assembler) setLoc(text []byte) {
	e := &a.entry
	loc := a.url(text, a.field.over)
	if e.Loc == "" || loc == "" {
		e.Loc += loc
		return
	}
	if a.kind == RSS || a.kind == Atom {
		return
	}
	a.output.report.note(MissingEnd, []byte("loc"))
	a.putEntry()
	a.clearEntry(e.Child)
	e.Loc = loc
}

// url returns a URL that is not too long, or nothing.
func (a *assembler) url(text []byte, over bool) string {
	if over || len(text) > a.limits.URL {
		a.output.report.note(LongURL, text)
		return ""
	}
	return a.output.report.text(text)
}

func (a *assembler) stamp(text []byte) Stamp {
	if s, ok := parseISO(string(text)); ok { // most are, and then text is not copied
		return s
	}
	s, ok := ParseStamp(string(text[:min(len(text), stampMax+1)]))
	if !ok {
		a.output.report.note(BadLastMod, text)
	}
	return s
}

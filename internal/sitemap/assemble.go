package sitemap

import "bytes"

// An assembler makes entries of tokens. It does not keep a tree: an element that is
// not closed ends where the next one of its kind begins.
type assembler struct {
	*scanner
	*output

	kind   Kind   // of the latest root; "" before the first
	prefix []byte // of its name
	closed bool   // the root has ended
	before int64  // bytes before the first root

	scratch []byte // for an attribute

	entry struct {
		Entry
		open    bool
		prefix  []byte
		inside  int    // elements that are open in it
		bare    value  // text outside of fields
		guid    string // in place of a loc
		created Stamp  // in place of lastmod
		size    int    // bytes of its extras
		extras  int
	}
	group struct {
		kind   group
		prefix []byte
		local  []byte
		inside int // entry.inside before it
		extra
	}
	field struct {
		kind    field
		local   []byte
		inside  int  // entry.inside before it
		wrapped bool // there is an entry's element in it, which is none
		value
	}
}

func (a *assembler) read() {
	for !a.stopped && a.output.report.Refused == "" {
		switch t := a.next(); t.kind {
		case endOfText:
			return
		case doctype:
			if a.kind == "" && string(t.local) == "html" {
				a.output.report.Refused = HTML
			}
		case startTag:
			a.start(t)
		case endTag:
			a.end(t)
		default:
			a.text(t)
		}
	}
}

// finish says what the end of the text means.
func (a *assembler) finish(short bool) {
	report := a.output.report
	if a.stopped || report.Refused != "" {
		return
	}
	if a.kind == "" {
		report.Refused = Unrecognised
		return
	}
	if a.scanner.open || short || !a.closed {
		report.note(Truncated, []byte(a.last))
		a.field.kind = noField // it is not whole
		if a.entry.Loc == "" { // and what would stand in its place may not be needed
			a.entry.open = false
		}
	}
	a.closeEntry()
}

// start takes a start tag.
func (a *assembler) start(t token) {
	switch {
	case a.root(t):
	case a.kind == "":
		a.prolog(t)
	case a.field.kind != noField && a.inField(t):
	case a.begins(t):
		a.openEntry(t)
	case !a.entry.open:
	default:
		a.inEntry(t)
	}
}

// root takes the start tag of a root, which can also stand behind another one.
func (a *assembler) root(t token) bool {
	kind, ok := rootOf(t.local)
	if !ok || a.entry.open && kind != URLSet && kind != Index {
		return false
	}
	report := a.output.report
	if a.kind == "" {
		report.Kind = kind
		report.Namespace = namespaceOf(t, report)
	} else {
		a.closeEntry()
		report.note(AnotherRoot, t.local)
	}
	a.kind, a.closed = kind, t.empty
	a.prefix = append(a.prefix[:0], t.prefix...)
	return true
}

func namespaceOf(t token, report *Report) string {
	name := "xmlns"
	if len(t.prefix) > 0 {
		name += ":" + string(t.prefix)
	}
	return cutText(report.text(unescape(nil, attribute(t.data, name), report)), exampleMax)
}

// prolog takes what stands before the first root.
func (a *assembler) prolog(t token) {
	report := a.output.report
	if isPage(t.local) {
		report.Refused = HTML
		return
	}
	a.junk(t.local)
}

// junk counts what belongs to nothing.
func (a *assembler) junk(b []byte) {
	if len(trim(b)) > 0 {
		a.output.report.note(Junk, trim(b))
	}
	if a.kind != "" {
		return
	}
	if a.before += int64(len(b)) + 1; a.before > prologMax {
		a.output.report.Refused = Unrecognised
	}
}

// begins reports whether t begins an entry.
func (a *assembler) begins(t token) bool {
	_, ok := entryOf(a.kind, t.local)
	return ok && (!a.entry.open || bytes.Equal(t.prefix, a.entry.prefix))
}

func (a *assembler) openEntry(t token) {
	if a.entry.open {
		a.output.report.note(MissingEnd, t.local)
		a.closeEntry()
	}
	child, _ := entryOf(a.kind, t.local)
	if child != (a.kind == Index) {
		a.output.report.note(MisplacedEntry, t.local)
	}
	a.clearEntry(child)
	a.entry.open = true
	a.entry.prefix = append(a.entry.prefix[:0], t.prefix...)
	if t.empty {
		a.closeEntry()
	}
}

// clearEntry makes room for the next one.
func (a *assembler) clearEntry(child bool) {
	e := &a.entry
	e.Entry = Entry{Child: child, Priority: DefaultPriority}
	e.guid, e.created = "", Stamp{}
	e.size, e.extras, e.inside = 0, 0, 0
	e.bare.reset()
}

// closeEntry puts the entry that is open.
func (a *assembler) closeEntry() {
	if !a.entry.open {
		return
	}
	a.closeField()
	a.closeGroup()
	a.entry.open = false
	a.putEntry()
}

func (a *assembler) putEntry() {
	e, report := &a.entry, a.output.report
	if e.Loc == "" {
		e.Loc = e.guid
	}
	if e.Loc == "" {
		if bare := e.bare.bytes(report); isURL(bare) {
			report.note(BareLoc, bare)
			e.Loc = a.url(bare, e.bare.over)
		}
	}
	if e.LastMod.IsZero() {
		e.LastMod = e.created
	}
	if e.Loc == "" {
		report.note(NoLoc, []byte(a.last))
		return
	}
	a.put(e.Entry)
}

// end takes an end tag.
func (a *assembler) end(t token) {
	_, isEntry := entryOf(a.kind, t.local)
	switch {
	case a.kind == "":
	case a.field.kind != noField && bytes.Equal(t.local, a.field.local):
		a.closeField()
	case a.field.kind != noField && isEntry && a.field.wrapped:
		a.field.wrapped = false
	case isEntry && a.entry.open && bytes.Equal(t.prefix, a.entry.prefix):
		if a.field.kind != noField {
			a.output.report.note(MissingEnd, a.field.local)
		}
		a.closeEntry()
	case isEntry && !a.entry.open:
		a.output.report.note(StrayEnd, t.local)
	case a.group.kind != noGroup && bytes.Equal(t.local, a.group.local) && bytes.Equal(t.prefix, a.group.prefix):
		a.closeGroup()
	default:
		a.endOther(t)
	}
}

// endOther takes an end tag of what is neither an entry nor in one.
func (a *assembler) endOther(t token) {
	a.entry.inside = max(0, a.entry.inside-1)
	if kind, ok := rootOf(t.local); ok && kind == a.kind && bytes.Equal(t.prefix, a.prefix) {
		a.closeEntry()
		a.closed = true
	}
}

// text takes characters.
func (a *assembler) text(t token) {
	v, limit := &a.field.value, a.textLimit()
	switch {
	case a.field.kind != noField:
	case a.entry.open && a.group.kind == noGroup:
		v = &a.entry.bare
	case a.entry.open:
		return
	case !a.closed && (a.kind == RSS || a.kind == Atom): // of the channel
		return
	default:
		a.junk(t.data)
		return
	}
	if t.kind == cdata {
		v.section(t.data, limit, a.output.report)
		return
	}
	v.characters(t.data, limit)
}

// textLimit bounds a text as it is written: a character may take six bytes.
func (a *assembler) textLimit() int {
	if a.field.kind == noField || a.field.kind.isURL() {
		return 6 * a.limits.URL
	}
	return 6 * valueMax
}

package sitemap

import (
	"bytes"
	"cmp"
	"strconv"
	"time"
)

// An extra is what is known of an image, a video or news, in the fields of all.
type extra struct {
	loc, title, caption, place, license     string
	content, player, thumbnail, description string
	name, language                          string
	length                                  time.Duration
	published                               Stamp
}

// openGroup begins an image, a video, news, or what holds nothing of interest.
func (a *assembler) openGroup(t token, g group) {
	if a.group.kind != noGroup {
		a.output.report.note(MissingEnd, a.group.local)
		a.closeGroup()
	}
	a.group.kind, a.group.extra = g, extra{}
	a.group.inside = a.entry.inside
	a.group.prefix = append(a.group.prefix[:0], t.prefix...)
	a.group.local = append(a.group.local[:0], t.local...)
}

// closeGroup keeps the group that is open.
func (a *assembler) closeGroup() {
	g, x := a.group.kind, &a.group.extra
	if g == noGroup {
		return
	}
	a.closeField()
	a.group.kind = noGroup
	a.entry.inside = a.group.inside
	if g == groupOpaque {
		return
	}
	point := x.point(g)
	if point == "" {
		a.output.report.note(BadExtra, a.group.local)
		return
	}
	if !a.admit(point) {
		return
	}
	switch e := &a.entry.Entry; g {
	case groupImage:
		e.Images = append(e.Images, Image{x.loc, x.title, x.caption, x.place, x.license})
	case groupVideo:
		e.Videos = append(e.Videos, Video{x.content, x.player, x.thumbnail, x.title, x.description, x.length, x.published})
	case groupNews:
		e.News = &News{x.name, x.language, x.title, x.published}
	}
}

// point returns what an extra is about; without it there is none.
func (x *extra) point(g group) string {
	switch g {
	case groupImage:
		return x.loc
	case groupVideo:
		return cmp.Or(x.content, x.player, x.thumbnail)
	}
	return cmp.Or(x.title, x.name)
}

// admit reports whether there is room for one more extra.
func (a *assembler) admit(example string) bool {
	if a.entry.extras == a.limits.Extras || a.entry.size > entryMax {
		a.output.report.note(TooManyExtras, []byte(example))
		return false
	}
	a.entry.extras++
	return true
}

// set keeps a field of the group.
func (x *extra) set(f field, text string, a *assembler) {
	switch f {
	case fieldLoc:
		x.loc = text
	case fieldTitle:
		x.title = text
	case fieldCaption:
		x.caption = text
	case fieldPlace:
		x.place = text
	case fieldLicense:
		x.license = text
	case fieldContent:
		x.content = text
	case fieldPlayer:
		x.player = text
	case fieldThumbnail:
		x.thumbnail = text
	case fieldDescription:
		x.description = text
	case fieldName:
		x.name = text
	case fieldLanguage:
		x.language = text
	case fieldPublished:
		x.published = a.stamp([]byte(text))
	case fieldLength:
		n, err := strconv.ParseUint(text, 10, 31)
		if err != nil {
			a.output.report.note(BadExtra, []byte(text))
		}
		x.length = time.Duration(n) * time.Second
	}
}

// extraText copies the text of an extra.
func (a *assembler) extraText(f field, text []byte) (s string) {
	report := a.output.report
	switch {
	case f.isURL():
		s = a.url(text, a.field.over)
	case len(text) > valueMax || a.field.over:
		report.note(LongText, text)
		s = cutText(report.text(text), valueMax)
	default:
		s = report.text(text)
	}
	a.entry.size += len(s)
	return s
}

// link takes a link element: the page of an Atom entry, or an alternate of a page.
func (a *assembler) link(t token) {
	report := a.output.report
	rel := trim(attribute(t.data, "rel"))
	if len(rel) > 0 && !bytes.EqualFold(rel, []byte("alternate")) {
		return
	}
	a.scratch = unescape(a.scratch[:0], attribute(t.data, "href"), report)
	href := trim(a.scratch)
	if len(href) == 0 {
		report.note(BadExtra, t.local)
		return
	}
	loc := a.url(href, false)
	e := &a.entry
	switch {
	case loc == "":
	case a.kind == Atom:
		if e.Loc == "" {
			e.Loc = loc
		}
	case a.admit(loc):
		lang := a.attributeText(t, "hreflang")
		media := a.attributeText(t, "media")
		e.size += len(loc) + len(lang) + len(media)
		e.Alternates = append(e.Alternates, Alternate{loc, lang, media})
	}
}

// attributeText copies an attribute that is no URL.
func (a *assembler) attributeText(t token, name string) string {
	a.scratch = unescape(a.scratch[:0], attribute(t.data, name), a.output.report)
	return cutText(a.output.report.text(trim(a.scratch)), exampleMax)
}

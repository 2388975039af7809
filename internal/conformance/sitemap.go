package main

import (
	"fmt"
	"io"
	"io/fs"
	"mime"
	"strings"
	"time"

	"github.com/weircrawl/weir/internal/sitemap"
	"github.com/weircrawl/weir/urlnorm"
)

// sitemapSuites judge the tables of sitemap.
var sitemapSuites = []suite{
	table("sitemap/cases.jsonl", nil, judgeSitemap),
	table("sitemap/generated.jsonl", nil, judgeLongSitemap),
	table("sitemap/lastmod.jsonl", nil, judgeLastMod),
}

// A sitemapRow is a file and what is in it.
type sitemapRow struct {
	ID, Name, File, URL string
	Types               []string `json:"content_types"`
	Parts               []part   // instead of a file
	Options             *struct {
		Folder    bool `json:"scope_strict"`
		Namespace bool `json:"namespace_strict"`
		Partial   bool // what is right before a fault is kept
	}
	Expect     sitemapExpect
	Fields     []sitemapEntry
	Alternates [][2]string
	Forbid     string // a text that must not appear
	Note       string
}

type sitemapExpect struct {
	Kind    string
	Count   *int
	Locs    *[]string
	Entries *[]sitemapEntry
}

// A sitemapEntry is an entry in the words of the table.
type sitemapEntry struct {
	Loc        string              `json:"loc,omitempty"`
	LastMod    *time.Time          `json:"lastmod,omitempty"`
	ChangeFreq *string             `json:"changefreq,omitempty"`
	Priority   *float64            `json:"priority,omitempty"`
	Ext        map[string][]fields `json:"ext,omitempty"`
}

// fields are those of an image, a video or an alternate, each with its values.
type fields map[string][]string

// judgeSitemap reads a file under each of its content types: they change nothing.
func judgeSitemap(data fs.FS, row sitemapRow) verdict {
	for _, typ := range row.Types {
		file, err := data.Open("sitemap/" + row.File)
		if err != nil {
			return verdict{id: row.ID, failure: err.Error()}
		}
		failure := row.judge(file, typ)
		if err := file.Close(); err != nil {
			return verdict{id: row.ID, failure: err.Error()}
		}
		if failure != "" {
			return verdict{id: row.ID, failure: typ + ": " + failure}
		}
	}
	return verdict{id: row.ID}
}

// judgeLongSitemap reads a text that is only made while it is read.
func judgeLongSitemap(_ fs.FS, row sitemapRow) verdict {
	var parts []io.Reader
	for _, p := range row.Parts {
		for range p.times {
			parts = append(parts, strings.NewReader(p.text))
		}
	}
	row.URL = "https://example.com/sitemap.xml"
	failure := row.judge(io.MultiReader(parts...), "")
	return verdict{id: row.Name, failure: failure}
}

// judge compares everything that the row states.
func (row sitemapRow) judge(body io.Reader, typ string) string {
	at, err := urlnorm.StandardExact{}.Normalize(nil, row.URL)
	if err != nil {
		return err.Error()
	}
	_, params, err := mime.ParseMediaType(typ)
	if err != nil && typ != "" {
		return err.Error()
	}
	r := sitemap.New(body, sitemap.Options{Label: params["charset"]})
	var found []sitemapEntry
	var alternates [][2]string
	for e, err := range r.Entries() {
		if err != nil {
			return err.Error()
		}
		entry, ok := row.follow(at, e)
		if !ok {
			continue
		}
		found = append(found, entry)
		for _, a := range e.Alternates {
			alternates = append(alternates, [2]string{a.Lang, a.Href})
		}
	}
	return row.compare(found, alternates, r.Report())
}

// follow returns an entry as a crawler requests it, if the sitemap may speak of it.
// Only of pages do the tables ask that.
func (row sitemapRow) follow(at urlnorm.URL, e sitemap.Entry) (sitemapEntry, bool) {
	u, err := urlnorm.StandardExact{}.Normalize(&at, e.Reference())
	if err != nil {
		return sitemapEntry{Loc: err.Error()}, true
	}
	authority := sitemap.Authority{Trust: sitemap.ByScope, At: []urlnorm.URL{at}}
	if row.Options != nil && row.Options.Folder && !e.Child {
		authority.Trust = sitemap.ByFolder
	}
	entry := sitemapEntry{Loc: u.Request, Ext: extOf(e)}
	if !e.LastMod.IsZero() {
		entry.LastMod = &e.LastMod.Time
	}
	if e.ChangeFreq != "" {
		entry.ChangeFreq = &e.ChangeFreq
	}
	if e.Priority != sitemap.DefaultPriority {
		entry.Priority = &e.Priority
	}
	return entry, authority.Page(u).Allowed()
}

// extOf returns images, videos and alternates.
func extOf(e sitemap.Entry) map[string][]fields {
	ext := map[string][]fields{}
	for _, i := range e.Images {
		ext["image"] = append(ext["image"], fields{
			"loc": {i.Loc}, "title": {i.Title}, "caption": {i.Caption}, "geo_location": {i.Place}, "license": {i.License},
		})
	}
	for _, v := range e.Videos {
		ext["video"] = append(ext["video"], fields{
			"content_loc": {v.Content}, "player_loc": {v.Player}, "thumbnail_loc": {v.Thumbnail},
			"title": {v.Title}, "description": {v.Description}, "duration": {fmt.Sprint(v.Length.Seconds())},
			"publication_date": {v.Published.Time.Format("2006-01-02T15:04Z")},
		})
	}
	for _, a := range e.Alternates {
		ext["links"] = append(ext["links"], fields{"href": {a.Href}, "params.hreflang": {a.Lang}})
	}
	return ext
}

// compare returns the first difference.
func (row sitemapRow) compare(found []sitemapEntry, alternates [][2]string, report sitemap.Report) string {
	want := row.Expect
	locs := []string{}
	for _, e := range found {
		locs = append(locs, e.Loc)
	}
	switch {
	case report.Bytes > 50<<20:
		return fmt.Sprintf("%d bytes were read", report.Bytes)
	case strings.Contains(row.Note, "over the ") && report.Count(sitemap.TooManyBytes)+report.Count(sitemap.TooManyEntries) == 0:
		return "a bound was not named"
	case row.Forbid != "" && strings.Contains(fmt.Sprint(found, report), row.Forbid):
		return "it holds " + row.Forbid
	case want.Kind == "any":
		return ""
	case want.Kind == "error":
		if row.refuses(report) {
			return ""
		}
		return "no error: " + show(locs)
	case want.Kind != string(report.Kind):
		return fmt.Sprintf("want %s, got %s (%s)", want.Kind, report.Kind, report.Refused)
	case want.Count != nil && *want.Count != len(found):
		return fmt.Sprintf("want %d entries, got %d: %s", *want.Count, len(found), show(locs))
	case want.Locs != nil && compare("", *want.Locs, locs).failure != "":
		return compare("", *want.Locs, locs).failure
	case row.Alternates != nil && compare("", row.Alternates, alternates).failure != "":
		return compare("", row.Alternates, alternates).failure
	}
	if want.Entries != nil {
		return differs(*want.Entries, found)
	}
	for i, fields := range row.Fields {
		found[i].Loc, found[i].Ext = "", nil
		if failure := compare("", fields, found[i]).failure; failure != "" {
			return failure
		}
	}
	return ""
}

// refuses reports whether a reader with the row's options has an error where this
// one has a report.
func (row sitemapRow) refuses(report sitemap.Report) bool {
	o := row.Options
	return report.Refused != "" ||
		o != nil && !o.Partial && !report.Whole() ||
		o != nil && o.Namespace && report.Namespace != "http://www.sitemaps.org/schemas/sitemap/0.9"
}

// differs returns the first difference between two lists of the same length.
func differs(want, got []sitemapEntry) string {
	for i := range want {
		w, g := want[i], got[i]
		if failure := compare("", w.extOf(g), g.Ext).failure; failure != "" {
			return failure
		}
		w.Ext, g.Ext = nil, nil
		if failure := compare("", w, g).failure; failure != "" {
			return failure
		}
	}
	return ""
}

// extOf returns what the row says of those fields of images, videos and alternates
// which the reader keeps; page maps, which refer to nothing, are not among them.
func (e sitemapEntry) extOf(got sitemapEntry) map[string][]fields {
	ext := map[string][]fields{}
	for name, all := range e.Ext {
		if name == "pagemaps" {
			continue
		}
		for i, want := range all {
			kept := fields{}
			if i < len(got.Ext[name]) {
				for field := range got.Ext[name][i] {
					kept[field] = append([]string{}, want[field]...)
					if len(want[field]) == 0 {
						kept[field] = []string{""}
					}
				}
			}
			ext[name] = append(ext[name], kept)
		}
	}
	return ext
}

type lastModRow struct {
	Value, Level string
	UTC          *time.Time
}

// judgeLastMod reads one time. What is only policy is an implementation's choice.
func judgeLastMod(_ fs.FS, row lastModRow) verdict {
	if row.Level == "policy" {
		return verdict{foreign: true}
	}
	var got *time.Time
	if s, ok := sitemap.ParseStamp(row.Value); ok {
		got = &s.Time
	}
	return compare(row.Value, row.UTC, got)
}

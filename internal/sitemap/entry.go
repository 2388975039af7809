package sitemap

import "time"

// An Entry is what a sitemap says of one page, or of one more sitemap.
type Entry struct {
	N     int    // its place among the entries that were yielded, from 1
	Loc   string // as written, without the space around it; never empty
	Child bool   // it is a sitemap, of an index; else a page

	LastMod    Stamp   // zero if there is none that can be read
	ChangeFreq string  // a constant; "" if there is none that is known
	Priority   float64 // 0 to 1; DefaultPriority if there is none in that range

	Alternates []Alternate
	Images     []Image
	Videos     []Video
	News       *News
}

// DefaultPriority is that of a page of which a sitemap says none (sitemaps.org).
const DefaultPriority = 0.5

// How often a page is said to change (sitemaps.org).
const (
	Always  = "always"
	Hourly  = "hourly"
	Daily   = "daily"
	Weekly  = "weekly"
	Monthly = "monthly"
	Yearly  = "yearly"
	Never   = "never"
)

var frequencies = []string{Always, Hourly, Daily, Weekly, Monthly, Yearly, Never}

// An Alternate is the same page for other readers (hreflang, media).
type Alternate struct{ Href, Lang, Media string }

// An Image stands on the page.
type Image struct{ Loc, Title, Caption, Place, License string }

// A Video stands on the page.
type Video struct {
	Content, Player, Thumbnail string // URLs
	Title, Description         string
	Length                     time.Duration // whole seconds
	Published                  Stamp
}

// News says that the page is an article.
type News struct {
	Name, Language, Title string
	Published             Stamp
}

// A Kind is a form of sitemap.
type Kind string

// The forms that are read.
const (
	URLSet Kind = "urlset"
	Index  Kind = "index"
	RSS    Kind = "rss" // 0.9 to 2.0, RDF too
	Atom   Kind = "atom"
	Text   Kind = "text" // one URL a line
)

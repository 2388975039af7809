package links

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// Options bounds one extraction. The zero value is ready for use.
type Options struct {
	References int         // links kept; default 5,000
	Bytes      int         // bytes of the references kept; default 1 MiB
	Agent      string      // product token, for robots directives that name one
	Header     http.Header // of the response: its Link and X-Robots-Tag fields are read
	XML        bool        // the page is XHTML, served as such
	NoText     bool        // Link.Text stays empty
}

func (o Options) withDefaults() Options {
	if o.References <= 0 {
		o.References = 5000
	}
	if o.Bytes <= 0 {
		o.Bytes = 1 << 20
	}
	return o
}

// Result is what one page refers to.
type Result struct {
	Base       string // href of the first base element that has one, as written
	Links      []Link // of the header, then of the page in its order
	Beyond     int    // references that the bounds left out
	Example    string // the first of them
	Directives        // what the page asks of crawlers
}

// Link is one reference of a page.
type Link struct {
	Observed   string        // as written, entities decoded; cut where no URL is that long
	Rule       string        // what found it: "a", "img[srcset]", "meta[refresh]", "link[rel=next]", "header[rel=next]"
	Rel        string        // rel attribute, as written; 256 bytes at most
	Text       string        // of an a element: white space folded, 256 bytes at most
	Hreflang   string        // the language it leads to, as written; 64 bytes at most
	Type       string        // the media type it leads to, as written; 64 bytes at most
	Descriptor string        // of a srcset candidate: "2x", "640w"; 64 bytes at most
	Delay      time.Duration // of a refresh; MaxDelay at most
	Offset     int           // of the tag in the page; InHeader for a Link field
	InHead     bool          // the tag stands in the head
	noFollow   bool          // the whole rel asks it, also what Rel has no room for
}

// InHeader is the offset of a link that stands in the header. It is relative to
// the URL of the page, and not to its base.
const InHeader = -1

// Element returns the lower-case name of the element that refers; "" for a Link
// field.
func (l Link) Element() string {
	name, _, _ := strings.Cut(l.Rule, "[")
	if name == "header" {
		return ""
	}
	return name
}

// Attribute returns the name of the attribute that holds the reference; "" for a
// Link field.
func (l Link) Attribute() string {
	name, in, ok := strings.Cut(strings.TrimSuffix(l.Rule, "]"), "[")
	switch {
	case name == "header":
		return ""
	case in == "refresh":
		return content.String()
	case ok && !strings.HasPrefix(in, "rel="):
		return in
	}
	return elements[name].refers[0].attribute.String()
}

// HasRel reports whether the link's rel holds word, in any case.
func (l Link) HasRel(word string) bool { return hasWord([]byte(l.Rel), strings.ToLower(word)) }

// NoFollow reports whether the link's rel asks crawlers not to follow it. What is
// sponsored, or written by users (ugc), is followed unless it asks that too.
func (l Link) NoFollow() bool { return l.noFollow }

// Followed reports whether rule finds references that lead a reader to a page:
// those of a, area, frame, iframe and meta refresh, and the next and the previous
// page by link elements or Link fields. Others name parts of a page, another form
// of it (canonical, alternate), or relations to it.
func Followed(rule string) bool {
	switch rule {
	case "a", "area", "frame", "iframe", ruleRefresh:
		return true
	}
	name, rel, _ := strings.Cut(strings.TrimSuffix(rule, "]"), "[rel=")
	return (name == "link" || name == "header") && slices.ContainsFunc(turning, func(to string) bool { return hasWord([]byte(rel), to) })
}

// turning are the relations that lead a reader on or back.
var turning = []string{"next", "prev"}

// Longest references kept. No URL may be longer than 8 KiB, so one byte more is
// enough to see that a reference is; what a data: URL holds is no reference.
const (
	maxReference = 8<<10 + 1
	maxData      = 64
	maxRel       = 256
	maxDetail    = 64 // Hreflang, Type, Descriptor
)

// add keeps a reference, or counts it as beyond the bounds. It returns the link
// if it was kept.
func (e *extractor) add(observed []byte, rule string) *Link {
	observed = observed[:min(len(observed), maxReference)]
	if isData(observed) {
		observed = observed[:min(len(observed), maxData)]
	}
	if len(e.result.Links) >= e.options.References || e.bytes+len(observed) > e.options.Bytes {
		if e.result.Beyond++; e.result.Beyond == 1 {
			e.result.Example = string(observed)
		}
		return nil
	}
	e.bytes += len(observed)
	n := len(e.result.Links)
	if n == cap(e.result.Links) {
		e.result.Links = slices.Grow(e.result.Links, e.room(n))
	}
	e.result.Links = e.result.Links[:n+1] // zero, as nothing was ever taken away
	l := &e.result.Links[n]
	l.Observed, l.Rule, l.Offset = e.kept.cut(observed, maxReference), rule, e.start
	l.InHead = e.place < inBody && e.start != InHeader
	return l
}

// room returns for how many more links to make room behind the first n, if the
// rest of the page holds as many as what has been read. What is seldom used up is
// not made at once.
func (e *extractor) room(n int) int {
	read := max(e.start, 1)
	alike := n * (len(e.page) - read) / read
	return min(16+max(alike, n/4), 4096+n, e.options.References-n)
}

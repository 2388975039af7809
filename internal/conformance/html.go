package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/weircrawl/weir/internal/header"
	"github.com/weircrawl/weir/internal/links"
	"github.com/weircrawl/weir/urlnorm"
)

// htmlSuites judge the tables of html.
var htmlSuites = []suite{
	table("html/links.jsonl", nil, judgeLinks),
	table("html/srcset.jsonl", nil, judgeSrcset),
	table("html/meta_refresh.jsonl", nil, judgeRefresh),
	table("html/link_header.jsonl", nil, judgeLinkHeader),
	table("html/robots_meta.jsonl", nil, judgeRobotsMeta),
	table("html/w3lib.jsonl", nil, judgeW3lib).named("html/w3lib links"),
}

// unbounded are options under which every link of a row is kept.
var unbounded = links.Options{References: math.MaxInt32, Bytes: math.MaxInt32}

// htmlLink is a link in the words of the table.
type htmlLink struct {
	Tag, Attr, Raw, Text string
	URL                  json.RawMessage
	Rel                  []string
	X, W                 *float64
	InHead               *bool `json:"in_head"`
	Refresh              bool
}

// htmlPage is a row of the table of links.
type htmlPage struct {
	ID, URL, HTML string
	Base          *string
	Links         []htmlLink
}

// judgeLinks compares the base, and the links in the order of the document.
func judgeLinks(_ fs.FS, row htmlPage) verdict {
	page, err := urlnorm.StandardExact{}.Normalize(nil, row.URL)
	if err != nil {
		return verdict{id: row.ID, failure: fmt.Sprintf("page %s: %v", row.URL, err)}
	}
	found := links.Extract([]byte(row.HTML), unbounded)
	base := found.BaseOf(page.Request, relativeTo(page.Request))
	if want := row.Base; want != nil && withoutFragment(*want) != base {
		return compare(row.ID, *want, base)
	}
	got := slices.DeleteFunc(found.Links, func(l links.Link) bool { return !row.knows(l) })
	return verdict{id: row.ID, failure: row.difference(got, base)}
}

// relativeTo resolves references against one URL.
func relativeTo(base string) func(ref string) (string, error) {
	return func(ref string) (string, error) {
		u, err := urlnorm.StandardExact{}.Normalize(&urlnorm.URL{Request: base}, ref)
		return u.Request, err
	}
}

func withoutFragment(url string) string {
	url, _, _ = strings.Cut(url, "#")
	return url
}

// listed are the attributes that the table speaks of. What this module finds in
// others is compared where a row names one.
var listed = []string{"a href", "area href", "link href", "img src", "img srcset", "source srcset", "script src",
	"frame src", "iframe src", "meta content"}

func (row htmlPage) knows(l links.Link) bool {
	return slices.Contains(listed, l.Element()+" "+l.Attribute()) || slices.ContainsFunc(row.Links, func(want htmlLink) bool {
		return want.Tag == l.Element() && want.Attr == l.Attribute()
	})
}

// difference says where got is not what the row states.
//
// Where an a element is not closed, a tree holds it several times: it is opened
// again in each block that follows (HTML, 13.2.4.3). Here it is one link, for one
// tag. So an a element of the row that repeats an earlier one, and is not in got,
// stands for the same tag and adds to its text. That hides no lost tag, because
// then the start tags are counted too.
func (row htmlPage) difference(got []links.Link, base string) string {
	want := slices.DeleteFunc(row.Links, func(w htmlLink) bool { return w.Refresh && !isRefresh(w.Raw) })
	var repeats int
	for i := 0; i < len(want); i++ {
		if i < len(got) && sameTag(want[i], got[i]) {
			continue
		}
		first := slices.IndexFunc(want[:i], func(w htmlLink) bool { return repeated(w, want[i]) })
		if first < 0 {
			break
		}
		want[first].Text += want[i].Text
		want = slices.Delete(want, i, i+1)
		repeats++
		i--
	}
	if len(want) != len(got) {
		return fmt.Sprintf("want %d links, got %d: %s", len(want), len(got), show(got))
	}
	for i := range want {
		if what := want[i].difference(got[i], base, repeats > 0); what != "" {
			return fmt.Sprintf("link %d, %s: %s", i+1, want[i].Raw, what)
		}
	}
	if tags := anchorTags(row.HTML); repeats > 0 && tags != count(got, "a") {
		return fmt.Sprintf("%d a tags, got %d", tags, count(got, "a"))
	}
	return ""
}

func sameTag(want htmlLink, got links.Link) bool {
	return want.Tag == got.Element() && want.Attr == got.Attribute() && (want.Refresh || sameReference(want.Raw, got.Observed))
}

// sameReference compares what a page wrote with what is kept of it: of a data: URL
// that is the beginning.
func sameReference(want, got string) bool {
	return want == got || strings.HasPrefix(strings.ToLower(strings.TrimLeft(want, " \t\n\f\r")), "data:") && len(got) == 64 && strings.HasPrefix(want, got)
}

func repeated(earlier, later htmlLink) bool {
	return later.Tag == "a" && earlier.Tag == "a" && earlier.Attr == later.Attr && earlier.Raw == later.Raw && slices.Equal(earlier.Rel, later.Rel)
}

func count(got []links.Link, tag string) (n int) {
	for _, l := range got {
		if l.Element() == tag && l.Attribute() == "href" {
			n++
		}
	}
	return n
}

// anchorTags counts the start tags of a elements that lead somewhere.
func anchorTags(page string) (n int) {
	tokens := html.NewTokenizer(strings.NewReader(page))
	for kind := tokens.Next(); kind != html.ErrorToken; kind = tokens.Next() {
		t := tokens.Token()
		if t.Type == html.EndTagToken || t.Data != "a" {
			continue
		}
		if slices.ContainsFunc(t.Attr, func(a html.Attribute) bool { return a.Key == "href" }) {
			n++
		}
	}
	return n
}

// difference compares all that the row states of one link.
func (want htmlLink) difference(got links.Link, base string, joined bool) string {
	x, w := descriptors(got.Descriptor)
	switch {
	case !sameTag(want, got):
		return fmt.Sprintf("got %s %s %q", got.Element(), got.Attribute(), got.Observed)
	case !slices.Equal(want.Rel, strings.Fields(strings.ToLower(got.Rel))):
		return fmt.Sprintf("want rel %q, got %q", want.Rel, got.Rel)
	case bounded(want.Text, joined) != bounded(got.Text, joined):
		return fmt.Sprintf("want text %q, got %q", want.Text, got.Text)
	case want.InHead != nil && *want.InHead != got.InHead:
		return fmt.Sprintf("want in_head %t", *want.InHead)
	case !equal(want.X, x) || !equal(want.W, w):
		return fmt.Sprintf("got descriptors %q", got.Descriptor)
	case want.Refresh && !sameRefresh(want.Raw, got):
		return fmt.Sprintf("got refresh to %q after %s", got.Observed, got.Delay)
	}
	return want.differentURL(got.Observed, base)
}

// bounded is a text as far as it is compared: white space folded, or left out
// where texts were joined, and cut where links cuts it.
func bounded(text string, joined bool) string {
	between := " "
	if joined {
		between = ""
	}
	text = strings.ToValidUTF8(strings.Join(strings.Fields(text), between), "")
	return strings.TrimSpace(strings.ToValidUTF8(text[:min(len(text), 256)], ""))
}

// descriptors reads the density and the width of a candidate.
func descriptors(text string) (x, w *float64) {
	for word := range strings.FieldsSeq(text) {
		value, err := strconv.ParseFloat(word[:len(word)-1], 64)
		switch {
		case err != nil:
		case strings.HasSuffix(word, "x"):
			x = &value
		case strings.HasSuffix(word, "w"):
			w = &value
		}
	}
	return x, w
}

func equal(a, b *float64) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// sameRefresh reads a content as html/meta_refresh judges it.
func sameRefresh(raw string, got links.Link) bool {
	want, ok := refreshOf(raw)
	return ok && want.Observed == got.Observed && want.Delay == got.Delay
}

// isRefresh reports whether a browser does anything for a content, which the table
// lists as it is.
func isRefresh(content string) bool {
	_, ok := refreshOf(content)
	return ok
}

// refreshOf extracts the link of a refresh with this content.
func refreshOf(content string) (links.Link, bool) {
	found := links.Extract([]byte(`<meta http-equiv="refresh" content="`+html.EscapeString(content)+`">`), links.Options{}).Links
	if len(found) == 0 {
		return links.Link{}, false
	}
	return found[0], true
}

// differentURL compares what the row says a reference leads to. null, or a URL
// that is not of the web, must be refused.
func (want htmlLink) differentURL(observed, base string) string {
	if want.URL == nil {
		return ""
	}
	var url *string
	if err := json.Unmarshal(want.URL, &url); err != nil {
		return "unreadable url: " + err.Error()
	}
	got, err := relativeTo(base)(observed)
	var reject urlnorm.Reject
	switch {
	case url != nil && isHTTP(*url) && err == nil && got == withoutFragment(*url):
		return ""
	case url != nil && isHTTP(*url) && strings.Contains(*url, "@") && errors.Is(err, urlnorm.UserInfo):
		return ""
	case (url == nil || !isHTTP(*url)) && errors.As(err, &reject):
		return ""
	}
	return fmt.Sprintf("want %s, got %s (%v)", want.URL, got, err)
}

// judgeSrcset compares the candidates of an img. Which of them is chosen depends
// on a screen: this module has none, and reports all with their descriptors.
func judgeSrcset(_ fs.FS, row struct {
	Srcset     string
	Candidates []string
}) verdict {
	got := []string{}
	for _, l := range links.Extract([]byte(`<img srcset="`+html.EscapeString(row.Srcset)+`">`), unbounded).Links {
		got = append(got, l.Observed)
	}
	if slices.EqualFunc(row.Candidates, got, sameReference) {
		return verdict{}
	}
	return compare(show(row.Srcset), row.Candidates, got)
}

// judgeRefresh compares where a refresh leads, and when.
func judgeRefresh(_ fs.FS, row struct {
	Input   string
	Seconds *float64 `json:"delay_seconds"`
	URL     *string
	Valid   *bool
}) verdict {
	id := show(row.Input)
	got, ok := refreshOf(row.Input)
	if row.Valid != nil && *row.Valid != ok {
		return compare(id, *row.Valid, ok)
	}
	if row.Seconds != nil {
		if want := time.Duration(*row.Seconds) * time.Second; !ok || min(want, links.MaxDelay) != got.Delay {
			return compare(id, want.String(), got.Delay.String())
		}
	}
	if row.URL == nil {
		return compare(id, "", got.Observed)
	}
	target := *row.URL
	if target == "__filename__" { // the document itself
		target = ""
	}
	here := relativeTo("http://a.test/directory/page?query")
	want, wantErr := here(target)
	url, err := here(got.Observed)
	return compare(id, []any{want, wantErr}, []any{url, err})
}

// judgeLinkHeader compares the links of one Link field, and that those of the page
// itself are reported with it.
func judgeLinkHeader(_ fs.FS, row struct {
	Header string
	Links  [][2]any
}) verdict {
	id := show(row.Header)
	all, _ := header.Links([]string{row.Header})
	got, here := [][2]any{}, [][2]any{}
	for _, l := range all {
		rel := []any{}
		for _, word := range l.Rel {
			rel = append(rel, word)
		}
		got = append(got, [2]any{l.Target, rel})
		if !l.Elsewhere() {
			here = append(here, [2]any{l.Target, strings.Join(l.Rel, " ")})
		}
	}
	if v := compare(id, row.Links, got); v.failure != "" {
		return v
	}
	reported := [][2]any{}
	options := unbounded
	options.Header = http.Header{"Link": {row.Header}}
	for _, l := range links.Extract(nil, options).Links {
		reported = append(reported, [2]any{l.Observed, l.Rel})
	}
	return compare(id, here, reported)
}

// judgeRobotsMeta compares what a page and its header ask of an agent.
func judgeRobotsMeta(_ fs.FS, row struct {
	Meta          [][2]string
	Header        []string `json:"x_robots_tag"`
	Agent         string
	Index, Follow *bool
}) verdict {
	var page strings.Builder
	for _, m := range row.Meta {
		fmt.Fprintf(&page, `<meta name="%s" content="%s">`, html.EscapeString(m[0]), html.EscapeString(m[1]))
	}
	got := links.Extract([]byte(page.String()), links.Options{Agent: row.Agent, Header: http.Header{"X-Robots-Tag": row.Header}})
	id := show([]any{row.Meta, row.Header})
	if row.Index != nil && *row.Index == got.NoIndex {
		return compare(id, map[string]bool{"index": *row.Index}, got.Directives)
	}
	if row.Follow != nil && *row.Follow == got.NoFollow {
		return compare(id, map[string]bool{"follow": *row.Follow}, got.Directives)
	}
	return verdict{id: id}
}

package weir

import (
	"time"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/internal/links"
)

// A Link is one reference of a page, or of its Link header fields.
type Link struct {
	URL        string        // resolved, to be requested; empty where it is no URL that can be
	Observed   string        // as written, entities decoded
	Rule       string        // what found it: "a", "img[srcset]", "meta[refresh]", "link[rel=next]", "header[rel=next]"; Config.Follow lists those that are followed
	Rel        string        // rel attribute, as written
	Text       string        // of an a element: white space folded, without the alt of an image in it, 256 bytes at most
	Hreflang   string        // the language it leads to, as written
	Type       string        // the media type it leads to, as written
	Descriptor string        // of an image in a srcset: "2x", "640w"
	Delay      time.Duration // before a refresh; a day at most
	Offset     int           // of the tag in the page's text; -1 for a header field
	InHead     bool          // the tag stands in the head
	NoFollow   bool          // the link or the page asks not to follow it
}

// Why a reference of a page is counted and not offered; frontier.ReasonKind is
// another.
const (
	ReasonNoFollow frontier.Reason = "nofollow" // the link, or the page, asks not to
	ReasonFollow   frontier.Reason = "follow"   // Config.Follow says no
)

// Links returns the references of the page, of every kind, as far as
// Budget.References goes: those of its Link header fields, then those of the page
// in its order. Of a page that is not HTML there are only the first.
func (p *Page) Links() []Link {
	if p.links == nil {
		here, base := p.resolver(p.URL), p.resolver(p.base())
		found := p.extract()
		p.links = make([]Link, len(found.Links))
		for i, l := range found.Links {
			if l.Offset == links.InHeader {
				p.links[i] = p.link(l, here)
			} else {
				p.links[i] = p.link(l, base)
			}
		}
	}
	return p.links
}

func (p *Page) link(l links.Link, resolve func(string) (string, error)) Link {
	url, err := resolve(l.Observed)
	if err != nil {
		url = ""
	}
	return Link{URL: url, Observed: l.Observed, Rule: l.Rule, Rel: l.Rel, Text: l.Text, Hreflang: l.Hreflang, Type: l.Type,
		Descriptor: l.Descriptor, Delay: l.Delay, Offset: l.Offset, InHead: l.InHead, NoFollow: p.extract().NoFollow || l.NoFollow()}
}

// resolver returns what resolves references against a URL.
func (p *Page) resolver(base string) func(ref string) (string, error) {
	normalizer := p.run.cfg.Normalizer
	on, err := normalizer.Normalize(nil, base)
	on.Charset = p.queryCharset()
	return func(ref string) (string, error) {
		if err != nil {
			u, err := normalizer.Normalize(nil, ref)
			return u.Request, err
		}
		u, err := normalizer.Normalize(&on, ref)
		return u.Request, err
	}
}

// extract finds the page's references, once.
func (p *Page) extract() *links.Result {
	if p.found == nil {
		var text []byte
		if isHTML(p.MediaType) || p.Rendered != nil {
			text = p.utf8()
		}
		found := links.Extract(text, links.Options{
			References: p.run.budget.References, Bytes: int(p.run.budget.ReferenceBytes), Agent: p.run.agent,
			Header: p.Header, XML: p.MediaType == "application/xhtml+xml" && p.Rendered == nil, NoText: p.unseen})
		p.found = &found
	}
	return p.found
}

// NoIndex reports whether the page asks not to be shown in an index, by a robots
// meta element or an X-Robots-Tag.
func (p *Page) NoIndex() bool { return p.extract().NoIndex }

// A Directive is one word of what a page asks of crawlers.
type Directive struct {
	Name  string // lower-case: "noarchive", "max-snippet", "unavailable_after"
	Value string // behind a colon, as written; 128 bytes at most
	Agent string // whom it names, as written; "" for everybody
}

// Directives returns what the page asks of this crawler, by robots meta elements
// and X-Robots-Tag: 64 words at most, in order, known or not. Of these nofollow and
// none are obeyed; noindex, noarchive and the like are for those who keep or show
// the page.
func (p *Page) Directives() (all []Directive) {
	for _, d := range p.extract().Stated {
		all = append(all, Directive(d))
	}
	return all
}

// base returns the URL that the page's own references are relative to.
func (p *Page) base() string {
	return p.extract().BaseOf(p.URL, p.resolver(p.URL))
}

// references lists what the page offers to the frontier: what the handler asked
// for, then its links, each with the rule that holds it back, if one does.
func (p *Page) references(asked []frontier.Reference, follow func(*Page, Link) bool) ([]frontier.Reference, frontier.Overflow) {
	found := p.extract()
	charset := p.queryCharset()
	base := "" // the page's URL
	if found.Base != "" {
		base = p.base()
	}
	b := bounded{most: p.run.budget.References, room: p.run.budget.ReferenceBytes}
	b.list = make([]frontier.Reference, 0, min(len(asked)+len(found.Links), b.most))
	for _, ref := range asked {
		ref.Base, ref.Charset = base, charset
		b.add(ref)
	}
	for i, l := range found.Links {
		ref := frontier.Reference{Observed: l.Observed, Base: base, Charset: charset, Rule: l.Rule, Refused: p.refusal(i, l, follow)}
		if l.Offset == links.InHeader {
			ref.Base = ""
		}
		b.add(ref)
	}
	b.beyond(int64(found.Beyond), found.Example)
	return b.list, b.overflow
}

// refusal says why a link is not followed, or nothing.
func (p *Page) refusal(i int, l links.Link, follow func(*Page, Link) bool) frontier.Reason {
	switch {
	case !links.Followed(l.Rule):
		return frontier.ReasonKind
	case p.found.NoFollow || l.NoFollow():
		return ReasonNoFollow
	case follow != nil && !follow(p, p.Links()[i]):
		return ReasonFollow
	}
	return ""
}

// bounded is a list of references that ends where the budget does. What comes
// later is counted, with one example.
type bounded struct {
	list     []frontier.Reference
	most     int
	room     int64 // bytes left
	overflow frontier.Overflow
}

func (b *bounded) add(ref frontier.Reference) {
	size := int64(len(ref.Observed))
	if len(b.list) >= b.most || size > b.room {
		b.beyond(1, ref.Observed)
		return
	}
	b.room -= size
	b.list = append(b.list, ref)
}

func (b *bounded) beyond(n int64, example string) {
	if b.overflow.Count += n; b.overflow.Example == "" {
		b.overflow.Example = example
	}
}

package weir

import (
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/internal/links"
	"github.com/weircrawl/weir/urlnorm"
)

// A Link is one reference of a page.
type Link struct {
	URL      string // resolved, to be requested; empty where it is no URL that can be
	Observed string // as written, entities decoded
	Rule     string // what found it: "a", "img[srcset]", "meta[refresh]", "link[rel=next]"
	Rel      string // rel attribute, as written
	Text     string // of the element: white space folded, 256 bytes at most
	Offset   int    // of the tag in the page's text
	NoFollow bool   // the link or the page asks not to follow it
}

// Why a reference of a page is counted and not offered.
const (
	ReasonNoFollow frontier.Reason = "nofollow" // the link, or the page, asks not to
	ReasonFollow   frontier.Reason = "follow"   // Config.Follow says no
)

// Links returns the references of the page, of every kind, in its order, as far
// as Budget.References goes. There are none in a page that is not HTML.
func (p *Page) Links() []Link {
	if p.links == nil {
		base := p.baseURL()
		found := p.extract()
		p.links = make([]Link, len(found.Links))
		for i, l := range found.Links {
			p.links[i] = p.link(l, base)
		}
	}
	return p.links
}

func (p *Page) link(l links.Link, base *urlnorm.URL) Link {
	link := Link{Observed: l.Observed, Rule: l.Rule, Rel: l.Rel, Text: l.Text, Offset: l.Offset,
		NoFollow: p.extract().NoFollow || l.NoFollow()}
	if u, err := p.run.cfg.Normalizer.Normalize(base, l.Observed); err == nil {
		link.URL = u.Request
	}
	return link
}

// extract finds the page's references, once.
func (p *Page) extract() *links.Result {
	if p.found == nil {
		p.found = &links.Result{}
		if isHTML(p.MediaType) || p.Rendered != nil {
			*p.found = links.Extract(p.utf8(), links.Options{
				References: p.run.budget.References, Bytes: int(p.run.budget.ReferenceBytes), Agent: p.run.agent,
				NoText: p.unseen})
		}
		for _, value := range p.Header.Values("X-Robots-Tag") {
			p.found.Header(value, p.run.agent)
		}
	}
	return p.found
}

// NoIndex reports whether the page asks not to be shown in an index, by a robots
// meta element or an X-Robots-Tag.
func (p *Page) NoIndex() bool { return p.extract().NoIndex }

// baseURL returns what the page's references are relative to.
func (p *Page) baseURL() *urlnorm.URL {
	page, err := p.run.cfg.Normalizer.Normalize(nil, p.URL)
	if err != nil {
		return nil
	}
	if b := p.extract().Base; b != "" {
		if base, err := p.run.cfg.Normalizer.Normalize(&page, b); err == nil {
			return &base
		}
	}
	return &page
}

// references lists what the page offers to the frontier: what the handler asked
// for, then its links, each with the rule that holds it back, if one does.
func (p *Page) references(asked []frontier.Reference, follow func(*Page, Link) bool) ([]frontier.Reference, frontier.Overflow) {
	found := p.extract()
	base := ""
	if found.Base != "" {
		if u := p.baseURL(); u != nil {
			base = u.Request
		}
	}
	b := bounded{most: p.run.budget.References, room: p.run.budget.ReferenceBytes}
	b.list = make([]frontier.Reference, 0, min(len(asked)+len(found.Links), b.most))
	for _, ref := range asked {
		ref.Base = base
		b.add(ref)
	}
	for i, l := range found.Links {
		b.add(frontier.Reference{Observed: l.Observed, Base: base, Rule: l.Rule, Refused: p.refusal(i, l, follow)})
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

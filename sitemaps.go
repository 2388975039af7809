package weir

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"time"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/internal/sitemap"
	"github.com/weircrawl/weir/robots"
	"github.com/weircrawl/weir/urlnorm"
)

// Sitemaps says which sitemaps a run reads: url sets and their indexes, RSS, Atom and
// lists of URLs, packed or not. What they list is offered like what a page links to:
// scope, robots.txt, budget and pace decide. A sitemap is requested like a page, and
// takes a slot of Budget.Hints in place of one of Budget.URLs; of its body
// Budget.Response bytes are read.
type Sitemaps struct {
	// Robots reads the sitemaps that the robots.txt of a visited origin names. Each is
	// believed about its own host, and about those whose robots.txt names it; what it
	// lists of others is counted as policy_stop {foreign_host}.
	Robots bool

	// URLs are read in any case: they are seeds, whose hosts join a scope that is left
	// to the seeds, and are believed about whatever is in the scope.
	URLs []string
}

// Reasons of sitemaps.
const (
	ReasonForeignHost frontier.Reason = "foreign_host" // the sitemap of another host lists it, and its own robots.txt does not name that
	ReasonNoSitemap   frontier.Reason = "no_sitemap"   // the text that was answered is none; the detail says what it is
)

// sitemapPiece is how many entries are offered in one call.
const sitemapPiece = 1_000

// discover offers the sitemaps that the robots.txt of an origin names.
func (r *run) discover(ctx context.Context, o urlnorm.Origin, rules robots.Rules) error {
	if !r.cfg.Sitemaps.Robots {
		return nil
	}
	var refs []frontier.Reference
	for _, url := range rules.Sitemaps() {
		refs = append(refs, frontier.Reference{Observed: url, Base: string(o) + "/robots.txt", Rule: "robots[sitemap]", Hint: true, Priority: 1})
	}
	return r.enqueue(ctx, refs)
}

// enqueue offers what a sitemap or a robots.txt lists. A run that has come to its end
// meanwhile takes nothing more.
func (r *run) enqueue(ctx context.Context, refs []frontier.Reference) error {
	if len(refs) == 0 {
		return nil
	}
	_, err := r.f.Enqueue(ctx, frontier.Sitemap, refs...)
	if errors.Is(err, frontier.ErrStopped) || errors.Is(err, frontier.ErrDone) {
		return nil
	}
	return err
}

// hint reads a sitemap and offers what it lists, before its completion: killed in
// between, it is read again, and what was offered is known.
func (r *run) hint(ctx context.Context, c frontier.Completion, response fetch.Response) (frontier.Completion, error) {
	from, err := r.lister(ctx, c.Lease)
	if err != nil {
		return c, err
	}
	_, params, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	reader := sitemap.New(bytes.NewReader(response.Body), sitemap.Options{Label: params["charset"]})
	refs := make([]frontier.Reference, 0, sitemapPiece)
	for entry := range reader.Entries() { // its source is memory: it cannot fail
		if refs = append(refs, from.reference(entry)); len(refs) == sitemapPiece {
			if err := r.enqueue(ctx, refs); err != nil {
				return c, err
			}
			refs = refs[:0]
		}
	}
	if err := r.enqueue(ctx, refs); err != nil {
		return c, err
	}
	report := reader.Report()
	c.Evidence.Detail = told(report)
	if report.Refused != "" {
		return c.Lease.Failed(ReasonNoSitemap+": "+frontier.Reason(report.Refused), c.Evidence), nil
	}
	return c, nil
}

// told is what a sitemap came to, for people.
func told(r sitemap.Report) string {
	if r.Refused != "" {
		return "no sitemap: " + string(r.Refused)
	}
	text := fmt.Sprintf("%s of %d pages and %d sitemaps", r.Kind, r.Entries, r.Children)
	for _, n := range r.Notes {
		text += fmt.Sprintf(", %d times %s (%.40q)", n.Count, n.Fault, n.Example)
	}
	return text
}

// A lister makes references of what one sitemap lists.
type lister struct {
	normalizer urlnorm.Normalizer
	url        string
	at         *urlnorm.URL
	namer      string // what the sitemap, or the index above it, was named by; empty: the user
	authority  sitemap.Authority
}

// lister finds out what the sitemap of l may speak for.
func (r *run) lister(ctx context.Context, l frontier.Lease) (*lister, error) {
	is := &lister{normalizer: r.cfg.Normalizer, url: l.URL}
	is.at = is.resolved(l.URL)
	namer, err := r.f.Parent(ctx, l)
	if err != nil {
		return nil, fmt.Errorf("weir: %s: %w", l.URL, err)
	}
	if by := is.resolved(namer); by != nil && is.at != nil && !l.Seed {
		is.namer = namer
		is.authority = sitemap.Authority{At: []urlnorm.URL{*is.at}, Named: []urlnorm.Origin{by.Origin}}
	} else {
		is.authority.Trust = sitemap.ByScope
	}
	return is, nil
}

func (from *lister) resolved(url string) *urlnorm.URL {
	u, err := from.normalizer.Normalize(nil, url)
	if err != nil {
		return nil
	}
	return &u
}

// reference is what an entry makes. It keeps when the entry says that its page has
// changed: that is a hint, too. What an index lists is named by whoever named the
// index: so far its authority goes.
func (from *lister) reference(e sitemap.Entry) frontier.Reference {
	ref := frontier.Reference{Observed: e.Reference(), Base: from.url, Rule: "sitemap", Hint: e.Child}
	if !e.LastMod.IsZero() {
		ref.Rule = "sitemap[lastmod=" + e.LastMod.Time.Format(time.RFC3339) + "]"
	}
	if from.authority.Trust == sitemap.ByScope && !e.Child {
		return ref // the frontier resolves it, and nothing else is asked
	}
	u, err := from.normalizer.Normalize(from.at, ref.Observed)
	if err != nil {
		return ref // the frontier says what is wrong with it
	}
	ruling := from.authority.Page(u)
	if e.Child {
		ruling, ref.Priority = from.authority.Sitemap(u), 1
		ref.Observed, ref.Base = u.Request, from.namer
	}
	if !ruling.Allowed() {
		ref.Refused = ReasonForeignHost
	}
	return ref
}

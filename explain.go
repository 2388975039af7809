package weir

import (
	"context"
	"fmt"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/robots"
)

// Explain says why a URL was, or was not, crawled: how it was written, every decision
// on it, its transitions and attempts, its origin's robots.txt with the line that
// decides, its result; and of a URL that was never seen, what would happen if it were
// offered now. It prints one fact a line, and as JSON. It is of the run that
// Config.Run names, or the newest one, also while that goes on.
//
// What stands in the URL's own rows costs a few reads. Other references to it are
// looked for within 5 s and 256 MiB, and the answer says how far that got.
func (c *Crawler) Explain(ctx context.Context, url string) (ledger.Explanation, error) {
	reader, err := c.Reader(ctx)
	if err != nil {
		return ledger.Explanation{}, fmt.Errorf("weir: %w", err)
	}
	reader.Policy, reader.InScope = c.cfg.Policy, c.cfg.InScope
	known, err := reader.Explain(ctx, url, frontier.ExplainOptions{})
	if err != nil {
		return ledger.Explanation{}, fmt.Errorf("weir: %w", err)
	}
	e := ledger.Explanation{Explained: known}
	if known.Origin != nil && known.Origin.Gate.Note != nil {
		e.Robots = c.robotsOf(ctx, known)
	}
	return e, nil
}

// robotsOf reads what the origin's robots.txt says of the URL.
func (c *Crawler) robotsOf(ctx context.Context, known frontier.Explained) *ledger.Robots {
	note, err := robots.DecodeNote(known.Origin.Gate.Note)
	if err != nil {
		return &ledger.Robots{Lost: err.Error()}
	}
	said := &ledger.Robots{Status: note.Status, Fetched: note.Fetched, Expires: note.Expires, Parser: note.Parser,
		Digest: note.Digest, Policy: string(note.Policy), Delay: note.Delay}
	agent := robots.Token(c.cfg.UserAgent)
	lease := frontier.Lease{Origin: known.Origin.Origin, URL: known.URL, Note: known.Origin.Gate.Note}
	d, err := newRules(agent, c.sink).decide(ctx, lease)
	if err != nil {
		said.Lost = err.Error()
		return said
	}
	said.Allowed, said.Rule, said.Line, said.Group = d.Allowed, d.Rule, d.Line, d.Group
	return said
}

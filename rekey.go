package weir

import (
	"context"
	"errors"
	"fmt"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/urlnorm"
)

// Rekey makes the run that Config.Run names out of the run from, which was
// crawled under another Normalizer, without a request. What from has observed is
// decided again under the new keys, and what it has fetched is taken over with
// its records; OnPage is not called. The next Run goes on with what is left. The
// run from keeps every row, but is not gone on with.
//
// Config.Run names the new run, and must not be from. Config.Budget and
// Config.Scope are from's where they are empty; a larger bound admits what from
// held back. If it is interrupted, call it again, or Run: either goes on. What it
// returns prints as a table. See frontier.Rekey for what it guarantees and answers.
// Config.Log is told how far it is.
func (c *Crawler) Rekey(ctx context.Context, from string) (frontier.Rekeyed, error) {
	ctx, done, err := c.begin(ctx)
	if err != nil {
		return frontier.Rekeyed{}, err
	}
	defer done()
	defer c.show(nil) // the newest run is another one
	rekeyed, err := frontier.Rekey(ctx, c.frontierConfig(), from, func(now frontier.Rekeyed) {
		c.cfg.Log.Info("rekeying", "from", now.From, "run", now.Run, "read", now.Read, "total", now.Total)
	})
	if err != nil {
		return rekeyed, fmt.Errorf("weir: %w", err)
	}
	return rekeyed, nil
}

// Rekey is New, Crawler.Rekey and Crawler.Close.
func Rekey(ctx context.Context, cfg Config, from string) (frontier.Rekeyed, error) {
	c, err := New(cfg)
	if err != nil {
		return frontier.Rekeyed{}, err
	}
	rekeyed, err := c.Rekey(ctx, from)
	return rekeyed, errors.Join(err, c.Close())
}

// Params reports the query parameters that no rule of Config.Normalizer classes,
// in what the run that Config.Run names, or the newest one, has observed: each
// with how many URLs its class would merge. Print it, class what tells no pages
// apart as urlnorm.Tracking, and Rekey.
func (c *Crawler) Params(ctx context.Context) (*urlnorm.ParamReport, error) {
	reader, err := c.Reader(ctx)
	if err != nil {
		return nil, fmt.Errorf("weir: %w", err)
	}
	report, err := reader.Params(ctx)
	if err != nil {
		return nil, fmt.Errorf("weir: %w", err)
	}
	return report, nil
}

// Params is New, Crawler.Params and Crawler.Close.
func Params(ctx context.Context, cfg Config) (*urlnorm.ParamReport, error) {
	c, err := New(cfg)
	if err != nil {
		return nil, err
	}
	report, err := c.Params(ctx)
	return report, errors.Join(err, c.Close())
}

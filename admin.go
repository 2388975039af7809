package weir

import (
	"context"
	"errors"
	"fmt"

	"github.com/weircrawl/weir/frontier"
)

// Admin lets the operator who change the run, while it goes on and between two Runs:
// pause and resume an origin, a site or the run, change policy and scope, raise
// bounds, cancel, reopen. Each change is committed with an audit row before change
// goes on, and is in force from then on; Reader.Audits lists them.
//
//	err := crawler.Admin(ctx, "ann", func(a frontier.Admin) error {
//		return a.Pause(ctx, frontier.Subject{Site: "example.com"}, "their request")
//	})
//
// Where no Run is in progress it opens the newest run for the call, or the one that
// Config.Run names: what is offered again or reopened then waits for the next Run,
// which needs no seeds. It returns what change returns, ErrRunning while a Run begins,
// ErrClosed, and frontier.ErrNoRun.
func (c *Crawler) Admin(ctx context.Context, who string, change func(a frontier.Admin) error) error {
	c.mu.Lock()
	f := c.current
	c.mu.Unlock()
	if f != nil {
		return change(f.Admin(who))
	}
	ctx, done, err := c.begin(ctx)
	if err != nil {
		return err
	}
	defer done()
	f, err = frontier.OpenAttended(ctx, c.frontierConfig())
	if err != nil {
		return fmt.Errorf("weir: %w", err)
	}
	err = change(f.Admin(who))
	c.mu.Lock()
	c.last = f.Summary()
	c.mu.Unlock()
	return errors.Join(err, f.Close())
}

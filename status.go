package weir

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
)

// Status polls the Run in progress, or else the run that Config.Run names, the newest
// one if it is empty: one read of the store and at most 4 KiB, whatever the size of
// the crawl; the first poll of a run looks for it as well. It returns
// frontier.ErrNoRun where there is none. Trace.Poll is told of a poll that breaks a
// bound.
func (c *Crawler) Status(ctx context.Context) (ledger.Status, error) {
	st, again, err := c.status(ctx)
	if again {
		st, _, err = c.status(ctx)
	}
	return st, err
}

// status polls the run that is watched, and reports whether another is of interest.
func (c *Crawler) status(ctx context.Context) (st ledger.Status, again bool, err error) {
	w, err := c.watcher(ctx)
	if err != nil {
		return st, false, fmt.Errorf("weir: %w", err)
	}
	st, err = w.Status(ctx)
	return st, err == nil && st.Newer && c.leave(w), err
}

// leave gives up the watch w of a run that is no longer the newest, and reports
// whether another run is of interest.
func (c *Crawler) leave(w *ledger.Watch) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watch != w {
		return true
	}
	if c.current != nil || c.cfg.Run != "" {
		return false
	}
	c.watch = nil
	return true
}

// Observe measures a poll that the caller makes of the same run, with what Reader,
// Generation or Last have read under the context that it is given. Where it breaks a
// bound of observation Trace.Poll is told, and the receipt of the Run in progress
// names that before all that it may have caused.
func (c *Crawler) Observe(ctx context.Context, poll func(context.Context) (ledger.Observation, error)) (ledger.Poll, error) {
	w, err := c.watcher(ctx)
	if err != nil {
		return ledger.Poll{}, fmt.Errorf("weir: %w", err)
	}
	return w.Observe(ctx, poll)
}

// watcher returns the watch over the run that is of interest, and makes it at the
// first poll.
func (c *Crawler) watcher(ctx context.Context) (*ledger.Watch, error) {
	c.mu.Lock()
	w, f, run := c.watch, c.current, c.cfg.Run
	c.mu.Unlock()
	if w != nil {
		return w, nil
	}
	if f != nil {
		run = f.Summary().Run
	}
	w, err := ledger.NewWatch(ctx, c.store, run, c.cfg.Trace.Poll)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.current != f: // another run has begun meanwhile
		return w, nil
	case c.watch == nil:
		c.watch = w
	}
	return c.watch, nil
}

// broken lists the bounds of observation that polls of the run have broken.
func (c *Crawler) broken() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watch == nil {
		return nil
	}
	return c.watch.Polls().Faults()
}

// Freeze closes a generation: all results that the run has accepted by now, in an
// order that never changes, to be paged through and materialized while the run goes
// on. Generation opens it again later, by its ID. A run freezes one whenever it stops
// or ends, so that Freeze is for the Run in progress, and for a run whose process was
// killed; it waits for one that opens. It returns frontier.ErrNoRun where there is no
// run.
func (c *Crawler) Freeze(ctx context.Context) (*ledger.Generation, error) {
	g, err := c.freeze(ctx)
	if err != nil {
		return nil, fmt.Errorf("weir: %w", err)
	}
	return g, nil
}

// freeze waits while a Run opens or returns: in between there is nothing to ask.
func (c *Crawler) freeze(ctx context.Context) (*ledger.Generation, error) {
	for {
		f, wait := c.inProgress()
		switch {
		case f != nil:
			if g, err := c.freezeRunning(ctx, f); !errors.Is(err, frontier.ErrClosed) {
				return g, err
			}
		case wait == nil:
			g, err := c.freezeLast(ctx)
			if !errors.Is(err, ErrRunning) {
				return g, err
			}
			continue // one has begun
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// inProgress returns the frontier of the Run in progress, and what is closed when it
// has returned; while it opens none, and what is closed when it has; neither where no
// Run is in progress.
func (c *Crawler) inProgress() (*frontier.Frontier, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.current != nil:
		return c.current, c.over
	case c.end != nil:
		return nil, c.shown
	}
	return nil, nil
}

// freezeLast returns the newest generation of a run that nobody goes on with, and
// stops it if it was killed.
func (c *Crawler) freezeLast(ctx context.Context) (*ledger.Generation, error) {
	reader, err := c.Reader(ctx)
	if err != nil {
		return nil, err
	}
	summary, err := reader.Summary(ctx)
	if err != nil {
		return nil, err
	}
	if summary.Phase == frontier.Running {
		if err := c.stopKilled(ctx); err != nil {
			return nil, err
		}
	}
	return ledger.Latest(ctx, reader)
}

// freezeRunning freezes the results of the Run in progress.
func (c *Crawler) freezeRunning(ctx context.Context, f *frontier.Frontier) (*ledger.Generation, error) {
	reader, err := frontier.NewReader(ctx, c.store, f.Summary().Run)
	if err != nil {
		return nil, err
	}
	reader.Normalizer = c.cfg.Normalizer
	g, err := f.Freeze(ctx)
	if err != nil {
		return nil, err
	}
	return ledger.At(reader, g), nil
}

// stopKilled stops a run whose process has ended without a word, and with that
// freezes what it has. The next Run goes on with it.
func (c *Crawler) stopKilled(ctx context.Context) error {
	ctx, done, err := c.begin(ctx)
	if err != nil {
		return err
	}
	defer done()
	f, err := frontier.Open(ctx, c.frontierConfig())
	if err != nil {
		return err
	}
	return errors.Join(f.Stop(ctx, "killed"), f.Close())
}

// Generation returns a frozen generation by its ID, of whatever run in the store, as
// a source to materialize: to go on with what was begun before a later one was frozen.
// An empty ID is the newest of the run that Config.Run names, or of the newest run.
// The error wraps ledger.ErrNotFrozen where none is frozen: Freeze makes one; and
// frontier.ErrNoRun or frontier.ErrNoGeneration where none has this ID.
func (c *Crawler) Generation(ctx context.Context, id string) (*ledger.Generation, error) {
	if id == "" {
		return c.newest(ctx)
	}
	run := id[:max(0, strings.LastIndexByte(id, '.'))]
	if run == "" {
		return nil, fmt.Errorf("weir: %w: %q names no run", frontier.ErrNoGeneration, id)
	}
	reader, err := c.readerOf(ctx, run)
	if err != nil {
		return nil, fmt.Errorf("weir: %w", err)
	}
	g, err := reader.Generation(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("weir: %w", err)
	}
	return ledger.At(reader, g), nil
}

func (c *Crawler) newest(ctx context.Context) (*ledger.Generation, error) {
	reader, err := c.Reader(ctx)
	if err != nil {
		return nil, fmt.Errorf("weir: %w", err)
	}
	g, err := ledger.Latest(ctx, reader)
	if err != nil {
		return nil, fmt.Errorf("weir: %w", err)
	}
	return g, nil
}

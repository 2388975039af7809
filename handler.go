package weir

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/weircrawl/weir/frontier"
)

// A PanicError is what became of OnPage, Follow or Render where one panicked. It
// ends the attempt, never the run; the result's Detail has its text, and Log its
// Stack. No function returns it.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Why a handler is not waited for, or has made nothing.
var (
	errHandlerTime = errors.New("handler timeout: OnPage has not returned in time")
	errHandlerLeft = errors.New("handler left: OnPage has not returned although the run has ended")
	errGoexit      = errors.New("OnPage has ended its goroutine")
)

// handling is one page in the hands of the functions of the Config.
type handling struct {
	done       chan struct{} // closed when they have returned; then the rest may be read
	err        error
	references []frontier.Reference
	overflow   frontier.Overflow
	records    []frontier.Record
}

// show gives the page of c to the functions of the Config, and returns c with
// what they made of it.
func (r *run) show(ctx context.Context, c frontier.Completion, p *Page) (frontier.Completion, error) {
	if r.cfg.OnPage == nil && r.cfg.Follow == nil && r.cfg.Render == nil {
		p.unseen = true
		c.References, c.Overflow = p.references(nil, nil)
		return c, nil
	}
	h, err := r.handle(ctx, p)
	if err == nil {
		err = h.err
	}
	var failed *renderError
	switch {
	case err == nil:
		c.References, c.Records, c.Overflow = h.references, h.records, h.overflow
		return c, nil
	case errors.Is(context.Cause(ctx), frontier.ErrStale):
		return c, context.Cause(ctx)
	case ctx.Err() != nil && !errors.Is(err, errHandlerLeft):
		return c.Lease.Release(stopReason(context.Cause(ctx))), nil
	case errors.As(err, &failed):
		return c.Lease.Retry("render", 0, detailed(c.Evidence, err)), nil
	}
	r.logHandler(p, err)
	return c.Lease.HandlerFailed(detailed(c.Evidence, err)), nil
}

func detailed(e frontier.Evidence, err error) frontier.Evidence {
	e.Detail = err.Error()
	return e
}

func (r *run) logHandler(p *Page, err error) {
	var panicked *PanicError
	if errors.As(err, &panicked) {
		r.cfg.Log.Error("handler panicked", "url", p.URL, "panic", panicked.Value, "stack", string(panicked.Stack))
		return
	}
	r.cfg.Log.Warn("handler failed", "url", p.URL, "error", err)
}

// handle runs the functions of the Config in a goroutine of their own, so that
// one that never returns costs a goroutine and not a worker. An error means that
// they were given up.
func (r *run) handle(ctx context.Context, p *Page) (*handling, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, r.cfg.HandlerTimeout, errHandlerTime)
	defer cancel()
	h := &handling{done: make(chan struct{})}
	go func() {
		defer r.handlers.returned(p)
		defer close(h.done)
		h.err = errGoexit
		h.err = contained(func() error { return h.run(ctx, r, p) })
	}()
	select {
	case <-h.done:
		return h, nil
	case <-ctx.Done():
		return h, r.outwait(ctx, p, h)
	}
}

// outwait decides what becomes of a handler whose context has ended: it has its
// grace where that is because the run ends, and is given up otherwise.
func (r *run) outwait(ctx context.Context, p *Page, h *handling) error {
	why := context.Cause(ctx)
	if !errors.Is(why, errHandlerTime) && !errors.Is(why, frontier.ErrStale) {
		why = errHandlerLeft
		select {
		case <-h.done:
			return nil
		case <-r.handlers.over.Done():
		}
	}
	p.seal()
	r.handlers.giveUp(p, h.done)
	if r.cfg.Trace.Stuck != nil {
		r.cfg.Trace.Stuck(p.lease, time.Now())
	}
	return why
}

// run calls the functions of the Config, and keeps what they made.
func (h *handling) run(ctx context.Context, r *run, p *Page) error {
	if err := r.render(ctx, p); err != nil {
		return err
	}
	if r.cfg.OnPage != nil {
		if err := r.cfg.OnPage(ctx, p); err != nil {
			return err
		}
	}
	asked, records := p.seal()
	h.records = records
	h.references, h.overflow = p.references(asked, r.cfg.Follow)
	return nil
}

// contained turns a panic into an error.
func contained(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return f()
}

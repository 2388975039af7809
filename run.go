package weir

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/robots"
	"github.com/weircrawl/weir/storage"
)

// run is one Run at work. All goroutines are started in crawl, and are over when
// it returns:
//
//	dispatch   takes leases, many at a time
//	   | leases
//	work       cfg.Workers of them: request, artifact, OnPage, references
//	   | backlog
//	settle     syncs artifacts, then commits all completions that wait
//
// and keep extends the leases that all of them hold.
type run struct {
	cfg    Config
	f      *frontier.Frontier
	sink   storage.ArtifactSink
	client *fetch.Client
	budget Budget // in force
	agent  string // product token of the user agent
	rules  *rules

	stock    stock         // dispatch's alone
	slots    chan struct{} // one for each lease that may be taken
	leases   chan frontier.Lease
	backlog  *backlog
	held     *held
	handlers *handlers

	end context.CancelCauseFunc // of all work, at the first failure

	mu      sync.Mutex
	failure error // the first; nil while all is well
}

const (
	backlogs = 16 // completions that wait for their commit at most, for each worker
	settlers = 2  // one syncs artifacts while the other commits
)

func (c *Crawler) newRun(f *frontier.Frontier) *run {
	s := newStock(c.cfg.Workers)
	r := &run{
		cfg: c.cfg, f: f, sink: c.sink, client: c.client,
		budget: f.Summary().Limit, agent: robots.Token(c.cfg.UserAgent),
		stock:    s,
		slots:    make(chan struct{}, s.most()),
		leases:   make(chan frontier.Lease, s.most()),
		backlog:  newBacklog(backlogs * c.cfg.Workers),
		held:     newHeld(),
		handlers: newHandlers(),
	}
	r.rules = newRules(r.agent, r.sink)
	r.open(s.size)
	return r
}

// crawl offers the seeds and works until the run is over, stops, or fails.
func (c *Crawler) crawl(ctx context.Context, f *frontier.Frontier, seeds []string) error {
	r := c.newRun(f)
	ctx, r.end = context.WithCancelCause(ctx)
	defer r.end(nil)
	refused, err := r.sow(ctx, seeds)
	if err != nil {
		return r.stop(ctx, caused(ctx, err))
	}
	if err := r.pipeline(ctx); err != nil {
		return r.stop(ctx, err)
	}
	return refused
}

// pipeline runs the goroutines, and drains them in order.
func (r *run) pipeline(ctx context.Context) error {
	stopped := context.AfterFunc(ctx, r.handlers.end)
	defer stopped()
	keeping, release := context.WithCancel(context.WithoutCancel(ctx))
	var working, settling, extending sync.WaitGroup
	for range r.cfg.Workers {
		working.Go(func() { r.work(ctx) })
	}
	for range settlers {
		settling.Go(func() { r.settle(keeping) })
	}
	extending.Go(func() { r.keep(keeping) })

	err := r.dispatch(ctx)
	close(r.leases)
	working.Wait()
	close(r.backlog.queue)
	settling.Wait()
	release()
	extending.Wait()
	return errors.Join(r.why(ctx, err), r.handlers.wait())
}

// dispatch takes leases until the frontier says that the run is over or has
// stopped.
func (r *run) dispatch(ctx context.Context) error {
	for {
		n, err := r.free(ctx)
		if err != nil {
			return err
		}
		leases, err := r.f.Lease(ctx, n)
		change := r.stock.change(n, len(leases), len(r.leases))
		r.held.add(leases)
		for _, l := range leases {
			r.leases <- l // never blocks: it has room for every slot
		}
		r.open(n - len(leases))
		r.resize(change)
		switch {
		case errors.Is(err, frontier.ErrDone), errors.Is(err, frontier.ErrStopped):
			if r.f.Summary().Phase == frontier.CancelledRun {
				r.held.loseAll(fmt.Errorf("%w: the run is cancelled", frontier.ErrStale))
			}
			return nil
		case err != nil:
			return err
		}
	}
}

// open makes n more slots free.
func (r *run) open(n int) {
	for range n {
		r.slots <- struct{}{} // never blocks: it has room for the largest stock
	}
}

// resize changes the size of the stock: downwards as far as slots are free.
func (r *run) resize(change int) {
	if change > 0 {
		r.stock.size += change
		r.open(change)
	}
	for ; change < 0; change++ {
		select {
		case <-r.slots:
			r.stock.size--
		default:
			return
		}
	}
}

// maxLeases bounds one call of Lease.
const maxLeases = 500

// free waits until as many slots are free as there are workers, and takes all
// that are. The others are then in hand: no worker is idle meanwhile.
func (r *run) free(ctx context.Context) (int, error) {
	n := 0
	for ; n < min(r.cfg.Workers, maxLeases); n++ {
		select {
		case <-r.slots:
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
	for ; n < maxLeases; n++ {
		select {
		case <-r.slots:
		default:
			return n, nil
		}
	}
	return n, nil
}

// work turns leases into completions. It never waits for a commit.
func (r *run) work(ctx context.Context) {
	for l := range r.leases {
		if r.cfg.Trace.Leased != nil {
			r.cfg.Trace.Leased(l)
		}
		if c, ok := r.attempt(ctx, l); ok {
			r.backlog.put(c)
		}
		r.slots <- struct{}{}
	}
}

// fail ends the run with its first failure.
func (r *run) fail(err error) {
	r.mu.Lock()
	if r.failure == nil {
		r.failure = err
	}
	r.mu.Unlock()
	r.end(err)
}

// why returns what ended the run: its failure, the end of its context, or err.
func (r *run) why(ctx context.Context, err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	cause := context.Cause(ctx)
	switch {
	case r.failure != nil:
		return r.failure
	case ctx.Err() == nil:
		return err
	case errors.Is(cause, ctx.Err()):
		return cause
	}
	return fmt.Errorf("%w: %w", ctx.Err(), cause)
}

// stop records why the run stops, unless it is over, and returns err. The run
// goes on from there when it is opened again.
func (r *run) stop(ctx context.Context, err error) error {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer done()
	if unstopped := r.f.Stop(ctx, stopReason(err)); unstopped != nil {
		return errors.Join(err, fmt.Errorf("weir: stop: %w", unstopped))
	}
	return err
}

// stopTimeout bounds the last commit of a run that stops.
const stopTimeout = 30 * time.Second

// stopReason is the word under which a run stops because of err.
func stopReason(err error) frontier.Reason {
	switch {
	case errors.Is(err, storage.ErrNoSpace):
		return "storage_failed: no_space"
	case errors.Is(err, frontier.ErrStorageFailed):
		return "storage_failed"
	case errors.Is(err, ErrClosed):
		return "closed"
	}
	return "context"
}

package weir

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/robots"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/bolt"
	"github.com/weircrawl/weir/storage/dir"
)

// A Crawler runs crawls of one Config, one after another. It is safe for
// concurrent use.
type Crawler struct {
	cfg    Config
	store  storage.Store
	sink   storage.ArtifactSink
	client *fetch.Client
	opened []func() error // what New opened, to be closed in reverse

	mu      sync.Mutex
	closed  bool
	end     context.CancelCauseFunc // of the Run in progress; nil: none
	shown   chan struct{}           // closed when it has opened current, or has returned without
	over    chan struct{}           // closed when it has returned
	current *frontier.Frontier      // of the Run in progress
	last    frontier.Summary        // of the Run before
	watch   *ledger.Watch           // over the run that is of interest; nil: nobody has polled it
}

// New opens what a crawl needs, or returns every fault of cfg at once as a
// *ConfigError. It makes no request and begins no run.
func New(cfg Config) (*Crawler, error) {
	cfg = cfg.withDefaults()
	client, err := fetch.New(cfg.Fetch)
	if err := cfg.check(err); err != nil {
		if client != nil {
			client.Close()
		}
		return nil, err
	}
	cfg.Normalizer = careful{cfg.Normalizer, cfg.Log}
	c := &Crawler{cfg: cfg, client: client, store: cfg.Store, sink: cfg.Artifacts}
	c.opened = append(c.opened, func() error { client.Close(); return nil })
	if err := c.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("weir: %w", err), c.release())
	}
	return c, nil
}

// open opens the parts that the Config does not bring.
func (c *Crawler) open() error {
	if c.store == nil {
		store, err := bolt.Open(bolt.Config{Path: c.cfg.storePath()})
		if err != nil {
			return err
		}
		c.store, c.opened = store, append(c.opened, store.Close)
	}
	if c.sink == nil {
		sink, err := dir.Open(c.cfg.artifactPath())
		if err != nil {
			return err
		}
		c.sink, c.opened = sink, append(c.opened, sink.Close)
	}
	return nil
}

// release closes what New opened.
func (c *Crawler) release() error {
	var errs []error
	for i := len(c.opened) - 1; i >= 0; i-- {
		errs = append(errs, c.opened[i]())
	}
	c.opened = nil
	return errors.Join(errs...)
}

// What Run and Close answer.
var (
	// ErrNoSeeds means that Run was called without seeds, and that no unfinished
	// run is there to go on with. Nothing was changed; name a seed.
	ErrNoSeeds = errors.New("weir: no seeds, and no unfinished run to go on with: pass a seed to Run")
	// ErrRunning means that the Crawler is in a Run already. Wait for it, or open
	// another Crawler in another Dir.
	ErrRunning = errors.New("weir: the crawler is running already")
	// ErrClosed means that the Crawler was closed, before the call or during it.
	// What was unresolved goes on in the next Run of its Dir.
	ErrClosed = errors.New("weir: the crawler is closed")
)

// ErrRunFinished means that the run that Config.Run names is over: Last has its
// receipt. Leave Run empty, or name another, for a new run; or raise the bound that
// the receipt names.
var ErrRunFinished = frontier.ErrRunFinished

// Run admits the seeds, works until every admitted URL is terminal, and returns
// the receipt. Where a run is unfinished it goes on with it, with or without
// seeds; otherwise it begins a new one. The newest run goes on after its end, too,
// without seeds or by its name in Config.Run, where Config.Budget raises a bound that
// has held something back: its receipt is then of a generation of its own.
//
// When ctx ends, or a bound stops the run, it gives its leases back and returns
// the receipt so far: the next Run goes on. The error is ctx's in the first case
// and nil in the second, in which the receipt names the bound. Where ctx has
// ended before the run was opened the receipt is empty: nothing was changed, and
// Last has the one before. Every other error says what stopped the run;
// *SeedError alone stops nothing but its seeds.
func (c *Crawler) Run(ctx context.Context, seeds ...string) (ledger.Receipt, error) {
	ctx, done, err := c.begin(ctx)
	if err != nil {
		return ledger.Receipt{}, err
	}
	defer done()
	cfg := c.frontierConfig()
	if len(seeds)+len(c.cfg.Sitemaps.URLs) == 0 {
		if cfg.Run, err = c.unfinished(ctx); err != nil {
			return ledger.Receipt{}, caused(ctx, err)
		}
	}
	f, err := frontier.Open(ctx, cfg)
	if err != nil {
		return ledger.Receipt{}, fmt.Errorf("weir: %w", caused(ctx, err))
	}
	c.show(f)
	err = c.crawl(ctx, f, seeds)
	receipt, unread := c.receipt(f)
	return receipt, errors.Join(err, unread, f.Close())
}

// caused adds to the error of a context that has ended why it has: Close, perhaps.
func caused(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	if cause == nil || !errors.Is(err, ctx.Err()) || errors.Is(err, cause) {
		return err
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// begin makes c busy with one Run, which Close can end.
func (c *Crawler) begin(ctx context.Context) (context.Context, func(), error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return nil, nil, ErrClosed
	case c.end != nil:
		return nil, nil, ErrRunning
	}
	ctx, c.end = context.WithCancelCause(ctx)
	shown, over := make(chan struct{}), make(chan struct{})
	c.shown, c.over = shown, over
	return ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.end(nil)
		if c.current != nil {
			c.last = c.current.Summary()
		} else {
			close(shown)
		}
		c.end, c.current = nil, nil
		close(over)
	}, nil
}

// unfinished names the run that Run goes on with without a seed: the unfinished one,
// or the newest, where it has finished and Config.Budget raises what it holds back. It
// answers ErrNoSeeds where there is none.
func (c *Crawler) unfinished(ctx context.Context) (string, error) {
	reader, err := c.Reader(ctx)
	if errors.Is(err, frontier.ErrNoRun) {
		return "", ErrNoSeeds
	}
	if err != nil {
		return "", fmt.Errorf("weir: %w", err)
	}
	summary, err := reader.Summary(ctx)
	if err != nil {
		return "", fmt.Errorf("weir: %w", err)
	}
	switch {
	case summary.Observed == 0 && summary.Offers == 0:
		return "", ErrNoSeeds // nothing was ever offered: there is nothing to go on with
	case !summary.Phase.Terminal() || c.cfg.Run != "":
		return c.cfg.Run, nil
	case summary.Phase == frontier.Finished && summary.RaisedBy(c.cfg.Budget):
		return summary.Run, nil
	}
	return "", ErrNoSeeds
}

func (c *Crawler) frontierConfig() frontier.Config {
	return frontier.Config{
		Store: c.store, Run: c.cfg.Run, Normalizer: c.cfg.Normalizer, Policy: c.cfg.Policy,
		Budget: c.cfg.Budget, Scope: c.cfg.Scope, InScope: c.cfg.InScope, Gates: true, Deadline: c.cfg.Fetch.Timeout, Robots: robots.Parser,
	}
}

// show makes f the frontier that Summary and Status look at, or the newest run.
func (c *Crawler) show(f *frontier.Frontier) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current, c.watch = f, nil; f != nil {
		close(c.shown)
	}
}

// receipt accounts for the run of f as it stands. It outlives the Run's context:
// a crawl that was stopped is accounted for all the same.
func (c *Crawler) receipt(f *frontier.Frontier) (ledger.Receipt, error) {
	ctx := context.Background()
	reader, err := frontier.NewReader(ctx, c.store, f.Summary().Run)
	if err != nil {
		return ledger.Receipt{}, fmt.Errorf("weir: receipt: %w", err)
	}
	reader.Normalizer = c.cfg.Normalizer
	return ledger.Reconcile(ctx, reader, c.broken()...)
}

// Last returns the receipt of the run that Config.Run names, or of the newest
// one, without a request. It reports whether there is such a run. After Ctrl-C it
// needs a context that has not ended: context.Background() will do.
func (c *Crawler) Last(ctx context.Context) (ledger.Receipt, bool, error) {
	reader, err := c.Reader(ctx)
	if errors.Is(err, frontier.ErrNoRun) {
		return ledger.Receipt{}, false, nil
	}
	if err != nil {
		return ledger.Receipt{}, false, fmt.Errorf("weir: %w", err)
	}
	receipt, err := ledger.Reconcile(ctx, reader)
	return receipt, err == nil, err
}

// Reader reads the run that Config.Run names, or the newest one, also while it
// goes on: its results with what OnPage emitted, its admissions, its history. It
// returns frontier.ErrNoRun where there is none. After Ctrl-C it needs a context
// that has not ended, as Last does.
func (c *Crawler) Reader(ctx context.Context) (*frontier.Reader, error) {
	return c.readerOf(ctx, c.cfg.Run)
}

// readerOf reads a run by its name, or the newest one.
func (c *Crawler) readerOf(ctx context.Context, run string) (*frontier.Reader, error) {
	reader, err := frontier.NewReader(ctx, ledger.Metered(c.store), run)
	if err != nil {
		return nil, err
	}
	reader.Normalizer = c.cfg.Normalizer
	return reader, nil
}

// Summary returns the counters of the Run in progress as of its last commit, or
// of the last Run where none is. It reads memory alone and never blocks on a
// store.
func (c *Crawler) Summary() frontier.Summary {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current != nil {
		return c.current.Summary()
	}
	return c.last
}

// Close ends a Run in progress, waits for it, and closes what New opened. What
// Config brought stays open. Closing twice is not an error.
func (c *Crawler) Close() error {
	c.mu.Lock()
	first := !c.closed
	c.closed = true
	over := c.over
	if c.end != nil {
		c.end(ErrClosed)
	}
	c.mu.Unlock()
	if over != nil {
		<-over
	}
	if !first {
		return nil
	}
	return c.release()
}

// Run is New, Crawler.Run and Crawler.Close.
func Run(ctx context.Context, cfg Config, seeds ...string) (ledger.Receipt, error) {
	c, err := New(cfg)
	if err != nil {
		return ledger.Receipt{}, err
	}
	receipt, err := c.Run(ctx, seeds...)
	return receipt, errors.Join(err, c.Close())
}

package weir

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/render"
	"github.com/weircrawl/weir/robots"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/urlnorm"
)

// Budget is the finite contract of a run.
type Budget = frontier.Budget

// Config joins the parts of a crawler. Only UserAgent is required; a zero field
// means its default.
type Config struct {
	// UserAgent names the crawler to sites, product token first, with an address
	// where its owner can be reached: "examplebot/1.0 (+https://example.com/bot)".
	// robots.txt rules are chosen by the product token.
	UserAgent string

	Dir   string         // folder of frontier.db and artifacts; default "crawl"
	Run   string         // name of the run; default its number
	Scope frontier.Scope // of a new run; default the hosts of its seeds

	// InScope says whether a URL that Scope takes is in scope; default yes. It is asked
	// at admission, at every hop and before each lease, concurrently, and must answer
	// from memory; of the URL only Request, Key and Origin may count. If it panics the
	// run ends with frontier.ErrInternal.
	InScope func(urlnorm.URL) bool

	// Budget is that of a new run. On an unfinished one a field that is 0 stays as
	// it is, a larger one raises the bound, and a smaller one lowers it, to what is
	// spent at least. Bytes and Wall stop a run, which a raise lets go on; URLs,
	// Origins, Depth, Pattern and the bounds of one page hold references back, and a
	// run that has nothing else left is over. The first four, raised afterwards, let it
	// go on: see Crawler.Run.
	Budget Budget

	// OnPage is called for every fetched page, concurrently for different pages.
	// Its error or panic fails the attempt, never the run, and never fetches
	// again: it is called once more with the stored response. What it emits is
	// kept in the commit that accepts the page.
	OnPage func(ctx context.Context, p *Page) error

	// Sitemaps says which sitemaps the run reads beside its pages; default none.
	Sitemaps Sitemaps

	// Follow says whether a link of p is offered to the frontier; default every
	// one. It is asked about links that lead a reader to a page and are not
	// nofollow: those of a, area, frame, iframe and meta[refresh], and next and prev
	// of link elements and Link header fields. All others, such as alternate,
	// canonical and images, are counted as policy_stop {kind} and not followed;
	// Page.Follow offers them by their URL.
	Follow func(p *Page, l Link) bool

	// Render says whether Renderer shows a page; default none. It is asked about
	// HTML pages, before their Doc, Text and Links are used.
	Render func(p *Page) bool

	ParserVersion  string        // version of OnPage, kept with every result; at most 64 bytes
	Workers        int           // pages in work at once; default 64
	HandlerTimeout time.Duration // of OnPage, for one page; default 5 min, at most 20
	Log            *slog.Logger  // default silent
	Trace          Trace         // what to call on the way; default nothing

	// A Policy that panics ends the run with frontier.ErrInternal. What panics in
	// Normalizer refuses its reference, counted as "panic".
	Policy     frontier.PolicySource // default one request at a time an origin, one second apart
	Normalizer urlnorm.Normalizer    // default urlnorm.Standard{}; the same until a run is over, see Rekey; checked by its Validate, if it has one
	Robots     robots.Policy         // what is refused although robots.txt allows it; default nothing. Counted as {robots}, too: Detail of the result's Evidence tells them apart
	Fetch      fetch.Config          // its UserAgent is this Config's
	Store      storage.Store         // default bbolt in Dir; what you pass in, you close
	Artifacts  storage.ArtifactSink  // default a directory in Dir; what you pass in, you close
	Renderer   render.Renderer       // default none; what you pass in, you close
}

// Trace is a set of optional functions that are called while a run goes on, from
// the goroutines that do the work: they must be fast, and safe for concurrent
// use.
type Trace struct {
	Leased  func(l frontier.Lease)                         // a lease was taken up
	Fetched func(l frontier.Lease, r fetch.Response)       // an exchange is over
	Settled func(c frontier.Completion, a frontier.Answer) // a completion was answered
	Commit  func(s frontier.Summary)                       // completions were committed
	Stuck   func(l frontier.Lease, since time.Time)        // OnPage has not returned in time
	Lost    func(l frontier.Lease, why error)              // a lease has become somebody else's
	Poll    func(p ledger.Poll)                            // a Status, or what Observe measures, has broken a bound of observation
}

const (
	defaultDir            = "crawl"
	defaultWorkers        = 64
	defaultHandlerTimeout = 5 * time.Minute
	maxParserVersion      = 64

	// A lease can be extended for 30 minutes: the request and what comes before
	// it take the rest.
	maxHandlerTimeout = 20 * time.Minute
)

func (c Config) withDefaults() Config {
	if c.Dir == "" {
		c.Dir = defaultDir
	}
	if c.Workers == 0 {
		c.Workers = defaultWorkers
	}
	if c.HandlerTimeout == 0 {
		c.HandlerTimeout = defaultHandlerTimeout
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Normalizer == nil {
		c.Normalizer = urlnorm.Standard{}
	}
	if c.Fetch.UserAgent == "" {
		c.Fetch.UserAgent = c.UserAgent
	}
	return c
}

// A ConfigError is returned by New and Run for a Config that cannot work. It
// names every fault at once; nothing was opened or changed.
type ConfigError struct {
	Faults []error
}

func (e *ConfigError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "weir: config has %d fault(s):", len(e.Faults))
	for _, f := range e.Faults {
		fmt.Fprintf(&b, "\n\t%v", f)
	}
	return b.String()
}

// Unwrap returns the faults.
func (e *ConfigError) Unwrap() []error { return e.Faults }

// check returns a ConfigError with every fault of c, whose defaults are set, and
// those that were found already.
func (c Config) check(found error) error {
	faults := append([]error{found}, c.faults()...)
	if c.Store == nil || c.Artifacts == nil {
		faults = append(faults, writable(c.Dir))
	}
	if all := flatten(faults); len(all) > 0 {
		return &ConfigError{Faults: all}
	}
	return nil
}

func (c Config) faults() []error {
	var faults []error
	fault := func(broken bool, format string, args ...any) {
		if broken {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	fault(c.Fetch.UserAgent != c.UserAgent && c.UserAgent != "", "Fetch.UserAgent is %q and UserAgent %q: set UserAgent alone", c.Fetch.UserAgent, c.UserAgent)
	fault(c.Workers < 0, "Workers is %d: it must be at least 1, or 0 for %d", c.Workers, defaultWorkers)
	fault(c.HandlerTimeout < 0, "HandlerTimeout is %v: it must be positive, or 0 for %v", c.HandlerTimeout, defaultHandlerTimeout)
	fault(c.HandlerTimeout > maxHandlerTimeout, "HandlerTimeout is %v of at most %v: a page cannot be held longer; do less in OnPage, or emit what a later step works on", c.HandlerTimeout, maxHandlerTimeout)
	fault(len(c.ParserVersion) > maxParserVersion, "ParserVersion has %d bytes of at most %d", len(c.ParserVersion), maxParserVersion)
	fault(len(c.Run) > 128, "Run has %d bytes of at most 128", len(c.Run))
	fault(!slices.Contains([]robots.Verdict{"", robots.Allow, robots.Deny}, c.Robots.Forbidden), "Robots.Forbidden is %q: it must be %q, %q or nothing", c.Robots.Forbidden, robots.Deny, robots.Allow)
	fault(c.Render != nil && c.Renderer == nil, "Render is set and Renderer is nil: set both, or none")
	for _, part := range []struct {
		field string
		value any
	}{{"Policy", c.Policy}, {"Normalizer", c.Normalizer}, {"Store", c.Store}, {"Artifacts", c.Artifacts}, {"Renderer", c.Renderer}} {
		fault(isNilPointer(part.value), "%s is a nil %T: look at the error of the call that should have made it", part.field, part.value)
	}
	for _, part := range []any{c.Policy, c.Normalizer} {
		if v, ok := part.(interface{ Validate() error }); ok && !isNilPointer(part) {
			faults = append(faults, v.Validate())
		}
	}
	return append(faults, c.Budget.WithDefaults().Validate(), c.Scope.Validate())
}

// isNilPointer reports whether part is an interface that holds a nil pointer.
func isNilPointer(part any) bool {
	v := reflect.ValueOf(part)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// writable makes dir, and proves that a file can be made in it.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("Dir cannot be made: %w; choose another", err)
	}
	probe, err := os.CreateTemp(dir, ".weir-")
	if err != nil {
		return fmt.Errorf("Dir %s is not writable: %w; choose another or change its rights", dir, err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// flatten turns errors, joined ones among them, into a list of single ones.
func flatten(errs []error) []error {
	var list []error
	for _, err := range errs {
		switch joined := err.(type) {
		case nil:
		case interface{ Unwrap() []error }:
			list = append(list, flatten(joined.Unwrap())...)
		default:
			list = append(list, err)
		}
	}
	return list
}

func (c Config) storePath() string    { return filepath.Join(c.Dir, "frontier.db") }
func (c Config) artifactPath() string { return filepath.Join(c.Dir, "artifacts") }

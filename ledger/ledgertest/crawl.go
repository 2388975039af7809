package ledgertest

import (
	"context"
	"iter"
	"testing"
	"time"

	"github.com/weircrawl/weir/fetch/fetchtest"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
)

// A Plan is a crawl that a row asks for.
type Plan struct {
	Seeds   []string
	URLs    int64          // the budget: identities that may be admitted
	Delay   time.Duration  // between two requests to one origin, one at a time; negative: none, and several at a time
	Workers int            // pages in work at once
	Dial    fetchtest.Dial // the network, on loopback; there is no other

	// Commit must be called with the counters of every commit, in order, from wherever
	// they are made.
	Commit func(frontier.Summary)
}

// A Crawl is a whole crawler under test, with a store of its own that is empty.
// Run goes on where an earlier Run of the same Crawl has stopped.
type Crawl struct {
	Run  func(ctx context.Context, p Plan) error // crawls until all is done; once ctx has ended it stops, and its error is of no interest
	Fail func(ctx context.Context) error         // ends the crawl for good, as failed; nil: it cannot

	// Admissions yields the decision on every reference, in order.
	Admissions func(ctx context.Context) iter.Seq2[frontier.Admission, error]

	// Poll asks once how the crawl stands, by the Wire that the Crawl was opened with,
	// while Run goes on. The answer is what its JSON is. The first call may open what
	// the others need.
	Poll func(ctx context.Context) (any, error)

	// Results is what the crawl has, as of now or of the last Run. The data of a result
	// has "url", "state" and "reason".
	Results func(ctx context.Context) (ledger.Source, error)

	Fault func(f Fault) bool // as in Subject, of the service that Results reads by

	Close func() error
}

// OpenCrawl opens a crawler whose Poll must go by w.
type OpenCrawl func(w *Wire) (Crawl, error)

// Crawler runs all nine rows of the matrix over the crawlers that open opens.
func Crawler(t *testing.T, open func(t *testing.T, w *Wire) (Crawl, error)) {
	t.Helper()
	for _, c := range CrawlerChecks() {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			if err := c.Run(func(w *Wire) (Crawl, error) { return open(t, w) }); err != nil {
				t.Error(err)
			}
		})
	}
}

// CrawlerChecks returns the whole matrix.
func CrawlerChecks() []Check[OpenCrawl] {
	checks := []Check[OpenCrawl]{
		{1, "racing claims never cross the budget", races},
		{2, "a poll of a running crawl is one bounded request, and walks no results", polls},
	}
	for _, c := range SourceChecks() {
		checks = append(checks, Check[OpenCrawl]{c.Row, c.Name, func(t *trial, open OpenCrawl) { c.run(t, t.crawled(open)) }})
	}
	checks[6].run = goesOn
	return append(checks, Check[OpenCrawl]{9, "what refuses a crawler is a verdict, and changes neither who asks nor from where", keepsItsName})
}

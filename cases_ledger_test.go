package weir

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/ledger/ledgertest"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/bolt"
	"github.com/weircrawl/weir/storage/memory"
)

// Cases of cases/faults.md about status, counters and result pages.

// generation is the newest one of the run in store.
func generation(t *testing.T, store storage.Store) *ledger.Generation {
	t.Helper()
	reader, err := frontier.NewReader(context.Background(), store, "")
	require.NoError(t, err)
	g, err := ledger.Latest(context.Background(), reader)
	require.NoError(t, err)
	return g
}

// fast is a change: no waits, and so many requests at once.
func fast(workers int) func(*Config) {
	return func(cfg *Config) {
		cfg.Workers, cfg.Policy = workers, frontier.Policy{Delay: -1, Concurrency: workers}
	}
}

func TestSD1APollReadsNoResultHoweverManyThereAre(t *testing.T) {
	const pages = 5000
	w, mem := web(t, "-- http://a.test/robots.txt --\n"), memory.New()
	var wire ledgertest.Wire
	polled := poller{t: t, wire: &wire, store: mem}
	require.NoError(t, w.Handle("http://a.test/*", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		var n int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &n) // the seed is none: 0
		if n%100 == 0 {
			polled.poll()
			for i := n; i < n+100; i++ {
				fmt.Fprintf(rw, "<a href=/%d>x</a>", (i+1)%pages)
			}
		}
	})))
	cfg := over(w, mem)
	fast(32)(&cfg)
	cfg.Budget.Depth, cfg.Budget.Pattern = pages, pages
	receipt, err := Run(t.Context(), cfg, "http://a.test/0")
	require.NoError(t, err)
	assert.Equal(t, ledger.Complete, receipt.Verdict, receipt.Why)
	assert.EqualValues(t, pages, receipt.Results)

	require.Len(t, polled.costs, pages/100)
	for i, c := range polled.costs {
		assert.Equal(t, 1, c.Requests, "poll %d: one read", i)
		assert.Zero(t, c.Results, "poll %d: no result row", i)
		assert.LessOrEqual(t, polled.answers[i], ledger.MaxStatus, "poll %d: bytes of the answer", i)
	}
	assert.Less(t, polled.costs[len(polled.costs)-1].Bytes, 2*polled.costs[1].Bytes, "the last poll reads what the second has read")
}

// A poller asks a running crawl how it stands, and notes what that costs.
type poller struct {
	t     *testing.T
	wire  *ledgertest.Wire
	store storage.Store

	mu      sync.Mutex
	watch   *ledger.Watch
	costs   []ledgertest.Cost
	answers []int
}

func (p *poller) poll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	ctx := context.Background()
	if p.watch == nil {
		var err error
		p.watch, err = ledger.NewWatch(ctx, p.wire.Store(p.store), "", nil)
		assert.NoError(p.t, err)
	}
	p.wire.Take()
	status, err := p.watch.Status(ctx)
	assert.NoError(p.t, err)
	text, err := json.Marshal(status)
	assert.NoError(p.t, err)
	p.costs, p.answers = append(p.costs, p.wire.Take()), append(p.answers, len(text))
}

func TestSD2OnePageOfResultsSaysThatThereAreMore(t *testing.T) {
	c := crawl(t, star(249), fast(16), "http://a.test/")
	g := generation(t, c.mem)
	page, err := g.Page(t.Context(), ledger.PageRequest{Records: 100})
	require.NoError(t, err)
	assert.Len(t, page.Results, 100)
	assert.NotEmpty(t, page.Next, "there are more, and this is where")
	assert.EqualValues(t, 250, page.Counts.Expected)

	n := 0
	for _, err := range g.All(t.Context()) {
		require.NoError(t, err)
		n++
	}
	assert.Equal(t, 250, n, "a loop over all of them")

	var d ledgertest.Dataset
	export := ledger.Export{From: g, To: &d, Page: ledger.PageRequest{Records: 100}, Pages: 1}
	receipt, err := ledger.Materialize(t.Context(), export)
	require.NoError(t, err)
	assert.Equal(t, ledger.PartialResumable, receipt.Verdict, receipt.Why)
	assert.EqualValues(t, 100, receipt.Results)
	assert.Equal(t, page.Next, receipt.Next)
	export.Pages = 0
	receipt, err = ledger.Materialize(t.Context(), export)
	require.NoError(t, err)
	assert.Equal(t, ledger.Complete, receipt.Verdict, receipt.Why)
	assert.Equal(t, receipt.Expected.Expected, receipt.Results)
	assert.Len(t, receipt.Pages, 3)
}

// mixed is a web of 40 pages: 25 answer, 11 fail for good, 4 are forbidden by
// robots.txt.
func mixed() string {
	var b strings.Builder
	b.WriteString("-- http://a.test/robots.txt --\nUser-agent: *\nDisallow: /private\n-- http://a.test/ --\n")
	for i := range 11 {
		fmt.Fprintf(&b, "<a href=/fails/%d>x</a>", i)
	}
	for i := range 4 {
		fmt.Fprintf(&b, "<a href=/private/%d>x</a>", i)
	}
	for i := range 24 {
		fmt.Fprintf(&b, "<a href=/page/%d>x</a>", i)
	}
	b.WriteString("\n-- http://a.test/page/* --\na page\n-- http://a.test/private/* --\nno\n-- http://a.test/fails/* --\nHTTP 400\n\nno")
	return b.String()
}

func TestSD3FailedAndRefusedPagesEndARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		c := crawl(t, mixed(), nil, "http://a.test/")
		log := c.web.Log()
		assert.Equal(t, frontier.Finished, c.receipt.Phase)
		assert.Less(t, c.receipt.Ended.Sub(began)-log[len(log)-1].End, time.Second, "it ends with its last request")
		assert.EqualValues(t, 25, c.receipt.Counts[frontier.Done])
		assert.EqualValues(t, 11, c.receipt.Counts[frontier.Failed])
		assert.EqualValues(t, 4, c.receipt.Counts[frontier.Refused])
		assert.Equal(t, ledger.CompleteWithFailures, c.receipt.Verdict, c.receipt.Why)

		var d ledgertest.Dataset
		receipt, err := ledger.Materialize(t.Context(), ledger.Export{From: generation(t, c.mem), To: &d})
		require.NoError(t, err)
		assert.Equal(t, ledger.Counts{Expected: 40, Succeeded: 25, Failed: 11, Stopped: 4}, receipt.Expected)
		assert.Equal(t, ledger.CompleteWithFailures, receipt.Verdict, receipt.Why)
	})
}

func TestSD5AnOriginThatWaitsForNothingKeepsNoRunAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b strings.Builder
		b.WriteString("-- http://patient.test/robots.txt --\nUser-agent: *\nCrawl-delay: 60\n-- http://patient.test/ --\nits only page\n")
		for i := range 70 {
			fmt.Fprintf(&b, "-- http://a.test/%d --\n<a href=/%d>next</a><a href=http://patient.test/>p</a>\n", i, i+1)
		}
		b.WriteString("-- http://a.test/70 --\nHTTP 400\n\nno\n")
		began := time.Now()
		c := crawl(t, b.String(), func(cfg *Config) {
			cfg.Scope.Hosts, cfg.Budget.Depth = []string{"a.test", "patient.test"}, 100
		}, "http://a.test/0")
		assert.Equal(t, frontier.Finished, c.receipt.Phase)
		log := c.web.Log()
		last, patient := log[len(log)-1], log.Origin("http://patient.test")
		require.Equal(t, "http://a.test/70", last.URL)
		require.Less(t, last.End, patient[len(patient)-1].Start+time.Minute, "patient.test may not be asked again yet")
		assert.Less(t, c.receipt.Ended.Sub(began)-last.End, time.Second, "at once, and not after patient.test's minute")
	})
}

func TestSD6AnExpiredLeaseIsNotInProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, err := frontier.Open(t.Context(), frontier.Config{Store: memory.New(), Policy: frontier.Policy{Delay: -1, Concurrency: 10}})
		require.NoError(t, err)
		defer f.Close()
		var refs []frontier.Reference
		for i := range 10 {
			refs = append(refs, frontier.Reference{Observed: fmt.Sprintf("http://a.test/%d", i)})
		}
		_, err = f.Enqueue(t.Context(), frontier.Seed, refs...)
		require.NoError(t, err)
		leases, err := f.Lease(t.Context(), 10)
		require.NoError(t, err)
		require.Len(t, leases, 10)
		for i, l := range leases[:5] {
			done := l.Fetched(frontier.Evidence{})
			if i >= 3 {
				done = l.Failed("content", frontier.Evidence{})
			}
			_, err := f.Complete(t.Context(), done)
			require.NoError(t, err)
		}
		time.Sleep(40 * time.Second) // of the bubble's clock
		for _, l := range leases[7:] {
			_, err := f.Extend(l)
			require.NoError(t, err)
		}
		time.Sleep(40 * time.Second)
		s := f.Summary()
		assert.EqualValues(t, 3, s.States[frontier.Leased])
		assert.EqualValues(t, 2, s.States[frontier.Queued], "two have expired, and nobody has asked for them yet")
		assert.EqualValues(t, 3, s.States[frontier.Done])
		assert.EqualValues(t, 2, s.States[frontier.Failed])
	})
}

func TestSD7AFailureInTheMiddleKeepsWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	store, err := bolt.Open(bolt.Config{Path: filepath.Join(dir, "frontier.db")})
	require.NoError(t, err)
	w, mem := web(t, star(99)), memory.New()
	cfg := over(w, mem)
	fast(4)(&cfg)
	cfg.Store = store
	broken := errors.New("the machine is switched off")
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	cfg.Trace.Commit = func(s frontier.Summary) {
		if s.Results >= 40 {
			stop(broken)
		}
	}
	_, err = Run(ctx, cfg, "http://a.test/")
	require.ErrorIs(t, err, broken)
	require.NoError(t, store.Close())

	store, err = bolt.Open(bolt.Config{Path: filepath.Join(dir, "frontier.db")})
	require.NoError(t, err)
	defer store.Close()
	path := filepath.Join(dir, "pages.jsonl")
	sink := &ledger.File{Path: path}
	receipt, err := ledger.Materialize(t.Context(), ledger.Export{From: generation(t, store), To: sink})
	require.NoError(t, err)
	assert.GreaterOrEqual(t, receipt.Results, int64(40))
	assert.Less(t, receipt.Results, int64(100))
	assert.Equal(t, ledger.PartialResumable, receipt.Verdict, receipt.Why)
	assert.Contains(t, receipt.Why, "unresolved; the run is stopped")
	assert.EqualValues(t, receipt.Results, 100-receipt.Expected.Unresolved)
	require.NoError(t, receipt.Verify(t.Context(), sink))
	require.NoError(t, sink.Close())
	assert.NoFileExists(t, path, "it is not published")
	assert.FileExists(t, path+".partial")
}

func TestSD8DoneIsNoProofOfCoverage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, `
-- http://a.test/robots.txt --
User-agent: *
Disallow: /private
-- http://a.test/ --
<a href=/private/1>1</a><a href=/private/2>2</a><a href=http://a.test:99999/>3</a><a href=/page>4</a>
<a href=/more/1>5</a><a href=/more/2>6</a><a href=/more/3>7</a>
-- http://a.test/page --
a page
`, func(cfg *Config) { cfg.Budget.URLs = 4 }, "http://a.test/")
		r := c.receipt
		assert.EqualValues(t, 2, r.Counts[frontier.Done])
		assert.EqualValues(t, 2, r.Counts[frontier.Refused])
		assert.Equal(t, ledger.CompleteWithFailures, r.Verdict, "done and refused are all that was admitted")
		assert.Contains(t, r.Why, "2 refused")
		assert.Contains(t, r.Why, "3 references suppressed, held back by urls")
		group := func(tallies []frontier.Tally, reason frontier.Reason) frontier.Tally {
			for _, t := range tallies {
				if t.Reason == reason {
					return t
				}
			}
			return frontier.Tally{}
		}
		assert.Equal(t, frontier.Tally{State: frontier.Refused, Reason: "robots", Count: 2, Example: "http://a.test/private/1"}, group(r.Reasons, "robots"))
		assert.Equal(t, frontier.Tally{Decision: frontier.LimitReached, Reason: "urls", Count: 3, Example: "/more/1"}, group(r.Decided, "urls"))
		assert.Equal(t, frontier.Tally{Decision: frontier.PolicyStop, Reason: "bad_port", Count: 1, Example: "http://a.test:99999/"}, group(r.Decided, "bad_port"))

		var d ledgertest.Dataset
		receipt, err := ledger.Materialize(t.Context(), ledger.Export{From: generation(t, c.mem), To: &d})
		require.NoError(t, err)
		assert.Equal(t, r.Decided, receipt.Decided, "and so does the receipt of the dataset")
		assert.Equal(t, r.Verdict, receipt.Verdict)
	})
}

// slowly is a consumer that takes one page, and then another only when it is
// let.
type slowly struct {
	ledgertest.Dataset

	store *watched // that the pages come from
	next  chan struct{}
	took  chan struct{} // closed after the first page

	once sync.Once
}

func (s *slowly) Write(ctx context.Context, line ledger.PageReceipt, results []ledger.Result) error {
	if n := s.store.reading.Load(); n != 0 {
		return fmt.Errorf("%d reads of the store go on while the consumer has page %d", n, line.Ordinal)
	}
	s.once.Do(func() { close(s.took) })
	<-s.next
	return s.Dataset.Write(ctx, line, results)
}

// watched is a store that counts what is read of it.
type watched struct {
	storage.Store

	reading atomic.Int64 // reads that go on
	longest atomic.Int64 // rows of the one that had most
}

func (w *watched) Read(ctx context.Context, requests ...storage.ReadRequest) ([]storage.ReadResult, error) {
	w.reading.Add(1)
	defer w.reading.Add(-1)
	got, err := w.Store.Read(ctx, requests...)
	for _, g := range got {
		w.longest.Store(max(w.longest.Load(), int64(len(g.Values))))
	}
	return got, err
}

// bolted is a crawl over bolt whose first half is done.
type bolted struct {
	t     *testing.T
	path  string
	store storage.Store
	cfg   Config
}

func halfCrawled(t *testing.T, pages int) *bolted {
	b := &bolted{t: t, path: filepath.Join(t.TempDir(), "frontier.db")}
	store, err := bolt.Open(bolt.Config{Path: b.path})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	b.store, b.cfg = store, over(web(t, star(pages-1)), memory.New())
	fast(4)(&b.cfg)
	b.cfg.Store = store
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	first := b.cfg
	first.Trace.Commit = func(s frontier.Summary) {
		if s.Results >= int64(pages/2) {
			stop()
		}
	}
	_, err = Run(ctx, first, "http://a.test/")
	require.ErrorIs(t, err, context.Canceled)
	return b
}

// rest crawls the second half, and returns by how much the file grows.
func (b *bolted) rest(pages int) int64 {
	before, err := os.Stat(b.path)
	require.NoError(b.t, err)
	receipt, err := Run(b.t.Context(), b.cfg)
	require.NoError(b.t, err)
	require.EqualValues(b.t, pages, receipt.Results)
	after, err := os.Stat(b.path)
	require.NoError(b.t, err)
	return after.Size() - before.Size()
}

func TestSO4AnExportThatStandsStillHoldsNothingBack(t *testing.T) {
	const pages, step = 400, 16 << 20 // by which a file of bolt grows
	alone := halfCrawled(t, pages).rest(pages)

	b := halfCrawled(t, pages)
	store := &watched{Store: b.store}
	export := generation(t, store)
	consumer := &slowly{store: store, next: make(chan struct{}), took: make(chan struct{})}
	var receipt ledger.Receipt
	var failed error
	var group sync.WaitGroup
	group.Go(func() {
		receipt, failed = ledger.Materialize(context.Background(), ledger.Export{From: export, To: consumer, Page: ledger.PageRequest{Records: 10}})
	})
	<-consumer.took
	beside := b.rest(pages) // ends, while the export stands at its first page
	assert.Empty(t, consumer.Rows(), "the consumer has not taken the first page yet")
	close(consumer.next)
	group.Wait()
	require.NoError(t, failed)
	require.NoError(t, receipt.Verify(t.Context(), &consumer.Dataset))
	assert.Equal(t, export.Summary.Results, receipt.Results, "one generation, whatever came after it")
	assert.Equal(t, ledger.PartialResumable, receipt.Verdict, receipt.Why)
	assert.LessOrEqual(t, store.longest.Load(), int64(256), "rows of one read")
	assert.LessOrEqual(t, beside, 2*max(alone, step), "bytes that the file grew by")
}

package ledgertest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir"
	"github.com/weircrawl/weir/fetch/fetchtest"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/ledger/ledgertest"
)

// A wrongCrawl breaks one row of the matrix. Each is weir with one fault about it.
type wrongCrawl struct {
	row   int
	fault string
	open  func(w *ledgertest.Wire) ledgertest.Crawl
}

var wrongCrawls = []wrongCrawl{
	{1, "each of two machines counts for itself", twoMachines},
	{1, "each worker may be one above the budget", changed(func(cfg *weir.Config) { cfg.Budget.URLs += int64(cfg.Workers) })},
	{2, "a poll walks the results", polledBy(func(ctx context.Context, r *frontier.Reader) (any, error) {
		n := 0
		for range r.Results(ctx, 0) {
			n++
		}
		return n, nil
	})},
	{2, "a poll asks twice", polledBy(func(ctx context.Context, r *frontier.Reader) (any, error) {
		if _, err := r.Summary(ctx); err != nil {
			return nil, err
		}
		return r.Summary(ctx)
	})},
	{2, "the answer to a poll grows with the crawl", polledBy(func(ctx context.Context, r *frontier.Reader) (any, error) {
		s, err := r.Summary(ctx)
		return strings.Repeat("url ", 40*int(s.Results)), err
	})},
	{2, "the answer to a poll is always the same", polledBy(func(context.Context, *frontier.Reader) (any, error) { return "running", nil })},
	{7, "what was frozen is whatever there is now", with(func(c *weirCrawl, crawl *ledgertest.Crawl) {
		crawl.Results = func(context.Context) (ledger.Source, error) { return &latest{c}, nil }
	})},
	{8, "a crawl that has failed has only stopped", with(func(_ *weirCrawl, crawl *ledgertest.Crawl) {
		crawl.Fail = func(context.Context) error { return nil }
	})},
	{9, "another user agent comes after a refusal", transported(func(t *turned, r *http.Request) {
		if t.refusals > 0 {
			r.Header.Set("User-Agent", fmt.Sprintf("browser/%d", t.refusals))
		}
	})},
	{9, "headers of a browser come after a refusal", transported(func(t *turned, r *http.Request) {
		if t.refusals > 0 {
			r.Header.Set("Accept-Language", "en")
		}
	})},
	{9, "credentials are tried after a login", transported(func(t *turned, r *http.Request) { t.again = http.StatusUnauthorized })},
	{9, "a 429 is tried again at once", transported(func(t *turned, r *http.Request) { t.again = http.StatusTooManyRequests })},
	{9, "robots.txt is not looked at", transported(func(t *turned, r *http.Request) { t.blind = true })},
	{9, "there is no pause between two requests", changed(func(cfg *weir.Config) { cfg.Policy = frontier.Policy{Delay: -1} })},
	{9, "another address comes after a while", changed(func(cfg *weir.Config) { cfg.Fetch.Dial = rotating(cfg.Fetch.Dial) })},
	{9, "what was refused has no outcome", with(func(_ *weirCrawl, crawl *ledgertest.Crawl) {
		results := crawl.Results
		crawl.Results = func(ctx context.Context) (ledger.Source, error) {
			s, err := results(ctx)
			return onlyDone{s}, err
		}
	})},
}

func TestEveryRowOfACrawlerBites(t *testing.T) {
	bitten := map[int]bool{}
	for _, w := range wrongSources {
		bitten[w.row] = true // see TestEveryRowOfASourceBites
	}
	for _, w := range wrongCrawls {
		bitten[w.row] = true
		t.Run(fmt.Sprintf("row %d/%s", w.row, w.fault), func(t *testing.T) {
			t.Parallel()
			err := ledgertest.CrawlerChecks()[w.row-1].Run(func(wire *ledgertest.Wire) (ledgertest.Crawl, error) { return w.open(wire), nil })
			require.Error(t, err, "row %d passed a crawler in which %s", w.row, w.fault)
			assert.ErrorContains(t, err, fmt.Sprintf("row %d, ", w.row), "the error names the row")
			t.Log(err)
		})
	}
	for i, c := range ledgertest.CrawlerChecks() {
		assert.Equal(t, i+1, c.Row)
		assert.True(t, bitten[c.Row], "nothing breaks row %d", c.Row)
	}
}

// with is weir in memory, of which change has another Crawl made.
func with(change func(c *weirCrawl, crawl *ledgertest.Crawl)) func(*ledgertest.Wire) ledgertest.Crawl {
	return func(w *ledgertest.Wire) ledgertest.Crawl {
		c := inMemory(w)
		crawl := c.crawl()
		change(c, &crawl)
		return crawl
	}
}

// changed is weir in memory under another Config.
func changed(change func(cfg *weir.Config)) func(*ledgertest.Wire) ledgertest.Crawl {
	return with(func(c *weirCrawl, _ *ledgertest.Crawl) { c.change = change })
}

func polledBy(poll func(ctx context.Context, r *frontier.Reader) (any, error)) func(*ledgertest.Wire) ledgertest.Crawl {
	return with(func(c *weirCrawl, crawl *ledgertest.Crawl) {
		open := sync.OnceValues(func() (*frontier.Reader, error) {
			return frontier.NewReader(context.Background(), c.wire.Store(c.store), "")
		})
		crawl.Poll = func(ctx context.Context) (any, error) {
			reader, err := open()
			if err != nil {
				return nil, err
			}
			return poll(ctx, reader)
		}
	})
}

// twoMachines is two crawlers that share the seeds, but no budget.
func twoMachines(w *ledgertest.Wire) ledgertest.Crawl {
	one, other := inMemory(w).crawl(), inMemory(w).crawl()
	both := one
	both.Run = func(ctx context.Context, p ledgertest.Plan) error {
		half := p
		half.Seeds, p.Seeds = p.Seeds[:1], p.Seeds[1:]
		var group sync.WaitGroup
		var errs [2]error
		group.Go(func() { errs[0] = one.Run(ctx, half) })
		group.Go(func() { errs[1] = other.Run(ctx, p) })
		group.Wait()
		return errors.Join(errs[:]...)
	}
	both.Admissions = func(ctx context.Context) iter.Seq2[frontier.Admission, error] {
		return func(yield func(frontier.Admission, error) bool) {
			seen := map[string]bool{}
			for _, part := range []ledgertest.Crawl{one, other} {
				for a, err := range part.Admissions(ctx) {
					if a.Decision == frontier.Admitted && seen[a.Key.Text] {
						continue // the ledgers are merged
					}
					seen[a.Key.Text] = true
					if !yield(a, err) {
						return
					}
				}
			}
		}
	}
	both.Close = func() error { return errors.Join(one.Close(), other.Close()) }
	return both
}

// latest is the newest generation, whenever it is asked, under one name.
type latest struct{ crawl *weirCrawl }

func (l *latest) Page(ctx context.Context, r ledger.PageRequest) (ledger.Page, error) {
	s, err := l.crawl.results(ctx)
	if err != nil {
		return ledger.Page{}, err
	}
	at := r.After
	r.After, r.Records = "", 1000
	page, err := s.Page(ctx, r)
	page.Generation, page.Next = "now", ""
	if at == "" && len(page.Results) > 10 {
		page.Results, page.Next = page.Results[:10], "rest"
	} else if at != "" {
		page.Results = page.Results[10:]
	}
	return page, err
}

// onlyDone hides what was refused.
type onlyDone struct{ ledger.Source }

func (o onlyDone) Page(ctx context.Context, r ledger.PageRequest) (ledger.Page, error) {
	page, err := o.Source.Page(ctx, r)
	var done []ledger.Result
	for _, r := range page.Results {
		if r.State == frontier.Done {
			done = append(done, r)
		}
	}
	page.Results = done
	return page, err
}

// A turned transport does what a crawler must not when it is refused.
type turned struct {
	http.RoundTripper
	before func(t *turned, r *http.Request)

	mu       sync.Mutex
	refusals int
	again    int  // a status that is tried again at once
	blind    bool // robots.txt is never there
}

func transported(before func(t *turned, r *http.Request)) func(*ledgertest.Wire) ledgertest.Crawl {
	return changed(func(cfg *weir.Config) {
		cfg.Fetch.Transport = &turned{RoundTripper: &http.Transport{DialContext: cfg.Fetch.Dial}, before: before}
		cfg.Fetch.Dial, cfg.Fetch.Allow = nil, nil
	})
}

func (t *turned) RoundTrip(r *http.Request) (*http.Response, error) {
	t.mu.Lock()
	r = r.Clone(r.Context())
	t.before(t, r)
	again, blind := t.again, t.blind
	t.mu.Unlock()
	if blind && strings.HasSuffix(r.URL.String(), "/robots.txt") {
		return &http.Response{StatusCode: http.StatusNotFound, Body: http.NoBody, Request: r, Header: http.Header{}}, nil
	}
	answer, err := t.RoundTripper.RoundTrip(r)
	if err == nil && answer.StatusCode == again {
		_, _ = io.Copy(io.Discard, answer.Body) // nobody wants it
		_ = answer.Body.Close()
		r.Header.Set("Authorization", "Basic Z3Vlc3Q6Z3Vlc3Q=")
		answer, err = t.RoundTripper.RoundTrip(r)
	}
	if err == nil && answer.StatusCode/100 == 4 {
		t.mu.Lock()
		t.refusals++
		t.mu.Unlock()
	}
	return answer, err
}

// rotating dials from another address of loopback each time, and has no
// connection used twice.
func rotating(dial fetchtest.Dial) fetchtest.Dial {
	var mu sync.Mutex
	n := 1
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		probe, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		to := probe.RemoteAddr().String()
		_ = probe.Close() // only its address is wanted
		mu.Lock()
		n++
		from := &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(n))}
		mu.Unlock()
		return (&net.Dialer{LocalAddr: from}).DialContext(ctx, network, to)
	}
}

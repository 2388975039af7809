package weir

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/internal/faults"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
)

// leased begins a run of cfg by hand, and returns it with its first lease, a gate.
func leased(t *testing.T, cfg Config) (*run, frontier.Lease) {
	t.Helper()
	crawler, err := New(cfg)
	require.NoError(t, err)
	f, err := frontier.Open(t.Context(), crawler.frontierConfig())
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, f.Close())
		require.NoError(t, crawler.Close())
	})
	r := crawler.newRun(f)
	_, err = r.sow(t.Context(), []string{"http://a.test/"})
	require.NoError(t, err)
	leases, err := f.Lease(t.Context(), 1)
	require.NoError(t, err)
	r.held.add(leases)
	return r, leases[0]
}

// S-B1: what lies in reserve longer than its lease is not requested.
func TestSB1AnExpiredLeaseIsNotRequested(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := web(t, twoPages)
		cfg, lost := over(w, memory.New()), 0
		cfg.Trace.Lost = func(_ frontier.Lease, why error) {
			assert.ErrorIs(t, why, frontier.ErrStale)
			lost++
		}
		r, lease := leased(t, cfg)
		time.Sleep(2 * time.Minute) // nobody extends it
		_, ok := r.attempt(t.Context(), lease)
		assert.False(t, ok, "there is nobody to report to")
		assert.Equal(t, 1, lost)
		assert.Empty(t, w.Log())
		assert.Empty(t, r.held.leases)
	})
}

func TestAReportThatIsNotAcceptedIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		mem := memory.New()
		cfg := over(web(t, twoPages), mem)
		cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
		r, lease := leased(t, cfg)
		r.end = func(error) {}
		r.commit(t.Context(), []frontier.Completion{lease.Open(nil, time.Now().Add(time.Hour), 0, frontier.Evidence{})})
		assert.Empty(t, log.String())
		r.commit(t.Context(), []frontier.Completion{lease.Retry("connect", 0, frontier.Evidence{})})
		assert.Contains(t, log.String(), "completion not accepted")
		assert.Contains(t, log.String(), "conflict")
	})
}

func TestAStoredResponseThatIsGoneFailsItsPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, twoPages), memory.New()
		cfg := over(w, mem)
		cfg.Artifacts = faults.NewSink(mem, faults.FromNthSink(faults.BeforeOpen, 1, func(context.Context) error { return storage.ErrCorrupt }))
		cfg.OnPage = func(context.Context, *Page) error { return errors.New("not yet") }
		receipt, err := Run(t.Context(), cfg, "http://a.test/")
		require.NoError(t, err)
		assert.Equal(t, []string{"failed {handler} http://a.test/"}, results(t, mem))
		for r := range allResults(t, mem) {
			assert.Contains(t, r.Evidence.Detail, "stored response: ")
		}
		assert.Equal(t, ledger.CompleteWithFailures, receipt.Verdict)
	})
}

func TestNothingIsRequestedUnderRulesThatAreLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, "-- http://a.test/robots.txt --\nUser-agent: *\nDisallow: /2\n-- http://a.test/ --\n<a href=/1>1</a>\n-- http://a.test/1 --\n1"), memory.New()
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		_, err := Run(ctx, over(w, mem), "http://a.test/")
		require.ErrorIs(t, err, context.DeadlineExceeded)

		cfg := over(w, mem)
		cfg.Artifacts = faults.NewSink(mem, faults.FromNthSink(faults.BeforeOpen, 1, func(context.Context) error { return storage.ErrCorrupt }))
		_, err = Run(t.Context(), cfg)
		require.NoError(t, err)
		assert.Equal(t, []string{"done {fetched} http://a.test/", "failed {robots: lost} http://a.test/1"}, results(t, mem))
		assert.Zero(t, w.Log().Hits("http://a.test/1"))
	})
}

func TestAHostThatDoesNotExistEndsItsURLs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, "-- http://a.test/* --\n! dns"), memory.New()
		_, err := Run(t.Context(), over(w, mem), "http://a.test/", "http://a.test/2")
		require.NoError(t, err)
		assert.Equal(t, []string{"failed {dns} http://a.test/", "failed {dns} http://a.test/2"}, results(t, mem))
		assert.Len(t, w.Log(), 2, "asked twice, under the gate alone")
	})
}

func TestAnErrorListsWhatItIsAbout(t *testing.T) {
	one, two := errors.New("one"), errors.New("two")
	config := &ConfigError{Faults: []error{one, two}}
	assert.EqualError(t, config, "weir: config has 2 fault(s):\n\tone\n\ttwo")
	assert.ErrorIs(t, config, two)
	assert.EqualError(t, &LimitError{Bound: "records", Got: 3, Most: 2}, "weir: 3 records of at most 2: raise the Budget, or keep less")
	assert.ErrorIs(t, &renderError{fmt.Errorf("render: %w", one)}, one)
}

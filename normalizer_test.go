package weir

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/storage/memory"
	"github.com/weircrawl/weir/urlnorm"
)

// brittle panics on one reference.
type brittle struct{ on string }

func (b brittle) Normalize(base *urlnorm.URL, ref string) (urlnorm.URL, error) {
	if ref == b.on {
		panic("an index out of range")
	}
	return urlnorm.Standard{}.Normalize(base, ref)
}

func TestANormalizerThatPanicsRefusesItsReferenceAlone(t *testing.T) {
	for _, handler := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w, mem := web(t, "-- http://a.test/ --\n<a href=/bad>b</a> <a href=/good>g</a>\n-- http://a.test/good --\ngood\n"), memory.New()
			var log bytes.Buffer
			cfg := over(w, mem)
			cfg.Normalizer, cfg.Log = brittle{"/bad"}, slog.New(slog.NewTextHandler(&log, nil))
			if handler {
				cfg.Follow = func(p *Page, _ Link) bool { return len(p.Links()) > 0 }
			}
			receipt, err := Run(t.Context(), cfg, "http://a.test/")
			require.NoError(t, err)
			assert.Equal(t, []string{"done {fetched} http://a.test/", "done {fetched} http://a.test/good"}, results(t, mem))
			assert.Equal(t, ledger.Complete, receipt.Verdict, receipt.Why)
			assert.Contains(t, receipt.String(), "{panic}", "it is counted")
			assert.Contains(t, log.String(), "an index out of range")
			assert.Contains(t, log.String(), "reference=/bad")
		})
	}
}

func TestAPanicLogsNoPassword(t *testing.T) {
	var log bytes.Buffer
	for _, ref := range []string{"http://me:s3cr3t@a.test/", "//me:s3cr3t@a.test", `\\\\me:s3cr3t@a.test`} {
		c := careful{brittle{ref}, slog.New(slog.NewTextHandler(&log, nil))}
		_, err := c.Normalize(nil, ref)
		assert.ErrorIs(t, err, rejectPanic)
	}
	assert.Contains(t, log.String(), "normalizer panicked")
	assert.NotContains(t, log.String(), "s3cr3t")
}

// fragile panics on one origin.
type fragile struct{ on urlnorm.Origin }

func (f fragile) Policy(o urlnorm.Origin) frontier.Policy {
	if o == f.on {
		panic("a map of nil")
	}
	return frontier.Policy{}
}

func TestAPolicyThatPanicsEndsTheRunAndNotTheProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, "-- http://a.test/ --\n<a href=http://b.test/>b</a>\n-- http://b.test/ --\nb\n"), memory.New()
		cfg := over(w, mem)
		cfg.Policy, cfg.Scope = fragile{"http://b.test"}, frontier.Scope{Hosts: []string{"a.test", "b.test"}}
		receipt, err := Run(t.Context(), cfg, "http://a.test/")
		require.ErrorIs(t, err, frontier.ErrInternal)
		assert.ErrorContains(t, err, "a map of nil")
		assert.Equal(t, ledger.PartialResumable, receipt.Verdict)
		cfg.Policy = nil
		receipt, err = Run(t.Context(), cfg)
		require.NoError(t, err)
		assert.Equal(t, ledger.Complete, receipt.Verdict, "corrected, it goes on: %s", receipt.Why)
		assert.EqualValues(t, 2, receipt.Admitted)
	})
}

// TestQueriesAreWrittenInTheCharsetOfTheirPage crawls a page of windows-1251,
// whose site knows its links by that encoding alone.
func TestQueriesAreWrittenInTheCharsetOfTheirPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := "-- http://a.test/ --\nHTTP 200\nContent-Type: text/html; charset=windows-1251\n\n<base href=/dir/><a href='?q=\xe4\xe0'>da</a> <a href='/\xe4?\xe4#x'>path</a>\n" +
			"-- http://a.test/dir/?q=%E4%E0 --\nfound\n-- http://a.test/%D0%B4?%E4 --\nfound\n-- http://a.test/dir/more?q=%E4 --\nfound\n"
		w, mem := web(t, site), memory.New()
		cfg := over(w, mem)
		cfg.OnPage = func(_ context.Context, p *Page) error {
			if p.Depth == 0 {
				assert.Equal(t, "http://a.test/dir/?q=%E4%E0", p.Links()[0].URL)
				return p.Follow("more?q=д")
			}
			return nil
		}
		_, err := Run(t.Context(), cfg, "http://a.test/")
		require.NoError(t, err)
		assert.Equal(t, []string{"done {fetched} http://a.test/", "done {fetched} http://a.test/%D0%B4?%E4", "done {fetched} http://a.test/dir/?q=%E4%E0",
			"done {fetched} http://a.test/dir/more?q=%E4"}, results(t, mem))

		requests := len(w.Log())

		cfg.Normalizer = classed("a.test", "q", urlnorm.Content)
		_, err = Rekey(t.Context(), cfg, "1")
		require.NoError(t, err)
		again, err := Run(t.Context(), cfg)
		require.NoError(t, err)
		assert.EqualValues(t, 4, again.Admitted, "and so once more")
		assert.Len(t, results(t, mem), 4)
		assert.Len(t, w.Log(), requests, "and nothing is requested")
	})
}

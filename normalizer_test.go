package weir

import (
	"bytes"
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

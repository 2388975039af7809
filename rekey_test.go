package weir

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
	"github.com/weircrawl/weir/urlnorm"
)

// classed is the standard normalizer with one parameter of a site classed.
func classed(site, param string, class urlnorm.Class) urlnorm.Normalizer {
	return urlnorm.Standard{Params: map[string]map[string]urlnorm.Class{site: {param: class}}}
}

// sessions is a site that puts a new session id into the links of every page.
func sessions() string {
	var b strings.Builder
	page := func(path string, links ...string) {
		fmt.Fprintf(&b, "-- http://a.test%s --\n", path)
		for _, l := range links {
			fmt.Fprintf(&b, "<a href=%q>l</a>\n", l)
		}
	}
	page("/", "/p?session=1", "/q?session=1")
	for n := 1; n <= 9; n++ {
		page(fmt.Sprintf("/p?session=%d", n), fmt.Sprintf("/q?session=%d", n+1), "/old?session=7")
		page(fmt.Sprintf("/q?session=%d", n), fmt.Sprintf("/p?session=%d", n+1), "/")
	}
	b.WriteString("-- http://a.test/old?session=7 --\nHTTP 301\nLocation: /new?session=8\n")
	page("/new?session=8", "/p?session=2")
	return b.String()
}

// rowsOf lists every row of a run as it is kept.
func rowsOf(t *testing.T, s storage.Store, run byte) (rows []string) {
	t.Helper()
	for _, space := range []string{"head", "dedupe", "url", "origin", "log", "edge", "result", "record", "offer", "wake", "lease", "scope"} {
		got, err := s.Read(t.Context(), storage.ReadRequest{Space: storage.Space{Name: space}, From: []byte{0, 0, 0, 0, 0, run}, To: []byte{0, 0, 0, 0, 0, run + 1}, Limit: 1 << 20})
		require.NoError(t, err)
		for i, key := range got[0].Keys {
			rows = append(rows, fmt.Sprintf("%s %x: %x", space, key, got[0].Values[i]))
		}
	}
	return rows
}

// emitting keeps the address of every page.
func emitting(_ context.Context, p *Page) error { return p.Emit("page", p.URL) }

// TestAParameterThatMultipliesASiteIsCorrectedWithoutARequest crawls a site with
// session ids, classes them, and rekeys.
func TestAParameterThatMultipliesASiteIsCorrectedWithoutARequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, sessions()), memory.New()
		cfg := over(w, mem)
		cfg.Run, cfg.OnPage = "before", emitting
		before, err := Run(t.Context(), cfg, "http://a.test/")
		require.NoError(t, err)
		assert.Greater(t, before.Admitted, int64(12), "the site is multiplied")
		rows, requests := rowsOf(t, mem, 1), len(w.Log())
		report, err := Params(t.Context(), cfg)
		require.NoError(t, err)
		require.Len(t, report.Sites(), 1)
		worst := report.Sites()[0].Params[0]
		assert.Equal(t, "session", worst.Name, "the report says why")
		assert.Equal(t, worst.URLs-4, worst.Merges, "/p, /q, /old and /new are left")

		cfg.Run, cfg.Normalizer = "after", classed("a.test", "session", urlnorm.Tracking)
		rekeyed, err := Rekey(t.Context(), cfg, "before")
		require.NoError(t, err)
		after, err := Run(t.Context(), cfg)
		require.NoError(t, err)
		assert.Equal(t, ledger.Complete, after.Verdict, after.Why)
		assert.EqualValues(t, 5, after.Admitted, "/, /p, /q, /old and /new")
		assert.Equal(t, &rekeyed, after.Rekeyed, "the receipt says where it comes from")
		assert.Nil(t, before.Rekeyed)
		assert.Len(t, w.Log(), requests, "nothing is requested again")
		assert.Equal(t, rows, rowsOf(t, mem, 1), "the run before is as it was")
		assert.Equal(t, []string{
			"done {fetched} http://a.test/", "done {fetched} http://a.test/new?session=8",
			"done {fetched} http://a.test/p?session=1", "done {fetched} http://a.test/q?session=1",
			"done {redirected} http://a.test/old?session=7",
		}, results(t, mem))
		for r := range allResults(t, mem) {
			if r.Outcome == frontier.OutcomeFetched {
				require.Len(t, r.Records, 1)
				assert.JSONEq(t, `"`+r.URL+`"`, string(r.Records[0].Data), "with what was emitted")
			}
		}
		report, err = Params(t.Context(), cfg)
		require.NoError(t, err)
		assert.Empty(t, report.Sites())
		assert.Equal(t, rekeyed.Total, rekeyed.Read)
		assert.EqualValues(t, 5, rekeyed.Carried)
		assert.EqualValues(t, before.Results-5, rekeyed.Spare)
		assert.Positive(t, rekeyed.Merged)
		assert.Equal(t, "http://a.test/q?session=1", rekeyed.MergedAs[0].Into)
	})
}

// TestPagesThatAWrongClassHadHiddenAreFound corrects the reverse: a parameter
// that tells pages apart was left out of their keys.
func TestPagesThatAWrongClassHadHiddenAreFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site strings.Builder
		for n := range 6 {
			fmt.Fprintf(&site, "-- http://a.test/item?id=%d --\n<a href=\"/more?id=%d\">m</a>\n-- http://a.test/more?id=%d --\nend\n", n, n, n)
		}
		site.WriteString("-- http://a.test/ --\n")
		for n := range 6 {
			fmt.Fprintf(&site, "<a href=\"/item?id=%d\">i</a>\n", n)
		}
		w, mem := web(t, site.String()), memory.New()
		cfg := over(w, mem)
		cfg.Normalizer = classed("a.test", "id", urlnorm.Tracking)
		before, err := Run(t.Context(), cfg, "http://a.test/")
		require.NoError(t, err)
		assert.EqualValues(t, 3, before.Admitted, "five items are lost")
		requests := len(w.Log())

		cfg.Normalizer = classed("a.test", "id", urlnorm.Content)
		_, err = Run(t.Context(), cfg)
		require.ErrorIs(t, err, ErrNoSeeds, "the run before is over")
		rekeyed, err := Rekey(t.Context(), cfg, before.Run)
		require.NoError(t, err)
		assert.EqualValues(t, 5, rekeyed.Split)
		assert.Contains(t, rekeyed.SplitOff, "http://a.test/item?id=5")
		after, err := Run(t.Context(), cfg)
		require.NoError(t, err)
		assert.Equal(t, ledger.Complete, after.Verdict, after.Why)
		assert.EqualValues(t, 13, after.Admitted)
		var again []string
		for _, e := range w.Log()[requests:] {
			again = append(again, e.URL)
		}
		slices.Sort(again)
		assert.Len(t, again, 11, "what was lost, and robots.txt")
		for _, known := range []string{"http://a.test/", "http://a.test/item?id=0", "http://a.test/more?id=0"} {
			assert.NotContains(t, again, known, "it was fetched before")
		}
	})
}

// TestAnUnfinishedRunGoesOnUnderAnotherNormalizer stops a run, classes its parameter,
// and finds that only Rekey goes on with it.
func TestAnUnfinishedRunGoesOnUnderAnotherNormalizer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, sessions()), memory.New()
		cfg := over(w, mem)
		ctx, cancel := context.WithCancel(t.Context())
		pages := 0
		cfg.Workers, cfg.OnPage = 1, func(_ context.Context, p *Page) error {
			if pages++; pages == 5 {
				cancel()
			}
			return p.Emit("page", p.URL)
		}
		_, err := Run(ctx, cfg, "http://a.test/")
		require.ErrorIs(t, err, context.Canceled)
		fetched := len(results(t, mem))

		var log bytes.Buffer
		cfg.OnPage, cfg.Log = emitting, slog.New(slog.NewTextHandler(&log, nil))
		cfg.Normalizer = classed("a.test", "session", urlnorm.Tracking)
		_, err = Run(t.Context(), cfg)
		require.ErrorIs(t, err, frontier.ErrNormalizerChanged)
		rekeyed, err := Rekey(t.Context(), cfg, "1")
		require.NoError(t, err)
		assert.Positive(t, rekeyed.Carried)
		assert.EqualValues(t, fetched, rekeyed.Answers)
		assert.Contains(t, log.String(), "msg=rekeying from=1 run=2")
		receipt, err := Run(t.Context(), cfg)
		require.NoError(t, err)
		assert.Equal(t, ledger.Complete, receipt.Verdict, receipt.Why)
		assert.EqualValues(t, 5, receipt.Admitted)
		assert.Len(t, results(t, mem), 5)
	})
}

func TestACrawlerRekeysOneThingAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, sessions()), memory.New()
		cfg := over(w, mem)
		cfg.Normalizer = classed("a.test", "session", urlnorm.Tracking)
		_, err := Run(t.Context(), over(w, mem), "http://a.test/")
		require.NoError(t, err)
		c, err := New(cfg)
		require.NoError(t, err)
		_, err = c.Rekey(t.Context(), "no such run")
		require.ErrorIs(t, err, frontier.ErrNoRun)
		ended, end := context.WithCancel(t.Context())
		end()
		_, err = c.Rekey(ended, "1")
		require.ErrorIs(t, err, context.Canceled)
		first, err := c.Rekey(t.Context(), "1")
		require.NoError(t, err)
		again, err := c.Rekey(t.Context(), "1")
		require.NoError(t, err)
		assert.Equal(t, first, again)
		_, err = c.Run(t.Context())
		require.NoError(t, err)
		require.NoError(t, c.Close())
		_, err = c.Rekey(t.Context(), "1")
		require.ErrorIs(t, err, ErrClosed)
		_, err = Params(t.Context(), Config{})
		var wrong *ConfigError
		require.ErrorAs(t, err, &wrong)
		_, err = Params(t.Context(), over(w, memory.New()))
		require.ErrorIs(t, err, frontier.ErrNoRun)
	})
}

package weir

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/fetch/fetchtest"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/storage/memory"
)

// web parses a web that is written in a test.
func web(t *testing.T, archive string) *fetchtest.Web {
	t.Helper()
	w, err := fetchtest.Parse(t.Name(), []byte(archive))
	require.NoError(t, err)
	return w
}

// over is a Config for a crawl of w that keeps everything in mem.
func over(w *fetchtest.Web, mem *memory.Store) Config {
	return Config{UserAgent: "weirbot/1.0", Workers: 8, Store: mem, Artifacts: mem, Fetch: fetch.Config{Transport: w}}
}

// results lists what became of every URL: "state {reason} url".
func results(t *testing.T, mem *memory.Store) []string {
	t.Helper()
	var lines []string
	for r := range allResults(t, mem) {
		lines = append(lines, fmt.Sprintf("%s {%s} %s", r.State, r.Reason, r.URL))
	}
	slices.Sort(lines)
	return lines
}

func allResults(t *testing.T, mem *memory.Store) func(func(frontier.Result) bool) {
	t.Helper()
	return func(yield func(frontier.Result) bool) {
		reader, err := frontier.NewReader(context.Background(), mem, "")
		require.NoError(t, err)
		require.NoError(t, reader.Check(context.Background()))
		for r, err := range reader.Results(context.Background(), 0) {
			require.NoError(t, err)
			if !yield(r) {
				return
			}
		}
	}
}

const shop = `
-- http://a.test/robots.txt --
User-agent: *
Crawl-delay: 5
Disallow: /private
-- http://a.test/ --
<a href="/one">1</a> <a href="/one#again">1</a> <a href="/private">no</a> <a href="http://b.test/">off</a>
<img src="/logo.png">
-- http://a.test/one --
<b class=price>9.50</b>
`

func TestAWebIsCrawledOncePolitelyAndAccountedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, shop), memory.New()
		cfg := over(w, mem)
		cfg.OnPage = func(ctx context.Context, p *Page) error {
			if price := p.Doc().Find(".price").Text(); price != "" {
				referrer, err := p.Referrer(ctx)
				assert.NoError(t, err)
				assert.Equal(t, "http://a.test/", referrer)
				assert.Equal(t, 1, p.Depth)
				return p.Emit("price", price)
			}
			return nil
		}
		receipt, err := Run(t.Context(), cfg, "http://a.test/")
		require.NoError(t, err)
		assert.Equal(t, ledger.CompleteWithFailures, receipt.Verdict, receipt.Why)
		log := w.Log()
		require.Len(t, log, 3)
		assert.Equal(t, "http://a.test/robots.txt", log[0].URL)
		assert.Equal(t, 5*time.Second, log[2].Start-log[1].Start, "the site's Crawl-delay")
		assert.Equal(t, []string{"done {fetched} http://a.test/", "done {fetched} http://a.test/one", "refused {robots} http://a.test/private"}, results(t, mem))
		assert.EqualValues(t, 1, receipt.Records)
		assert.Equal(t, map[frontier.Decision]int64{frontier.Admitted: 3, frontier.Duplicate: 1, frontier.PolicyStop: 2}, receipt.Dispositions)
		for r := range allResults(t, mem) {
			if r.URL == "http://a.test/one" {
				require.Len(t, r.Records, 1)
				assert.Equal(t, `"9.50"`, string(r.Records[0].Data))
			}
		}
		assert.Contains(t, receipt.String(), "complete_with_declared_failures")
	})
}

func TestEndsOfEveryKindAreNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, `
-- http://a.test/ --
<a href=/moved>m</a><a href=/gone>g</a><a href=/missing>g</a><a href=/fails>f</a><a href=/door>d</a><a href=/busy>b</a><a href=/loop>l</a>
<a href=/teapot>t</a><a href=/cut>c</a><a href=/away>a</a>
-- http://a.test/moved --
HTTP 301
Location: /here
-- http://a.test/here --
here
-- http://a.test/gone --
HTTP 410
-- http://a.test/fails --
HTTP 500
-- http://a.test/door --
HTTP 403
-- http://a.test/busy --
HTTP 503
Retry-After: 9
-- http://a.test/busy --
not any more
-- http://a.test/loop --
HTTP 302
Location: /loop
-- http://a.test/teapot --
HTTP 418
-- http://a.test/cut --
! truncate 3

all of it
-- http://a.test/away --
HTTP 302
Location: http://b.test/
-- http://b.test/ --
never seen
`), memory.New()
		receipt, err := Run(t.Context(), over(w, mem), "http://a.test/")
		require.NoError(t, err)
		assert.Equal(t, []string{
			"done {fetched} http://a.test/",
			"done {fetched} http://a.test/busy",
			"done {fetched} http://a.test/here",
			"done {missing} http://a.test/gone",
			"done {missing} http://a.test/missing",
			"done {redirected} http://a.test/away",
			"done {redirected} http://a.test/moved",
			"done {truncated} http://a.test/cut",
			"failed {client_error} http://a.test/teapot",
			"failed {server_error} http://a.test/fails",
			"failed {too_many_redirects} http://a.test/loop",
			"refused {denied} http://a.test/door",
		}, results(t, mem))
		assert.Equal(t, ledger.CompleteWithFailures, receipt.Verdict, receipt.Why)
		assert.Equal(t, 4, w.Log().Hits("http://a.test/fails"))
		assert.Equal(t, 4, w.Log().Hits("http://a.test/cut"))
		assert.Zero(t, w.Log().Hits("http://b.test/"))
		assert.Zero(t, w.Log().Hits("http://b.test/robots.txt"))
	})
}

func TestARunOfNothingButWholePagesIsComplete(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, "-- http://a.test/ --\n<a href=/1>1</a>\n-- http://a.test/1 --\n1"), memory.New()
		receipt, err := Run(t.Context(), over(w, mem), "http://a.test/")
		require.NoError(t, err)
		assert.Equal(t, ledger.Complete, receipt.Verdict, receipt.Why)
		assert.True(t, receipt.Publishable())
	})
}

func TestSA3AStoppedRunFetchesNothingTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site strings.Builder
		for i := range 5 {
			fmt.Fprintf(&site, "-- http://a.test/%d --\n<a href=/0>0</a><a href=/1>1</a><a href=/2>2</a><a href=/3>3</a><a href=/4>4</a>\n", i)
		}
		w, mem := web(t, site.String()), memory.New()
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		receipt, err := Run(ctx, over(w, mem), "http://a.test/0")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, ledger.PartialResumable, receipt.Verdict, receipt.Why)
		assert.Equal(t, frontier.Stopped, receipt.Phase)
		assert.EqualValues(t, "context", receipt.Reason)

		receipt, err = Run(t.Context(), over(w, mem))
		require.NoError(t, err)
		assert.Equal(t, ledger.Complete, receipt.Verdict, receipt.Why)
		for i := range 5 {
			assert.Equal(t, 1, w.Log().Hits(fmt.Sprintf("http://a.test/%d", i)), i)
		}
	})
}

// TestAFolderOfFilesIsCrawledWhole: http.NewFileTransportFS answers by the path of a
// URL alone. One that saw none would give every page of it the text of the first.
func TestAFolderOfFilesIsCrawledWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		files := fstest.MapFS{
			"index.html":      {Data: []byte("<a href=one.html>1</a>")},
			"one.html":        {Data: []byte("<a href='two%20of%20it.html'>2</a>")},
			"two of it.html":  {Data: []byte("<a href=/deep/>3</a>")},
			"deep/index.html": {Data: []byte("4")},
		}
		mem := memory.New()
		cfg := over(nil, mem)
		cfg.Fetch.Transport = http.NewFileTransportFS(files)
		bodies := map[string]string{}
		cfg.Workers, cfg.OnPage = 1, func(_ context.Context, p *Page) error {
			bodies[p.URL] = string(p.Body)
			return nil
		}
		receipt, err := Run(t.Context(), cfg, "http://a.test/")
		require.NoError(t, err)
		assert.Equal(t, ledger.Complete, receipt.Verdict, receipt.Why)
		want := map[string]string{}
		for url, name := range map[string]string{"": "index.html", "one.html": "one.html", "two%20of%20it.html": "two of it.html", "deep/": "deep/index.html"} {
			want["http://a.test/"+url] = string(files[name].Data)
		}
		assert.Equal(t, want, bodies)
	})
}

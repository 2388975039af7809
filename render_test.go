package weir

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/render"
	"github.com/weircrawl/weir/storage/memory"
	"github.com/weircrawl/weir/urlnorm"
)

// browser is a Renderer that runs no script, but loads what it is told to.
type browser func(ctx context.Context, r render.Request) (render.Result, error)

func (b browser) Render(ctx context.Context, r render.Request) (render.Result, error) {
	return b(ctx, r)
}

const shell = `
-- http://a.test/robots.txt --
User-agent: *
Disallow: /secret
-- http://a.test/ --
<title>shell</title><script src=/app.js></script><a href=/plain>p</a>
-- http://a.test/app.js --
document.write()
-- http://a.test/shown --
shown
-- http://a.test/secret --
no
`

func TestAShownPageIsThePageThatCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, shell), memory.New()
		cfg := over(w, mem)
		cfg.Scope = frontier.Scope{Hosts: []string{"a.test"}, Exclude: []string{"/private"}}
		cfg.Render = func(p *Page) bool { return strings.Contains(p.Text(), "<script") }
		cfg.Renderer = browser(func(ctx context.Context, r render.Request) (render.Result, error) {
			document := r.Fetch(ctx, fetch.Request{URL: r.URL})
			assert.Equal(t, 200, document.Status)
			assert.Contains(t, string(document.Body), "shell")
			assert.Equal(t, fetch.Fetched, r.Fetch(ctx, fetch.Request{URL: "http://a.test/app.js"}).Class)
			for _, url := range []string{"http://a.test/secret", "http://a.test/private.js", "http://b.test/spy.js", "nonsense"} {
				blocked := r.Fetch(ctx, fetch.Request{URL: url})
				assert.Zero(t, blocked.Status, url)
				assert.Error(t, blocked.Err, url)
			}
			return render.Result{Document: []byte(`<title>shown</title><a href=/shown>s</a>`), Status: 200}, nil
		})
		cfg.OnPage = func(_ context.Context, p *Page) error {
			return p.Emit("title", p.Doc().Find("title").Text())
		}
		receipt, err := Run(t.Context(), cfg, "http://a.test/")
		require.NoError(t, err)
		assert.Equal(t, ledger.Complete, receipt.Verdict, receipt.Why)
		assert.Equal(t, []string{"done {fetched} http://a.test/", "done {fetched} http://a.test/shown"}, results(t, mem))
		assert.Equal(t, 1, w.Log().Hits("http://a.test/"), "the browser got what was fetched")
		assert.Zero(t, w.Log().Hits("http://a.test/secret"))
		for r := range allResults(t, mem) {
			if r.URL == "http://a.test/" {
				assert.Equal(t, `"shown"`, string(r.Records[0].Data))
			}
		}
	})
}

func TestAPageLoadsNoMoreBytesThanOneResponseMay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, shell), memory.New()
		cfg := over(w, mem)
		cfg.Budget.Response = 100
		cfg.Render = func(p *Page) bool { return p.URL == "http://a.test/" }
		cfg.Renderer = browser(func(ctx context.Context, r render.Request) (render.Result, error) {
			var bytes int
			for range 20 {
				bytes += len(r.Fetch(ctx, fetch.Request{URL: "http://a.test/app.js"}).Body)
			}
			assert.LessOrEqual(t, bytes, 100)
			return render.Result{}, nil
		})
		_, err := Run(t.Context(), cfg, "http://a.test/")
		require.NoError(t, err)
	})
}

func TestAFailingBrowserIsNotThePagesFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, shell), memory.New()
		cfg := over(w, mem)
		cfg.Render = func(p *Page) bool { return p.URL == "http://a.test/" }
		var calls atomic.Int64
		cfg.Renderer = browser(func(context.Context, render.Request) (render.Result, error) {
			if calls.Add(1) == 1 {
				return render.Result{}, errors.New("crashed")
			}
			return render.Result{Document: []byte("<p>shown")}, nil
		})
		receipt, err := Run(t.Context(), cfg, "http://a.test/")
		require.NoError(t, err)
		assert.Equal(t, ledger.Complete, receipt.Verdict, receipt.Why)
		assert.EqualValues(t, 2, calls.Load())

		calls.Store(0)
		cfg.Renderer = browser(func(context.Context, render.Request) (render.Result, error) {
			return render.Result{}, errors.New("crashed")
		})
		mem = memory.New()
		cfg.Store, cfg.Artifacts = mem, mem
		receipt, err = Run(t.Context(), cfg, "http://a.test/")
		require.NoError(t, err)
		assert.Equal(t, []string{"failed {render} http://a.test/"}, results(t, mem))
		assert.EqualValues(t, 1, receipt.Counts[frontier.Failed])
	})
}

func TestEachRouteIsShownByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, `
-- http://a.test/ --
<script src=/app.js></script><a href=/app#/one>1</a><a href=/app#/two>2</a><a href=/app#part>3</a>
-- http://a.test/app --
<script src=/app.js></script>
`), memory.New()
		cfg := over(w, mem)
		cfg.Normalizer = urlnorm.Standard{Rules: map[string][]urlnorm.Rule{"a.test": {urlnorm.SplitRoutes}}}
		cfg.Render = func(p *Page) bool { return strings.HasSuffix(p.URL, "/app") }
		var shown []string
		cfg.Workers = 1
		cfg.Renderer = browser(func(ctx context.Context, r render.Request) (render.Result, error) {
			shown = append(shown, r.URL)
			document := r.Fetch(ctx, fetch.Request{URL: r.URL})
			return render.Result{Document: document.Body, Status: document.Status}, nil
		})
		receipt, err := Run(t.Context(), cfg, "http://a.test/")
		require.NoError(t, err)
		assert.Equal(t, ledger.Complete, receipt.Verdict, receipt.Why)
		assert.ElementsMatch(t, []string{"http://a.test/app#/one", "http://a.test/app#/two", "http://a.test/app"}, shown)
		assert.Equal(t, 3, w.Log().Hits("http://a.test/app"))
	})
}

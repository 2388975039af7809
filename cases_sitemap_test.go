package weir

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/storage/memory"
)

// mapped crawls a web whose sitemaps are named by robots.txt, at full speed.
func mapped(t *testing.T, archive string, change ...func(*Config)) crawled {
	t.Helper()
	return crawl(t, archive, func(cfg *Config) {
		cfg.Sitemaps.Robots = true
		cfg.Policy = frontier.Policy{Delay: -1}
		for _, c := range change {
			c(cfg)
		}
	}, "http://a.test/")
}

// pages lists the pages that a crawl has requested, but for its seed.
func (c crawled) pages() (urls []string) {
	for _, url := range c.requested() {
		if url != "http://a.test/" && !strings.Contains(url, "sitemap") {
			urls = append(urls, url)
		}
	}
	slices.Sort(urls)
	return urls
}

// packed serves data, gzipped, as a file that says nothing of it.
func packed(t *testing.T, data string) http.Handler {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(data))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "application/octet-stream")
		_, _ = rw.Write(b.Bytes())
	})
}

func TestSM1AGzippedSitemapIsReadWhateverItIsServedAs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := web(t, "-- http://a.test/robots.txt --\nSitemap: http://a.test/sitemap.xml\n-- http://a.test/* --\nhere\n-- http://a.test/sitemap.xml --\n"+
			"<sitemapindex><sitemap><loc>http://a.test/sitemap1.xml.gz</loc></sitemap><sitemap><loc>http://a.test/sitemap2.txt.gz</loc></sitemap></sitemapindex>\n")
		require.NoError(t, w.Handle("http://a.test/sitemap1.xml.gz", packed(t, "<urlset><url><loc>http://a.test/one</loc></url></urlset>")))
		require.NoError(t, w.Handle("http://a.test/sitemap2.txt.gz", packed(t, "http://a.test/two\nhttp://a.test/three\n")))
		c := crawlWeb(t, w, func(cfg *Config) { cfg.Sitemaps.Robots, cfg.Policy = true, frontier.Policy{Delay: -1} }, "http://a.test/")
		assert.Equal(t, []string{"http://a.test/one", "http://a.test/three", "http://a.test/two"}, c.pages())
	})
}

func TestSM2OneBadChildCostsItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := mapped(t, `-- http://a.test/robots.txt --
Sitemap: http://a.test/sitemap.xml
-- http://a.test/ --
-- http://a.test/sitemap.xml --
<sitemapindex><sitemap><loc>/sitemap1.xml</loc></sitemap><sitemap><loc>/sitemap2.xml</loc></sitemap><sitemap><loc>/sitemap3.xml</loc></sitemap></sitemapindex>
-- http://a.test/sitemap2.xml --
<!doctype html><html><body><a href=/no>no</a></body></html>
-- http://a.test/sitemap3.xml --
<urlset><url><loc>http://a.test/good</loc></url></urlset>
-- http://a.test/good --
`)
		assert.Equal(t, []string{"http://a.test/good"}, c.pages())
		assert.Equal(t, []string{
			"done {fetched} http://a.test/", "done {fetched} http://a.test/good", "done {fetched} http://a.test/sitemap.xml", "done {fetched} http://a.test/sitemap3.xml",
			"done {missing} http://a.test/sitemap1.xml", "failed {no_sitemap: html} http://a.test/sitemap2.xml",
		}, c.ends(), "two children are recorded with their outcome")
		assert.Contains(t, c.result("http://a.test/sitemap.xml").Evidence.Detail, "index of 0 pages and 3 sitemaps")
		assert.True(t, c.result("http://a.test/sitemap.xml").Hint)
	})
}

func TestSM3SpaceInsideLocIsNoPartOfTheURL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := mapped(t, "-- http://a.test/robots.txt --\nSitemap: /sitemap.xml\n-- http://a.test/ --\n-- http://a.test/sitemap.xml --\n<urlset><url><loc>\n   http://a.test/offer\n  </loc></url></urlset>\n-- http://a.test/offer --\n")
		assert.Equal(t, []string{"http://a.test/offer"}, c.pages())
	})
}

func TestSM4TheFolderOfASitemapDoesNotMatter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := mapped(t, "-- http://a.test/robots.txt --\nSitemap: http://a.test/sitemap/video.xml\n-- http://a.test/ --\n-- http://a.test/sitemap/video.xml --\n<urlset><url><loc>http://a.test/video/1</loc></url></urlset>\n-- http://a.test/video/1 --\n")
		assert.Equal(t, []string{"http://a.test/video/1"}, c.pages())
	})
}

func TestSM5ASitemapEnrolsNoForeignHostAndNoMoreThanTheBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var list strings.Builder
		for i := range 1100 {
			host := "a.test"
			if i%11 == 0 {
				host = "b.test"
			}
			fmt.Fprintf(&list, "<url><loc>http://%s/%d</loc></url>", host, i)
		}
		c := mapped(t, "-- http://a.test/robots.txt --\nSitemap: http://a.test/sitemap.xml\n-- http://a.test/* --\n<p>xmlns=http://www.sitemaps.org/schemas/sitemap/0.9</p><a href=/linked>l</a>\n-- http://a.test/sitemap.xml --\n<urlset>"+list.String()+"</urlset>\n-- http://b.test/* --\n",
			hosts("a.test", "b.test"), func(cfg *Config) { cfg.Budget.URLs = 50 })
		assert.Empty(t, c.web.Log().Origin("http://b.test"))
		assert.EqualValues(t, 50, c.receipt.Counts[frontier.Done]-1, "50 pages and the sitemap")
		foreign, linked := 0, false
		for _, a := range c.decisions() {
			linked = linked || a.Source == frontier.Link && a.Reference.Observed == "/linked"
			if a.Reason == ReasonForeignHost {
				assert.Equal(t, frontier.PolicyStop, a.Decision)
				assert.Equal(t, frontier.Sitemap, a.Source)
				foreign++
			}
		}
		assert.Equal(t, 100, foreign)
		assert.True(t, linked, "a page that quotes a sitemap is a page")
	})
}

func TestARobotsFileMayNameASitemapElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := mapped(t, `-- http://a.test/robots.txt --
Sitemap: http://cdn.test/sitemap.xml
-- http://a.test/ --
-- http://a.test/one --
-- http://c.test/two --
-- http://cdn.test/robots.txt --
-- http://cdn.test/sitemap.xml --
<sitemapindex><sitemap><loc>http://cdn.test/sitemap1.xml</loc></sitemap></sitemapindex>
-- http://cdn.test/sitemap1.xml --
<urlset><url><loc>http://a.test/one</loc></url><url><loc>http://c.test/two</loc></url></urlset>
`, hosts("a.test", "cdn.test", "c.test"))
		assert.Equal(t, []string{"http://a.test/one"}, c.pages(), "it speaks for who names it, through its index")
	})
}

func TestAGivenSitemapIsASeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, `-- http://a.test/robots.txt --
-- http://a.test/sitemap.xml --
<sitemapindex><sitemap><loc>http://a.test/sitemap1.xml</loc></sitemap></sitemapindex>
-- http://a.test/sitemap1.xml --
<urlset><url><loc>http://a.test/one</loc><lastmod>2026-01-02</lastmod></url><url><loc>http://out.test/</loc></url><url><loc>http://a.test/one</loc></url></urlset>
-- http://a.test/one --
`), memory.New()
		cfg := over(w, mem)
		cfg.Sitemaps.URLs = []string{"http://a.test/sitemap.xml"}
		receipt, err := Run(t.Context(), cfg)
		require.NoError(t, err)
		c := crawled{t: t, web: w, mem: mem, receipt: receipt}
		assert.Equal(t, []string{"http://a.test/one"}, c.pages())
		var lines []string
		for _, a := range c.decisions() {
			lines = append(lines, fmt.Sprintf("%s %s {%s} %s %s", a.Source, a.Decision, a.Reason, a.Reference.Rule, a.Reference.Observed))
		}
		assert.Equal(t, []string{
			"seed admitted {new} sitemap http://a.test/sitemap.xml",
			"sitemap admitted {new} sitemap http://a.test/sitemap1.xml",
			"sitemap admitted {new} sitemap[lastmod=2026-01-02T00:00:00Z] http://a.test/one",
			"sitemap policy_stop {out_of_scope} sitemap http://out.test/",
			"sitemap duplicate {known} sitemap http://a.test/one",
		}, lines)
	})
}

// A run that is killed while a sitemap is read ends with what it would have had.
func TestASitemapOutlivesAStopInItsMiddle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var list strings.Builder
		for i := range 2500 {
			fmt.Fprintf(&list, "<url><loc>http://a.test/%d</loc></url>", i)
		}
		w, mem := web(t, "-- http://a.test/robots.txt --\n-- http://a.test/* --\n-- http://a.test/sitemap.xml --\n<urlset>"+list.String()+"</urlset>\n"), memory.New()
		cfg := over(w, mem)
		cfg.Sitemaps.URLs = []string{"http://a.test/sitemap.xml"}
		cfg.Policy, cfg.Budget = frontier.Policy{Delay: -1, Concurrency: 8}, Budget{Pattern: 5_000}
		for i := range 4 {
			ctx, stop := context.WithCancel(t.Context())
			cfg.Trace.Commit = func(s frontier.Summary) {
				if s.Slots > int64(i)*700 {
					stop()
				}
			}
			_, _ = Run(ctx, cfg)
			stop()
		}
		cfg.Trace.Commit = nil
		receipt, err := Run(t.Context(), cfg)
		require.NoError(t, err)
		assert.EqualValues(t, 2501, receipt.Counts[frontier.Done])
		ends := results(t, mem)
		assert.Len(t, slices.Compact(ends), 2501, "each has one result")
	})
}

package ledgertest

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/fetch/fetchtest"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
)

// site is a web that a row crawls, on loopback.
type site struct {
	*fetchtest.Web
	dial fetchtest.Dial
}

// web puts a web on loopback until the trial ends.
func (t *trial) web(archive string) site {
	w, err := fetchtest.Parse("ledgertest", []byte(archive))
	require.NoError(t, err, "web")
	dial, closing, err := w.Serve()
	require.NoError(t, err, "web")
	t.atEnd(closing)
	return site{w, dial}
}

// plan is a crawl of w from its seeds, as fast as it can.
func (w site) plan(seeds ...string) Plan {
	return Plan{Seeds: seeds, URLs: 1000, Delay: -1, Workers: 16, Dial: w.dial, Commit: func(frontier.Summary) {}}
}

// pages lists the requests for pages.
func (w site) pages() (log fetchtest.Log) {
	for _, e := range w.Log() {
		if !strings.HasSuffix(e.URL, "/robots.txt") {
			log = append(log, e)
		}
	}
	return log
}

// crawl opens a crawler, which is closed when the trial ends.
func (t *trial) crawl(open OpenCrawl) (Crawl, *Wire) {
	w := &Wire{}
	c, err := open(w)
	require.NoError(t, err, "open a crawler")
	t.atEnd(func() {
		if err := c.Close(); err != nil && t.failure == "" {
			t.failure = fmt.Sprintf("close: %v", err)
		}
	})
	return c, w
}

// links is a page with so many links.
func links(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<a href="+format+">%[1]d</a>\n", i)
	}
	return b.String()
}

// The web of a job: a page with links to the rest of them, and, on a host of its
// own, one that never answers.
const (
	jobSeed   = "http://a.test/"
	slowSeed  = "http://slow.test/"
	jobRobots = "-- http://a.test/robots.txt --\n-- http://slow.test/robots.txt --\n"
)

func (t *trial) job(results int) site {
	return t.web(jobRobots +
		"-- " + jobSeed + " --\n" + links(results-1, "/%d") +
		"-- http://a.test/* --\na page\n" +
		"-- " + slowSeed + " --\n! timeout\n")
}

// crawled is a source over what a crawl of a job's web has found.
func (t *trial) crawled(open OpenCrawl) OpenSource {
	return func(j Job) (Subject, error) {
		c, _ := t.crawl(open)
		w := t.job(j.Results)
		switch {
		case j.Ended == frontier.Finished:
			require.NoError(t, c.Run(t.ctx, w.plan(jobSeed)), "crawl")
		case j.Ended == frontier.FailedRun && c.Fail != nil:
			t.stopAfter(c, w, j.Results)
			require.NoError(t, c.Fail(t.ctx), "end the crawl as failed")
		default:
			return Subject{}, ErrCannot
		}
		source, err := c.Results(t.ctx)
		require.NoError(t, err, "results")
		return Subject{Source: source, Fault: c.Fault}, nil
	}
}

// stopAfter crawls the web of a job until there are so many results, while one
// page never answers.
func (t *trial) stopAfter(c Crawl, w site, results int) {
	ctx, stop := context.WithCancel(t.ctx)
	defer stop()
	p := w.plan(jobSeed, slowSeed)
	p.Commit = func(s frontier.Summary) {
		if s.Results >= int64(results) {
			stop()
		}
	}
	_ = c.Run(ctx, p) // it was stopped
	require.Error(t, ctx.Err(), "the crawl has ended by itself, although a page never answers")
	require.NoError(t, t.ctx.Err(), "the crawl has not reached %d results", results)
}

// goesOn is row 7 of a crawler: what a generation has, whatever is crawled later.
func goesOn(t *trial, open OpenCrawl) {
	c, _ := t.crawl(open)
	w := t.job(jobResults)
	t.stopAfter(c, w, jobResults)
	source, err := c.Results(t.ctx)
	require.NoError(t, err, "results")
	first := Subject{Source: source}
	var before, during Dataset
	frozen := t.walk(first, &before, ledger.Export{})
	require.Equal(t, jobResults, len(before.Rows()), "results of a crawl that was stopped")
	r := t.walk(first, &during, ledger.Export{Pages: 1})
	require.Equal(t, ledger.CutPages, r.CutOff, "the first of several pages: %s", r.Why)

	require.NoError(t, w.Handle(slowSeed, http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(rw, links(5, "/%d"))
	})), "web")
	require.NoError(t, w.Handle(slowSeed+"*", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})), "web")
	require.NoError(t, c.Run(t.ctx, w.plan(jobSeed, slowSeed)), "crawl on")

	r = t.walk(first, &during, ledger.Export{})
	require.Equal(t, frozen.Digest, r.Digest, "what was frozen, walked while the crawl went on")
	require.Equal(t, frozen.Generation, r.Generation, "its name")
	require.Equal(t, ledger.PartialResumable, r.Verdict, "a later run makes no earlier generation whole: %s", r.Why)
	source, err = c.Results(t.ctx)
	require.NoError(t, err, "results of the whole crawl")
	var after Dataset
	r = t.walk(Subject{Source: source}, &after, ledger.Export{})
	t.whole(r, &after, jobResults+6, "of a crawl that was stopped and went on")
	require.NotEqual(t, frozen.Generation, r.Generation, "a later generation has a name of its own")
}

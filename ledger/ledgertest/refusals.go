package ledgertest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/fetch/fetchtest"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
)

// refusing is the web of row 9: an origin that refuses in every way, with pages
// before and after, and one that asks for less.
const refusing = `
-- http://a.test/robots.txt --
User-agent: *
Disallow: /private
-- http://a.test/ --
<a href=/denied>1</a> <a href=/login>2</a> <a href=/account>3</a> <a href=/challenge>4</a>
<a href=/paid>5</a> <a href=/private>6</a> <a href=/after>7</a>
-- http://a.test/denied --
HTTP 403

denied
-- http://a.test/login --
HTTP 401
WWW-Authenticate: Basic realm="members"

log in
-- http://a.test/account --
HTTP 302
Location: /login?next=%2Faccount
-- http://a.test/challenge --
HTTP 403
Cf-Mitigated: challenge

prove that you are human
-- http://a.test/paid --
HTTP 402

pay
-- http://a.test/private --
nobody should see this
-- http://a.test/after --
a page
-- http://busy.test/robots.txt --
-- http://busy.test/ --
<a href=/busy>1</a> <a href=/after>2</a>
-- http://busy.test/busy --
HTTP 429
Retry-After: 1

later
-- http://busy.test/busy --
a page
-- http://busy.test/after --
a page
`

// What row 9 wants of each URL of the web: its state, and how often it may be
// requested.
var refusals = []struct {
	url   string
	state frontier.State
	hits  int
}{
	{"http://a.test/", frontier.Done, 1},
	{"http://a.test/denied", frontier.Refused, 1},
	{"http://a.test/login", frontier.Refused, 1},
	{"http://a.test/account", frontier.Refused, 1},
	{"http://a.test/challenge", frontier.Refused, 1},
	{"http://a.test/paid", frontier.Refused, 1},
	{"http://a.test/private", frontier.Refused, 0},
	{"http://a.test/after", frontier.Done, 1},
	{"http://busy.test/", frontier.Done, 1},
	{"http://busy.test/busy", frontier.Done, 2},
	{"http://busy.test/after", frontier.Done, 1},
}

// refusalDelay is the pause between two requests to an origin in row 9; retryAfter
// is what its 429 asks for.
const (
	refusalDelay = 200 * time.Millisecond
	retryAfter   = time.Second
)

// keepsItsName is row 9.
func keepsItsName(t *trial, open OpenCrawl) {
	c, _ := t.crawl(open)
	w := t.web(refusing)
	p := w.plan("http://a.test/", "http://busy.test/")
	p.Delay = refusalDelay
	require.NoError(t, c.Run(t.ctx, p), "crawl")
	outcomes := t.outcomes(c)
	for _, want := range refusals {
		got := outcomes[want.url]
		require.Equal(t, want.state, got.State, "what became of %s {%s}", want.url, got.Reason)
		require.NotEmpty(t, got.Reason, "the reason why %s is %s", want.url, got.State)
		require.LessOrEqual(t, w.Log().Hits(want.url), want.hits, "requests for %s, which is %s {%s}", want.url, got.State, got.Reason)
	}
	t.sameName(w.Log())
	for _, origin := range []string{"http://a.test", "http://busy.test"} {
		t.inTime(w.Log().Origin(origin))
	}
}

// outcome is what the data of a result says.
type outcome struct {
	URL    string          `json:"url"`
	State  frontier.State  `json:"state"`
	Reason frontier.Reason `json:"reason"`
}

// outcomes are those of the crawl's results, by URL.
func (t *trial) outcomes(c Crawl) map[string]outcome {
	source, err := c.Results(t.ctx)
	require.NoError(t, err, "results")
	var d Dataset
	t.walk(Subject{Source: source}, &d, ledger.Export{})
	all := map[string]outcome{}
	for _, r := range d.Rows() {
		var o outcome
		require.NoError(t, json.Unmarshal(r.Data, &o), "data of result %s: %s", r.ID, r.Data)
		all[o.URL] = o
	}
	return all
}

// sameName requires one user agent, one address and, for pages, one set of
// headers.
func (t *trial) sameName(log fetchtest.Log) {
	require.NotEmpty(t, log, "requests")
	var page http.Header
	for _, e := range log {
		require.NotEmpty(t, e.From, "the client's address of %s", e)
		require.Equal(t, log[0].From, e.From, "the client's address of %s", e)
		require.Equal(t, log[0].Header.Get("User-Agent"), e.Header.Get("User-Agent"), "the user agent of %s", e)
		if strings.HasSuffix(e.URL, "/robots.txt") {
			continue
		}
		if page == nil {
			page = e.Header
		}
		require.True(t, maps.EqualFunc(page, e.Header, func(a, b []string) bool { return fmt.Sprint(a) == fmt.Sprint(b) }),
			"the headers of %s are %v, of the page before %v", e, e.Header, page)
	}
}

// inTime requires of one origin's requests that one went after the other, that
// none came before the time that a 429 had asked for, and that there was a pause
// between them. A request may be late on its way, so that the next one seems to
// come too early: of the pauses together, half must be there.
func (t *trial) inTime(log fetchtest.Log) {
	require.NotEmpty(t, log, "requests")
	for i, e := range log {
		require.Equal(t, 1, e.Together, "requests at once, at %s", e)
		if i > 0 && log[i-1].Status == http.StatusTooManyRequests {
			require.GreaterOrEqual(t, e.Start-log[i-1].Start, retryAfter, "time between %s, which asked for %s, and %s", log[i-1], retryAfter, e)
		}
	}
	n := len(log) - 1
	require.GreaterOrEqual(t, log[n].Start-log[0].Start, time.Duration(n)*refusalDelay/2, "time from %s to %s, with %s between any two", log[0], log[n], refusalDelay)
}

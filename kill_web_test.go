//go:build unix

package weir_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/fetch/fetchtest"
	"github.com/weircrawl/weir/frontier"
)

// A fixture is a web of four hosts on loopback, of which it is known how a crawl
// ends that nobody kills.
type fixture struct {
	*fetchtest.Web
	pages   int // of one host
	address string
	seeds   []string
	want    map[string]ending // by URL
	moment
}

// An ending is what becomes of one URL.
type ending struct {
	end      string // "state {reason}"
	requests int
	body     string // that its result refers to
	records  []frontier.Record
}

var fixtureHosts = []string{"a.test", "b.test", "c.test", "d.test"}

const fixtureRobots = "User-agent: *\nDisallow: /private/\n"

func newFixture(t *testing.T, pages int) *fixture {
	w, err := fetchtest.Parse("fixture", nil)
	require.NoError(t, err)
	f := &fixture{Web: w, pages: pages}
	for _, host := range fixtureHosts {
		require.NoError(t, w.Handle("http://"+host+"/*", f))
		f.seeds = append(f.seeds, "http://"+host+"/page/0")
	}
	dial, closing, err := w.Serve()
	require.NoError(t, err)
	t.Cleanup(closing)
	conn, err := dial(t.Context(), "tcp", fixtureHosts[0]+":80")
	require.NoError(t, err)
	f.address = conn.RemoteAddr().String()
	require.NoError(t, conn.Close())
	f.foresee()
	return f
}

// ServeHTTP answers as reply says.
func (f *fixture) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.tick()
	status, target, body := f.reply("http://" + r.Host + r.URL.Path)
	if target != "" {
		w.Header().Set("Location", target)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

// reply is the whole web: what a URL answers.
func (f *fixture) reply(at string) (status int, target, body string) {
	u, err := url.Parse(at)
	if err != nil {
		return http.StatusBadRequest, "", ""
	}
	var kind string
	var n int
	if u.Path == "/robots.txt" {
		return http.StatusOK, "", fixtureRobots
	}
	if _, err := fmt.Sscanf(strings.ReplaceAll(u.Path, "/", " "), "%s %d", &kind, &n); err != nil {
		return http.StatusNotFound, "", ""
	}
	switch kind {
	case "page":
		return http.StatusOK, "", f.page(u.Host, n)
	case "odd", "found":
		return http.StatusOK, "", "<a href=/page/1>" + at + "</a>"
	case "big":
		return http.StatusOK, "", strings.Repeat(at+"\n", 300<<10/len(at))
	case "moved":
		return http.StatusMovedPermanently, fmt.Sprintf("http://%s/found/%d", fixtureHosts[n%len(fixtureHosts)], n), "moved " + at
	case "broken":
		return http.StatusInternalServerError, "", "broken " + at
	}
	return http.StatusNotFound, "", "nothing at " + at
}

// page links to two pages of its host, so that all are found, to one of another
// host, and to what is out of the ordinary.
func (f *fixture) page(host string, n int) string {
	var b strings.Builder
	link := func(format string, args ...any) { fmt.Fprintf(&b, "<a href=\""+format+"\">x</a>\n", args...) }
	fmt.Fprintf(&b, "<title>page %d of %s</title>\n", n, host)
	for _, to := range []int{2*n + 1, 2*n + 2} {
		if to < f.pages {
			link("/page/%d", to)
		}
	}
	link("http://%s/page/%d#part", fixtureHosts[(n+1)%len(fixtureHosts)], n/2)
	link("http://elsewhere.test/%d", n)
	for _, special := range []struct {
		kind  string
		every int
	}{{"gone", 5}, {"moved", 6}, {"private", 15}, {"broken", 20}, {"odd", 30}, {"big", 30}} {
		if n%special.every == 4 {
			link("/%s/%d", special.kind, n)
		}
	}
	return b.String()
}

// foresee walks the web as a crawler should, without one.
func (f *fixture) foresee() {
	f.want = map[string]ending{}
	queue := append([]string(nil), f.seeds...)
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if _, known := f.want[at]; known || strings.HasPrefix(at, "http://elsewhere.test/") {
			continue
		}
		found, end := f.ending(at)
		f.want[at] = end
		queue = append(queue, found...)
	}
}

// ending tells what becomes of one URL, and what it leads to.
func (f *fixture) ending(at string) (found []string, e ending) {
	status, target, body := f.reply(at)
	e = ending{end: "done {missing}", requests: 1, body: body}
	switch {
	case strings.Contains(at, "/private/"):
		return nil, ending{end: "refused {robots}"}
	case status == http.StatusInternalServerError:
		e.end, e.requests = "failed {server_error}", 2
	case target != "":
		e.end, found = "done {redirected}", []string{target}
	case strings.Contains(at, "/big/"):
		e.end, e.body, e.records = "done {truncated}", body[:256<<10], recordsOf(at)
	case status == http.StatusOK:
		e.end, e.records, found = "done {fetched}", recordsOf(at), hrefs(at, body)
	}
	return found, e
}

// hrefs returns the links that page writes.
func hrefs(at, body string) (list []string) {
	base, err := url.Parse(at)
	if err != nil {
		panic(err) // of this file's own making
	}
	for _, part := range strings.Split(body, "href=")[1:] {
		ref := strings.Trim(part[:strings.IndexByte(part, '>')], `"`)
		if u, err := base.Parse(ref); err == nil {
			u.Fragment = ""
			list = append(list, u.String())
		}
	}
	return list
}

// A moment comes when so many requests have come.
type moment struct {
	left atomic.Int64
	come atomic.Pointer[chan struct{}]
}

// after returns a channel that is closed when n more requests have come.
func (m *moment) after(n int64) <-chan struct{} {
	come := make(chan struct{})
	m.come.Store(&come)
	m.left.Store(n)
	return come
}

func (m *moment) tick() {
	if m.left.Add(-1) == 0 {
		close(*m.come.Load())
	}
}

// hits counts the requests by URL.
func (f *fixture) hits() map[string]int {
	hits := map[string]int{}
	for _, e := range f.Log() {
		hits[e.URL]++
	}
	return hits
}

package fetchtest

import (
	"fmt"
	"math"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Log is what a Web was asked, in the order in which the requests came.
type Log []Exchange

// Exchange is one request and what became of it.
type Exchange struct {
	URL      string // as requested, byte for byte
	Origin   string // scheme, host and port of URL
	Host     string // of URL, without port
	Header   http.Header
	From     string        // the client's address, without its port; empty without a socket
	Status   int           // 0 where nothing was answered
	Failure  string        // the directive that broke the exchange; empty for none
	Start    time.Duration // since the web was opened
	End      time.Duration // when the body was read or closed; -1 while it goes on
	Together int           // exchanges of this origin in flight when this one began, itself among them
}

// String returns the exchange as a line of a log: "5s 200 http://a.test/", or
// "5s reset http://a.test/".
func (e Exchange) String() string {
	outcome := e.Failure
	if e.Status != 0 {
		outcome = fmt.Sprint(e.Status)
	}
	if outcome == "" {
		outcome = "-"
	}
	return fmt.Sprintf("%v %s %s", e.Start.Truncate(time.Millisecond), outcome, e.URL)
}

// Log returns the exchanges so far.
func (w *Web) Log() Log {
	w.mu.Lock()
	defer w.mu.Unlock()
	log := make(Log, len(w.log))
	for i, e := range w.log {
		log[i] = *e
	}
	return log
}

// String prints one exchange a line, in order of start; those that start
// together are ordered by URL, so that the text is the same on every run.
func (l Log) String() string {
	sorted := slices.Clone(l)
	slices.SortStableFunc(sorted, func(a, b Exchange) int {
		if d := a.Start - b.Start; d != 0 {
			return int(min(max(d, -1), 1))
		}
		return strings.Compare(a.URL, b.URL)
	})
	var text strings.Builder
	for _, e := range sorted {
		fmt.Fprintln(&text, e)
	}
	return text.String()
}

// Hits counts the requests for url.
func (l Log) Hits(url string) int {
	hits := 0
	for _, e := range l {
		if e.URL == url {
			hits++
		}
	}
	return hits
}

// Origin returns the exchanges of one origin, "http://a.test".
func (l Log) Origin(origin string) Log {
	var part Log
	for _, e := range l {
		if e.Origin == origin {
			part = append(part, e)
		}
	}
	return part
}

// Concurrency returns the most exchanges that origin had in flight at once.
func (l Log) Concurrency(origin string) int {
	most := 0
	for _, e := range l.Origin(origin) {
		most = max(most, e.Together)
	}
	return most
}

// Gap returns the shortest time between the starts of two requests to origin,
// and the longest Duration where there are fewer than two.
func (l Log) Gap(origin string) time.Duration {
	gap := time.Duration(math.MaxInt64)
	part := l.Origin(origin)
	slices.SortFunc(part, func(a, b Exchange) int { return int(min(max(a.Start-b.Start, -1), 1)) })
	for i := 1; i < len(part); i++ {
		gap = min(gap, part[i].Start-part[i-1].Start)
	}
	return gap
}

// begin logs that r has come.
func (w *Web) begin(r *http.Request) *Exchange {
	url := address(r)
	origin := originOf(url)
	from, _, _ := net.SplitHostPort(r.RemoteAddr) // empty without a socket
	e := &Exchange{URL: url, Origin: origin, Host: hostOf(origin), Header: r.Header, From: from, End: -1}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.inFlight[origin]++
	e.Start, e.Together = time.Since(w.opened), w.inFlight[origin]
	w.log = append(w.log, e)
	return e
}

// answered logs what is answered.
func (w *Web) answered(e *Exchange, status int, failure string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e.Status, e.Failure = status, failure
}

// done logs that the exchange is over; only the first call counts.
func (w *Web) done(e *Exchange) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if e.End >= 0 {
		return
	}
	e.End = time.Since(w.opened)
	w.inFlight[e.Origin]--
}

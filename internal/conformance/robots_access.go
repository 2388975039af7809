package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/robots"
	"github.com/weircrawl/weir/urlnorm"
)

// An accessRow says what the answers to requests for a robots.txt mean.
type accessRow struct {
	ID      string
	Steps   []step
	Outcome string // one or more, with " or " between them
	Level   string
}

// A step is one answer of the site, or only the passing of time.
type step struct {
	URL        string // of the robots.txt; default that of example.com
	Status     int
	Body       string
	Location   string
	Type       string `json:"content_type"`
	Coding     string `json:"content_encoding"`
	RetryAfter string `json:"retry_after"`
	Error      string
	Days       float64 `json:"for_days"`    // it goes on so long
	Hours      float64 `json:"after_hours"` // after the steps before it
}

// wait reports how long after the step before it s takes place.
func (s step) wait() time.Duration { return time.Duration(s.Hours * float64(time.Hour)) }

// lasts reports how long s goes on.
func (s step) lasts() time.Duration { return time.Duration(s.Days * 24 * float64(time.Hour)) }

// silent reports whether s is only time: nobody has asked yet.
func (s step) silent() bool { return s.Status == 0 && s.Error == "" }

// judgeAccess plays the steps to a crawler that asks when its record runs out,
// and compares what its gate says then.
func judgeAccess(_ fs.FS, row accessRow) verdict {
	c := &caller{site: &site{steps: row.Steps}, now: time.Now()}
	if failure := c.play(); failure != "" {
		return verdict{id: row.ID, failure: failure}
	}
	wants := strings.Split(row.Outcome, " or ")
	if row.Level == "may" && row.lasts() {
		// That a file which is unreachable for weeks may count as unavailable is a
		// permission: complete disallow stays right (RFC 9309, section 2.3.1.4).
		wants = append(wants, "disallow-all")
	}
	var failures []string
	for _, want := range wants {
		failure := c.is(want)
		if failure == "" {
			return verdict{id: row.ID}
		}
		failures = append(failures, failure)
	}
	return verdict{id: row.ID, failure: strings.Join(failures, "; ")}
}

func (r accessRow) lasts() bool {
	return slices.ContainsFunc(r.Steps, func(s step) bool { return s.lasts() > 0 })
}

// A caller is what a crawler knows of one origin.
type caller struct {
	site   *site
	now    time.Time
	record robots.Record // the last one
	gate   robots.Gate   // the last one
	last   robots.Gate   // that was open
	body   []byte        // of the record that is noted there
	due    bool          // time has passed since, and the record has run out
	fresh  bool          // time has passed since, and it has not
}

// caller's agent and how often it asks before it gives an origin up for a while.
const (
	callerAgent    = "weirbot"
	callerAttempts = 4
)

// play asks as often as the steps have answers, and returns what is wrong on the
// way.
func (c *caller) play() string {
	for c.site.next < len(c.site.steps) {
		s := c.site.steps[c.site.next]
		c.now = c.now.Add(s.wait())
		if s.silent() {
			c.site.next++
			c.fresh = c.now.Before(c.last.Until)
			c.due = !c.fresh
			continue
		}
		if failure := c.ask(1); failure != "" {
			return failure
		}
		for end := c.now.Add(s.lasts()); c.now.Before(end); c.now = c.now.Add(24 * time.Hour) {
			for attempt := range callerAttempts {
				if failure := c.ask(attempt + 1); failure != "" {
					return failure
				}
			}
		}
	}
	return ""
}

// ask makes one visit, and checks what is true of any.
func (c *caller) ask(attempt int) string {
	record, err := c.site.visit(c.now)
	if err != nil {
		return err.Error()
	}
	c.record, c.due, c.fresh = record, false, false
	c.gate = record.Gate(robots.Visit{Agent: callerAgent, Last: c.last.Note, Attempt: attempt, Now: c.now})
	if c.gate.Step == robots.Open {
		if !c.gate.Held {
			c.body = record.Body
		}
		c.last = c.gate
	}
	return c.followed() + c.heard()
}

// followed checks that each request went where the answer before it led to.
func (c *caller) followed() string {
	at := string(c.record.Origin) + "/robots.txt"
	for i, asked := range c.site.asked {
		if asked != at {
			return fmt.Sprintf("request %d went to %s, not %s; ", i+1, asked, at)
		}
		base := urlnorm.URL{Request: at}
		if next, err := (urlnorm.StandardExact{}).Normalize(&base, c.site.given[i].Location); err == nil {
			at = next.Request
		}
	}
	return ""
}

// heard checks that a gate that stays closed waits as long as the site asks.
func (c *caller) heard() string {
	seconds, err := strconv.Atoi(c.site.answer().RetryAfter)
	want := min(time.Duration(seconds)*time.Second, time.Hour)
	if err != nil || c.gate.Step == robots.Open || c.gate.After == want {
		return ""
	}
	return fmt.Sprintf("Retry-After %d s: the gate waits %v; ", seconds, c.gate.After)
}

// is compares what holds now with one outcome.
func (c *caller) is(outcome string) string {
	origin, only := strings.CutPrefix(outcome, "applies to ")
	origin, _ = strings.CutSuffix(origin, " only")
	var ok bool
	switch {
	case outcome == "parse":
		ok = c.gate.Step == robots.Open && !c.gate.Held && c.decides(robots.Parse([]byte(c.site.answer().Body)))
	case outcome == "use-cached":
		ok = c.gate.Step == robots.Open && (c.gate.Held || c.fresh) && c.decides(robots.Parse(c.body))
	case outcome == "refetch":
		ok = c.due
	case outcome == "allow-all":
		ok = c.gate.Step == robots.Open && c.all(true)
	case outcome == "disallow-all":
		ok = c.all(false)
	case outcome == "policy": // whichever: but one of them
		ok = c.all(true) || c.all(false) || c.is("parse") == ""
	case only:
		ok = c.is("parse") == "" && string(c.record.Origin) == origin && c.cachedFor(origin)
	}
	if ok {
		return ""
	}
	return fmt.Sprintf("want %s, got step %d, held %v, %v", outcome, c.gate.Step, c.gate.Held, c.decide("/"))
}

// decide answers as the crawler would: from the gate's rules, or from its note
// where an earlier record stands in. Without an open gate nothing is leased.
func (c *caller) decide(path string) robots.Decision {
	switch {
	case c.gate.Step != robots.Open:
		return c.record.Decide(callerAgent, path)
	case c.gate.Held:
		return c.gate.Note.Rules(c.body).Decide(callerAgent, path)
	}
	return c.gate.Rules.Decide(callerAgent, path)
}

// decides reports whether the answers are those of rules.
func (c *caller) decides(rules robots.Rules) bool {
	return !slices.ContainsFunc(c.paths(), func(path string) bool {
		return c.decide(path) != rules.Decide(callerAgent, path)
	})
}

// all reports whether every path has the same answer.
func (c *caller) all(allowed bool) bool {
	return !slices.ContainsFunc(c.paths(), func(path string) bool { return c.decide(path).Allowed != allowed })
}

// paths are some of any site, and those that the answers speak of.
func (c *caller) paths() []string {
	paths := []string{"/", "/weir-conformance", "/weir-conformance/a?b=c"}
	for _, s := range c.site.steps {
		for word := range strings.FieldsSeq(s.Body) {
			if strings.HasPrefix(word, "/") {
				paths = append(paths, word, word+"/weir-conformance")
			}
		}
	}
	return paths
}

// cachedFor reports whether a cache has the rules for that origin, and for no
// other scheme or port of its host.
func (c *caller) cachedFor(origin string) bool {
	cache := robots.NewCache(robots.CacheConfig{})
	cache.Put(c.record.Origin, c.gate.Rules, c.gate.Until)
	scheme, authority, _ := strings.Cut(origin, "://")
	host, _, _ := strings.Cut(authority, ":")
	for _, other := range []string{"http://" + host, "https://" + host, scheme + "://" + host + ":8081"} {
		if _, ok := cache.Get(urlnorm.Origin(other), c.now); ok && other != origin {
			return false
		}
	}
	_, ok := cache.Get(urlnorm.Origin(origin), c.now)
	return ok
}

// A site answers one step after the other, whatever it is asked for; the last one
// repeats.
type site struct {
	steps []step
	next  int      // 0 <= next <= len(steps)
	asked []string // in this visit
	given []step   // likewise
}

// answer returns the last one.
func (s *site) answer() step { return s.given[len(s.given)-1] }

// visit fetches the robots.txt at that time.
func (s *site) visit(now time.Time) (robots.Record, error) {
	client, err := fetch.New(fetch.Config{UserAgent: callerAgent + "/1.0", Transport: s})
	if err != nil {
		return robots.Record{}, err
	}
	defer client.Close()
	s.asked, s.given = nil, nil
	url := cmp.Or(s.steps[min(s.next, len(s.steps)-1)].URL, "https://example.com/robots.txt")
	u, err := urlnorm.StandardExact{}.Normalize(nil, url)
	if err != nil {
		return robots.Record{}, fmt.Errorf("%s: %w", url, err)
	}
	do := func(ctx context.Context, q fetch.Request) fetch.Response {
		s.asked = append(s.asked, q.URL)
		response := client.Do(ctx, q)
		response.Start = now
		return response
	}
	return robots.Fetch(context.Background(), do, u.Origin), nil
}

// RoundTrip answers with the next step; the first of a later visit is not given
// before its time.
func (s *site) RoundTrip(r *http.Request) (*http.Response, error) {
	next := s.steps[min(s.next, len(s.steps)-1)]
	switch {
	case len(s.given) > 0 && (s.next == len(s.steps) || next.wait() > 0):
		s.given = append(s.given, s.answer())
	default:
		s.given = append(s.given, next)
		s.next = min(s.next+1, len(s.steps))
	}
	if word := s.answer().Error; word != "" {
		return nil, failureOf(word)
	}
	return s.answer().response(r)
}

// failureOf is what a network returns that fails so.
func failureOf(word string) error {
	switch word {
	case "dns":
		return &net.DNSError{Err: "no such host", IsNotFound: true}
	case "timeout":
		return &net.OpError{Op: "read", Net: "tcp", Err: os.ErrDeadlineExceeded}
	case "connection refused":
		return &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	case "tls":
		return &tls.CertificateVerificationError{Err: errors.New(word)}
	}
	return errors.New(word)
}

// response is s as HTTP.
func (s step) response(r *http.Request) (*http.Response, error) {
	header := http.Header{}
	for name, value := range map[string]string{
		"Location": s.Location, "Content-Type": cmp.Or(s.Type, "text/plain"),
		"Content-Encoding": s.Coding, "Retry-After": s.RetryAfter,
	} {
		if value != "" {
			header.Set(name, value)
		}
	}
	body := []byte(s.Body)
	if s.Coding == "gzip" {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write(body); err != nil {
			return nil, err
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
		body = b.Bytes()
	}
	return &http.Response{
		Status: strconv.Itoa(s.Status) + " " + http.StatusText(s.Status), StatusCode: s.Status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: header,
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: r,
	}, nil
}

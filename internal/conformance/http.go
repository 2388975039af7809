package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/internal/header"
	"github.com/weircrawl/weir/urlnorm"
)

// httpSuites judge the tables of http.
var httpSuites = []suite{
	table("http/dates.jsonl", nil, judgeDate),
	table("http/retry_after.jsonl", nil, judgeRetryAfter),
	table("http/retry_after_status.jsonl", nil, judgeRetryAfterStatus),
	table("http/redirects.jsonl", nil, judgeRedirect),
	table("http/redirect_methods.jsonl", nil, judgeRedirectMethod),
	table("http/wpt/mime-types.json", nil, judgeMediaType),
	table("http/wpt/generated-mime-types.json", nil, judgeMediaType),
	table("http/wpt/content-types.json", nil, judgeContentType),
	table("http/wpt/content-lengths.json", nil, judgeContentLength),
}

// A dateRow is a text and the time that it names, or several that are right.
type dateRow struct {
	Value string  `json:"value"`
	UTC   *string `json:"utc"`
	Form  string  `json:"form"`
}

// judgeDate reads dates of the form of cookies as Set-Cookie has them, and all
// others as any other field has them.
func judgeDate(_ fs.FS, row dateRow) verdict {
	at, ok := header.Date(row.Value, time.Now())
	if row.Form == "cookie-date" {
		at, ok = header.CookieDate(row.Value)
	}
	got := "none"
	if ok {
		got = at.Format(time.RFC3339)
	}
	right := []string{"none"}
	if row.UTC != nil {
		right = strings.Split(*row.UTC, " or ")
	}
	return oneOf(row.Value, right, got)
}

// oneOf is the verdict on a row that takes any of several answers.
func oneOf(id string, right []string, got string) verdict {
	if slices.Contains(right, got) {
		return verdict{id: id}
	}
	return compare(id, strings.Join(right, " or "), got)
}

type retryAfterRow struct {
	Value string    `json:"value"`
	Now   time.Time `json:"now"`
	Delay *int64    `json:"delay_seconds"`
}

// judgeRetryAfter takes a wait beyond all counting, which the caller clamps, for
// no number of seconds.
func judgeRetryAfter(_ fs.FS, row retryAfterRow) verdict {
	wait, ok := header.RetryAfter(row.Value, row.Now)
	var got *int64
	if ok && wait < header.Forever {
		got = new(int64(wait / time.Second))
	}
	return compare(row.Value, row.Delay, got)
}

type retryAfterStatusRow struct {
	Status     int     `json:"status"`
	RetryAfter *string `json:"retry_after"`
	Action     string  `json:"action"`
}

// judgeRetryAfterStatus says what follows from an answer in the words of the
// table. A hint may be heeded or not.
func judgeRetryAfterStatus(_ fs.FS, row retryAfterStatusRow) verdict {
	h := http.Header{"Location": {"/next"}}
	if row.RetryAfter != nil {
		h.Set("Retry-After", *row.RetryAfter)
	}
	r := exchange("http://a.test/", answer{status: row.Status, header: h})
	got := "ignored"
	wait := fmt.Sprintf("wait %d s", r.RetryAfter/time.Second)
	switch {
	case r.Class == fetch.Busy && r.RetryAfter == 0:
		got = "own backoff"
	case r.Class == fetch.Busy:
		got = wait + " for the origin"
	case r.Class == fetch.Redirected && r.RetryAfter > 0:
		got = wait + " before the next hop"
	}
	if strings.HasPrefix(row.Action, "a hint;") {
		heeded := row.RetryAfter != nil && wait == "wait "+*row.RetryAfter+" s"
		return compare("", true, heeded || r.RetryAfter == 0)
	}
	return compare("", row.Action, got)
}

type redirectRow struct {
	Status      int     `json:"status"`
	Base        string  `json:"base"`
	Location    *string `json:"location"`
	LocationB64 *string `json:"location_b64"`
	URL         *string `json:"url"`
}

// judgeRedirect asks where an answer leads: what package fetch makes of it, and
// what package urlnorm makes of that.
func judgeRedirect(_ fs.FS, row redirectRow) verdict {
	h := http.Header{}
	if row.Location != nil {
		h["Location"] = []string{*row.Location}
	}
	if row.LocationB64 != nil {
		octets, err := base64.StdEncoding.DecodeString(*row.LocationB64)
		if err != nil {
			return verdict{failure: "unreadable location_b64: " + err.Error()}
		}
		h["Location"] = []string{string(octets)}
	}
	var got *string
	if url, ok := next(row.Base, answer{status: row.Status, header: h}); ok {
		got = &url
	}
	return compare("", row.URL, got)
}

// next returns the URL to which an answer from base leads.
func next(base string, a answer) (string, bool) {
	from, err := urlnorm.StandardExact{}.Normalize(nil, base)
	if err != nil {
		return "", false
	}
	r := exchange(from.Request, a)
	if r.Class != fetch.Redirected {
		return "", false
	}
	to, err := urlnorm.StandardExact{}.Normalize(&from, r.Location)
	return to.Request, err == nil
}

type redirectMethodRow struct {
	Status     int    `json:"status"`
	Method     string `json:"method"`
	NextMethod string `json:"next_method"`
	BodyKept   bool   `json:"body_kept"`
}

// judgeRedirectMethod makes both requests of a redirect. This module sends GET
// and nothing else, so that rows of other methods are foreign.
func judgeRedirectMethod(_ fs.FS, row redirectMethodRow) verdict {
	if row.Method != http.MethodGet {
		return verdict{foreign: true}
	}
	url, ok := next("http://a.test/", answer{status: row.Status, header: http.Header{"Location": {"/next"}}})
	if !ok {
		return verdict{failure: "no redirect"}
	}
	var sent []string
	exchange(url, answer{status: 200, seen: func(r *http.Request) {
		sent = append(sent, fmt.Sprint(r.Method, ", body ", r.Body != nil))
	}})
	return compare("", []string{fmt.Sprint(row.NextMethod, ", body ", row.BodyKept)}, sent)
}

// An answer is what a server says to one request.
type answer struct {
	status int
	header http.Header
	body   string
	seen   func(*http.Request) // if set, is shown the request
}

// RoundTrip gives a without a network.
func (a answer) RoundTrip(r *http.Request) (*http.Response, error) {
	if a.seen != nil {
		a.seen(r)
	}
	return &http.Response{
		StatusCode: a.status, Status: fmt.Sprint(a.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.header, Body: io.NopCloser(strings.NewReader(a.body)), ContentLength: -1, Request: r,
	}, nil
}

// exchange is one request of package fetch that is answered by a.
func exchange(url string, a answer) fetch.Response {
	client, err := fetch.New(fetch.Config{UserAgent: "weir/1.0 (conformance)", Transport: a})
	if err != nil {
		return fetch.Response{Err: err}
	}
	defer client.Close()
	return client.Do(context.Background(), fetch.Request{URL: url})
}

type mediaTypeRow struct {
	Input    string   `json:"input"`
	Output   *string  `json:"output"`
	Encoding optional `json:"encoding"`
}

// An optional tells a field that is null from one that is absent.
type optional struct {
	given bool
	value string // empty for null
}

func (o *optional) UnmarshalJSON(raw []byte) error {
	o.given = true
	return json.Unmarshal(raw, &o.value)
}

// judgeMediaType compares the type and its encoding. Whether a browser shows the
// type (navigable), and how it reports it to scripts (minimizedMIMEType), is its
// own affair. A row with a character that no byte of a header stands for is
// foreign, as in the tests that this table is from.
func judgeMediaType(_ fs.FS, row mediaTypeRow) verdict {
	input, ok := latin1(row.Input)
	if !ok {
		return verdict{foreign: true}
	}
	var got *string
	m, ok := header.ParseMediaType(input)
	if ok {
		got = new(fromLatin1(m.String()))
	}
	if v := compare(row.Input, row.Output, got); v.failure != "" || !row.Encoding.given {
		return v
	}
	return judgeDeclared(row.Input, row.Encoding, []string{input})
}

// judgeDeclared compares the encoding that a text is read in because of its
// Content-Type.
func judgeDeclared(id string, want optional, contentType []string) verdict {
	_, c := fetch.Text(http.Header{"Content-Type": contentType}, []byte("text"))
	if c.From != "header" {
		c.Name = ""
	}
	return compare(id, strings.ToLower(want.value), c.Name)
}

type contentTypeRow struct {
	ContentType  []string `json:"contentType"`
	Encoding     optional `json:"encoding"`
	MediaType    *string  `json:"mimeType"`
	DocumentType *string  `json:"documentContentType"`
}

// judgeContentType compares what several Content-Type fields declare together,
// and what package fetch takes the body for.
func judgeContentType(_ fs.FS, row contentTypeRow) verdict {
	id := strings.Join(row.ContentType, ", ")
	values := make([]string, len(row.ContentType))
	for i, text := range row.ContentType {
		value, ok := latin1(text)
		if !ok {
			return verdict{foreign: true}
		}
		values[i] = value
	}
	var got *string
	if m, ok := header.ContentType(values); ok {
		got = new(fromLatin1(m.String()))
	}
	if v := compare(id, row.MediaType, got); v.failure != "" {
		return v
	}
	if row.DocumentType != nil {
		r := exchange("http://a.test/", answer{status: 200, header: http.Header{"Content-Type": values}})
		if v := compare(id, *row.DocumentType, r.MediaType); v.failure != "" {
			return v
		}
	}
	if !row.Encoding.given {
		return verdict{id: id}
	}
	return judgeDeclared(id, row.Encoding, values)
}

// latin1 returns the bytes that a header has for text.
func latin1(text string) (string, bool) {
	value := make([]byte, 0, len(text))
	for _, r := range text {
		if r > 0xff {
			return "", false
		}
		value = append(value, byte(r))
	}
	return string(value), true
}

func fromLatin1(value string) string {
	text := make([]rune, len(value))
	for i := range len(value) {
		text[i] = rune(value[i])
	}
	return string(text)
}

type contentLengthRow struct {
	Input  string `json:"input"`
	Output *int64 `json:"output"`
}

// judgeContentLength asks how much of a body of 42 bytes is read under some
// lines of header: all of it where they name no length, and none where they
// contradict one another.
func judgeContentLength(_ fs.FS, row contentLengthRow) verdict {
	const body = 42
	var values []string
	for line := range strings.SplitSeq(row.Input, "\r\n") {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.EqualFold(name, "Content-Length") {
			values = append(values, value)
		}
	}
	length, err := header.ContentLength(values)
	var got *int64
	switch {
	case err != nil && !errors.Is(err, header.ErrLengths):
		return verdict{id: row.Input, failure: err.Error()}
	case err == nil && length < 0:
		got = new(int64(body))
	case err == nil:
		got = &length
	}
	return compare(row.Input, row.Output, got)
}

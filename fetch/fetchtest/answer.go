package fetchtest

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

// An answer is everything that one request meets.
type answer struct {
	status  int
	header  http.Header
	body    []byte
	delay   time.Duration // before the status line
	trickle time.Duration // before each byte of the body
	chunked bool          // the body is sent without a length
	fail    string        // what happens instead of an answer; empty for none
	end     int           // bytes of body before stop; -1 for all of them
	stop    stop
}

// stop says what happens after the last byte that is sent of a body.
type stop uint8

const (
	endWhole stop = iota // the body is whole
	endClose             // the connection closes, too early
	endReset             // the connection is reset
	endStall             // nothing more comes
)

// The failures that stand in the place of an answer, by their directive.
const (
	failDNS     = "dns"
	failRefused = "refused"
	failTLS     = "tls"
	failTimeout = "timeout"
	failReset   = "reset"
	failClose   = "close"
	failGarbage = "garbage"
)

// ofHost reports whether a failure happens before a request can be sent.
func ofHost(fail string) bool {
	return fail == failDNS || fail == failRefused || fail == failTLS
}

func newAnswer() answer {
	return answer{status: http.StatusOK, header: http.Header{}, end: -1}
}

var notFound = answer{
	status: http.StatusNotFound,
	header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}, "Content-Length": {"19"}},
	body:   []byte("404 page not found\n"),
	end:    -1,
}

// finish makes header and body agree with what the directives say.
func (a *answer) finish(pattern string) error {
	if len(a.header["Content-Type"]) == 0 && len(a.body) > 0 {
		a.header.Set("Content-Type", contentType(pattern))
	}
	if a.header.Get("Content-Type") == "" {
		a.header.Del("Content-Type")
	}
	if a.status == http.StatusNoContent || a.status == http.StatusNotModified {
		a.body = nil
		return nil
	}
	if a.chunked {
		a.header.Del("Content-Length")
		return nil
	}
	return a.length()
}

// length honours a Content-Length of the file, however wrong, or sets it.
func (a *answer) length() error {
	declared := a.header.Get("Content-Length")
	if declared == "" {
		a.header.Set("Content-Length", strconv.Itoa(len(a.body)))
		return nil
	}
	n, err := strconv.Atoi(declared)
	if err != nil || n < 0 {
		return fmt.Errorf("Content-Length %q is no number", declared)
	}
	if n < len(a.body) {
		a.body = a.body[:n]
	} else if n > len(a.body) && a.stop == endWhole {
		a.end, a.stop = len(a.body), endClose
	}
	return nil
}

// contentType guesses the type of a path, as a file server does.
func contentType(pattern string) string {
	pathname, _, _ := strings.Cut(strings.TrimSuffix(pattern, "*"), "?")
	switch path.Ext(pathname) {
	case ".txt":
		return "text/plain; charset=utf-8"
	case ".xml":
		return "application/xml"
	case ".json":
		return "application/json"
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".gz":
		return "application/gzip"
	}
	return "text/html; charset=utf-8"
}

// sent returns the bytes of body that are sent, and what happens then.
func (a *answer) sent() ([]byte, stop) {
	if a.end < 0 || a.end > len(a.body) || a.stop == endWhole {
		return a.body, a.stop
	}
	return a.body[:a.end], a.stop
}

// handle returns what h answers to r: whole, when h returns. A panic resets the
// connection; when r's context ends first, nothing is answered.
func handle(h http.Handler, r *http.Request) answer {
	done := make(chan answer, 1)
	go func() {
		rec := &recorder{answer: newAnswer()}
		defer func() {
			if recover() != nil {
				rec.answer = answer{fail: failReset}
			}
			done <- rec.answer
		}()
		h.ServeHTTP(rec, r)
		rec.finish()
	}()
	select {
	case a := <-done:
		return a
	case <-r.Context().Done():
		return answer{fail: failTimeout}
	}
}

// recorder is the ResponseWriter of a handler.
type recorder struct {
	answer
	buffer bytes.Buffer
	wrote  bool
	live   http.Header // the handler's, until the header is written
}

func (r *recorder) Header() http.Header {
	if r.live == nil {
		r.live = http.Header{}
	}
	return r.live
}

func (r *recorder) WriteHeader(status int) {
	if r.wrote || status < 200 {
		return
	}
	r.wrote, r.status, r.header = true, status, r.Header().Clone()
}

func (r *recorder) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.buffer.Write(p)
}

func (r *recorder) finish() {
	r.WriteHeader(http.StatusOK)
	r.body = r.buffer.Bytes()
	if len(r.header["Content-Type"]) == 0 && len(r.body) > 0 {
		r.header.Set("Content-Type", http.DetectContentType(r.body))
	}
	if err := r.answer.finish(""); err != nil {
		r.answer = answer{fail: failGarbage}
	}
}

// wait lets d pass, or returns why ctx ended.
func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/weircrawl/weir/internal/header"
)

// receive fills the response from the head of an answer and what its body gives.
func (x *exchange) receive(answer *http.Response, to target) {
	r := &x.response
	r.Status, r.Header = answer.StatusCode, answer.Header
	r.Received = responseBlock(answer)
	if jar := x.client.cfg.Cookies; jar != nil {
		if cookies := cookiesOf(answer); len(cookies) > 0 {
			jar.SetCookies(to.cookieURL(), cookies)
		}
	}
	if asksToWait(r.Status) {
		r.RetryAfter, r.RetryNote = retryAfter(r.Header.Values("Retry-After"), time.Now())
	}
	failed := x.readBody(answer)
	if r.Status == http.StatusPartialContent && r.Defect == "" && !x.request.has("Range") {
		r.Defect = fmt.Sprintf("status 206: a part that was not asked for: %.64q", r.Header.Get("Content-Range"))
	}
	r.MediaType = mediaType(r.Header, r.Body)
	r.Class, r.Mark = facts{r.Status, r.Header, r.MediaType, r.Body, x.request.conditional(), to}.class()
	if r.Class == Redirected {
		r.Location, _ = header.Location(r.Header["Location"])
	}
	x.conclude(failed)
}

// conclude lets what went wrong with the body decide the class, where the status
// alone would call a success what brought nothing.
func (x *exchange) conclude(failed Class) {
	r := &x.response
	switch {
	case failed == Cancelled:
		r.Class = Cancelled
	case r.Class == Fetched && len(r.Body) == 0 && failed != "":
		r.Class = failed
	}
	if r.Class == Timeout {
		r.Truncated = "" // nothing is cut where nothing came
	}
}

// readBody reads the body, decoded and bounded, into the response. It returns
// the class that the exchange has if not a byte of the body is there: Timeout,
// Content, or Cancelled, which counts in any case; and an empty one where
// nothing went wrong.
func (x *exchange) readBody(answer *http.Response) Class {
	if answer.StatusCode < 200 {
		return "" // another protocol begins here, which would be read for ever
	}
	limit := min(x.request.Limit, limitMax)
	if limit <= 0 {
		limit = defaultLimit
	}
	in := &wire{exchange: x, body: answer.Body, left: wireLimit(limit)}
	codings := codingsOf(answer.Header)
	if len(codings) == 0 {
		x.response.Body, _ = x.client.pools.readPlain(in, answer.ContentLength, limit+1) // its error is in.err
		return x.judgeBody(in, nil, limit)
	}
	u := x.client.pools.unpack(codings, in, wireLimit(limit))
	body, err := x.client.pools.read(u.out, limit+1)
	x.response.Body = body
	if u.defect != "" {
		x.response.Defect, x.response.Undecoded = u.defect, u.left && len(body) > 0
	}
	u.close()
	return x.judgeBody(in, err, limit)
}

// wireLimit is how many bytes may come over the wire, or between two codings,
// for limit decoded ones. What does not shrink grows by a few bytes a block, so
// a body that needs more is made to waste.
func wireLimit(limit int64) int64 { return limit + limit/64 + 64<<10 }

// judgeBody says what the end of a body means: undo is what a decoder said.
func (x *exchange) judgeBody(in *wire, undo error, limit int64) Class {
	r := &x.response
	switch {
	case x.caller.Err() != nil:
		r.Err = context.Cause(x.caller)
		return Cancelled
	case int64(len(r.Body)) > limit:
		r.Body, r.Truncated = r.Body[:limit:limit], TruncatedLength
		in.drain()
	case in.err != nil && isAny(context.Cause(x.ctx), errDeadline, errStall):
		r.Err, r.Truncated = context.Cause(x.ctx), TruncatedTime
		return Timeout
	case in.err != nil:
		r.Err, r.Truncated = in.err, TruncatedDisconnect
	case in.left == 0 && !in.over || errors.Is(undo, errWaste):
		r.Truncated = TruncatedLength
		in.drain()
	case undo != nil:
		r.Defect, r.Undecoded = undo.Error(), true
		in.drain()
		if len(r.Body) == 0 {
			r.Err = undo
			return Content
		}
	default:
		in.drain()
	}
	return ""
}

// A wire is a body as it comes from the connection: each read is bounded in
// time, and all of them in bytes.
type wire struct {
	exchange *exchange
	body     io.Reader
	left     int64 // bytes that may still be read
	err      error // that ended the body too early; nil at its proper end
	over     bool  // the body has ended, one way or the other
}

func (w *wire) Read(p []byte) (int, error) {
	if w.over || w.left == 0 {
		return 0, io.EOF
	}
	w.exchange.awaitBytes()
	n, err := w.body.Read(p[:min(int64(len(p)), w.left)])
	w.left -= int64(n)
	if err != nil {
		w.over = true
		if err != io.EOF {
			w.err = err
		}
	}
	return n, err
}

// A remainder is drained up to drainBytes and for drainTime: a connection that
// is ready for the next request is worth that much.
const (
	drainBytes = 64 << 10
	drainTime  = 50 * time.Millisecond
)

// drain reads a small remainder of the body, so that its connection can be used
// again. What it finds changes nothing.
func (w *wire) drain() {
	if w.over {
		return
	}
	w.exchange.timer.Reset(min(drainTime, time.Until(w.exchange.deadline)))
	_, _ = io.CopyN(io.Discard, w.body, drainBytes) // whatever it is, Close follows
}

// declaredMax is how much of a declared length is believed.
const declaredMax = 1 << 20

// readPlain reads at most limit bytes of a body that has no coding. A declared
// length is believed as far as it costs little.
func (p *pools) readPlain(in io.Reader, declared, limit int64) ([]byte, error) {
	if declared < 0 {
		return p.read(in, limit)
	}
	size := min(declared, limit-1, declaredMax) + 1 // one more, to see the end
	return readInto(make([]byte, 0, size), in, limit)
}

// readInto appends what in gives to buf, until its end or limit bytes in all.
func readInto(buf []byte, in io.Reader, limit int64) ([]byte, error) {
	for int64(len(buf)) < limit {
		if len(buf) == cap(buf) {
			buf = append(make([]byte, 0, min(int64(max(2*len(buf), 512)), limit)), buf...)
		}
		n, err := in.Read(buf[len(buf):min(int64(cap(buf)), limit)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return buf, err
		}
	}
	return buf, nil
}

// asksToWait reports whether Retry-After means something beside a status
// (RFC 9110, section 10.2.3, and 429 of RFC 6585).
func asksToWait(status int) bool {
	return status == http.StatusTooManyRequests || status/100 == 5 || status/100 == 3
}

package fetch

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"
)

// An exchange is one Do: its clock, its moment of sending, and the response that
// it fills. One timer serves the deadline and the silence of a body.
type exchange struct {
	client   *Client
	request  Request
	response Response
	caller   context.Context // whose end is the caller's wish, not a failure
	ctx      context.Context // of the exchange
	cancel   context.CancelCauseFunc
	deadline time.Time
	timer    *time.Timer

	mu      sync.Mutex  // hooks of net/http run in goroutines of the connection
	sent    time.Time   // zero until the request was written
	conn    *mendedConn // that was got; nil for one of HTTP/2 or of a Transport
	before  int         // answers that were read from conn
	repeats int         // of the request by net/http, 0 <= repeats <= repeatsMax+1
	settled bool        // Do has gone on: it is too late to tell OnSent
}

// begin starts the clock. The context it returns ends with the caller's, or with
// one of our causes; the function must be called when the exchange is over.
func (x *exchange) begin(caller context.Context) (context.Context, func()) {
	x.caller = caller
	x.ctx, x.cancel = context.WithCancelCause(caller)
	timeout := x.client.cfg.Timeout
	x.deadline = x.response.Start.Add(timeout)
	x.timer = time.AfterFunc(timeout, x.expire)
	return x.ctx, func() {
		x.timer.Stop()
		x.cancel(nil)
	}
}

// expire ends the exchange when its timer fires.
func (x *exchange) expire() {
	if time.Now().Before(x.deadline) {
		x.cancel(errStall)
		return
	}
	x.cancel(errDeadline)
}

// awaitBytes gives the next bytes of the body until the stall limit, but never
// beyond the deadline.
func (x *exchange) awaitBytes() {
	x.timer.Reset(min(x.client.cfg.Stall, time.Until(x.deadline)))
}

// send makes the request and returns the head of its answer.
func (x *exchange) send(ctx context.Context, to target) (*http.Response, error) {
	request := x.client.newRequest(to, x.request)
	x.response.Sent = requestBlock(to, request)
	if x.client.own == nil {
		x.markSent()
	} else {
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: x.gotConn, WroteRequest: x.wroteRequest})
	}
	answer, err := x.client.transport.RoundTrip(request.WithContext(ctx))
	if err == nil && followed(answer) {
		_ = answer.Body.Close() // nobody allowed it
		err = ErrFollowed
	}
	if err == nil {
		x.markSent() // an answer may overtake the hook
		x.response.Latency = time.Since(x.sent)
		x.response.Defect = x.mended()
	}
	x.settle()
	return answer, err
}

// followed reports whether answer is of another request than the one that was
// made.
func followed(answer *http.Response) bool {
	return answer.Request != nil && answer.Request.Response != nil
}

// wroteRequest is told by net/http when it has written the request, or could
// not.
func (x *exchange) wroteRequest(info httptrace.WroteRequestInfo) {
	if info.Err == nil {
		x.markSent()
	}
}

// repeatsMax is how often HTTP/2 may send a request again.
const repeatsMax = 3

// gotConn is told by net/http which connection it will use. If it gets a second
// one although the request was sent on the first, it means to repeat the
// request: then the connection is closed before a byte is written, and the
// exchange ends. HTTP/2 repeats only what the server did not process, and shares
// its connection, so it is left alone, a few times.
func (x *exchange) gotConn(info httptrace.GotConnInfo) {
	x.mu.Lock()
	again := !x.sent.IsZero()
	if again {
		x.repeats++
	}
	repeats := x.repeats
	if conn, ok := info.Conn.(*mendedConn); ok {
		x.conn, x.before = conn, conn.count()
	}
	x.mu.Unlock()
	switch {
	case !again:
	case !isHTTP2(info):
		x.cancel(errReplay)
		_ = info.Conn.Close() // unused; its error cannot matter
	case repeats > repeatsMax:
		x.cancel(errReplay)
	}
}

func isHTTP2(info httptrace.GotConnInfo) bool {
	conn, ok := info.Conn.(*tls.Conn)
	return ok && conn.ConnectionState().NegotiatedProtocol == "h2"
}

// mended returns what was mended in the answer, before others can use its
// connection.
func (x *exchange) mended() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.conn == nil {
		return ""
	}
	return x.conn.defect(x.before + 1)
}

// markSent keeps the first moment of sending, and reports it.
func (x *exchange) markSent() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.settled || !x.sent.IsZero() {
		return
	}
	x.sent = time.Now()
	if x.request.OnSent != nil {
		x.request.OnSent(x.sent)
	}
}

// settle makes hooks that come late do nothing.
func (x *exchange) settle() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.settled = true
}

// noAnswer ends an exchange without the head of a response.
func (x *exchange) noAnswer(err error) Response {
	if x.caller.Err() != nil {
		return x.fail(Cancelled, context.Cause(x.caller))
	}
	if x.client.closed.Err() != nil {
		return x.fail(Cancelled, ErrClosed) // whatever else it was, Close came first
	}
	if cause := context.Cause(x.ctx); cause != nil {
		err = cause
	}
	return x.fail(classOfError(err), explain(err))
}

func (x *exchange) fail(class Class, err error) Response {
	x.response.Class, x.response.Err = class, err
	return x.response
}

package fetchtest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"syscall"
	"time"
)

// RoundTrip answers r as the web says, without a socket. Delays and silence last
// until the context of r ends.
func (w *Web) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close()
	}
	in := received(r)
	e := w.begin(in)
	response, err := w.roundTrip(r, in, e)
	if err != nil {
		w.done(e)
	}
	return response, err
}

func (w *Web) roundTrip(r, in *http.Request, e *Exchange) (*http.Response, error) {
	ctx := r.Context()
	if fail := w.connect(e.Origin); fail != "" {
		w.answered(e, 0, fail)
		return nil, failure(ctx, fail, e.Host)
	}
	a := w.answerTo(in, e.URL)
	if err := wait(ctx, a.delay); err != nil {
		w.answered(e, 0, failTimeout)
		return nil, err
	}
	if a.fail != "" {
		w.answered(e, 0, a.fail)
		return nil, failure(ctx, a.fail, e.Host)
	}
	w.answered(e, a.status, "")
	return a.response(r, func() { w.done(e) }), nil
}

// received returns r as a server would see it.
func received(r *http.Request) *http.Request {
	host := r.Host
	if host == "" {
		host = r.URL.Host
	}
	in := incoming(r.Method, r.URL.Scheme, host, r.URL.RequestURI(), r.Header.Clone())
	if r.Body != nil {
		in.Body, in.ContentLength = r.Body, r.ContentLength
	}
	return in.WithContext(r.Context())
}

// failure returns what net/http reports for a failure.
func failure(ctx context.Context, fail, host string) error {
	switch fail {
	case failDNS:
		return dialError(&net.DNSError{Err: "no such host", Name: host, IsNotFound: true})
	case failRefused:
		return dialError(os.NewSyscallError("connect", syscall.ECONNREFUSED))
	case failTLS:
		return &tls.CertificateVerificationError{Err: x509.HostnameError{Certificate: &x509.Certificate{}, Host: host}}
	case failTimeout:
		<-ctx.Done()
		return context.Cause(ctx)
	case failReset:
		return resetError()
	case failClose:
		return io.EOF
	}
	return fmt.Errorf("net/http: HTTP/1.x transport connection broken: malformed HTTP response %q", garbage)
}

const garbage = "This is not HTTP."

func dialError(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }

func resetError() error {
	return &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
}

// response returns a as net/http would; done is called once its body is read or
// closed.
func (a *answer) response(r *http.Request, done func()) *http.Response {
	sent, stop := a.sent()
	ctx, close := context.WithCancelCause(r.Context())
	response := &http.Response{
		Status:        fmt.Sprintf("%d %s", a.status, http.StatusText(a.status)),
		StatusCode:    a.status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        a.header.Clone(),
		ContentLength: -1,
		Request:       r,
		Body:          &body{ctx: ctx, close: close, rest: sent, trickle: a.trickle, stop: stop, done: done},
	}
	if a.chunked {
		response.TransferEncoding = []string{"chunked"}
	}
	if n, err := strconv.ParseInt(a.header.Get("Content-Length"), 10, 64); err == nil {
		response.ContentLength = n
	}
	if r.Method == http.MethodHead {
		response.Body = http.NoBody
		done()
	}
	return response
}

// body is the body of a response without a socket.
type body struct {
	ctx     context.Context // of the request; ends with Close, too
	close   context.CancelCauseFunc
	rest    []byte
	trickle time.Duration
	stop    stop
	done    func()
}

// Read returns the next bytes, and at the end of them what the answer's stop
// says.
func (b *body) Read(p []byte) (int, error) {
	if err := context.Cause(b.ctx); err != nil {
		return 0, b.over(err)
	}
	if len(b.rest) > 0 {
		return b.next(p)
	}
	switch b.stop {
	case endClose:
		return 0, b.over(io.ErrUnexpectedEOF)
	case endReset:
		return 0, b.over(resetError())
	case endStall:
		<-b.ctx.Done()
		return 0, b.over(context.Cause(b.ctx))
	}
	return 0, b.over(io.EOF)
}

func (b *body) next(p []byte) (int, error) {
	if b.trickle > 0 && len(p) > 0 {
		if err := wait(b.ctx, b.trickle); err != nil {
			return 0, b.over(err)
		}
		p = p[:1]
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

func (b *body) over(err error) error {
	b.done()
	return err
}

func (b *body) Close() error {
	b.close(http.ErrBodyReadAfterClose)
	b.done()
	return nil
}

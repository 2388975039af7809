package fetch

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"

	"code.dny.dev/ssrf"
	"github.com/stretchr/testify/assert"
)

// classes is every Class, with what it means for its URL.
var classes = []struct {
	class                Class
	done, refused, retry bool
}{
	{Fetched, true, false, false},
	{Unchanged, true, false, false},
	{Redirected, true, false, false},
	{Missing, true, false, false},
	{Denied, false, true, false},
	{Login, false, true, false},
	{Payment, false, true, false},
	{Challenge, false, true, false},
	{Legal, false, true, false},
	{PrivateAddress, false, true, false},
	{Busy, false, false, false},
	{ServerError, false, false, true},
	{Untimely, false, false, true},
	{DNS, false, false, true},
	{Connect, false, false, true},
	{TLS, false, false, true},
	{Timeout, false, false, true},
	{Protocol, false, false, true},
	{ClientError, false, false, false},
	{Content, false, false, false},
	{Malformed, false, false, false},
	{Cancelled, false, false, false},
}

func TestEveryClassSaysWhatItMeansForItsURL(t *testing.T) {
	for _, c := range classes {
		assert.Equal(t, []bool{c.done, c.refused, c.retry}, []bool{c.class.Done(), c.class.Refused(), c.class.Retry()}, c.class)
	}
}

// statuses is every status that differs from the rest of its hundred, and that
// rest; 0 stands for whatever is not from 100 to 599.
var statuses = map[int]Class{
	0:   Protocol,
	100: Protocol,
	200: Fetched,
	300: Fetched, 301: Redirected, 302: Redirected, 303: Redirected, 304: Protocol, 307: Redirected, 308: Redirected,
	400: ClientError, 401: Denied, 402: Payment, 403: Denied, 404: Missing, 407: Denied, 408: Untimely, 410: Missing,
	421: Untimely, 425: Untimely, 429: Busy, 451: Legal,
	500: ServerError, 503: Busy,
}

func TestTheStatusDecidesTheClass(t *testing.T) {
	location := http.Header{"Location": {"/x"}}
	for status := range 1000 {
		want, ok := statuses[status]
		if !ok && (status < 100 || status > 599) {
			want = statuses[0]
		} else if !ok {
			want = statuses[status/100*100]
		}
		f := facts{status: status, header: location}
		assert.Equal(t, want, justClass(f), status)
		f.header = nil
		if want == Redirected {
			want = Fetched // it leads nowhere
		}
		assert.Equal(t, want, justClass(f), "%d without a Location", status)
		f.conditional = true
		if status == 304 {
			want = Unchanged
		}
		assert.Equal(t, want, justClass(f), "%d to a conditional request", status)
	}
}

func TestALocationThatIsNoneOrTwoIsNoRedirect(t *testing.T) {
	for want, places := range map[Class][]string{Fetched: nil, Redirected: {"/x", "/x"}, Protocol: {"/x", "/y"}} {
		assert.Equal(t, want, justClass(facts{status: 302, header: http.Header{"Location": places}}), places)
	}
	empty := facts{status: 302, header: http.Header{"Location": {""}}}
	assert.Equal(t, Redirected, justClass(empty), "the URL itself (RFC 3986, section 4.4), which may have set a cookie")
}

func justClass(f facts) Class {
	class, _ := f.class()
	return class
}

func TestTheFailureDecidesTheClass(t *testing.T) {
	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	read := func(err error) error { return &net.OpError{Op: "read", Net: "tcp", Err: err} }
	cases := []struct {
		err  error
		want Class
	}{
		{errDeadline, Timeout},
		{errStall, Timeout},
		{read(os.ErrDeadlineExceeded), Timeout},
		{dialError{dial(fmt.Errorf("%w: 10.0.0.1", ssrf.ErrProhibitedIP))}, PrivateAddress},
		{dial(&net.DNSError{Err: "no such host", IsNotFound: true}), DNS},
		{dialError{dial(&net.DNSError{Err: "i/o timeout", IsTimeout: true})}, DNS},
		{dial(os.NewSyscallError("connect", syscall.ECONNREFUSED)), Connect},
		{dialError{dial(os.ErrDeadlineExceeded)}, Connect},
		{dialError{errors.New("no route")}, Connect},
		{read(os.NewSyscallError("read", syscall.ECONNRESET)), Connect},
		{fmt.Errorf("broken: %w", io.EOF), Connect},
		{io.ErrUnexpectedEOF, Connect},
		{errReplay, Connect},
		{handshakeError{io.EOF}, TLS},
		{handshakeError{read(os.ErrDeadlineExceeded)}, TLS},
		{&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}, TLS},
		{tls.RecordHeaderError{Msg: "not TLS"}, TLS},
		{tls.AlertError(40), TLS},
		{errors.New("malformed HTTP response"), Protocol},
	}
	for _, c := range cases {
		assert.Equal(t, c.want, classOfError(c.err), "%v", c.err)
	}
}

package fetch

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"

	"code.dny.dev/ssrf"
)

// ErrNoHost is in the Err of a Response of class DNS when the name does not
// exist. Other failures of DNS may pass; this one is worth one confirmation.
var ErrNoHost = errors.New("fetch: host does not exist")

// ErrClosed is the Err of a Response that was asked of a closed Client.
var ErrClosed = errors.New("fetch: client is closed")

// ErrFollowed is the Err of a Response when Config.Transport has followed a
// redirect by itself. What it found is thrown away, because nobody has decided
// that it may be asked for: give the Transport of an http.Client, not the client.
var ErrFollowed = errors.New("fetch: Transport follows redirects: give http.Client.Transport, not the client")

// The causes with which an exchange ends its own context.
var (
	errDeadline = errors.New("fetch: deadline passed")
	errStall    = errors.New("fetch: nothing came for too long")
	errReplay   = errors.New("fetch: connection closed before an answer")
)

// A dialError is any failure to make a connection, a handshakeError one to
// secure it: what is inside may be of any type.
type (
	dialError      struct{ error }
	handshakeError struct{ error }
)

func (e dialError) Unwrap() error      { return e.error }
func (e handshakeError) Unwrap() error { return e.error }

// classOfError returns the class of an exchange that has no answer. The end of
// the caller's context is none of its business: Do looks at that first.
func classOfError(err error) Class {
	switch {
	case isAny(err, errDeadline, errStall):
		return Timeout
	case isAny(err, ssrf.ErrProhibitedIP, ssrf.ErrProhibitedNetwork):
		return PrivateAddress
	case isHandshake(err):
		return TLS
	case isA[*net.DNSError](err):
		return DNS
	case isConnection(err):
		return Connect
	case isTimeout(err):
		return Timeout
	}
	return Protocol
}

func isHandshake(err error) bool {
	return isA[handshakeError](err) || isA[*tls.CertificateVerificationError](err) || isA[tls.RecordHeaderError](err) ||
		isA[tls.AlertError](err) || isA[x509.UnknownAuthorityError](err) || isA[x509.HostnameError](err)
}

func isConnection(err error) bool {
	var op *net.OpError
	return isA[dialError](err) || errors.As(err, &op) && op.Op == "dial" ||
		isAny(err, errReplay, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed,
			syscall.ECONNRESET, syscall.ECONNREFUSED, syscall.ECONNABORTED, syscall.EPIPE)
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// explain adds to err what a caller may branch on, and what one may do.
func explain(err error) error {
	var dns *net.DNSError
	if errors.As(err, &dns) && dns.IsNotFound {
		return fmt.Errorf("%w: %w", ErrNoHost, err)
	}
	if errors.Is(err, ssrf.ErrProhibitedIP) {
		return fmt.Errorf("%w; fetch.Config.Allow admits it", err)
	}
	return err
}

func isAny(err error, targets ...error) bool {
	for _, target := range targets {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

func isA[T error](err error) bool {
	var target T
	return errors.As(err, &target)
}

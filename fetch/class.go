package fetch

import "net/http"

// Class is what an exchange counts as. Status codes, network errors and pages
// that stop a crawler are interpreted here, once, and nowhere else.
type Class string

const (
	// The exchange did what it was made for.
	Fetched    Class = "fetched"    // 2xx, and 3xx that leads nowhere
	Unchanged  Class = "unchanged"  // 304 to a request with a validator
	Redirected Class = "redirected" // 301, 302, 303, 307, 308 with a Location
	Missing    Class = "missing"    // 404, 410

	// The site, or the address guard, does not want it to be made.
	Denied         Class = "denied"          // 401, 403
	Login          Class = "login"           // a page that is a login form
	Payment        Class = "payment"         // 402
	Challenge      Class = "challenge"       // a page that asks for a proof of humanity
	Legal          Class = "legal"           // 451
	PrivateAddress Class = "private_address" // refused by the guard: nothing was connected

	// The origin asks for less; the URL is not to blame.
	Busy Class = "busy" // 429, 503

	// It failed, and may succeed later.
	ServerError Class = "server_error" // other 5xx
	DNS         Class = "dns"          // the name was not resolved; see ErrNoHost
	Connect     Class = "connect"      // no connection, or it ended before an answer
	TLS         Class = "tls"          // handshake or certificate
	Timeout     Class = "timeout"      // nothing came before the deadline
	Protocol    Class = "protocol"     // what came is not HTTP, or has too large a header

	// It failed, and a repetition will not help.
	ClientError Class = "client_error" // other 4xx
	Content     Class = "content"      // nothing of the body could be decoded
	Malformed   Class = "malformed"    // Request.URL cannot be requested: nothing was sent

	// The caller's context ended, or the Client was closed.
	Cancelled Class = "cancelled"
)

// Done reports whether the URL has its answer.
func (c Class) Done() bool {
	return c == Fetched || c == Unchanged || c == Redirected || c == Missing
}

// Refused reports whether a rule ends the URL, for good.
func (c Class) Refused() bool {
	switch c {
	case Denied, Login, Payment, Challenge, Legal, PrivateAddress:
		return true
	}
	return false
}

// Retry reports whether a failure may pass. Busy is none: it charges the origin,
// not the URL.
func (c Class) Retry() bool {
	switch c {
	case ServerError, DNS, Connect, TLS, Timeout, Protocol:
		return true
	}
	return false
}

// facts is all that the class of an answer depends on.
type facts struct {
	status      int
	header      http.Header
	media       string // see Response.MediaType
	body        []byte
	conditional bool // the request had a validator
}

// class returns the class of an answer.
func (f facts) class() Class {
	if f.challenge() {
		return Challenge
	}
	c := f.byStatus()
	if (c == Fetched || c == Denied) && f.login() {
		return Login
	}
	return c
}

func (f facts) byStatus() Class {
	switch f.status {
	case http.StatusNotModified:
		if f.conditional {
			return Unchanged
		}
		return Protocol // nobody asked whether it changed
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		if f.header.Get("Location") != "" {
			return Redirected
		}
	case http.StatusUnauthorized, http.StatusForbidden:
		return Denied
	case http.StatusPaymentRequired:
		return Payment
	case http.StatusNotFound, http.StatusGone:
		return Missing
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return Busy
	case http.StatusUnavailableForLegalReasons:
		return Legal
	}
	switch f.status / 100 {
	case 2, 3:
		return Fetched
	case 4:
		return ClientError
	case 5:
		return ServerError
	}
	return Protocol // 1xx as a final answer, or a number that HTTP does not know
}

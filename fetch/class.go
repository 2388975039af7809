package fetch

import (
	"net/http"

	"github.com/weircrawl/weir/internal/header"
)

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
	Denied         Class = "denied"          // 403, 407, and 401 that names no way to log in
	Login          Class = "login"           // 401, a login form, or a redirect to one: see Response.Mark
	Payment        Class = "payment"         // 402, or a page that says it is to be paid for
	Challenge      Class = "challenge"       // a page that asks for a proof of humanity
	Legal          Class = "legal"           // 451
	PrivateAddress Class = "private_address" // refused by the guard: nothing was connected

	// The origin asks for less; the URL is not to blame.
	Busy Class = "busy" // 429, 503

	// It failed, and may succeed later.
	ServerError Class = "server_error" // other 5xx
	Untimely    Class = "untimely"     // 408, 421, 425: the same request may succeed on another connection
	DNS         Class = "dns"          // the name was not resolved; see ErrNoHost
	Connect     Class = "connect"      // no connection, or it ended before an answer
	TLS         Class = "tls"          // handshake or certificate
	Timeout     Class = "timeout"      // nothing came before the deadline
	Protocol    Class = "protocol"     // what came is not HTTP, or breaks its rules, or has too large a header

	// It failed, and a repetition will not help.
	ClientError Class = "client_error" // other 4xx
	Content     Class = "content"      // nothing of the body could be decoded
	Malformed   Class = "malformed"    // the Request cannot be sent: nothing was

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
	case ServerError, Untimely, DNS, Connect, TLS, Timeout, Protocol:
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
	conditional bool   // the request had a validator
	asked       target // what was requested
}

// class returns the class of an answer, and the mark of a wall if it is one.
func (f facts) class() (Class, string) {
	if wall, mark := f.wall(); wall != "" {
		return wall, mark
	}
	return f.byStatus(), ""
}

// byStatus returns the class that the status and what belongs to it stand for. A
// code that it does not know counts as the first of its hundred (RFC 9110,
// section 15).
func (f facts) byStatus() Class {
	switch f.status {
	case http.StatusNotModified:
		if f.conditional {
			return Unchanged
		}
		return Protocol // nobody asked whether it changed
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return f.redirect()
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return Denied
	case http.StatusPaymentRequired:
		return Payment
	case http.StatusNotFound, http.StatusGone:
		return Missing
	case http.StatusRequestTimeout, // RFC 9110, section 15.5.9: may be repeated on a new connection
		http.StatusMisdirectedRequest, // section 15.5.20: may be repeated over a different connection
		http.StatusTooEarly:           // RFC 8470, section 5.2: is to be repeated, outside of early data
		return Untimely
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return Busy
	case http.StatusUnavailableForLegalReasons:
		return Legal
	}
	switch f.status / 100 {
	case 2, 3: // 300 lets a reader choose, 305 and 306 are dead: none of them leads on by itself
		return Fetched
	case 4:
		return ClientError
	case 5:
		return ServerError
	}
	// 1xx as a final answer, or a number that is none: RFC 9110, section 15, has
	// it treated like 5xx, which is what Protocol and ServerError share.
	return Protocol
}

// redirect returns the class of a redirect. One that leads nowhere is shown as
// the page it carries, as browsers do; one that leads to two places at once is
// no answer (Fetch, "location URL"), since each reader would go another way.
func (f facts) redirect() Class {
	places := f.header["Location"]
	if len(places) == 0 {
		return Fetched
	}
	if _, ok := header.Location(places); !ok {
		return Protocol
	}
	return Redirected
}

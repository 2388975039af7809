package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// Config bounds every exchange of a Client. Only UserAgent is required; a zero
// field means its default, and no value means "unlimited".
type Config struct {
	UserAgent string // product token first, of letters, digits, - _ and . alone, with an address: "examplebot/1.0 (+https://example.com/bot)"

	// Transport replaces the network, and with it Dial, TLS, Connect, HeaderMax
	// and the address guard. It must not follow redirects (see ErrFollowed). It is
	// the caller's to close.
	Transport http.RoundTripper

	// Dial replaces net.Dialer, and so the resolution of names. The guard still
	// looks at an address that is given as such, and at the remote address of the
	// connection, which is closed unused if it is refused.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	TLS     *tls.Config    // of connections to https origins; default the system's roots; it is cloned
	Allow   []netip.Prefix // addresses that may be reached although the guard refuses them as private_address; default none
	Cookies http.CookieJar // keeps cookies from one exchange to the next, hop by hop; default none: NewJar makes one

	HeaderMax int64         // bytes of a response's header; default 256 KiB
	Timeout   time.Duration // from resolving the name to the last byte of the body; default 60 s
	Connect   time.Duration // for a connection, and again for its TLS handshake; default 10 s
	Stall     time.Duration // of silence within a body; default 15 s
}

// The defaults of Config and Request.
const (
	defaultHeaderMax = 256 << 10
	defaultTimeout   = 60 * time.Second
	defaultConnect   = 10 * time.Second
	defaultStall     = 15 * time.Second
	defaultLimit     = 10 << 20
	limitMax         = 1 << 40 // what a Limit counts as at most
)

func (c Config) withDefaults() Config {
	c.HeaderMax = orDefault(c.HeaderMax, defaultHeaderMax)
	c.Timeout = orDefault(c.Timeout, defaultTimeout)
	c.Connect = orDefault(c.Connect, defaultConnect)
	c.Stall = orDefault(c.Stall, defaultStall)
	return c
}

func orDefault[T int64 | time.Duration](value, otherwise T) T {
	if value == 0 {
		return otherwise
	}
	return value
}

// validate returns every fault at once.
func (c Config) validate() error {
	var faults []error
	fault := func(broken bool, format string, args ...any) {
		if broken {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	fault(c.UserAgent == "", `UserAgent is empty: name your crawler, "examplebot/1.0 (+https://example.com/bot)"`)
	fault(c.UserAgent != "" && !startsWithToken(c.UserAgent), "UserAgent %q must begin with a product token that robots.txt can name, of letters, digits, - _ and . alone, such as examplebot/1.0", c.UserAgent)
	fault(!httpguts.ValidHeaderFieldValue(c.UserAgent), "UserAgent %q has a byte that no header may have", c.UserAgent)
	fault(c.Transport != nil && c.Dial != nil, "Transport replaces Dial: set one of them")
	fault(c.Transport != nil && c.TLS != nil, "Transport replaces TLS: set one of them")
	for _, p := range c.Allow {
		fault(!p.IsValid(), "Allow has an invalid prefix: write netip.MustParsePrefix(\"127.0.0.0/8\")")
	}
	fault(c.HeaderMax < 0, "HeaderMax %d is negative: 0 means the default", c.HeaderMax)
	fault(c.Timeout < 0, "Timeout %v is negative: 0 means the default", c.Timeout)
	fault(c.Connect < 0, "Connect %v is negative: 0 means the default", c.Connect)
	fault(c.Stall < 0, "Stall %v is negative: 0 means the default", c.Stall)
	return errors.Join(faults...)
}

// startsWithToken reports whether s begins with a product token (RFC 9110, section
// 10.1.5) that a robots.txt can name: RFC 9309, section 2.2.1, has letters, hyphens
// and underscores for it, and crawlers have digits and dots, too. The rules for any
// other would not be found.
func startsWithToken(s string) bool {
	token, _, _ := strings.Cut(s, " ")
	token, _, _ = strings.Cut(token, "/")
	return token != "" && strings.Trim(token, tokenChars) == ""
}

const tokenChars = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."

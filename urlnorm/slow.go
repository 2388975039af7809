package urlnorm

import (
	"net/netip"
	"strings"

	"github.com/nlnwa/whatwg-url/errors"
	whatwg "github.com/nlnwa/whatwg-url/url"
)

// Limits of a host name (RFC 1035, section 2.3.4). Browsers resolve longer names
// and fail; here they are refused.
const (
	maxLabel = 63
	maxHost  = 253
)

// resolveSlow is the URL standard in full, and says why a reference is refused.
// The scheme is looked at first: a long data: URL is of an unsupported scheme,
// not too long.
func resolveSlow(base *URL, ref string) (string, error) {
	if scheme, ok := scheme(ref); ok && scheme != "http" && scheme != "https" {
		return "", UnsupportedScheme
	}
	if len(ref) > MaxLength {
		return "", TooLong
	}
	if hash := strings.IndexByte(ref, '#'); hash >= 0 {
		ref = ref[:hash+1] // the # stays: what stands before it is not trimmed
	}
	u, err := parse(base, ref)
	if err != nil {
		return "", reject(err)
	}
	switch {
	case u.Scheme() != "http" && u.Scheme() != "https":
		return "", UnsupportedScheme
	case u.Username() != "" || u.Password() != "":
		return "", UserInfo
	case !resolvable(u.Hostname()):
		return "", BadHost
	}
	return u.Href(true), nil
}

// parse resolves ref on base, or alone where there is no usable base.
func parse(base *URL, ref string) (*whatwg.Url, error) {
	if base != nil {
		if b, err := whatwg.Parse(base.Request); err == nil {
			return b.Parse(ref)
		}
	}
	return whatwg.Parse(ref)
}

// scheme returns the scheme of ref in lower case. Tabs and line breaks are no
// part of a URL wherever they stand.
func scheme(ref string) (string, bool) {
	var name []byte
	for i := 0; i < len(ref) && i < MaxLength; i++ {
		switch c := ref[i]; {
		case c == '\t', c == '\n', c == '\r':
		case 'a' <= c|0x20 && c|0x20 <= 'z':
			name = append(name, c|0x20)
		case len(name) > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
			name = append(name, c)
		default:
			return string(name), c == ':' && len(name) > 0
		}
	}
	return "", false
}

// reject names the refusal that an error of the URL standard amounts to.
func reject(err error) error {
	switch errors.Type(err) {
	case errors.PortInvalid, errors.PortOutOfRange, errors.PortMissing:
		return BadPort
	case errors.InvalidCredentials:
		return UserInfo
	case errors.MissingSchemeNonRelativeURL, errors.InvalidURLUnit, "":
		return Malformed
	}
	return BadHost // every other failure of the parser is one of the host
}

// resolvable reports whether host is an address or a name that DNS can hold.
func resolvable(host string) bool {
	if strings.HasPrefix(host, "[") {
		return true
	}
	host = strings.TrimSuffix(host, ".")
	if len(host) > maxHost {
		return false
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > maxLabel {
			return false
		}
	}
	return true
}

package urlnorm

import (
	"net/netip"
	"strconv"
	"strings"
)

// Limits of a host name (RFC 1035, section 2.3.4). Browsers resolve longer names
// and fail; here they are refused.
const (
	maxLabel = 63
	maxHost  = 253
)

// parseHost returns a host as browsers write it: percent-decoded, mapped by IDNA
// to lower case and punycode, or an address in its one form.
func parseHost(name string) (string, error) {
	if lower := lowerASCII(name); plainHost(lower) {
		return lower, nil
	}
	if text, ok := strings.CutPrefix(name, "["); ok {
		text, ok = strings.CutSuffix(text, "]")
		if !ok {
			return "", BadHost
		}
		return parseIPv6(text)
	}
	host, err := toASCII(percentDecode(name))
	switch {
	case err != nil || host == "" || !allIn(host, &inDomain):
		return "", BadHost
	case endsInNumber(host):
		return parseIPv4(host)
	case !resolvable(host):
		return "", BadHost
	}
	return host, nil
}

// inDomain holds the bytes that a domain may have once it is ASCII.
var inDomain = printableWithout("#/:<>?@[\\]^|%")

func allIn(s string, set *[256]bool) bool {
	for i := 0; i < len(s); i++ {
		if !set[s[i]] {
			return false
		}
	}
	return true
}

// splitPort cuts an authority at the first colon outside brackets.
func splitPort(authority string) (host, port string) {
	bracket := false
	for i := 0; i < len(authority); i++ {
		switch authority[i] {
		case '[':
			bracket = true
		case ']':
			bracket = false
		case ':':
			if !bracket {
				return authority[:i], authority[i+1:]
			}
		}
	}
	return authority, ""
}

// parsePort returns what of a port is written into an origin: a colon and the
// number, or nothing for the scheme's own.
func parsePort(scheme, digits string) (string, error) {
	if digits == "" {
		return "", nil
	}
	if strings.Trim(digits, "0123456789") != "" {
		return "", BadPort
	}
	port, err := strconv.ParseUint("0"+strings.TrimLeft(digits, "0"), 10, 16)
	switch {
	case err != nil:
		return "", BadPort
	case scheme == "http" && port == 80, scheme == "https" && port == 443:
		return "", nil
	}
	return ":" + strconv.FormatUint(port, 10), nil
}

// resolvable reports whether a name is short enough for DNS. Labels may be empty:
// browsers ask for such a name, and the resolver says no.
func resolvable(host string) bool {
	if len(strings.TrimSuffix(host, ".")) > maxHost {
		return false
	}
	for label := range strings.SplitSeq(host, ".") {
		if len(label) > maxLabel {
			return false
		}
	}
	return true
}

// plainHost reports whether host is lower-case letters, digits and inner hyphens
// in labels of 1 to 63 bytes, the last of which begins with a letter, or an IPv4
// address as browsers write it.
func plainHost(host string) bool {
	if len(host) > maxHost {
		return false
	}
	label := 0
	for i := 0; i < len(host); i++ {
		switch c := host[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
		case c == '-' && i > label && i+1 < len(host) && host[i+1] != '.' && i != label+3:
		case c == '.' && i > label && i-label <= maxLabel:
			label = i + 1
		default:
			return false
		}
	}
	last := host[label:]
	if last == "" || len(last) > maxLabel {
		return false
	}
	if last[0] >= 'a' {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Is4()
}

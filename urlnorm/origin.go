package urlnorm

import (
	"strings"

	"golang.org/x/net/publicsuffix"
)

// Scheme returns the part before the colon, in lower case.
func (o Origin) Scheme() string {
	scheme, _, _ := strings.Cut(string(o), ":")
	return strings.ToLower(scheme)
}

// Host returns the host without port, brackets or trailing dot, in lower case
// and in punycode.
func (o Origin) Host() string {
	host, _ := o.split()
	if ascii, err := toASCII(host); err == nil {
		host = ascii
	}
	if name, ok := strings.CutSuffix(host, "."); ok && name != "" && !strings.HasSuffix(name, ".") {
		return name
	}
	return host
}

// Port returns the port, which is that of the scheme where none is written.
func (o Origin) Port() string {
	if _, port := o.split(); port != "" {
		return port
	}
	switch o.Scheme() {
	case "http":
		return "80"
	case "https":
		return "443"
	}
	return ""
}

// Site returns the registrable domain: what one owner may share among hosts. An
// address, a single label and a public suffix are their own site.
func (o Origin) Site() string {
	host := o.Host()
	if site, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return site
	}
	return host
}

// split returns host and port as written, without brackets.
func (o Origin) split() (host, port string) {
	_, authority, _ := strings.Cut(string(o), "://")
	if address, rest, ok := strings.Cut(authority, "]"); ok {
		return strings.TrimPrefix(address, "["), strings.TrimPrefix(rest, ":")
	}
	host, port, _ = strings.Cut(authority, ":")
	return host, port
}

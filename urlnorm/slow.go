package urlnorm

import "strings"

// resolveSlow is the URL standard for http and https in full (url.spec.whatwg.org,
// 4.4), in time linear in ref, and says why a reference is refused. The scheme is
// looked at first: a long data: URL is of an unsupported scheme, not too long.
func resolveSlow(base *URL, ref string) (string, error) {
	if scheme, ok := schemeOf(ref); ok && !isHTTP(scheme) {
		return "", UnsupportedScheme
	}
	if len(ref) > MaxLength {
		return "", TooLong
	}
	ref, _, _ = strings.Cut(withoutBreaks(ref), "#")
	scheme, rest, absolute := cutScheme(ref)
	on, onScheme, err := baseOf(base)
	charset := ""
	if base != nil {
		charset = base.Charset
	}
	switch {
	case absolute && (scheme != onScheme || strings.HasPrefix(rest, "//")):
		return resolveAuthority(scheme, strings.TrimLeft(rest, `/\`), charset)
	case err != nil && err != UserInfo:
		return "", err
	case len(rest) > 1 && isSlash(rest[0]) && isSlash(rest[1]):
		return resolveAuthority(onScheme, strings.TrimLeft(rest, `/\`), charset)
	case err != nil:
		return "", err
	}
	return resolvePath(on, rest, charset), nil
}

// baseOf returns the request of base as a browser would write it, with its scheme,
// or why no reference can stand on it. One with credentials has a scheme to give,
// and a host that must not be asked; one that is no URL has nothing to give.
func baseOf(base *URL) (request, scheme string, err error) {
	if base == nil {
		return "", "", Malformed
	}
	request = trimControls(base.Request)
	scheme, _ = schemeOf(request)
	if end, ok := plainOrigin(request); ok && end < len(request) && plainTail(request[end:]) {
		return request, scheme, nil
	}
	if request, err = resolveSlow(nil, request); err != nil && err != UserInfo {
		scheme = ""
	}
	return request, scheme, err
}

// resolveAuthority resolves a reference that names its own host.
func resolveAuthority(scheme, rest, charset string) (string, error) {
	authority, path := rest, ""
	if end := strings.IndexAny(rest, `/\?`); end >= 0 {
		authority, path = rest[:end], rest[end:]
	}
	at := strings.LastIndexByte(authority, '@')
	user, authority := authority[:max(at, 0)], authority[at+1:]
	name, number := splitPort(authority)
	host, err := parseHost(name)
	if err != nil {
		return "", err
	}
	port, err := parsePort(scheme, number)
	if err != nil {
		return "", err
	}
	if user != "" && user != ":" {
		return "", UserInfo
	}
	origin := scheme + "://" + host + port
	if path != "" && isSlash(path[0]) {
		path = path[1:]
	}
	return string(appendPath(buffer(origin, path), len(origin), path, charset)), nil
}

// resolvePath resolves a reference to the host of base, which a browser wrote.
func resolvePath(base, ref, charset string) string {
	end := originEnd(base)
	switch {
	case ref == "":
		return base
	case ref[0] == '?':
		return string(appendQuery(buffer(withoutQuery(base), ref), ref[1:], charset))
	case isSlash(ref[0]):
		return string(appendPath(buffer(base[:end], ref), end, ref[1:], charset))
	}
	base = withoutQuery(base)
	return string(appendPath(buffer(base[:strings.LastIndexByte(base, '/')], ref), end, ref, charset))
}

// buffer returns begin with room for rest, a quarter of which may grow threefold.
func buffer(begin, rest string) []byte {
	return append(make([]byte, 0, len(begin)+len(rest)*3/2+8), begin...)
}

func isHTTP(scheme string) bool { return scheme == "http" || scheme == "https" }

func isSlash(c byte) bool { return c == '/' || c == '\\' }

// schemeOf returns the scheme of ref in lower case. Tabs and line breaks are no
// part of a URL wherever they stand.
func schemeOf(ref string) (string, bool) {
	var room [16]byte // on the stack
	name := room[:0]
	for i := 0; i < len(ref) && i < MaxLength; i++ {
		switch c := ref[i]; {
		case c == '\t', c == '\n', c == '\r':
		case 'a' <= c|0x20 && c|0x20 <= 'z':
			name = append(name, c|0x20)
		case len(name) > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
			name = append(name, c)
		default:
			return schemeName(name), c == ':' && len(name) > 0
		}
	}
	return "", false
}

// schemeName copies only the rare ones.
func schemeName(name []byte) string {
	switch string(name) {
	case "http":
		return "http"
	case "https":
		return "https"
	}
	return string(name)
}

// cutScheme splits a reference without breaks behind its scheme.
func cutScheme(ref string) (scheme, rest string, ok bool) {
	if scheme, ok = schemeOf(ref); !ok {
		return "", ref, false
	}
	return scheme, ref[len(scheme)+1:], true
}

// withoutBreaks removes tabs and line breaks.
func withoutBreaks(s string) string {
	if !strings.ContainsAny(s, "\t\n\r") {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return -1
		}
		return r
	}, s)
}

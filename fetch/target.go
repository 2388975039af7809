package fetch

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
)

// A target is a URL split by hand, so that it is requested byte for byte:
// net/url would write "|" as "%7C" and refuse "%zz".
type target struct {
	scheme string // "http" or "https"
	host   string // with its port, if it has one
	path   string // begins with "/"
	query  string // with its "?", empty without one
}

// parseTarget splits an absolute http or https URL. A fragment is cut off: it is
// never sent. Its errors do not repeat the URL, which may hold a secret.
func parseTarget(raw string) (target, error) {
	scheme, rest, ok := strings.Cut(raw, "://")
	t := target{scheme: strings.ToLower(scheme)}
	if !ok || t.scheme != "http" && t.scheme != "https" {
		return t, errors.New("fetch: URL is not absolute http or https")
	}
	rest, _, _ = strings.Cut(rest, "#")
	end := strings.IndexAny(rest, "/?")
	if end < 0 {
		end = len(rest)
	}
	t.host, rest = rest[:end], rest[end:]
	t.path, t.query = rest, ""
	if i := strings.IndexByte(rest, '?'); i >= 0 {
		t.path, t.query = rest[:i], rest[i:]
	}
	if t.path == "" {
		t.path = "/"
	}
	return t, t.check()
}

func (t target) check() error {
	switch {
	case strings.Contains(t.host, "@"):
		return errors.New("fetch: URL has user information: put it into Request.Header")
	case t.hostname() == "":
		return errors.New("fetch: URL has no host")
	case !validPort(t.port()):
		return errors.New("fetch: URL has a port that is none")
	case strings.ContainsFunc(t.host+t.path+t.query, unsendable):
		return errors.New("fetch: URL has a space or a control character: encode it")
	}
	return nil
}

// unsendable reports whether r would break the request line.
func unsendable(r rune) bool { return r <= ' ' || r == 0x7f }

// hostname returns the host without its port.
func (t target) hostname() string {
	return strings.TrimSuffix(t.host, ":"+t.port())
}

// port returns the port as written, empty without one.
func (t target) port() string {
	i := strings.LastIndexByte(t.host, ':')
	if i < 0 || i < strings.LastIndexByte(t.host, ']') {
		return ""
	}
	return t.host[i+1:]
}

func validPort(port string) bool {
	if port == "" {
		return true
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0
}

// url returns a URL from which net/http makes exactly the request line that t
// stands for. Opaque is taken as it is, but for a path that begins with "//",
// before which net/url puts the scheme: such a path goes through Path if that
// keeps its bytes, and else as an absolute URL, which servers must accept
// (RFC 9112, section 3.2.2). Path is there in any case: a Transport that is no
// network, of files for one, looks for nothing else.
func (t target) url() *url.URL {
	u := &url.URL{Scheme: t.scheme, Host: t.host, Path: t.path}
	if t.query != "" {
		u.RawQuery, u.ForceQuery = t.query[1:], true
	}
	if path, err := url.PathUnescape(t.path); err == nil {
		u.Path, u.RawPath = path, t.path
	}
	switch {
	case !strings.HasPrefix(t.path, "//"):
		u.Opaque = t.path
	case u.EscapedPath() != t.path:
		u.Opaque = "//" + t.host + t.path
	}
	return u
}

// String returns the URL without what must not be repeated.
func (t target) String() string {
	return t.scheme + "://" + t.host + t.path + t.query
}

// redact returns raw without its user information, for a URL that could not be
// requested.
func redact(raw string) string {
	scheme, rest, ok := strings.Cut(raw, "://")
	if !ok {
		return raw
	}
	end := strings.IndexAny(rest, `/?#\`)
	if end < 0 {
		end = len(rest)
	}
	at := strings.LastIndexByte(rest[:end], '@')
	return scheme + "://" + rest[at+1:]
}

package fetchtest

import (
	"net/http"
	"net/url"
	"strings"
)

// incoming returns a request as a server sees it: RequestURI has the bytes of
// the request line, but for an origin in front, and URL is as near to them as
// net/url can come.
func incoming(method, scheme, host, target string, header http.Header) *http.Request {
	if rest, absolute := strings.CutPrefix(target, scheme+"://"+host); absolute {
		target = rest
	}
	u, err := url.ParseRequestURI(target)
	if err != nil {
		path, query, _ := strings.Cut(target, "?")
		u = &url.URL{Path: path, RawQuery: query}
	}
	u.Scheme, u.Host = scheme, host
	return &http.Request{
		Method:     method,
		URL:        u,
		RequestURI: target,
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     header,
		Host:       host,
		Body:       http.NoBody,
	}
}

// address returns the URL that an incoming request asks for, byte for byte.
func address(in *http.Request) string {
	return originOf(in.URL.Scheme+"://"+in.Host) + in.RequestURI
}

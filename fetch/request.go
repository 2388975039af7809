package fetch

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// fixedHeader returns what is sent with every request, unless it is replaced.
func fixedHeader(userAgent string) http.Header {
	return http.Header{
		"User-Agent":      {userAgent},
		"Accept":          {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"},
		"Accept-Encoding": {"gzip, deflate, br, zstd"},
	}
}

// newRequest returns the request for r, which asks for to.
func (c *Client) newRequest(to target, r Request) *http.Request {
	header := make(http.Header, len(c.fixed)+len(r.Header)+3)
	maps.Copy(header, c.fixed)
	if c.cfg.Cookies != nil {
		if cookie := cookieLine(c.cfg.Cookies.Cookies(to.cookieURL())); cookie != "" {
			header["Cookie"] = []string{cookie}
		}
	}
	if r.ETag != "" {
		header["If-None-Match"] = []string{r.ETag}
	}
	if r.LastModified != "" {
		header["If-Modified-Since"] = []string{r.LastModified}
	}
	for name, values := range r.Header {
		header[textproto.CanonicalMIMEHeaderKey(name)] = values
	}
	for _, name := range framing {
		delete(header, name)
	}
	return &http.Request{
		Method:     http.MethodGet,
		URL:        to.url(),
		Host:       to.host,
		Header:     header,
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
	}
}

// framing are the headers that follow from the URL and from having no body.
var framing = []string{"Host", "Content-Length", "Transfer-Encoding", "Trailer", "Connection", "Upgrade"}

// check returns why the headers of r cannot be sent: one that has a line break
// would be a request of its own. Its errors do not repeat values, which may be
// secrets.
func (r Request) check() error {
	for name, values := range r.Header {
		if !httpguts.ValidHeaderFieldName(name) {
			return fmt.Errorf("fetch: Request.Header has a name that is none: %.64q", name)
		}
		for _, value := range values {
			if !httpguts.ValidHeaderFieldValue(value) {
				return fmt.Errorf("fetch: Request.Header has a control character in %s", name)
			}
		}
	}
	if !httpguts.ValidHeaderFieldValue(r.ETag) || !httpguts.ValidHeaderFieldValue(r.LastModified) {
		return errors.New("fetch: ETag or LastModified has a control character")
	}
	return nil
}

// conditional reports whether a request has a validator, so that 304 is an
// answer to it.
func (r Request) conditional() bool {
	return r.ETag != "" || r.LastModified != "" || r.has("If-None-Match") || r.has("If-Modified-Since")
}

// has reports whether the caller has set a header, in whatever case.
func (r Request) has(name string) bool {
	for given := range r.Header {
		if strings.EqualFold(given, name) {
			return true
		}
	}
	return false
}

// cookieURL returns the URL as a cookie jar looks at it.
func (t target) cookieURL() *url.URL {
	return &url.URL{Scheme: t.scheme, Host: t.host, Path: t.path}
}

// cookieLine returns the value of one Cookie header.
func cookieLine(cookies []*http.Cookie) string {
	pairs := make([]string, len(cookies))
	for i, c := range cookies {
		pairs[i] = (&http.Cookie{Name: c.Name, Value: c.Value, Quoted: c.Quoted}).String()
	}
	return strings.Join(pairs, "; ")
}

// requestBlock returns the header block of a request in the form of HTTP/1.1,
// with its headers sorted as net/http sends them.
func requestBlock(to target, r *http.Request) []byte {
	block := make([]byte, 0, 512)
	block = append(block, "GET "...)
	block = append(block, to.path...)
	block = append(block, to.query...)
	block = append(block, " HTTP/1.1\r\nHost: "...)
	block = append(block, to.host...)
	return appendHeader(append(block, "\r\n"...), r.Header)
}

// responseBlock returns the header block of a response in the form of HTTP/1.1.
// Names are in canonical case and sorted, which is all that net/http keeps;
// values are as received.
func responseBlock(r *http.Response) []byte {
	block := make([]byte, 0, 1024)
	proto := "HTTP/1.1"
	if r.ProtoMajor == 1 {
		proto = r.Proto
	}
	block = append(block, proto...)
	block = append(block, ' ')
	block = append(block, r.Status...)
	block = append(block, "\r\n"...)
	if len(r.TransferEncoding) > 0 {
		block = append(block, "Transfer-Encoding: "+strings.Join(r.TransferEncoding, ", ")+"\r\n"...)
	}
	return appendHeader(block, r.Header)
}

// appendHeader appends the lines of header and the empty line after them.
func appendHeader(block []byte, header http.Header) []byte {
	names := make([]string, 0, 24)
	for name := range header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, value := range header[name] {
			block = append(block, name...)
			block = append(block, ": "...)
			block = append(block, value...)
			block = append(block, "\r\n"...)
		}
	}
	return append(block, "\r\n"...)
}

package fetch_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/internal/header"
)

// answerOnce returns what a client makes of an answer that is written to the wire
// as it stands here, but for its line ends.
func answerOnce(t *testing.T, lines string) fetch.Response {
	t.Helper()
	address := listen(t, func(conn net.Conn) {
		head(bufio.NewReader(conn))
		_, _ = io.WriteString(conn, strings.ReplaceAll(lines, "\n", "\r\n"))
	})
	return open(t, fetch.Config{Allow: loopback}).Do(t.Context(), fetch.Request{URL: "http://" + address + "/a"})
}

// TestALengthIsReadAsBrowsersReadIt: RFC 9112, section 6.3, has a user agent
// discard a response of which the length is invalid, and so does net/http. What
// browsers do, and header.ContentLength says, is kinder to the web as it is: the
// body goes to its end, and has a Defect.
func TestALengthIsReadAsBrowsersReadIt(t *testing.T) {
	const body = "0123456789"
	cases := []struct {
		name    string
		lengths []string
		want    fetch.Class
		mended  bool
	}{
		{"one", []string{"10"}, fetch.Fetched, false},
		{"none", nil, fetch.Fetched, false},
		{"zeros before it", []string{"010"}, fetch.Fetched, false},
		{"twice the same", []string{"10", "10"}, fetch.Fetched, true},
		{"two", []string{"10", "5"}, fetch.Protocol, false},
		{"one and an empty one", []string{"10", ""}, fetch.Protocol, false},
		{"a list of two", []string{"10,5"}, fetch.Protocol, false},
		{"a list of the same", []string{"10,10"}, fetch.Fetched, true},
		{"no number", []string{"10s"}, fetch.Fetched, true},
		{"a sign", []string{"-1"}, fetch.Fetched, true},
		{"quotes", []string{`"10"`}, fetch.Fetched, true},
		{"empty", []string{""}, fetch.Fetched, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var lines strings.Builder
			for _, length := range c.lengths {
				lines.WriteString("Content-Length: " + length + "\n")
			}
			got := answerOnce(t, "HTTP/1.1 200 OK\n"+lines.String()+"\n"+body)
			require.Equal(t, c.want, got.Class, got.Err)
			_, err := header.ContentLength(c.lengths)
			assert.Equal(t, c.want == fetch.Fetched, err == nil)
			assert.Equal(t, c.mended, got.Defect != "")
			if c.want == fetch.Fetched {
				assert.Equal(t, body, string(got.Body))
			} else {
				assert.ErrorContains(t, got.Err, "Content-Length")
			}
		})
	}
}

func TestContentTypesOfSeveralLinesAreOne(t *testing.T) {
	got := answerOnce(t, "HTTP/1.1 200 OK\nContent-Type: text/plain\nContent-Type: TEXT/html;x=\",\";charset=windows-1251, */*\n"+
		"Content-Type: text/html\n\n\xcf\xf0\xe8")
	require.Equal(t, fetch.Fetched, got.Class, got.Err)
	assert.Equal(t, "text/html", got.MediaType)
	text, charset := fetch.Text(got.Header, got.Body)
	assert.Equal(t, "При", text)
	assert.Equal(t, "header", charset.From)
}

func TestATypeThatIsNoneLeavesTheBodyToTell(t *testing.T) {
	for _, value := range []string{"html", "*/*", "text/html/5", ""} {
		got := answerOnce(t, "HTTP/1.1 200 OK\nContent-Type: "+value+"\n\n<!DOCTYPE html><p>")
		assert.Equal(t, "text/html", got.MediaType, value)
	}
}

func TestALocationIsToldAsItsServerMeansIt(t *testing.T) {
	cases := []struct {
		name  string
		lines string
		class fetch.Class
		want  string
	}{
		{"as written", "Location: /a%c3%A9 b#c", fetch.Redirected, "/a%c3%A9 b#c"},
		{"UTF-8", "Location: /é", fetch.Redirected, "/é"},
		{"bytes of Latin-1", "Location: /caf\xe9", fetch.Redirected, "/caf%E9"},
		{"the URL itself", "Location:", fetch.Redirected, ""},
		{"one, twice", "Location: /a\nLocation: /a", fetch.Redirected, "/a"},
		{"two", "Location: /a\nLocation: /b", fetch.Protocol, ""},
		{"none", "X: y", fetch.Fetched, ""},
	}
	for _, c := range cases {
		got := answerOnce(t, "HTTP/1.1 302 Found\nContent-Length: 0\n"+c.lines+"\n\n")
		assert.Equal(t, c.class, got.Class, c.name)
		assert.Equal(t, c.want, got.Location, c.name)
	}
	assert.Empty(t, answerOnce(t, "HTTP/1.1 201 Created\nContent-Length: 0\nLocation: /a\n\n").Location, "it is no redirect")
}

// TestACookieIsDeletedByADateInAnyForm that browsers read, such as one with a
// year of two digits and no weekday.
func TestACookieIsDeletedByADateInAnyForm(t *testing.T) {
	jar := fetch.NewJar()
	site := &url.URL{Scheme: "http", Host: "a.test", Path: "/"}
	jar.SetCookies(site, []*http.Cookie{{Name: "kept", Value: "1"}, {Name: "gone", Value: "1"}})
	web := parse(t, "-- http://a.test/ --\nHTTP 200\nSet-Cookie: gone=; expires=01-Jan-70 00:00:01 GMT\nSet-Cookie: kept=2; expires=nonsense\n")
	open(t, fetch.Config{Transport: web, Cookies: jar}).Do(t.Context(), fetch.Request{URL: "http://a.test/"})
	left := jar.Cookies(site)
	require.Len(t, left, 1)
	assert.Equal(t, "kept=2", left[0].String())
}

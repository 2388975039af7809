package fetch_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/fetch"
)

func TestSE9ClientsOfOneConfigAreIndependent(t *testing.T) {
	web := parse(t, "-- http://a.test/go --\nHTTP 302\nLocation: http://b.test/\nSet-Cookie: s=1\n-- http://b.test/ --\nok\n")
	base := fetch.Config{Transport: web, UserAgent: "one/1.0"}
	one := open(t, base)
	base.UserAgent, base.Cookies, base.Allow = "two/1.0", fetch.NewJar(), loopback
	two := open(t, base)
	for agent, client := range map[string]*fetch.Client{"one/1.0": one, "two/1.0": two} {
		for range 2 {
			assert.Equal(t, fetch.Redirected, client.Do(t.Context(), fetch.Request{URL: "http://a.test/go"}).Class)
		}
		log := web.Log()
		last := log[len(log)-1]
		assert.Equal(t, agent, last.Header.Get("User-Agent"))
		assert.Equal(t, client == two, last.Header.Get("Cookie") == "s=1", "each has its own jar, or none")
	}
	assert.Zero(t, web.Log().Hits("http://b.test/"))
	assert.Equal(t, fetch.PrivateAddress, open(t, fetch.Config{UserAgent: "one/1.0"}).Do(t.Context(), fetch.Request{URL: "http://127.0.0.1/"}).Class)

	one.Close()
	assert.ErrorIs(t, one.Do(t.Context(), fetch.Request{URL: "http://a.test/go"}).Err, fetch.ErrClosed)
	assert.Equal(t, fetch.Redirected, two.Do(t.Context(), fetch.Request{URL: "http://a.test/go"}).Class, "closing one closes no other")
}

// clientTransport makes a transport of a client, as a caller might.
type clientTransport struct{ *http.Client }

func (c clientTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	return c.Do(r)
}

func TestSE10ATransportThatFollowsIsNotBelieved(t *testing.T) {
	web := parse(t, "-- http://a.test/go --\nHTTP 302\nLocation: http://b.test/\n-- http://a.test/ --\nhere\n-- http://b.test/ --\nsecret\n")
	user := &http.Client{Transport: web} // CheckRedirect is nil: it follows

	client := open(t, fetch.Config{Transport: user.Transport})
	got := client.Do(t.Context(), fetch.Request{URL: "http://a.test/go"})
	assert.Equal(t, fetch.Redirected, got.Class)
	assert.Zero(t, web.Log().Hits("http://b.test/"), "its Transport does not follow")

	client = open(t, fetch.Config{Transport: clientTransport{user}})
	got = client.Do(t.Context(), fetch.Request{URL: "http://a.test/go"})
	assert.Equal(t, fetch.Protocol, got.Class)
	assert.ErrorIs(t, got.Err, fetch.ErrFollowed)
	assert.Empty(t, got.Body)
	assert.Zero(t, got.Status)
	assert.Equal(t, fetch.Fetched, client.Do(t.Context(), fetch.Request{URL: "http://a.test/"}).Class)
	for _, e := range web.Log() {
		assert.GreaterOrEqual(t, e.End, time.Duration(0), "its body was closed")
	}
}

func TestSF14EveryRequestHasTheAgentOfTheConfig(t *testing.T) {
	serve := func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.UserAgent(), "testbot/1.0") {
			w.WriteHeader(http.StatusForbidden)
		}
	}
	plain := httptest.NewServer(http.HandlerFunc(serve))
	defer plain.Close()
	client, origin := http2Origin(t, serve)
	for _, origin := range []string{plain.URL, origin} {
		for _, path := range []string{"/robots.txt", "/", "/sitemap.xml"} {
			got := client.Do(t.Context(), fetch.Request{URL: origin + path, Header: http.Header{"Accept": {"*/*"}}})
			assert.Equal(t, fetch.Fetched, got.Class, "%s%s", origin, path)
			assert.Contains(t, string(got.Sent), "\r\nUser-Agent: "+agent+"\r\n")
		}
	}
}

func TestSS3HeadersOfARequestAreOfThatRequestOnly(t *testing.T) {
	web := parse(t, "-- http://a.test/* --\nok\n")
	client := open(t, fetch.Config{Transport: web, Cookies: fetch.NewJar()})
	secret := http.Header{"authorization": {"Bearer pw"}, "Cookie": {"mine=1"}}
	client.Do(t.Context(), fetch.Request{URL: "http://a.test/1", Header: secret})
	client.Do(t.Context(), fetch.Request{URL: "http://a.test/2"})
	log := web.Log()
	assert.Equal(t, "Bearer pw", log[0].Header.Get("Authorization"))
	assert.Equal(t, []string{"mine=1"}, log[0].Header["Cookie"])
	assert.Empty(t, log[1].Header.Get("Authorization")+log[1].Header.Get("Cookie"))
	assert.Equal(t, http.Header{"authorization": {"Bearer pw"}, "Cookie": {"mine=1"}}, secret, "the caller's value does not change")
}

func TestAHeaderThatCannotBeSentIsMalformed(t *testing.T) {
	web := parse(t, "-- http://a.test/* --\nok\n")
	client := open(t, fetch.Config{Transport: web})
	for _, r := range []fetch.Request{
		{Header: http.Header{"X": {"a\r\nHost: b.test"}}}, {Header: http.Header{"X": {"ok", "pw\n"}}}, {Header: http.Header{"X": {"pw\x00"}}},
		{Header: http.Header{"X Y": {"pw"}}}, {Header: http.Header{"": {"pw"}}}, {Header: http.Header{"X:": {"pw"}}},
		{ETag: "\"pw\"\r\nX: y"}, {LastModified: "pw\n"},
	} {
		r.URL = "http://a.test/"
		got := client.Do(t.Context(), r)
		assert.Equal(t, fetch.Malformed, got.Class)
		assert.Empty(t, got.Sent)
		require.Error(t, got.Err)
		assert.NotContains(t, got.Err.Error(), "pw")
	}
	assert.Empty(t, web.Log())
}

func TestHostAndFramingAreNotTheCallers(t *testing.T) {
	lines := make(chan []string, 1)
	client := open(t, piped(func(conn net.Conn) {
		lines <- head(bufio.NewReader(conn))
		_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\n\r\n")
	}))
	got := client.Do(t.Context(), fetch.Request{URL: "http://a.test/", Header: http.Header{
		"host": {"b.test"}, "Content-Length": {"5"}, "Transfer-Encoding": {"chunked"}, "Connection": {"upgrade"}, "Upgrade": {"x"}, "Trailer": {"x"},
	}})
	require.Equal(t, fetch.Fetched, got.Class, "%v", got.Err)
	assert.ElementsMatch(t, strings.Split(strings.TrimSpace(string(got.Sent)), "\r\n"), <-lines)
	assert.Contains(t, string(got.Sent), "Host: a.test\r\n")
	assert.NotContains(t, string(got.Sent), "b.test")
}

func TestProxiesOfTheEnvironmentAreNotUsed(t *testing.T) {
	var hits atomic.Int32
	proxy := listen(t, func(conn net.Conn) { hits.Add(1) })
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"} {
		t.Setenv(name, "http://"+proxy)
	}
	client := open(t, piped(answers("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")))
	assert.Equal(t, fetch.Fetched, client.Do(t.Context(), fetch.Request{URL: "http://a.test/"}).Class)
	assert.Equal(t, fetch.PrivateAddress, open(t, fetch.Config{}).Do(t.Context(), fetch.Request{URL: "http://10.0.0.1/"}).Class)
	assert.Zero(t, hits.Load())
}

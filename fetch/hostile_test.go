package fetch_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/fetch"
)

// canned is a client of which every answer has this body under these codings.
func canned(t testing.TB, codings string, body []byte) *fetch.Client {
	return open(t, fetch.Config{Transport: roundTrip(func(*http.Request) *http.Response {
		return &http.Response{
			StatusCode: 200, Status: "200 OK", ProtoMajor: 1, Proto: "HTTP/1.1", ContentLength: -1,
			Header: http.Header{"Content-Encoding": {codings}}, Body: io.NopCloser(bytes.NewReader(body)),
		}
	})})
}

// measured makes an exchange, and returns the bytes that were allocated for it.
func measured(t testing.TB, client *fetch.Client, r fetch.Request) (fetch.Response, uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := client.Do(t.Context(), r)
	runtime.ReadMemStats(&after)
	return got, after.TotalAlloc - before.TotalAlloc
}

// bombOf compresses n zeros by w, which writes into b.
func bombOf(n int64, b *bytes.Buffer, w io.WriteCloser) []byte {
	_, err := io.CopyN(w, zeros{}, n)
	must(err)
	must(w.Close())
	return b.Bytes()
}

// wideBomb is 64 MiB of zeros in the widest window of br, as its encoder makes it
// of quality 5.
const wideBomb = "z///fwAkAOKxQHLv//n//w+ABEAcFoDu/T////8BkACIwwLQvf/n//8/ABIAcVgAuvf/Aw=="

func TestSK3NoBombTakesMoreThanItsFormatNeeds(t *testing.T) {
	const size = 3 << 20
	var b [5]bytes.Buffer
	zip := bombOf(size, &b[0], value(gzip.NewWriterLevel(&b[0], 1)))
	bombs := []struct {
		name, codings string
		body          []byte
		small         uint64 // MiB allocated for 1 KiB of body
	}{
		{"gzip", "gzip", zip, 1},
		{"deflate", "deflate", bombOf(size, &b[4], value(flate.NewWriter(&b[4], 1))), 1},
		{"gzip twice", "gzip, gzip", pack("gzip", zip), 1},
		{"gzip thrice", "gzip, gzip, gzip", pack("gzip", pack("gzip", zip)), 1},
		{"br", "br", bombOf(size, &b[1], brotli.NewWriterOptions(&b[1], brotli.WriterOptions{Quality: 5, LGWin: 18})), 2},
		{"br, 16 MiB", "br", value(base64.StdEncoding.DecodeString(wideBomb)), 20},
		{"zstd", "zstd", bombOf(size, &b[3], value(zstd.NewWriter(&b[3], zstd.WithWindowSize(1<<20)))), 4},
		{"zstd, 8 MiB", "zstd", bombOf(size, &b[2], value(zstd.NewWriter(&b[2], zstd.WithWindowSize(8<<20)))), 12},
		{"br in zstd in gzip", "br, zstd, gzip", pack("gzip", pack("zstd", b[1].Bytes())), 4},
	}
	for _, bomb := range bombs {
		client := canned(t, bomb.codings, bomb.body)
		for limit, want := range map[int64]uint64{1 << 10: bomb.small, 2 << 20: 32} {
			got, allocated := measured(t, client, fetch.Request{URL: "http://a.test/", Limit: limit})
			assert.Equal(t, fetch.Fetched, got.Class, "%s: %v", bomb.name, got.Err)
			assert.Equal(t, fetch.TruncatedLength, got.Truncated, bomb.name)
			assert.EqualValues(t, limit, len(got.Body), bomb.name)
			assert.Less(t, allocated>>20, want, "%s, limit %d: MiB", bomb.name, limit)
		}
	}
}

func TestABodyOfNothingCostsLittleTime(t *testing.T) {
	const size = 1 << 20
	fill := func(s string) []byte { return bytes.Repeat([]byte(s), size/len(s)) }
	members := fill(string(emptyMember))
	blocks := "\x00\x00\x00\xff\xff"
	cases := []struct {
		name, codings string
		body          []byte
	}{
		{"empty members of gzip", "gzip", members},
		{"empty members within gzip", "gzip, gzip", pack("gzip", members)},
		{"empty members within gzip within gzip", "gzip, gzip, gzip", pack("gzip", pack("gzip", members))},
		{"members of one byte", "gzip", fill(string(pack("gzip", []byte("x"))))},
		{"empty blocks of deflate", "deflate", fill(blocks)},
		{"empty blocks of gzip", "gzip", append([]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"), fill(blocks)...)},
		{"empty frames of zstd", "zstd", fill("\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00")},
		{"empty frames of zstd with a window of 8 MiB", "zstd", fill("\x28\xb5\x2f\xfd\x00\x68\x01\x00\x00")},
		{"skippable frames of zstd", "zstd", fill("\x50\x2a\x4d\x18\x00\x00\x00\x00")},
		{"a name of gzip without end", "gzip", append([]byte("\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\xff"), fill("x")...)},
	}
	for _, c := range cases {
		client := canned(t, c.codings, c.body)
		start := time.Now()
		got, allocated := measured(t, client, fetch.Request{URL: "http://a.test/"})
		assert.Less(t, time.Since(start), 10*time.Second, c.name) // a tenth of that, were it not for -race
		assert.Less(t, allocated>>20, uint64(512), "%s: MiB", c.name)
		assert.Contains(t, []fetch.Class{fetch.Fetched, fetch.Content}, got.Class, c.name)
		assert.Less(t, len(got.Body), size/8, c.name)
	}
}

func TestABodyOf2GBIsCutWhereItIsWanted(t *testing.T) {
	const size = 2 << 30
	var written atomic.Int64
	pour := func(w io.Writer) {
		buf := bytes.Repeat([]byte("0123456789abcdef"), 4<<10)
		for left := int64(size); left > 0; left -= int64(len(buf)) {
			n, err := w.Write(buf)
			if written.Add(int64(n)); err != nil {
				return
			}
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/length":
			w.Header().Set("Content-Length", fmt.Sprint(int64(size)))
		case "/redirect":
			w.Header().Set("Location", "/")
			w.WriteHeader(http.StatusFound)
		case "/missing":
			w.WriteHeader(http.StatusNotFound)
		case "/gzip":
			w.Header().Set("Content-Encoding", "gzip")
			z := value(gzip.NewWriterLevel(w, gzip.NoCompression))
			pour(z)
			return
		case "/until-close":
			conn, _, err := w.(http.Hijacker).Hijack()
			must(err)
			defer conn.Close()
			_, _ = io.WriteString(conn, "HTTP/1.0 200 OK\r\n\r\n")
			pour(conn)
			return
		}
		pour(w)
	}))
	defer server.Close()
	client := open(t, fetch.Config{Allow: loopback})
	for path, want := range map[string]fetch.Class{
		"chunked": fetch.Fetched, "length": fetch.Fetched, "gzip": fetch.Fetched, "until-close": fetch.Fetched, "redirect": fetch.Redirected, "missing": fetch.Missing,
	} {
		written.Store(0)
		got, allocated := measured(t, client, fetch.Request{URL: server.URL + "/" + path})
		assert.Equal(t, want, got.Class, "%s: %v", path, got.Err)
		assert.Equal(t, fetch.TruncatedLength, got.Truncated, path)
		assert.Len(t, got.Body, 10<<20, path)
		assert.Less(t, allocated>>20, uint64(64), "%s: MiB", path)
		assert.Less(t, written.Load()>>20, int64(64), "%s: MiB that the server could send", path)
	}
}

func TestSK4WhatIsCutSaysSoAndHowMuchWasKept(t *testing.T) {
	page := strings.Repeat("<p>page", 300_000) // 2 MiB
	web := parse(t, "-- http://a.test/ --\n"+page)
	got := open(t, fetch.Config{Transport: web}).Do(t.Context(), fetch.Request{URL: "http://a.test/", Limit: 1 << 20})
	assert.Equal(t, fetch.Fetched, got.Class, "the page has its answer")
	assert.Equal(t, fetch.TruncatedLength, got.Truncated)
	assert.Equal(t, page[:1<<20], string(got.Body))
	assert.NoError(t, got.Err, "a bound of our own is no failure")
}

func TestSK7APageIsBytesHoweverItIsNested(t *testing.T) {
	for name, page := range map[string]string{
		"nested": strings.Repeat("<div>", 1024) + `<a href="/x">x</a>`,
		"script": "!function(){" + strings.Repeat("var a=b<c&&d>e;", 40_000) + "}()",
	} {
		web := parse(t, "-- http://a.test/ --\nHTTP 200\nContent-Type: text/html\n\n"+page)
		got := open(t, fetch.Config{Transport: web}).Do(t.Context(), fetch.Request{URL: "http://a.test/"})
		assert.Equal(t, fetch.Fetched, got.Class, name)
		assert.Equal(t, page, strings.TrimSuffix(string(got.Body), "\n"), name)
		assert.Empty(t, got.Truncated+got.Defect, name)
	}
}

func TestSK9ARedirectIsOneWhateverItsBodyIs(t *testing.T) {
	for name, raw := range map[string]string{
		"too long":    "Content-Length: 500\r\n\r\n12345678901234567890",
		"no chunks":   "Transfer-Encoding: chunked\r\n\r\nxyz",
		"no gzip":     "Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
		"broken gzip": "Content-Encoding: gzip\r\nContent-Length: 6\r\n\r\n\x1f\x8b\xff\xff\xff\xff",
		"no body":     "Content-Length: 500\r\n\r\n",
	} {
		client := open(t, piped(answers("HTTP/1.1 301 Moved\r\nLocation: /ok\r\n"+raw)))
		got := client.Do(t.Context(), fetch.Request{URL: "http://a.test/"})
		assert.Equal(t, fetch.Redirected, got.Class, name)
		assert.Equal(t, "/ok", got.Header.Get("Location"), name)
		assert.NotEmpty(t, got.Truncated+got.Defect, "%s: it is noted", name)
	}
}

func TestAPartThatNobodyAskedForIsADefect(t *testing.T) {
	client := open(t, piped(answers("HTTP/1.1 206 Partial Content\r\nConnection: close\r\nContent-Range: bytes 0-4/1000\r\nContent-Length: 5\r\n\r\nhello")))
	got := client.Do(t.Context(), fetch.Request{URL: "http://a.test/"})
	assert.Equal(t, fetch.Fetched, got.Class)
	assert.Equal(t, `status 206: a part that was not asked for: "bytes 0-4/1000"`, got.Defect)
	got = client.Do(t.Context(), fetch.Request{URL: "http://a.test/", Header: http.Header{"range": {"bytes=0-4"}}})
	assert.Equal(t, fetch.Fetched, got.Class)
	assert.Empty(t, got.Defect)
}

// TestAConnectionResetIsNamedAtEachStage uses sockets, because a pipe cannot be
// reset.
func TestAConnectionResetIsNamedAtEachStage(t *testing.T) {
	const answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"
	stages := []struct {
		name      string
		bytes     int
		class     fetch.Class
		truncated string
	}{
		{"at once", -1, fetch.Connect, ""},
		{"after the request", 0, fetch.Connect, ""},
		{"in the status line", 5, fetch.Connect, ""},
		{"in the header", 30, fetch.Connect, ""},
		{"after the header", len(answer) - 3, fetch.Fetched, "disconnect"},
		{"in the body", len(answer), fetch.Fetched, "disconnect"},
	}
	for _, s := range stages {
		t.Run(s.name, func(t *testing.T) {
			address := listen(t, func(conn net.Conn) {
				if s.bytes >= 0 {
					_, _ = conn.Read(make([]byte, 4096))
					_, _ = io.WriteString(conn, answer[:s.bytes])
					time.Sleep(10 * time.Millisecond) // else the reset overtakes the bytes
				}
				must(conn.(*net.TCPConn).SetLinger(0))
			})
			got := open(t, fetch.Config{Allow: loopback}).Do(t.Context(), fetch.Request{URL: "http://" + address + "/"})
			assert.Equal(t, s.class, got.Class, "%v", got.Err)
			assert.Equal(t, s.truncated, got.Truncated)
			assert.Error(t, got.Err)
		})
	}
}

func TestAServerThatSpeaksNoTLSIsATLSFailure(t *testing.T) {
	for name, talk := range map[string]func(net.Conn){
		"garbage": func(conn net.Conn) { _, _ = io.WriteString(conn, strings.Repeat("garbage", 1000)) },
		"HTTP":    func(conn net.Conn) { _, _ = io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\n\r\n") },
		"alert":   func(conn net.Conn) { _, _ = io.WriteString(conn, "\x15\x03\x01\x00\x02\x02\x28") },
		"nothing": func(net.Conn) {},
		"cut":     func(conn net.Conn) { _, _ = io.WriteString(conn, "\x16\x03\x03\x40\x00\x02") },
	} {
		talk := func(conn net.Conn) {
			_, _ = conn.Read(make([]byte, 4096))
			talk(conn)
		}
		got := open(t, piped(talk)).Do(t.Context(), fetch.Request{URL: "https://a.test/"})
		assert.Equal(t, fetch.TLS, got.Class, "%s: %v", name, got.Err)
	}
}

func TestErrorsNameNoSecretOfTheURL(t *testing.T) {
	const secret = "/path?token=pw"
	for name, cfg := range map[string]fetch.Config{
		"refused": {Dial: noDial}, "closed": piped(answers("")), "garbage": piped(answers("garbage\r\n\r\n")), "cut": piped(answers("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")),
	} {
		got := open(t, cfg).Do(t.Context(), fetch.Request{URL: "http://a.test" + secret})
		require.Error(t, got.Err, name)
		assert.NotContains(t, got.Err.Error(), "pw", name)
		var wrapped *url.Error
		assert.NotErrorAs(t, got.Err, &wrapped, name)
	}
}

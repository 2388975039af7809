package weir

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
)

// Cases K of cases/faults.md: bodies that lie, swell, trickle or end too early.

// rawServer answers each connection with one text, whatever is asked; robots.txt
// is missing. It returns a change for a Config that finds every host there.
func rawServer(t *testing.T, answer string) func(*Config) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { answerRaw(conn, answer) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		serving.Wait()
	})
	return func(cfg *Config) {
		cfg.Policy, cfg.Budget.Attempts = frontier.Policy{Delay: -1, Concurrency: 64}, 1
		cfg.Fetch.Allow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		cfg.Fetch.Transport, cfg.Fetch.Dial = nil, func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, listener.Addr().String())
		}
	}
}

func answerRaw(conn net.Conn, answer string) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	line, _ := in.ReadString('\n')
	for end := line; end != "\r\n" && end != ""; {
		end, _ = in.ReadString('\n')
	}
	if strings.Contains(line, "/robots.txt") {
		answer = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
	}
	_, _ = io.WriteString(conn, answer)
}

// cutOff asserts that a URL ended with the part of its body that has come.
func (c crawled) cutOff(url, why string, bytes int) {
	c.t.Helper()
	r := c.result(url)
	assert.Equal(c.t, frontier.Done, r.State)
	assert.EqualValues(c.t, "truncated", r.Reason, "no plain success")
	assert.Equal(c.t, why, r.Evidence.Truncated)
	assert.EqualValues(c.t, bytes, r.Evidence.Bytes)
	a := c.artifact(url)
	assert.Len(c.t, a.Body, bytes, "the part stays readable")
	assert.Equal(c.t, why, a.Truncated)
	assert.Equal(c.t, ledger.CompleteWithFailures, c.receipt.Verdict)
	assert.EqualValues(c.t, 1, c.receipt.Truncated)
}

const cutPage = "-- http://a.test/robots.txt --\n-- http://a.test/ --\nHTTP 200\nContent-Length: 1000\n\n"

func TestSK1ABodyShorterThanItsLengthIsKeptAndFlagged(t *testing.T) {
	w := web(t, cutPage+strings.Repeat("x", 399))
	c := crawlWeb(t, w, func(cfg *Config) {
		onSockets(t, w)(cfg)
		cfg.Budget.Attempts = 1
	}, "http://a.test/")
	c.cutOff("http://a.test/", fetch.TruncatedDisconnect, 400)
}

func TestSK1ABodyThatEndedTooEarlyIsAskedForAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, cutPage+strings.Repeat("x", 399), nil, "http://a.test/")
		c.cutOff("http://a.test/", fetch.TruncatedDisconnect, 400)
		assert.Equal(t, 4, c.hits("http://a.test/"))

		c = crawl(t, cutPage+"part\n-- http://a.test/ --\nwhole", nil, "http://a.test/")
		assert.Equal(t, []string{"done {fetched} http://a.test/"}, c.ends())
		assert.Equal(t, "whole", string(c.artifact("http://a.test/").Body[:5]))
	})
}

func TestSK2AChunkedBodyWithoutItsEndIsKeptAndFlagged(t *testing.T) {
	for name, end := range map[string]string{"before the last chunk": "", "within a size line": "1", "within a chunk": "a\r\n", "a size that is none": "zz\r\n"} {
		t.Run(name, func(t *testing.T) {
			c := crawlWeb(t, web(t, ""), rawServer(t, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n"+end), "http://a.test/")
			c.cutOff("http://a.test/", fetch.TruncatedDisconnect, 6)
		})
	}
}

func TestSK2ManyBrokenBodiesFreezeNoWorker(t *testing.T) {
	const pages = 2000
	c := crawlWeb(t, web(t, ""), func(cfg *Config) {
		rawServer(t, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1")(cfg)
		cfg.Budget.Pattern = pages
		cfg.OnPage = func(_ context.Context, p *Page) error {
			var refs []string
			for i := range pages - 1 - p.Depth*(pages-1) { // of the first page alone
				refs = append(refs, fmt.Sprintf("/%d", i))
			}
			return p.Follow(refs...)
		}
	}, "http://a.test/")
	assert.EqualValues(t, pages, c.receipt.Truncated)
	assert.EqualValues(t, pages, c.receipt.Counts[frontier.Done])
}

// bomb returns 16 MiB of nothing in one coding.
func bomb(t *testing.T, coding string) []byte {
	t.Helper()
	var packed bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&packed)
	case "deflate":
		w = zlib.NewWriter(&packed)
	case "raw deflate":
		w, _ = flate.NewWriter(&packed, flate.DefaultCompression) // a level that there is
	case "br":
		return []byte("\xcb\xff\xff?\xf8'\x00\xe2\xb1@ \xf7\xfe\x8f\xff\xff\x7f\xf0O\x00\xc4a\x11\x80\xee\xfd\xdf")
	case "zstd":
		return zstdBomb()
	}
	_, err := io.CopyN(w, zeros{}, 16<<20)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return packed.Bytes()
}

// zstdBomb is a frame of blocks that each repeat one byte 128 Ki times (RFC 8878,
// section 3.1.1.2).
func zstdBomb() []byte {
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38}
	for i := range uint32(128) {
		header := uint32(128<<10)<<3 | 1<<1 | i/127 // the last one says so
		frame = append(frame, byte(header), byte(header>>8), byte(header>>16), 0)
	}
	return frame
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// allocated is how much memory was ever asked for.
func allocated() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.TotalAlloc)
}

func TestSK3ABombStopsAtTheLimit(t *testing.T) {
	for _, coding := range []string{"gzip", "deflate", "raw deflate", "br", "zstd"} {
		t.Run(coding, func(t *testing.T) {
			packed := bomb(t, coding)
			w := web(t, "-- http://a.test/robots.txt --\n")
			require.NoError(t, w.Handle("http://a.test/", http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
				rw.Header().Set("Content-Encoding", strings.TrimPrefix(coding, "raw "))
				_, _ = rw.Write(packed)
			})))
			before := allocated()
			synctest.Test(t, func(t *testing.T) {
				c := crawlWeb(t, w, func(cfg *Config) { cfg.Budget.Response = 1 << 20 }, "http://a.test/")
				c.cutOff("http://a.test/", fetch.TruncatedLength, 1<<20)
			})
			assert.Less(t, allocated()-before, int64(20<<20), "all that the crawl has allocated, live or not")
		})
	}
}

func TestSK3ABombOfARobotsFileStopsToo(t *testing.T) {
	packed := bomb(t, "gzip")
	w := web(t, "-- http://a.test/ --\nhere")
	require.NoError(t, w.Handle("http://a.test/robots.txt", http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Encoding", "gzip")
		_, _ = rw.Write(packed)
	})))
	before := allocated()
	synctest.Test(t, func(t *testing.T) {
		c := crawlWeb(t, w, nil, "http://a.test/")
		assert.Equal(t, []string{"done {fetched} http://a.test/"}, c.ends(), "500 KiB without a rule")
	})
	assert.Less(t, allocated()-before, int64(20<<20))
}

func TestSK4AResponseThatIsTooLargeIsCountedAndKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, "-- http://a.test/ --\n! repeat 1048576\n\nx", func(cfg *Config) { cfg.Budget.Response = 1 << 20 }, "http://a.test/")
		c.cutOff("http://a.test/", fetch.TruncatedLength, 1<<20)
		assert.Contains(t, string(c.artifact("http://a.test/").Header), "Content-Length: 2097152", "what there was")
		assert.Contains(t, c.receipt.Why, "1 truncated")
	})
}

func TestSK5ACodingIsUndoneWhoeverAskedForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text string
		c := crawl(t, "-- http://a.test/ --\n! gzip\n\nplain text", func(cfg *Config) {
			cfg.Fetch.Transport = identity{cfg.Fetch.Transport}
			cfg.OnPage = func(_ context.Context, p *Page) error { text = p.Text(); return nil }
		}, "http://a.test/")
		assert.Equal(t, "plain text", strings.TrimSpace(text))
		assert.Empty(t, c.web.Log()[1].Header.Get("Accept-Encoding"))
		assert.Contains(t, string(c.artifact("http://a.test/").Header), "Content-Encoding: gzip", "what was on the wire")
	})
}

// identity asks for no coding.
type identity struct{ http.RoundTripper }

func (i identity) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Del("Accept-Encoding")
	return i.RoundTripper.RoundTrip(r)
}

func TestSK6TheDeadlineHoldsAfterTheHead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		c := crawl(t, "-- http://a.test/robots.txt --\n-- http://a.test/ --\n! trickle 110ms\n! repeat 100000\n\nx", func(cfg *Config) {
			cfg.Fetch.Timeout, cfg.Budget.Attempts = time.Second, 1
		}, "http://a.test/")
		c.cutOff("http://a.test/", fetch.TruncatedTime, 9)
		assert.Equal(t, 2*time.Second, time.Since(began), "a second after robots.txt, and one of its own")
	})
}

func TestSK6AHeadThatNeverComesIsATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, "-- http://a.test/robots.txt --\n-- http://a.test/ --\n! timeout", func(cfg *Config) {
			cfg.Fetch.Timeout, cfg.Budget.Attempts = time.Second, 1
		}, "http://a.test/")
		assert.Equal(t, []string{"failed {timeout} http://a.test/"}, c.ends())
	})
}

func TestSK6TheDeadlineHoldsOnSockets(t *testing.T) {
	w := web(t, "-- http://a.test/robots.txt --\n-- http://a.test/ --\n! trickle 10ms\n! repeat 100000\n\nx\n-- http://b.test/robots.txt --\n-- http://b.test/ --\n! timeout\n-- http://c.test/ --\nc")
	began := time.Now()
	c := crawlWeb(t, w, func(cfg *Config) {
		onSockets(t, w)(cfg)
		cfg.Scope.Hosts = []string{"a.test", "b.test", "c.test"}
		cfg.Workers, cfg.Fetch.Timeout, cfg.Budget.Attempts = 1, 200*time.Millisecond, 1
		cfg.OnPage = func(_ context.Context, p *Page) error { return p.Follow("http://b.test/", "http://c.test/") }
	}, "http://a.test/")
	assert.Equal(t, []string{"done {fetched} http://c.test/", "done {truncated} http://a.test/", "failed {timeout} http://b.test/"}, c.ends())
	assert.Equal(t, fetch.TruncatedTime, c.result("http://a.test/").Evidence.Truncated)
	assert.Less(t, time.Since(began), 2*time.Second, "the only worker is free again each time")
}

func TestSK7DeepNestingAndScriptsAsPagesHideNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deep := strings.Repeat("<div>", 1024) + "<a href=/in>in</a>" + strings.Repeat("</div>", 1024)
		script := "function a(){return '<a href=\"/no\">'};" + strings.Repeat("if(a<b&&c>d){e='</'+f};", 600<<10/23)
		flattened := map[string]bool{}
		c := crawl(t, "-- http://a.test/ --\n<a href=/deep>d</a><a href=/script>s</a><a href=/after>a</a>\n-- http://a.test/deep --\n"+deep+"\n-- http://a.test/script --\n"+script+"\n-- http://a.test/in --\nin\n-- http://a.test/after --\nafter", func(cfg *Config) {
			cfg.Workers = 1
			cfg.OnPage = func(_ context.Context, p *Page) error {
				p.Doc()
				flattened[p.URL] = p.Flattened
				return nil
			}
		}, "http://a.test/")
		assert.True(t, flattened["http://a.test/deep"], "the fault is noted")
		assert.Len(t, flattened, 5, "every page was shown: %v", c.ends())
		for _, page := range []string{"deep", "script", "in", "after"} {
			assert.EqualValues(t, "fetched", c.result("http://a.test/"+page).Reason, page)
		}
		assert.Len(t, c.artifact("http://a.test/script").Body, len(script)+1)
	})
}

func TestSK9ARedirectWithABrokenBodyIsFollowed(t *testing.T) {
	w := web(t, "-- http://a.test/ --\nHTTP 301\nLocation: /ok\nContent-Length: 500\n\n"+strings.Repeat("x", 20)+"\n-- http://a.test/ok --\nok")
	c := crawlWeb(t, w, onSockets(t, w), "http://a.test/")
	assert.Equal(t, []string{"done {fetched} http://a.test/ok", "done {redirected} http://a.test/"}, c.ends())
	assert.Equal(t, 1, c.hits("http://a.test/"))
	assert.Equal(t, fetch.TruncatedDisconnect, c.result("http://a.test/").Evidence.Truncated, "the defect is noted on the hop")
	assert.EqualValues(t, 21, c.result("http://a.test/").Evidence.Bytes)
}

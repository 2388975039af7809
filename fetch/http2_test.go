package fetch_test

import (
	"bytes"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/weircrawl/weir/fetch"
)

// A peer is the server's side of one HTTP/2 connection, frame by frame.
type peer struct {
	turn sync.Mutex // of one talk after the other

	*http2.Framer
	stream uint32 // of the request that came
	names  *hpack.Encoder
	block  bytes.Buffer
}

// fields encodes pairs of name and value as a header block.
func (p *peer) fields(pairs ...string) []byte {
	p.block.Reset()
	for i := 0; i < len(pairs); i += 2 {
		must(p.names.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]}))
	}
	return p.block.Bytes()
}

// headers sends a whole header block.
func (p *peer) headers(end bool, pairs ...string) error {
	return p.WriteHeaders(http2.HeadersFrameParam{StreamID: p.stream, BlockFragment: p.fields(pairs...), EndHeaders: true, EndStream: end})
}

// http2Peer returns a client whose every connection speaks HTTP/2 with talk, once
// for each request, and how many requests came.
func http2Peer(t *testing.T, cfg fetch.Config, talk func(*peer) error) (*fetch.Client, *atomic.Int32) {
	server := httptest.NewUnstartedServer(nil)
	server.EnableHTTP2 = true
	server.StartTLS() // for its certificate
	server.Close()
	requests := new(atomic.Int32)
	dial := piped(func(conn net.Conn) {
		secured := tls.Server(conn, &tls.Config{Certificates: server.TLS.Certificates, NextProtos: []string{"h2"}})
		defer secured.Close()
		if _, err := io.ReadFull(secured, make([]byte, len(http2.ClientPreface))); err != nil {
			return
		}
		p := &peer{Framer: http2.NewFramer(secured, secured)}
		p.names = hpack.NewEncoder(&p.block)
		if p.WriteSettings() != nil {
			return
		}
		for {
			frame, err := p.ReadFrame()
			if err != nil {
				return
			}
			if f, ok := frame.(*http2.HeadersFrame); ok {
				requests.Add(1)
				go func() { // so that what the client says meanwhile is read
					p.turn.Lock()
					defer p.turn.Unlock()
					p.stream = f.StreamID
					if talk(p) != nil {
						_ = secured.Close()
					}
				}()
			}
		}
	})
	cfg.Dial = dial.Dial
	cfg.TLS = server.Client().Transport.(*http.Transport).TLSClientConfig
	cfg.TLS.ServerName = "example.com"
	return open(t, cfg), requests
}

// endless repeats a step until the client hangs up.
func endless(step func(i int) error) error {
	for i := 0; ; i++ {
		if err := step(i); err != nil {
			return err
		}
	}
}

func TestAnHTTP2AnswerHasOneOutcome(t *testing.T) {
	cases := []struct {
		name      string
		talk      func(*peer) error
		class     fetch.Class
		body      int
		truncated string
	}{
		{"whole", func(p *peer) error {
			return firstOf(p.headers(false, ":status", "200"), p.WriteData(p.stream, true, []byte("hello")))
		}, fetch.Fetched, 5, ""},
		{"103 first", func(p *peer) error {
			return firstOf(p.headers(false, ":status", "103", "link", "</x>"), p.headers(true, ":status", "204"))
		}, fetch.Fetched, 0, ""},
		{"flood of 103", func(p *peer) error {
			return endless(func(int) error { return p.headers(false, ":status", "103", "link", "</x>") })
		}, fetch.Protocol, 0, ""},
		{"header too large", func(p *peer) error {
			return endless(func(i int) error {
				block := p.fields("x", strings.Repeat("x", 10_000))
				if i == 0 {
					return p.WriteHeaders(http2.HeadersFrameParam{StreamID: p.stream, BlockFragment: append([]byte{0x88}, block...)})
				}
				return p.WriteContinuation(p.stream, false, block)
			})
		}, fetch.Protocol, 0, ""},
		{"header that unpacks to too much", func(p *peer) error {
			p.fields("x", strings.Repeat("x", 4000)) // now in the table of both
			block := bytes.Repeat(p.fields("x", strings.Repeat("x", 4000)), 10_000)
			block = append(append([]byte{0x88}, firstBlock()...), block...)
			return p.WriteHeaders(http2.HeadersFrameParam{StreamID: p.stream, BlockFragment: block, EndHeaders: true, EndStream: true})
		}, fetch.Protocol, 0, ""},
		{"empty continuations", func(p *peer) error {
			return endless(func(i int) error {
				if i == 0 {
					return p.WriteHeaders(http2.HeadersFrameParam{StreamID: p.stream, BlockFragment: []byte{0x88}})
				}
				return p.WriteContinuation(p.stream, false, nil)
			})
		}, fetch.Timeout, 0, ""},
		{"pings and settings", func(p *peer) error {
			return endless(func(int) error { return firstOf(p.WritePing(false, [8]byte{}), p.WriteSettings()) })
		}, fetch.Timeout, 0, ""},
		{"empty data", func(p *peer) error {
			_ = p.headers(false, ":status", "200")
			return endless(func(int) error { return p.WriteData(p.stream, false, nil) })
		}, fetch.Timeout, 0, ""},
		{"data without end", func(p *peer) error {
			_ = p.headers(false, ":status", "200")
			return endless(func(int) error { return p.WriteData(p.stream, false, make([]byte, 1000)) })
		}, fetch.Fetched, 10_000, "length"},
		{"data beyond its window", func(p *peer) error {
			_ = p.headers(false, ":status", "200")
			return endless(func(int) error { return p.WriteData(p.stream, false, make([]byte, 16<<10)) })
		}, fetch.Fetched, 10_000, "length"},
		{"data before headers", func(p *peer) error { return p.WriteData(p.stream, true, []byte("hello")) }, fetch.Protocol, 0, ""},
		{"stream reset", func(p *peer) error { return p.WriteRSTStream(p.stream, http2.ErrCodeInternal) }, fetch.Protocol, 0, ""},
		{"stream reset in the body", func(p *peer) error {
			return firstOf(p.headers(false, ":status", "200"), p.WriteData(p.stream, false, []byte("hello")), p.WriteRSTStream(p.stream, http2.ErrCodeInternal))
		}, fetch.Fetched, 5, "disconnect"},
		{"going away", func(p *peer) error {
			return firstOf(p.WriteGoAway(0, http2.ErrCodeEnhanceYourCalm, []byte("calm")), io.EOF)
		}, fetch.Protocol, 0, ""},
		{"gone", func(p *peer) error { return io.EOF }, fetch.Connect, 0, ""},
		{"push", func(p *peer) error {
			return p.WritePushPromise(http2.PushPromiseParam{StreamID: p.stream, PromiseID: 2, BlockFragment: []byte{0x82}, EndHeaders: true})
		}, fetch.Protocol, 0, ""},
		{"no status", func(p *peer) error { return p.headers(true, "x", "y") }, fetch.Protocol, 0, ""},
		{"length too long", func(p *peer) error {
			return firstOf(p.headers(false, ":status", "200", "content-length", "50"), p.WriteData(p.stream, true, []byte("hello")))
		}, fetch.Fetched, 5, "disconnect"},
		{"length too short", func(p *peer) error {
			return firstOf(p.headers(false, ":status", "200", "content-length", "3"), p.WriteData(p.stream, true, []byte("hello")))
		}, fetch.Fetched, 3, "disconnect"},
		{"unknown frames", func(p *peer) error {
			return firstOf(p.WriteRawFrame(0xfe, 0, p.stream, nil), p.WriteRawFrame(0xff, 0, 0, make([]byte, 100)), p.headers(true, ":status", "200"))
		}, fetch.Fetched, 0, ""},
		{"unknown frames without end", func(p *peer) error {
			return endless(func(int) error { return p.WriteRawFrame(0xfe, 0, p.stream, make([]byte, 100)) })
		}, fetch.Timeout, 0, ""},
	}
	log.SetOutput(io.Discard) // net/http tells the log of frames that it does not know
	t.Cleanup(func() { log.SetOutput(os.Stderr) })
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			cfg := fetch.Config{}
			if c.class == fetch.Timeout {
				cfg = fetch.Config{Timeout: time.Second, Stall: 500 * time.Millisecond}
			}
			client, requests := http2Peer(t, cfg, c.talk)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got := client.Do(t.Context(), fetch.Request{URL: "https://a.test/", Limit: 10_000})
			runtime.ReadMemStats(&after)
			assert.Equal(t, c.class, got.Class, "%v", got.Err)
			assert.Equal(t, c.body, len(got.Body))
			assert.Equal(t, c.truncated, got.Truncated, "%v", got.Err)
			assert.EqualValues(t, 1, requests.Load())
			assert.Less(t, after.HeapAlloc, before.HeapAlloc+32<<20, "bytes held")
		})
	}
}

func TestHTTP2RepeatsOnlyWhatWasNotProcessedAndNotForEver(t *testing.T) {
	for name, refuse := range map[string]func(*peer) error{
		"refused":    func(p *peer) error { return p.WriteRSTStream(p.stream, http2.ErrCodeRefusedStream) },
		"going away": func(p *peer) error { return firstOf(p.WriteGoAway(0, http2.ErrCodeNo, nil), io.EOF) },
	} {
		t.Run(name, func(t *testing.T) {
			var left atomic.Int32
			left.Store(1)
			talk := func(p *peer) error {
				if left.Add(-1) >= 0 {
					return refuse(p)
				}
				return p.headers(true, ":status", "204")
			}
			client, requests := http2Peer(t, fetch.Config{}, talk)
			var sent int
			got := client.Do(t.Context(), fetch.Request{URL: "https://a.test/", OnSent: func(time.Time) { sent++ }})
			assert.Equal(t, fetch.Fetched, got.Class, "%v", got.Err)
			assert.EqualValues(t, 2, requests.Load())
			assert.Equal(t, 1, sent)
			client.Close()

			left.Store(1000)
			client, requests = http2Peer(t, fetch.Config{Timeout: 2 * time.Second}, talk)
			start := time.Now()
			got = client.Do(t.Context(), fetch.Request{URL: "https://a.test/"})
			assert.True(t, got.Class.Retry(), "%s: %v", got.Class, got.Err)
			assert.Less(t, time.Since(start), 10*time.Second)
			assert.LessOrEqual(t, requests.Load(), int32(10))
		})
	}
}

func TestCloseLeavesNoConnectionThatAServerKeepsBusy(t *testing.T) {
	var hangups sync.WaitGroup
	hangups.Add(1)
	client, _ := http2Peer(t, fetch.Config{Timeout: time.Second}, func(p *peer) error {
		defer hangups.Done()
		return endless(func(int) error { return p.WritePing(false, [8]byte{}) })
	})
	assert.Equal(t, fetch.Timeout, client.Do(t.Context(), fetch.Request{URL: "https://a.test/"}).Class)
	client.Close()
	hangups.Wait() // for ever, if the connection were left
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func firstBlock() []byte {
	var b bytes.Buffer
	must(hpack.NewEncoder(&b).WriteField(hpack.HeaderField{Name: "x", Value: strings.Repeat("x", 4000)}))
	return b.Bytes()
}

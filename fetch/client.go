package fetch

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"
)

// Client makes exchanges. It is safe for concurrent use.
type Client struct {
	cfg       Config
	transport http.RoundTripper
	own       *http.Transport // the same, unless it is the caller's
	dialer    *dialer         // of own
	active    atomic.Int64    // exchanges in progress
	fixed     http.Header     // sent with every request
	pools     *pools
	closed    context.Context
	close     context.CancelFunc
}

// New returns a Client, or every fault in cfg at once.
func New(cfg Config) (*Client, error) {
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("fetch: config: %w", err)
	}
	cfg = cfg.withDefaults()
	c := &Client{cfg: cfg, transport: cfg.Transport, fixed: fixedHeader(cfg.UserAgent), pools: newPools()}
	c.closed, c.close = context.WithCancel(context.Background())
	if c.transport == nil {
		c.dialer = newDialer(cfg, c.closed)
		c.own = newTransport(cfg, c.dialer)
		c.transport = c.own
	}
	return c, nil
}

// Connections kept idle: over all hosts, because each is a descriptor, and for
// one host, as many as a fast site can use. A connection is given back when it
// was idle for the time after which most servers close it anyway.
const (
	idleMax     = 1024
	idlePerHost = 256
	idleTime    = 90 * time.Second
)

func newTransport(cfg Config, d *dialer) *http.Transport {
	return &http.Transport{
		DialContext:            d.dial,
		DialTLSContext:         d.dialTLS,
		DisableCompression:     true, // bodies are decoded, and bounded, here
		ForceAttemptHTTP2:      true,
		TLSClientConfig:        &tls.Config{NextProtos: []string{"h2", "http/1.1"}},
		MaxIdleConns:           idleMax,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idleTime,
		MaxResponseHeaderBytes: cfg.HeaderMax,
	}
}

// Close ends connections that are idle or being made, and closes the Client:
// exchanges in progress go on, and a later Do is answered with ErrClosed. When the
// last exchange ends, no connection is left.
func (c *Client) Close() {
	c.close()
	if c.own != nil {
		c.own.CloseIdleConnections()
	}
	c.release()
}

// enter counts an exchange; the function it returns must be called at its end.
func (c *Client) enter() (leave func()) {
	c.active.Add(1)
	return func() {
		c.active.Add(-1)
		c.release()
	}
}

// release closes every connection of a Client that is closed and does nothing.
func (c *Client) release() {
	if c.own != nil && c.closed.Err() != nil && c.active.Load() == 0 {
		c.dialer.conns.closeAll()
	}
}

// Request is one GET.
type Request struct {
	URL          string      // absolute, requested byte for byte; a fragment is not sent
	ETag         string      // of a response that is kept: asks whether it changed
	LastModified string      // likewise, as the kept response wrote it
	Header       http.Header // replaces headers that are sent by default, or adds to them, in this request only; Host and those of framing are not the caller's
	Limit        int64       // decoded bytes of body that are wanted, the rest is cut; default 10 MiB

	// OnSent, if set, is told once when the request was written; it must not
	// block. It is called before Do returns, and not at all if nothing was sent.
	// An injected Transport counts as sending when it is called.
	OnSent func(time.Time)
}

// Why the body of a Response is cut, in the words of WARC/1.1, section 5.13.
const (
	TruncatedLength     = "length"     // more than Limit was there; Class stays what it is, and Err nil
	TruncatedTime       = "time"       // the deadline passed, or nothing came for too long
	TruncatedDisconnect = "disconnect" // the connection ended first
)

// Response is what became of one Request.
type Response struct {
	URL        string        // as requested, without user information
	Class      Class         // what it counts as
	Mark       string        // by what a Challenge, Login or Payment was known: "cloudflare: cf-mitigated: challenge"; else empty
	Err        error         // why, where Class is no answer's, or why Body is cut by time or disconnect; else nil
	Status     int           // 0 where there was no answer
	Header     http.Header   // as received
	Location   string        // of a Redirected one: where it leads, to be resolved against URL; may be empty, which is URL itself
	MediaType  string        // of Content-Type, lower-case, without parameters; guessed from Body where that is absent or broken
	Body       []byte        // decoded; the caller's to keep
	Truncated  string        // why Body is cut: one of the constants; empty for a whole one
	Defect     string        // what is wrong with an answer that was delivered all the same: "gzip: unexpected EOF"
	Undecoded  bool          // a coding of Body is unknown or broken, and Defect says how: Body lacks a part, or is not text at all
	RetryAfter time.Duration // how long the origin asks to wait, 0 to 1 h; 0 without a word
	RetryNote  string        // why a Retry-After was ignored or clamped; else empty
	Start      time.Time     // of the exchange
	Latency    time.Duration // from sending the request to the head of the response
	Sent       []byte        // header block of the request, in the form of HTTP/1.1
	Received   []byte        // header block of the response, likewise
}

// Do makes one exchange. Whatever happens is a Response with a Class; Do never
// follows and never retries. When ctx ends, the Response is Cancelled at once.
func (c *Client) Do(ctx context.Context, r Request) Response {
	x := &exchange{client: c, request: r, response: Response{Start: time.Now()}}
	to, err := parseTarget(r.URL)
	if err != nil {
		x.response.URL = redact(r.URL)
		return x.fail(Malformed, err)
	}
	x.response.URL = to.String()
	if err := r.check(); err != nil {
		return x.fail(Malformed, err)
	}
	defer c.enter()()
	if c.closed.Err() != nil {
		return x.fail(Cancelled, ErrClosed)
	}
	ctx, end := x.begin(ctx)
	defer end()
	answer, err := x.send(ctx, to)
	if err != nil {
		return x.noAnswer(err)
	}
	defer answer.Body.Close()
	x.receive(answer, to)
	return x.response
}

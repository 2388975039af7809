package ledgertest

import (
	"context"
	"io"
	"net/http"
	"sync"

	"github.com/weircrawl/weir/storage"
)

// A Wire counts what a poll costs, whichever way it takes: wrap the store or the
// transport that it reads by.
type Wire struct {
	mu     sync.Mutex
	passed cost
}

// cost is what has passed a Wire.
type cost struct {
	requests int   // reads of a store, or exchanges
	bytes    int64 // of answers
	results  int   // rows of a store's results and records
}

// Store returns s, whose reads are counted.
func (w *Wire) Store(s storage.Store) storage.Store { return &counted{s, w} }

// Transport returns t, whose exchanges are counted.
func (w *Wire) Transport(t http.RoundTripper) http.RoundTripper { return &tapped{t, w} }

func (w *Wire) add(c cost) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.passed.requests += c.requests
	w.passed.bytes += c.bytes
	w.passed.results += c.results
}

// take returns what has passed since it was called last.
func (w *Wire) take() cost {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.passed
	w.passed = cost{}
	return c
}

type counted struct {
	storage.Store
	wire *Wire
}

// resultSpaces hold what a poll has no business with.
var resultSpaces = map[string]bool{"result": true, "record": true}

func (c *counted) Read(ctx context.Context, requests ...storage.ReadRequest) ([]storage.ReadResult, error) {
	answers, err := c.Store.Read(ctx, requests...)
	spent := cost{requests: 1}
	for i, a := range answers {
		for j, value := range a.Values {
			spent.bytes += int64(len(a.Keys[j]) + len(value))
		}
		if resultSpaces[requests[i].Space.Name] {
			spent.results += len(a.Values)
		}
	}
	c.wire.add(spent)
	return answers, err
}

func (c *counted) Fences(ctx context.Context, prefix string) ([]storage.Fence, error) {
	c.wire.add(cost{requests: 1})
	return c.Store.Fences(ctx, prefix)
}

type tapped struct {
	http.RoundTripper
	wire *Wire
}

func (t *tapped) RoundTrip(r *http.Request) (*http.Response, error) {
	t.wire.add(cost{requests: 1})
	answer, err := t.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = &tappedBody{answer.Body, t.wire}
	}
	return answer, err
}

type tappedBody struct {
	io.ReadCloser
	wire *Wire
}

func (b *tappedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.wire.add(cost{bytes: int64(n)})
	return n, err
}

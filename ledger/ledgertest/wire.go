package ledgertest

import (
	"context"
	"io"
	"net/http"
	"sync"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/storage"
)

// A Wire counts what a poll costs, whichever way it takes and whatever it says of
// itself: wrap the store or the transport that it reads by.
type Wire struct {
	mu     sync.Mutex
	passed Cost
}

// Cost is what has passed a Wire.
type Cost struct {
	Requests int   // reads of a store, or exchanges
	Bytes    int64 // of answers
	Results  int   // rows of a store's results and records
}

// Store returns s, whose reads are counted.
func (w *Wire) Store(s storage.Store) storage.Store { return &counted{s, w} }

// Transport returns t, whose exchanges are counted.
func (w *Wire) Transport(t http.RoundTripper) http.RoundTripper { return &tapped{t, w} }

func (w *Wire) add(c Cost) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.passed.Requests += c.Requests
	w.passed.Bytes += c.Bytes
	w.passed.Results += c.Results
}

// Take returns what has passed since it was called last.
func (w *Wire) Take() Cost {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.passed
	w.passed = Cost{}
	return c
}

type counted struct {
	storage.Store
	wire *Wire
}

func (c *counted) Read(ctx context.Context, requests ...storage.ReadRequest) ([]storage.ReadResult, error) {
	answers, err := c.Store.Read(ctx, requests...)
	spent := Cost{Requests: 1}
	for i, a := range answers {
		for j, value := range a.Values {
			spent.Bytes += int64(len(a.Keys[j]) + len(value))
		}
		if frontier.HoldsResults(requests[i].Space) {
			spent.Results += len(a.Values)
		}
	}
	c.wire.add(spent)
	return answers, err
}

func (c *counted) Fences(ctx context.Context, prefix string) ([]storage.Fence, error) {
	c.wire.add(Cost{Requests: 1})
	return c.Store.Fences(ctx, prefix)
}

type tapped struct {
	http.RoundTripper
	wire *Wire
}

func (t *tapped) RoundTrip(r *http.Request) (*http.Response, error) {
	t.wire.add(Cost{Requests: 1})
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
	b.wire.add(Cost{Bytes: int64(n)})
	return n, err
}

package ledger

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/storage"
)

// A meter counts what one poll costs. It travels in the poll's context, so that
// polls that go on side by side are counted apart.
type meter struct {
	reads, requests, bytes, rows, cursors atomic.Int64
}

type meterKey struct{}

// metered returns a context whose reads and requests m counts.
func metered(ctx context.Context, m *meter) context.Context {
	return context.WithValue(ctx, meterKey{}, m)
}

func meterOf(ctx context.Context) *meter {
	m, _ := ctx.Value(meterKey{}).(*meter)
	return m
}

// follow counts a cursor that a page was asked for by; the first page has none.
func (m *meter) follow(c Cursor) {
	if m != nil && c != "" {
		m.cursors.Add(1)
	}
}

// Metered is a Store whose reads an [Observer] counts, where they are made under
// the context of its poll. It changes nothing else.
func Metered(s storage.Store) storage.Store { return meteredStore{s} }

type meteredStore struct{ storage.Store }

func (s meteredStore) Read(ctx context.Context, requests ...storage.ReadRequest) ([]storage.ReadResult, error) {
	got, err := s.Store.Read(ctx, requests...)
	if m := meterOf(ctx); m != nil {
		m.read(requests, got)
	}
	return got, err
}

// read counts one call of Read, whatever it asks for.
func (m *meter) read(requests []storage.ReadRequest, got []storage.ReadResult) {
	m.reads.Add(1)
	for i, r := range got {
		for _, v := range r.Values {
			m.bytes.Add(int64(len(v)))
		}
		if frontier.HoldsResults(requests[i].Space) {
			m.rows.Add(int64(len(r.Values)))
		}
	}
}

func (s meteredStore) Fences(ctx context.Context, prefix string) ([]storage.Fence, error) {
	if m := meterOf(ctx); m != nil {
		m.reads.Add(1)
	}
	return s.Store.Fences(ctx, prefix)
}

// MeteredTransport is a RoundTripper whose exchanges an [Observer] counts, where
// they are made under the context of its poll. A request that carries one of the
// given query parameters follows a cursor.
func MeteredTransport(next http.RoundTripper, cursors ...string) http.RoundTripper {
	if next == nil {
		next = http.DefaultTransport
	}
	return meteredTransport{next, cursors}
}

type meteredTransport struct {
	next    http.RoundTripper
	cursors []string
}

func (t meteredTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	m := meterOf(r.Context())
	if m == nil {
		return t.next.RoundTrip(r)
	}
	m.requests.Add(1)
	query := r.URL.Query()
	for _, name := range t.cursors {
		if query.Get(name) != "" {
			m.cursors.Add(1)
			break
		}
	}
	response, err := t.next.RoundTrip(r)
	if err == nil {
		response.Body = &meteredBody{response.Body, m}
	}
	return response, err
}

// meteredBody counts the bytes that are read of an answer.
type meteredBody struct {
	io.ReadCloser
	m *meter
}

func (b *meteredBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.m.bytes.Add(int64(n))
	return n, err
}

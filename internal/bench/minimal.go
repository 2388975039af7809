package bench

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"sync"

	"golang.org/x/net/html"
)

// Minimal is the least that can be called a crawler. It keeps a set of URLs, in
// memory, and answers for nothing.
var Minimal = Crawler{"minimal", func(ctx context.Context, site *Site, pages int, _ string) error {
	m := minimal{most: pages, seen: make(map[string]bool, pages), queue: make(chan string, pages)}
	m.client.Transport = newTransport()
	defer m.client.CloseIdleConnections()
	m.add(site.Root())
	for range concurrency {
		go m.work(ctx)
	}
	m.pending.Wait()
	close(m.queue)
	return m.fault
}}

type minimal struct {
	client  http.Client
	queue   chan string // has room for all that is ever added
	pending sync.WaitGroup

	mu    sync.Mutex
	most  int
	seen  map[string]bool
	fault error // the last
}

func (m *minimal) add(u string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seen[u] || len(m.seen) == m.most {
		return
	}
	m.seen[u] = true
	m.pending.Add(1)
	m.queue <- u
}

func (m *minimal) work(ctx context.Context) {
	for u := range m.queue {
		if err := m.visit(ctx, u); err != nil {
			m.mu.Lock()
			m.fault = fmt.Errorf("minimal: %w", err)
			m.mu.Unlock()
		}
		m.pending.Done()
	}
}

func (m *minimal) visit(ctx context.Context, u string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u, nil)
	if err != nil {
		return err
	}
	response, err := m.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	tokens := html.NewTokenizer(response.Body)
	for kind := tokens.Next(); kind != html.ErrorToken; kind = tokens.Next() {
		if name, more := tokens.TagName(); kind == html.StartTagToken && more && string(name) == "a" {
			m.follow(request.URL, tokens)
		}
	}
	return nil
}

// follow adds what the anchor at which tokens stand refers to.
func (m *minimal) follow(base *url.URL, tokens *html.Tokenizer) {
	for more := true; more; {
		var key, value []byte
		if key, value, more = tokens.TagAttr(); string(key) == "href" {
			if to, err := base.Parse(string(value)); err == nil {
				m.add(to.String())
			}
		}
	}
}

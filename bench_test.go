package weir

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/frontier"
)

// bigSite serves pages of 15 KB with 42 links each on loopback, as fast as it
// can: the site and the crawler share the processor.
func bigSite(b *testing.B, pages int) (root string) {
	bodies := make([][]byte, 256)
	filler := strings.Repeat("Lorem ipsum dolor sit amet, consectetur adipiscing elit. ", 230)
	for i := range bodies {
		var page bytes.Buffer
		random := rand.New(rand.NewPCG(1, uint64(i)))
		page.WriteString("<!doctype html><html><head><title>page</title></head><body>")
		for range 40 {
			fmt.Fprintf(&page, "<p>%s <a href=\"/page/%d\">some text</a></p>\n", filler[:320], random.IntN(pages))
		}
		bodies[i] = page.Bytes()
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/page/"))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		head := fmt.Sprintf("<a href=/page/%d></a><a href=/page/%d></a>", (2*n+1)%pages, (2*n+2)%pages)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(head)+len(bodies[n%256])))
		_, _ = io.WriteString(w, head)
		_, _ = w.Write(bodies[n%256])
	})}
	go func() { _ = server.Serve(listener) }()
	b.Cleanup(func() { _ = server.Close() })
	return "http://" + listener.Addr().String()
}

const benchPages = 20_000

// BenchmarkCrawl crawls a fast site of one origin, with everything durable.
func BenchmarkCrawl(b *testing.B) {
	for _, handler := range []string{"links", "handler"} {
		b.Run(handler, func(b *testing.B) {
			root := bigSite(b, benchPages)
			b.ReportAllocs()
			for b.Loop() {
				cfg := Config{
					UserAgent: "weirbench/1.0", Dir: b.TempDir(), Workers: 64,
					Budget: Budget{URLs: 2 * benchPages, Depth: 100},
					Policy: frontier.Policy{Delay: -1, Concurrency: 1000},
					Fetch:  fetch.Config{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
				}
				if handler == "handler" {
					cfg.OnPage = func(_ context.Context, p *Page) error { return p.Emit("page", map[string]int{"bytes": len(p.Body)}) }
				}
				receipt, err := Run(b.Context(), cfg, root+"/page/0")
				require.NoError(b, err)
				require.EqualValues(b, benchPages, receipt.Counts[frontier.Done], receipt)
			}
			b.ReportMetric(float64(benchPages*b.N)/b.Elapsed().Seconds(), "pages/s")
		})
	}
}

// BenchmarkMinimal is what a crawler costs that keeps nothing but a set of URLs.
func BenchmarkMinimal(b *testing.B) {
	root := bigSite(b, benchPages)
	for b.Loop() {
		m := minimal{seen: map[string]bool{}, queue: make(chan string, 2*benchPages)}
		m.client.Transport = &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}
		m.add(root + "/page/0")
		for range 64 {
			go m.work()
		}
		m.pending.Wait()
		close(m.queue)
		require.Len(b, m.seen, benchPages)
		m.client.CloseIdleConnections()
	}
	b.ReportMetric(float64(benchPages*b.N)/b.Elapsed().Seconds(), "pages/s")
}

type minimal struct {
	client  http.Client
	queue   chan string
	pending sync.WaitGroup

	mu   sync.Mutex
	seen map[string]bool
}

func (m *minimal) add(u string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.seen[u] {
		m.seen[u] = true
		m.pending.Add(1)
		m.queue <- u
	}
}

func (m *minimal) work() {
	for u := range m.queue {
		m.visit(u)
		m.pending.Done()
	}
}

func (m *minimal) visit(u string) {
	response, err := m.client.Get(u)
	if err != nil {
		return
	}
	defer response.Body.Close()
	base, _ := url.Parse(u)
	tokens := html.NewTokenizer(response.Body)
	for kind := tokens.Next(); kind != html.ErrorToken; kind = tokens.Next() {
		if name, more := tokens.TagName(); kind == html.StartTagToken && string(name) == "a" && more {
			for more {
				var key, value []byte
				if key, value, more = tokens.TagAttr(); string(key) == "href" {
					if to, err := base.Parse(string(value)); err == nil {
						m.add(to.String())
					}
				}
			}
		}
	}
}

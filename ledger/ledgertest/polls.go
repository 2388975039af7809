package ledgertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"github.com/stretchr/testify/require"
)

// The bounds of one poll.
const (
	answerBytes = 4 << 10  // of JSON
	readBytes   = 64 << 10 // of what was read for it
)

// pollPages is how many pages the crawl of row 2 has, and so how often it is
// polled.
const pollPages = 60

// polls is row 2: each page of the web polls the crawl that asks for it, while
// others add results.
func polls(t *trial, open OpenCrawl) {
	c, wire := t.crawl(open)
	w := t.web("-- http://a.test/robots.txt --\n")
	p := poller{t: t, c: c, wire: wire, answers: map[string]bool{}}
	require.NoError(t, w.Handle("http://a.test/*", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		p.poll()
		if r.URL.Path == "/" {
			fmt.Fprint(rw, links(pollPages-1, "/%d"))
		}
	})), "web")
	require.NoError(t, c.Run(t.ctx, w.plan("http://a.test/")), "crawl")
	p.mu.Lock()
	defer p.mu.Unlock()
	require.Empty(t, p.faults, "polls of a running crawl")
	require.Equal(t, pollPages, p.polls, "polls")
	require.Greater(t, len(p.answers), 2, "different answers to %d polls of a crawl that goes on", p.polls)
}

// A poller polls once at a time.
type poller struct {
	t    *trial
	c    Crawl
	wire *Wire

	mu      sync.Mutex
	polls   int
	answers map[string]bool
	faults  []string
}

func (p *poller) poll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wire.Take()
	answer, err := p.c.Poll(p.t.ctx)
	spent := p.wire.Take()
	p.polls++
	fault := func(wrong bool, format string, args ...any) {
		if wrong && len(p.faults) < 10 {
			p.faults = append(p.faults, fmt.Sprintf("poll %d: ", p.polls)+fmt.Sprintf(format, args...))
		}
	}
	fault(err != nil, "%v", err)
	text, err := json.Marshal(answer)
	fault(err != nil, "the answer is no JSON: %v", err)
	p.answers[string(text)] = true
	fault(len(text) > answerBytes, "an answer of %d bytes, at most %d are bounded", len(text), answerBytes)
	fault(spent.Requests > 1 && p.polls > 1, "%d requests, not one", spent.Requests)
	fault(spent.Results > 0, "%d rows of results were read", spent.Results)
	fault(spent.Bytes > readBytes, "%d bytes were read, at most %d are bounded", spent.Bytes, readBytes)
}

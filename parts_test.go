//go:build unix

package weir_test

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir"
	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/fetch/fetchtest"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/render"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
	"github.com/weircrawl/weir/storage/sinktest"
	"github.com/weircrawl/weir/storage/storetest"
	"github.com/weircrawl/weir/urlnorm"
)

// partsWeb ends URLs in every way that does not depend on chance. No two
// requests fall due together: the order of results is part of the receipt.
const partsWeb = `
-- http://a.test/robots.txt --
User-agent: *
Disallow: /private
-- http://a.test/ --
<title>home</title><script src="/app.js"></script>
<a href="/one#x">1</a> <a href="one">again</a> <a href="./two?q=1&amp;r=2">2</a> <a href="/private">p</a> <a href="mailto:a@a.test">m</a>
<a href="http://b.test/">off</a> <a href="/old">old</a> <a href="/gone">g</a> <a href="/broken">b</a> <a href="/long">l</a> <img src="/x.png">
<a href="/nofollow" rel="nofollow">n</a> <a href="http://A.test:80/one">1</a> <a href="/round">r</a>
-- http://a.test/app.js --
document.title = "home"
-- http://a.test/one --
<title>one</title><a href="/deep/1">d</a> <a href="/">home</a>
-- http://a.test/two?q=1&r=2 --
<title>two</title>
-- http://a.test/deep/1 --
<title>deep</title><a href="/deep/2">d</a>
-- http://a.test/deep/2 --
<a href="/deep/3">d</a>
-- http://a.test/old --
HTTP 301
Location: http://www.a.test/new
-- http://www.a.test/robots.txt --
! delay 1300ms

User-agent: *
-- http://www.a.test/new --
<title>new</title>
-- http://a.test/gone --
HTTP 410
-- http://a.test/broken --
HTTP 500
-- http://a.test/round --
HTTP 302
Location: /round
-- http://a.test/long --
! repeat 500

<p>long
`

func TestFivePartsOfOnesOwnGiveTheSameReceipt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := memory.New()
		standard := weir.Config{Store: mem, Artifacts: mem}
		want, wantResults := crawlParts(t, standard)
		require.Equal(t, ledger.CompleteWithFailures, want.Verdict, want)
		require.Len(t, want.Reasons, 7, "the web has an end of every kind: %v", want.Reasons)

		store, err := openOwn("")
		require.NoError(t, err)
		sink, normalizer, policy, browser := &ownSink{disk: &ownDisk{}}, &ownNormalizer{}, &ownPolicy{}, &ownRenderer{}
		got, gotResults := crawlParts(t, weir.Config{Store: store, Artifacts: sink, Normalizer: normalizer, Policy: policy, Renderer: browser,
			Render: func(p *weir.Page) bool { return p.MediaType == "text/html" }})
		assert.Equal(t, want, got)
		assert.Equal(t, wantResults, gotResults)

		assert.NotZero(t, normalizer.calls.Load(), "the normalizer")
		assert.NotZero(t, policy.calls.Load(), "the policy")
		assert.EqualValues(t, 7, browser.pages.Load(), "pages are shown by the renderer")
		assert.EqualValues(t, 1, browser.scripts.Load(), "which loads what belongs to them")
		assert.NotEmpty(t, store.spaces, "the store")
		assert.Positive(t, sink.disk.synced, "the sink")
		assert.Len(t, sink.disk.bytes, sink.disk.synced, "whose bytes are durable before the last commit")
		assert.NoError(t, errors.Join(store.Close(), sink.Close()), "what Config brings stays open")
	})
}

// crawlParts crawls the web under cfg, and returns the receipt without its times,
// its sequence and the sums of contents, which have times and places in them; and
// what became of each URL.
func crawlParts(t *testing.T, cfg weir.Config) (ledger.Receipt, []string) {
	web, err := fetchtest.Parse("parts", []byte(partsWeb))
	require.NoError(t, err)
	cfg.UserAgent, cfg.Workers, cfg.Fetch.Transport = "weirtest/1.0", 2, web
	cfg.Budget = weir.Budget{Depth: 3, Attempts: 1, Response: 1000}
	cfg.Scope = frontier.Scope{Sites: []string{"a.test"}}
	cfg.OnPage = func(_ context.Context, p *weir.Page) error { return p.Emit("title", p.Doc().Find("title").Text()) }
	receipt, err := weir.Run(t.Context(), cfg, "http://a.test/")
	require.NoError(t, err)
	receipt.Began, receipt.Ended, receipt.Frozen, receipt.Used.Wall, receipt.Sequence = time.Time{}, time.Time{}, time.Time{}, 0, 0
	receipt.Bytes, receipt.Digest, receipt.Pages, receipt.Seal = 0, "", nil, ""
	reader, err := frontier.NewReader(t.Context(), cfg.Store, "")
	require.NoError(t, err)
	if cfg.Normalizer != nil {
		reader.Normalizer = cfg.Normalizer
	}
	require.NoError(t, reader.Check(t.Context()))
	require.NoError(t, reader.Replay(t.Context()))
	return receipt, outcomes(t, reader, cfg.Artifacts)
}

func outcomes(t *testing.T, reader *frontier.Reader, sink storage.ArtifactSink) (list []string) {
	for r, err := range reader.Results(t.Context(), 0) {
		require.NoError(t, err)
		if r.Evidence.Artifact != (storage.Ref{}) {
			a, err := sink.Open(t.Context(), r.Evidence.Artifact)
			require.NoError(t, err, r.URL)
			require.Equal(t, r.Evidence.Digest, storage.Sum(a.Body), r.URL)
		}
		list = append(list, fmt.Sprintf("%s {%s} %s %s %s", r.State, r.Reason, r.URL, r.Evidence.Digest, r.Records))
	}
	return list
}

func TestOnesOwnStoreIsAStore(t *testing.T) {
	storetest.Run(t, func(dir string) (storage.Store, error) { return openOwn(dir + "/store") })
}

func TestOnesOwnSinkIsASink(t *testing.T) {
	disks := map[string]*ownDisk{}
	sinktest.Run(t, func(dir string) (storage.ArtifactSink, error) {
		if disks[dir] == nil {
			disks[dir] = &ownDisk{}
		}
		return &ownSink{disk: disks[dir]}, nil
	})
}

// ownSink is an ArtifactSink of this test: one segment that grows.
type ownSink struct {
	mu     sync.Mutex
	closed bool
	disk   *ownDisk
}

// ownDisk is what outlives a sink.
type ownDisk struct {
	bytes  []byte
	synced int // so many are durable
}

func (s *ownSink) Append(ctx context.Context, a storage.Artifact) (storage.Ref, error) {
	var text bytes.Buffer
	if err := gob.NewEncoder(&text).Encode(a); err != nil {
		return storage.Ref{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return storage.Ref{}, err
	}
	ref := storage.Ref{Segment: "own", Offset: int64(len(s.disk.bytes)), Length: int64(text.Len()), Digest: storage.Sum(a.Body)}
	s.disk.bytes = append(s.disk.bytes, text.Bytes()...)
	return ref, nil
}

func (s *ownSink) Open(ctx context.Context, r storage.Ref) (a storage.Artifact, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return a, err
	}
	size := int64(len(s.disk.bytes))
	if r.Segment != "own" || r.Offset < 0 || r.Length < 0 || r.Offset > size || r.Length > size-r.Offset {
		return a, fmt.Errorf("%w: nothing at %+v", storage.ErrCorrupt, r)
	}
	err = gob.NewDecoder(bytes.NewReader(s.disk.bytes[r.Offset : r.Offset+r.Length])).Decode(&a)
	if err != nil || storage.Sum(a.Body) != r.Digest {
		return storage.Artifact{}, fmt.Errorf("%w: another artifact at %+v (%w)", storage.ErrCorrupt, r, err)
	}
	return a, nil
}

func (s *ownSink) Sync(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	s.disk.synced = len(s.disk.bytes)
	return nil
}

func (s *ownSink) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.disk.synced = true, len(s.disk.bytes)
	return nil
}

func (s *ownSink) usable(ctx context.Context) error {
	if s.closed {
		return storage.ErrClosed
	}
	return ctx.Err()
}

// ownNormalizer is net/url: enough for a web that is plain.
type ownNormalizer struct{ calls atomic.Int64 }

func (n *ownNormalizer) Normalize(base *urlnorm.URL, ref string) (urlnorm.URL, error) {
	n.calls.Add(1)
	from := &url.URL{}
	if base != nil {
		from, _ = url.Parse(base.Request) // it was made below
	}
	u, err := from.Parse(ref)
	switch {
	case err != nil:
		return urlnorm.URL{}, urlnorm.Malformed
	case u.Scheme != "http" && u.Scheme != "https":
		return urlnorm.URL{}, urlnorm.UnsupportedScheme
	}
	u.Fragment, u.Host = "", strings.TrimSuffix(strings.ToLower(u.Host), ":80")
	if u.Path == "" {
		u.Path = "/"
	}
	return urlnorm.URL{Observed: ref, Request: u.String(), Origin: urlnorm.Origin(u.Scheme + "://" + u.Host),
		Key: urlnorm.Key{Version: "own/1", Text: u.String()}}, nil
}

// ownPolicy asks for what the default policy asks for, under another name.
type ownPolicy struct{ calls atomic.Int64 }

func (p *ownPolicy) Policy(urlnorm.Origin) frontier.Policy {
	p.calls.Add(1)
	return frontier.Policy{Version: "own/1", Delay: time.Second}
}

// ownRenderer is a browser without a screen: it loads scripts, and runs none.
type ownRenderer struct{ pages, scripts atomic.Int64 }

func (b *ownRenderer) Render(ctx context.Context, r render.Request) (render.Result, error) {
	response := r.Fetch(ctx, fetch.Request{URL: r.URL})
	if response.Err != nil {
		return render.Result{}, response.Err
	}
	b.pages.Add(1)
	result := render.Result{Document: bytes.Clone(response.Body), Status: response.Status, Header: response.Header, Quiet: true}
	for _, part := range strings.Split(string(response.Body), `src="`)[1:] {
		ref, _, _ := strings.Cut(part, `"`)
		if script, err := url.JoinPath(r.URL, ref); err == nil && strings.HasSuffix(ref, ".js") {
			if r.Fetch(ctx, fetch.Request{URL: script}).Status == 200 {
				b.scripts.Add(1)
			}
		}
	}
	return result, nil
}

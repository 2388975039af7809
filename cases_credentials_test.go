package weir

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
)

// Cases S of cases/faults.md: cookies and credentials.

// door admits those who have the cookie s.
func door(rw http.ResponseWriter, r *http.Request) {
	if _, err := r.Cookie("s"); err != nil {
		rw.WriteHeader(http.StatusForbidden)
		return
	}
	fmt.Fprint(rw, "inside")
}

func TestSS1CookiesOfARedirectAreSentAlongItsChain(t *testing.T) {
	for name, site := range map[string]string{
		"one hop":       "-- http://a.test/start --\nHTTP 302\nLocation: /check\nSet-Cookie: s=1\n",
		"three hops":    "-- http://a.test/start --\nHTTP 302\nLocation: /2\nSet-Cookie: s=1\n-- http://a.test/2 --\nHTTP 302\nLocation: /3\n-- http://a.test/3 --\nHTTP 302\nLocation: /check\n",
		"on the middle": "-- http://a.test/start --\nHTTP 302\nLocation: /2\n-- http://a.test/2 --\nHTTP 302\nLocation: /3\nSet-Cookie: s=1; Path=/\n-- http://a.test/3 --\nHTTP 302\nLocation: /check\n",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, jar := range []*fetch.Jar{fetch.NewJar(), nil} {
					w := web(t, site)
					require.NoError(t, w.Handle("http://a.test/check", http.HandlerFunc(door)))
					c := crawlWeb(t, w, func(cfg *Config) {
						if jar != nil {
							cfg.Fetch.Cookies = jar
						}
					}, "http://a.test/start")
					want := "done {fetched} http://a.test/check"
					if jar == nil {
						want = "refused {denied} http://a.test/check" // without a jar no cookie is kept
					}
					assert.Contains(t, c.ends(), want)
				}
			})
		})
	}
}

func TestSS2AttributesOfCookiesAreNotSentBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, "-- http://a.test/ --\nHTTP 200\nSet-Cookie: a=1; Path=/; Domain=a.test; HttpOnly\nSet-Cookie: b=2\n\n<a href=/next>n</a>\n-- http://a.test/next --\nnext",
			func(cfg *Config) { cfg.Fetch.Cookies = fetch.NewJar() }, "http://a.test/")
		last := c.web.Log()[2]
		assert.Equal(t, "http://a.test/next", last.URL)
		assert.Equal(t, []string{"a=1; b=2"}, last.Header["Cookie"])
	})
}

func TestSS3CredentialsInURLsAreKeptNowhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := web(t, `-- http://a.test/ --
<a href="http://user:s3cr3t@a.test/in">1</a> <a href="//user:s3cr3t@a.test/in">2</a> <img src="http://user:s3cr3t@a.test/i.png"> <a href=/go>go</a> <a href=/ok>ok</a>
-- http://a.test/go --
HTTP 302
Location: http://user:s3cr3t@a.test/in
-- http://a.test/ok --
ok
`)
		var log bytes.Buffer
		kept := &witness{Store: memory.New()}
		cfg := over(w, kept.Store)
		cfg.Store = kept
		cfg.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		receipt, err := Run(t.Context(), cfg, "http://a.test/", "http://user:s3cr3t@a.test/seed")

		var refused *SeedError
		require.ErrorAs(t, err, &refused)
		require.Len(t, refused.Refused, 1)
		assert.EqualValues(t, "user_info", refused.Refused[0].Reason)
		assert.NotContains(t, err.Error(), "s3cr3t")
		assert.Contains(t, log.String(), "seeds refused")
		assert.NotContains(t, log.String(), "s3cr3t")
		assert.NotContains(t, receipt.String(), "s3cr3t")
		assert.NotEmpty(t, kept.written)
		assert.False(t, bytes.Contains(kept.written, []byte("s3cr3t")), "nor does it stand in any row")
		c := crawled{t, w, kept.Store, receipt}
		for _, e := range w.Log() {
			assert.NotContains(t, e.URL+fmt.Sprint(e.Header), "s3cr3t")
		}
		assert.Equal(t, []string{"done {fetched} http://a.test/", "done {fetched} http://a.test/ok", "done {redirected} http://a.test/go"}, c.ends())
		assert.Equal(t, "http://***@a.test/in", c.result("http://a.test/go").Target)
		assert.Equal(t, []frontier.Tally{{Decision: frontier.PolicyStop, Reason: "user_info", Count: 5, Example: "http://***@a.test/seed"}}, stops(receipt))
	})
}

// witness is a store that remembers all that was ever written to it.
type witness struct {
	*memory.Store
	written []byte
}

func (w *witness) Commit(ctx context.Context, f storage.Fence, ops []storage.Op) error {
	for _, op := range ops {
		w.written = append(append(w.written, op.Key...), op.Value...)
	}
	return w.Store.Commit(ctx, f, ops)
}

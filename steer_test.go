package weir

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/urlnorm"
)

// turning is a PolicySource that turns from one policy to another.
type turning struct {
	now atomic.Pointer[frontier.Policy]
}

func turningFrom(p frontier.Policy) *turning {
	s := &turning{}
	s.now.Store(&p)
	return s
}

func (s *turning) Policy(urlnorm.Origin) frontier.Policy { return *s.now.Load() }

const steered = `
-- http://a.test/robots.txt --
status: 200
content-type: text/plain

User-agent: *
Disallow: /robots/
-- http://a.test/ --
<a href="/robots/1">1</a> <a href="/private/1">2</a> <a href="/public/1">3</a> <a href="/public/2">4</a>
-- http://a.test/private/1 --
private
-- http://a.test/public/1 --
public
-- http://a.test/public/2 --
public
`

func TestNothingIsRequestedThatAPolicyForbidsOnceItHasTurned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		policy := turningFrom(frontier.Policy{Version: "first"})
		got := crawl(t, steered, func(cfg *Config) {
			cfg.Policy = policy
			cfg.Trace.Commit = func(s frontier.Summary) {
				if s.States[frontier.Done] == 1 {
					policy.now.Store(&frontier.Policy{Version: "second", Disallow: []string{"/private/"}})
				}
			}
		}, "http://a.test/")
		assert.Zero(t, got.hits("http://a.test/private/1"))
		assert.Equal(t, 1, got.hits("http://a.test/public/2"))
		assert.Contains(t, strings.Join(got.ends(), "\n"), "refused {disallowed: /private/} http://a.test/private/1")

		cfg := over(got.web, got.mem)
		cfg.Policy = policy
		c, err := New(cfg)
		require.NoError(t, err)
		defer c.Close()
		e, err := c.Explain(context.Background(), "http://a.test/private/1")
		require.NoError(t, err)
		assert.True(t, e.Robots.Allowed, "the protocol's answer")
		assert.Equal(t, "disallowed: /private/", e.Policy.String(), "and the operator's, beside it")
		assert.Contains(t, e.String(), "second: disallowed: /private/")
		e, err = c.Explain(context.Background(), "http://a.test/robots/1")
		require.NoError(t, err)
		assert.False(t, e.Robots.Allowed)
		assert.Equal(t, "allowed", e.Policy.String())
	})
}

func TestAnOriginThatIsPausedInARunStopsItAndGoesOnLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		policy := turningFrom(frontier.Policy{})
		got := crawl(t, steered, func(cfg *Config) {
			cfg.Policy = policy
			cfg.OnPage = func(context.Context, *Page) error {
				policy.now.Store(&frontier.Policy{Paused: "night"})
				return nil
			}
		}, "http://a.test/")
		assert.Equal(t, 2, len(got.web.Log()), "robots.txt and one page")
		assert.Equal(t, frontier.Stopped, got.receipt.Phase)
		policy.now.Store(&frontier.Policy{})
		cfg := over(got.web, got.mem)
		cfg.Policy = policy
		receipt, err := Run(t.Context(), cfg)
		require.NoError(t, err)
		assert.Equal(t, frontier.Finished, receipt.Phase)
		assert.Equal(t, 1, got.hits("http://a.test/public/2"))
	})
}

package frontier

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage/memory"
)

// TestARequestSaysWhatItHasWaitedFor settles one URL of an origin, and looks at the
// lease of the next.
func TestARequestSaysWhatItHasWaitedFor(t *testing.T) {
	good := func(l Lease) Completion { return l.Fetched(Evidence{Status: 200}) }
	for _, c := range []struct {
		name   string
		policy Policy
		gate   time.Duration // Crawl-delay
		settle []func(l Lease) Completion
		wait   time.Duration // from the last request to Due
		why    Reason
	}{
		{"nothing", Policy{Delay: -1}, 0, nil, 0, ""},
		{"the operator's delay", Policy{Delay: 2 * time.Second}, 0, []func(Lease) Completion{good}, 2 * time.Second, ReasonDelay},
		{"the site's", Policy{Delay: 2 * time.Second}, 5 * time.Second, []func(Lease) Completion{good}, 5 * time.Second, ReasonCrawlDelay},
		{"what the origin has asked for", Policy{Delay: 2 * time.Second}, 0, []func(Lease) Completion{
			func(l Lease) Completion { return l.Busy("busy", 9*time.Second, Evidence{Status: 429}) },
		}, 9 * time.Second, "busy"},
		{"an origin that was slowed", Policy{Delay: 2 * time.Second}, 0, []func(Lease) Completion{
			func(l Lease) Completion { return l.Busy("busy", 9*time.Second, Evidence{Status: 429}) },
			func(l Lease) Completion { return l.Refused("login", Evidence{Status: 401}) },
		}, 4 * time.Second, ReasonSlowed},
		{"the URL's own retry", Policy{Delay: 2 * time.Second}, 0, []func(Lease) Completion{
			func(l Lease) Completion { return l.Retry("content", 30*time.Second, Evidence{Status: 200}) },
		}, 30 * time.Second, "content"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				f := open(t, memory.New(), func(cfg *Config) { cfg.Policy, cfg.Gates = c.policy, c.gate > 0 })
				if seed(t, f, "http://a.test/1"); c.why != "content" { // its only URL is the one that waits
					seed(t, f, "http://a.test/2", "http://a.test/3")
				}
				if c.gate > 0 {
					complete(t, f, one(t, f).Open(nil, time.Now().Add(time.Hour), c.gate, Evidence{Status: 200}))
				}
				sent := time.Time{}
				for _, settle := range c.settle {
					l := one(t, f)
					sent = time.Now()
					require.NoError(t, f.Sent(l, sent))
					complete(t, f, settle(l))
				}
				l := one(t, f)
				assert.Equal(t, c.why, l.Why)
				if c.wait == 0 {
					assert.Zero(t, l.Due)
					return
				}
				assert.Equal(t, c.wait, l.Due.Sub(sent).Round(time.Millisecond))
				assert.Equal(t, c.wait, time.Since(sent).Round(time.Millisecond), "and it did wait so long")
			})
		})
	}
}

// TestASlowedOriginIsSlowedAfterAReopening: neither its rest nor its pace is
// forgotten.
func TestASlowedOriginIsSlowedAfterAReopening(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store, policy := memory.New(), func(c *Config) { c.Policy = Policy{Delay: 2 * time.Second, Concurrency: 4} }
		f := openRaw(t, store, policy)
		seed(t, f, "http://a.test/1", "http://a.test/2", "http://a.test/3", "http://a.test/4")
		began := time.Now()
		complete(t, f, one(t, f).Busy("busy", 20*time.Second, Evidence{Status: 503}))
		require.NoError(t, f.Close())
		f = open(t, store, policy)
		l := one(t, f)
		assert.Equal(t, 20*time.Second, time.Since(began).Round(time.Millisecond))
		assert.Equal(t, Reason("busy"), l.Why)
		assert.Equal(t, 4*time.Second, l.Delay, "half the rate")
		at := time.Now()
		require.NoError(t, f.Sent(l, at))
		one(t, f)
		assert.Equal(t, 4*time.Second, time.Since(at).Round(time.Millisecond))
		leases, err := f.Admin("ann").Origins(t.Context(), 1)
		require.NoError(t, err)
		assert.Equal(t, 500, leases[0].Rate)
	})
}

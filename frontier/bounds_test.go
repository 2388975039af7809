package frontier

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage/memory"
	"github.com/weircrawl/weir/urlnorm"
)

func TestSeedsOfManyHostsAreAScopeOfAnySize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, s := t.Context(), memory.New()
		f := open(t, s, func(c *Config) { c.Budget.Origins, c.Budget.URLs = 15_000, 15_000 })
		var seeds []Reference
		for i := range 12_000 {
			seeds = append(seeds, refs(fmt.Sprintf("http://a-rather-long-name-of-a-host-%d.test/", i))...)
		}
		got, err := f.Enqueue(ctx, Seed, seeds...)
		require.NoError(t, err)
		require.Equal(t, 12_000, got.Accepted)
		require.EqualValues(t, 12_000, f.Summary().Hosts)
		require.Len(t, f.Summary().Scope.Hosts, maxJoined)

		require.NoError(t, f.Close())
		again := open(t, s)
		got, err = again.Enqueue(ctx, Link, refs("http://a-rather-long-name-of-a-host-17.test/x", "http://other.test/")...)
		require.NoError(t, err)
		require.Equal(t, 1, got.Accepted)
		require.Equal(t, ReasonScope, got.Others[0].Reason)
	})
}

func TestWhatASiteWritesFitsIntoARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		f := open(t, memory.New())
		_, err := f.Enqueue(ctx, Seed, refs("http://a.test/")...)
		require.NoError(t, err)
		long := strings.Repeat("x", 1<<20)
		for _, settle := range []func(l Lease, e Evidence) Completion{
			func(l Lease, e Evidence) Completion { return l.HandlerFailed(e) },
			func(l Lease, e Evidence) Completion { return l.Redirected("/"+long, e) },
		} {
			leases, err := f.Lease(ctx, 1)
			require.NoError(t, err)
			c := settle(leases[0], Evidence{Status: 200, ETag: long, LastModified: long, Parser: long, Truncated: long, Detail: long})
			c.References = []Reference{{Observed: long, Base: long, Rule: long, Refused: Reason(long)}}
			_, err = f.Complete(ctx, c)
			require.NoError(t, err)
		}
		require.EqualValues(t, 1, f.Summary().States[Done])
	})
}

// wide is a Normalizer whose answers are beyond every bound.
type wide struct{ urlnorm.Standard }

func (w wide) Normalize(base *urlnorm.URL, ref string) (urlnorm.URL, error) {
	u, err := w.Standard.Normalize(base, ref)
	u.Key.Version = strings.Repeat("v", 1<<20)
	return u, err
}

func TestNormalizerThatAnswersTooMuchIsARejection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t, memory.New(), func(c *Config) { c.Normalizer = wide{} })
		got, err := f.Enqueue(t.Context(), Seed, refs("http://a.test/")...)
		require.NoError(t, err)
		require.Equal(t, Reason(urlnorm.TooLong), got.Others[0].Reason)
	})
}

// rude is a PolicySource that panics once it is told to.
type rude struct{ panics *bool }

func (r rude) Policy(urlnorm.Origin) Policy {
	if *r.panics {
		panic("no policy today")
	}
	return Policy{Delay: -1}
}

func TestPanicEndsTheWriterAndNotTheProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, s := t.Context(), memory.New()
		panics := false
		f, err := Open(ctx, Config{Store: s, Policy: rude{&panics}})
		require.NoError(t, err)
		_, err = f.Enqueue(ctx, Seed, refs("http://a.test/")...)
		require.NoError(t, err)
		panics = true
		_, err = f.Lease(ctx, 1)
		require.ErrorIs(t, err, ErrInternal)
		require.ErrorContains(t, err, "no policy today")
		require.NoError(t, f.Close())

		leases, err := open(t, s).Lease(ctx, 1)
		require.NoError(t, err)
		require.Equal(t, "http://a.test/", leases[0].URL)
	})
}

func TestScopeTooLargeForARowIsRefused(t *testing.T) {
	var hosts []string
	for i := range 10_000 {
		hosts = append(hosts, fmt.Sprintf("host-%d.test", i))
	}
	_, err := Open(t.Context(), Config{Store: memory.New(), Scope: Scope{Hosts: hosts}})
	require.ErrorContains(t, err, "name Sites")
}

func TestRedirectsInACircleEndByTheirBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		f := open(t, memory.New())
		_, err := f.Enqueue(ctx, Seed, refs("http://a.test/a")...)
		require.NoError(t, err)
		requests := 0
		for {
			leases, err := f.Lease(ctx, 1)
			if errors.Is(err, ErrDone) {
				break
			}
			require.NoError(t, err)
			requests++
			require.LessOrEqual(t, requests, 20)
			target := map[string]string{"http://a.test/a": "/b", "http://a.test/b": "/c", "http://a.test/c": "/a"}[leases[0].URL]
			_, err = f.Complete(ctx, leases[0].Redirected(target, Evidence{Status: 302}))
			require.NoError(t, err)
		}
		require.Equal(t, 11, requests)
		s := f.Summary()
		require.EqualValues(t, 1, s.States[Failed])
		require.EqualValues(t, 1, s.Slots)
	})
}

func TestCrawlDelayCountsFromTheGatesOwnRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		f := open(t, memory.New(), func(c *Config) { c.Gates = true })
		_, err := f.Enqueue(ctx, Seed, refs("http://a.test/a", "http://a.test/b")...)
		require.NoError(t, err)
		began, at := time.Now(), []time.Duration{}
		for range 3 {
			leases, err := f.Lease(ctx, 1)
			require.NoError(t, err)
			at = append(at, time.Since(began))
			require.NoError(t, f.Sent(leases[0], time.Now()))
			c := page(leases[0])
			if leases[0].Gate {
				c = leases[0].Open(nil, time.Now().Add(time.Hour), 5*time.Second, Evidence{Status: 200})
			}
			_, err = f.Complete(ctx, c)
			require.NoError(t, err)
		}
		require.Equal(t, []time.Duration{0, 5 * time.Second, 10 * time.Second}, at)
	})
}

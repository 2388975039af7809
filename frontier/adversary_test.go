package frontier

import (
	"context"
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/internal/faults"
	"github.com/weircrawl/weir/storage/memory"
	"github.com/weircrawl/weir/urlnorm"
)

// Many workers that wait, and then work for all of them: one lease row.
func TestManyWorkersAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, err := Open(context.Background(), Config{Store: memory.New(), Policy: Policy{Delay: -1, Concurrency: 100_000}})
		require.NoError(t, err)
		defer f.Close()
		// one URL that stays leased, so that the run is not over
		seed(t, f, "http://a.test/")
		one(t, f)
		errs := make(chan error, 64)
		for range 64 {
			go func() {
				_, err := f.Lease(context.Background(), 100)
				errs <- err
			}()
		}
		synctest.Wait()
		var urls []string
		for i := range 8000 {
			urls = append(urls, fmt.Sprintf("http://a.test/%d", i))
		}
		_, err = f.Enqueue(t.Context(), Seed, refs(urls...)...)
		require.NoError(t, err)
		for range 64 {
			require.NoError(t, <-errs)
		}
	})
}

func TestExcludeIsNotPassedByEscapes(t *testing.T) {
	f := open(t, memory.New(), func(c *Config) { c.Scope = Scope{Hosts: []string{"a.test"}, Exclude: []string{"/private"}} })
	e, err := f.Enqueue(t.Context(), Seed, refs("http://a.test/%70rivate/x", "http://a.test/")...)
	require.NoError(t, err)
	require.Equal(t, 1, e.Accepted, "%v", e)
}

func TestOneBlipIsOneIncident(t *testing.T) {
	f := open(t, memory.New(), func(c *Config) { c.Policy = Policy{Delay: -1, Concurrency: 16} })
	seed(t, f, numbered(16)...)
	ls, err := f.Lease(t.Context(), 16)
	require.NoError(t, err)
	var cs []Completion
	for _, l := range ls {
		cs = append(cs, l.Busy("throttled", time.Second, Evidence{Status: 503}))
	}
	_, err = f.CompleteAll(t.Context(), cs)
	require.NoError(t, err)
	_, err = f.Lease(t.Context(), 1)
	require.NoError(t, err, "one second of 503 has paused the origin until the next run")
}

// active time over commits that fail
func TestActiveTimeOverFailedCommits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShaky(memory.New())
		f := open(t, s)
		seed(t, f, "http://a.test/")
		began := time.Now()
		for range 100 {
			time.Sleep(9 * time.Second)
			s.on(once(faults.BeforeCommit, errBroken))
			_, err := f.Enqueue(context.Background(), Seed, refs("http://a.test/")...)
			require.NoError(t, err)
		}
		require.InDelta(t, time.Since(began).Seconds(), f.Summary().Active.Seconds(), 60)
	})
}

// releases, then the answer to an accepted attempt is asked for again
func TestRedeliveryAfterManyReleases(t *testing.T) {
	f := open(t, memory.New())
	seed(t, f, "http://a.test/")
	first := one(t, f).Retry("x", time.Microsecond, Evidence{Status: 500})
	complete(t, f, first)
	for range 40 {
		complete(t, f, one(t, f).Release("context"))
	}
	a, err := f.Complete(t.Context(), first)
	require.NoError(t, err)
	require.Equal(t, Redelivered, a.Kind)
}

// seeds beyond the bound of origins
func TestHostsOfSeedsAreBounded(t *testing.T) {
	f := open(t, memory.New(), func(c *Config) { c.Budget.Origins = 1 })
	var urls []string
	for i := range 1000 {
		urls = append(urls, fmt.Sprintf("http://h%d.test/", i))
	}
	seed(t, f, urls...)
	require.LessOrEqual(t, f.Summary().Hosts, int64(1))
}

// a host of 253 bytes, as long as DNS allows
func longHost(under string) string {
	label := strings.Repeat("a", 61) + "."
	h := strings.Repeat(label, 4) + under
	for len(h) < 253 {
		h = "a" + h
	}
	return h[len(h)-253:]
}

func TestSeedRedirectsToALongHost(t *testing.T) {
	f := openRaw(t, memory.New())
	defer f.Close()
	seed(t, f, "http://a.com/")
	_, err := f.Complete(t.Context(), one(t, f).Redirected("http://"+longHost("a.com")+":8080/", Evidence{Status: 301}))
	require.NoError(t, err, "a hostile site ends the run")
}

func TestSeedWithALongHost(t *testing.T) {
	f := openRaw(t, memory.New())
	defer f.Close()
	e, err := f.Enqueue(t.Context(), Seed, refs("http://"+longHost("a.com")+"/")...)
	require.NoError(t, err)
	require.Equal(t, 1, e.Accepted, "%+v", e)
}

func TestNamesOfRuns(t *testing.T) {
	s := memory.New()
	for _, name := range []string{"3", "run-3", ""} {
		f := openRaw(t, s, func(c *Config) { c.Run = name })
		seed(t, f, "http://a.test/")
		drain(t, f, nil)
		require.NoError(t, f.Close())
	}
	r, err := NewReader(t.Context(), s, "run-3")
	require.NoError(t, err)
	sum, err := r.Summary(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 2, sum.Number, "the second run has lost its name")
}

// depth lowered while the URL waits after an earlier settled source
func TestRedirectMovesNoSecondSlot(t *testing.T) {
	f := open(t, memory.New(), func(c *Config) { c.Budget.URLs = 1 })
	seed(t, f, "http://a.test/0")
	n := 0
	hits := drain(t, f, func(l Lease) Completion {
		n++
		if strings.HasSuffix(l.URL, "/0") {
			return l.Redirected("/"+strings.Repeat("x", n), Evidence{Status: 302})
		}
		return l.Redirected("/0", Evidence{Status: 302})
	})
	t.Log(len(hits), f.Summary().Slots, f.Summary().Moved)
}

// an ended origin and a stored response
func TestStoredResponseOfAnEndedOrigin(t *testing.T) {
	f := open(t, memory.New(), func(c *Config) { c.Gates = true })
	_ = f
}

func randomURL(r *rand.Rand, i, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_"[r.Intn(64)]
	}
	return fmt.Sprintf("http://a.test/%d-%s", i, b)
}

func TestHugeSeeds(t *testing.T) {
	f := open(t, memory.New())
	r := rand.New(rand.NewSource(1))
	var urls []string
	for i := range 10_000 {
		urls = append(urls, randomURL(r, i, 2600))
	}
	_, err := f.Enqueue(t.Context(), Seed, refs(urls...)...)
	require.NoError(t, err)
}

// a gate that was lost ten times, ended, and may try again after an hour
func TestGateLossesAfterItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory.New()
		gates := func(c *Config) { c.Gates = true; c.Budget.Losses = 2; c.Budget.Wall = 1000 * time.Hour }
		f := open(t, s, gates, func(c *Config) { c.Scope.Hosts = []string{"a.test", "b.test"} })
		seed(t, f, "http://a.test/", "http://b.test/")
		for {
			l := one(t, f)
			if l.Origin == "http://b.test" {
				if l.Gate {
					complete(t, f, l.Open(nil, time.Now().Add(24*time.Hour), 0, Evidence{}))
				}
				continue
			}
			break
		}
		f = reopen(t, f, s, gates)
		_ = f
	})
}

// a leased URL whose depth is lowered before it redirects
func TestOriginOfReopenedIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory.New()
		f := open(t, s, func(c *Config) { c.Policy = Policy{Delay: time.Second, Concurrency: 1} })
		seed(t, f, "http://a.test/", "http://a.test/2", "http://a.test/3")
		// leased, never sent: the worker is gone; the others go on after its slot is free
		one(t, f)
		within(t, f, 3*time.Minute)
	})
}

func TestScopeEntriesThatCannotMatch(t *testing.T) {
	for _, c := range []struct {
		scope Scope
		url   string
	}{
		{Scope{Hosts: []string{"a.test:443"}}, "https://a.test/"},
		{Scope{Hosts: []string{"a.test:80"}}, "http://a.test/"},
		{Scope{Sites: []string{"a.test:8080"}}, "http://a.test:8080/"},
		{Scope{Hosts: []string{"bücher.test"}}, "http://bücher.test/"},
		{Scope{Prefixes: []string{"http://A.test/docs/"}}, "http://a.test/docs/"},
		{Scope{Prefixes: []string{"http://a.test:80/docs/"}}, "http://a.test:80/docs/"},
	} {
		u, err := urlnorm.Standard{}.Normalize(nil, c.url)
		require.NoError(t, err)
		assert.True(t, c.scope.Validate() != nil || c.scope.Takes(u), "%+v is valid and does not take %s", c.scope, c.url)
	}
}

func TestResponseRaisedBeyondBytes(t *testing.T) {
	s := memory.New()
	f := openRaw(t, s, func(c *Config) { c.Budget.Bytes = 20 * mib })
	require.NoError(t, f.Close())
	f, err := Open(t.Context(), Config{Store: s, Budget: Budget{Response: 50 * mib}})
	if err == nil {
		defer f.Close()
		b := f.Summary().Limit
		require.LessOrEqual(t, b.Response, b.Bytes, "nothing can ever be leased under this budget")
	}
}

// a gate that ended by losses begins anew an hour later
func TestGateLossesBeginAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory.New()
		set := func(c *Config) {
			c.Gates = true
			c.Budget.Losses, c.Budget.Wall = 3, 1000*time.Hour
			c.Scope.Hosts = []string{"a.test", "b.test"}
		}
		f := openRaw(t, s, set)
		seed(t, f, "http://b.test/")
		complete(t, f, one(t, f).Open(nil, time.Now().Add(24*time.Hour), 0, Evidence{}))
		keep := one(t, f) // so that the run is not over
		_ = keep
		seed(t, f, "http://a.test/")
		for i := 0; ; i++ {
			l := within(t, f, time.Hour)
			if l.Origin != "http://a.test" || !l.Gate {
				continue
			}
			require.NoError(t, f.Close())
			f = openRaw(t, s, set)
			o, err := (&tx{f: f, ctx: t.Context()}).loadOrigin(l.ID.Origin)
			require.NoError(t, err)
			if o.pace.gate.state == gateEnded {
				break
			}
			require.Less(t, i, 30)
		}
		time.Sleep(2 * time.Hour)
		seed(t, f, "http://a.test/again")
		synctest.Wait()
		o := f.origins[originID("http://a.test", 0)]
		require.NotNil(t, o)
		t.Log(o.pace.gate)
		require.Zero(t, o.pace.gate.losses, "the first loss ends the origin again")
		require.NoError(t, f.Close())
	})
}

// after an hour no backoff is kept.
func TestBackoffHoldsAfterAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t, memory.New(), func(c *Config) { c.Budget.Wall = 1000 * time.Hour })
		time.Sleep(2 * time.Hour)
		seed(t, f, "http://a.test/")
		l := one(t, f)
		complete(t, f, l.Retry("server_error", 10*time.Minute, Evidence{Status: 500}))
		nothing(t, f, 9*time.Minute)
	})
}

// handler second try, too
func TestHandlerBackoffHoldsAfterAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t, memory.New(), func(c *Config) { c.Budget.Wall = 1000 * time.Hour })
		time.Sleep(2 * time.Hour)
		seed(t, f, "http://a.test/")
		l := one(t, f)
		c := l.HandlerFailed(Evidence{Status: 200})
		c.After = 10 * time.Minute
		complete(t, f, c)
		nothing(t, f, 9*time.Minute)
	})
}

func TestOperatorsDelayHoldsOverReopen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory.New()
		slow := func(c *Config) { c.Policy = Policy{Delay: 3 * time.Hour}; c.Budget.Wall = 1000 * time.Hour }
		f := open(t, s, slow)
		seed(t, f, "http://a.test/", "http://a.test/2")
		l := one(t, f)
		require.NoError(t, f.Sent(l, time.Now()))
		complete(t, f, page(l))
		f = reopen(t, f, s, slow)
		seed(t, f, "http://a.test/3")
		nothing(t, f, 2*time.Hour)
	})
}

func TestLongURLPageWithShortLinks(t *testing.T) {
	s := memory.New()
	f := open(t, s)
	r := rand.New(rand.NewSource(1))
	b := make([]byte, 8000)
	for i := range b {
		b[i] = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_"[r.Intn(64)]
	}
	seed(t, f, "http://a.test/"+string(b))
	l := one(t, f)
	var links []string
	for i := range 5000 {
		links = append(links, fmt.Sprintf("?%d", i))
	}
	_, err := f.Complete(t.Context(), page(l, links...))
	require.NoError(t, err, "a page of a hostile site ends the run")
}

type folding struct{ urlnorm.Standard }

func (n folding) Normalize(base *urlnorm.URL, ref string) (urlnorm.URL, error) {
	u, err := n.Standard.Normalize(base, ref)
	u.Key.Version = "folding/1"
	u.Key.Text = strings.Replace(u.Key.Text, "://www.", "://", 1)
	return u, err
}

func TestRedirectToAnotherOriginOfTheSameKey(t *testing.T) {
	f := open(t, memory.New(), func(c *Config) {
		c.Normalizer = folding{}
		c.Scope.Hosts = []string{"a.test"}
	})
	seed(t, f, "http://a.test/")
	l := one(t, f)
	complete(t, f, l.Redirected("http://www.a.test/", Evidence{Status: 301}))
	ls, err := f.Lease(t.Context(), 1)
	if err == nil {
		require.False(t, strings.HasPrefix(ls[0].URL, "http://www.") && ls[0].Origin == "http://a.test", "a lease of origin %s requests %s", ls[0].Origin, ls[0].URL)
	}
}

func TestLongLocationIsNotCut(t *testing.T) {
	f := open(t, memory.New())
	seed(t, f, "http://a.test/")
	l := one(t, f)
	target := "http://a.test/" + strings.Repeat("a", 9000)
	complete(t, f, l.Redirected(target, Evidence{Status: 301}))
	ls, err := f.Lease(t.Context(), 1)
	if err == nil {
		t.Fatalf("a URL that nobody wrote is requested: %d bytes of %d", len(ls[0].URL), len(target))
	}
}

func TestRaiseLeavesNothingLimited(t *testing.T) {
	s := memory.New()
	f := open(t, s, func(c *Config) { c.Budget.URLs = 2 })
	seed(t, f, "http://a.test/1", "http://a.test/2")
	ls := lease(t, f, 1)
	for _, l := range ls {
		complete(t, f, page(l, "/x", "/x"))
	}
	f = reopen(t, f, s, func(c *Config) { c.Budget.URLs = 10 })
	drain(t, f, func(l Lease) Completion { return page(l, "/x") })
	sum := f.Summary()
	require.Equal(t, Finished, sum.Phase)
	require.EqualValues(t, 3, sum.Admitted())
	require.Zero(t, decidedAs(sum, LimitReached, ReasonURLs), "everything is crawled, and yet the receipt says that a reference was held back: %+v", sum.Decided)
}

func TestSeedStaysASeedWhenItIsOffered(t *testing.T) {
	s := memory.New()
	f := open(t, s, func(c *Config) { c.Budget.URLs = 1 })
	seed(t, f, "http://a.test/", "http://b.test/")
	f = reopen(t, f, s, func(c *Config) { c.Budget.URLs = 10 })
	for range 2 {
		l := one(t, f)
		if l.URL == "http://b.test/" {
			require.True(t, l.Seed, "a seed that was offered again is no seed any more")
		}
		complete(t, f, page(l))
	}
}

func TestLongRefusedReason(t *testing.T) {
	f := open(t, memory.New())
	b := make([]byte, 70_000)
	r := rand.New(rand.NewSource(1))
	for i := range b {
		b[i] = byte(33 + r.Intn(90))
	}
	_, err := f.Enqueue(t.Context(), Seed, Reference{Observed: "http://a.test/", Refused: Reason(b)})
	require.NoError(t, err)
}

func TestPriorityRaisedByItsOwnPage(t *testing.T) {
	f := open(t, memory.New())
	seed(t, f, "http://a.test/")
	l := one(t, f)
	c := l.Retry("x", time.Millisecond, Evidence{})
	c.References = []Reference{{Observed: "/", Priority: 1}}
	complete(t, f, c)
	for _, u := range f.rows {
		require.EqualValues(t, 0, u.class, "raised to 0 and lowered again")
	}
}

func TestPrefixScopeSurvivesASeedsRedirect(t *testing.T) {
	f := open(t, memory.New(), func(c *Config) { c.Scope.Prefixes = []string{"http://a.test/docs/"} })
	seed(t, f, "http://a.test/docs/")
	complete(t, f, one(t, f).Redirected("/en/docs/", Evidence{Status: 302}))
	hits := drain(t, f, func(l Lease) Completion { return page(l, "/shop/1") })
	require.NotContains(t, hits, "http://a.test/shop/1")
}

func TestRaisedBytesUnderASmallResponse(t *testing.T) {
	s := memory.New()
	f := open(t, s, func(c *Config) { c.Budget.Response, c.Budget.Bytes = 1*mib, 5*mib })
	require.NoError(t, f.Close())
	_, err := Open(context.Background(), Config{Store: s, Budget: Budget{Bytes: 8 * mib}})
	require.NoError(t, err)
}

// normalizer of another version
type other struct{ urlnorm.Standard }

func (n other) Normalize(base *urlnorm.URL, ref string) (urlnorm.URL, error) {
	u, err := n.Standard.Normalize(base, ref)
	u.Key.Version = "other/2"
	return u, err
}

func TestNormalizerChanged(t *testing.T) {
	s := memory.New()
	f := open(t, s)
	seed(t, f, "http://a.test/")
	require.NoError(t, f.Close())
	f, err := Open(context.Background(), Config{Store: s, Normalizer: other{}})
	if err != nil {
		return
	}
	defer f.Close()
	e, err := f.Enqueue(t.Context(), Seed, refs("http://a.test/")...)
	require.NoError(t, err)
	require.Zero(t, e.Accepted, "the same URL was admitted twice")
}

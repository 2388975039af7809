package frontier

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
	"github.com/weircrawl/weir/urlnorm"
)

// classed is the standard normalizer with one parameter of a.test classed.
func classed(param string, class urlnorm.Class) urlnorm.Normalizer {
	return urlnorm.Standard{Params: map[string]map[string]urlnorm.Class{"a.test": {param: class}}}
}

// ruled is the standard normalizer with rules for a.test.
func ruled(rules ...urlnorm.Rule) urlnorm.Normalizer {
	return urlnorm.Standard{Rules: map[string][]urlnorm.Rule{"a.test": rules}}
}

// renamed has the standard's keys under another version.
type renamed struct{ urlnorm.Standard }

func (r renamed) Normalize(base *urlnorm.URL, ref string) (urlnorm.URL, error) {
	u, err := r.Standard.Normalize(base, ref)
	u.Key.Version += "-renamed"
	return u, err
}

// rekey makes the run to out of from, and requires that it is done.
func rekey(t testing.TB, s storage.Store, from, to string, n urlnorm.Normalizer, change ...func(*Config)) Rekeyed {
	t.Helper()
	cfg := Config{Store: s, Run: to, Normalizer: n, Policy: Policy{Delay: -1, Concurrency: 1000}}
	for _, c := range change {
		c(&cfg)
	}
	done, err := Rekey(t.Context(), cfg, from, nil)
	require.NoError(t, err)
	require.True(t, done.Done)
	verify(t, s)
	return done
}

func under(n urlnorm.Normalizer) func(*Config) { return func(c *Config) { c.Normalizer = n } }

func named(run string) func(*Config) { return func(c *Config) { c.Run = run } }

// crawled is a store whose run "first" was crawled to its end.
func crawled(t *testing.T, site func(Lease) Completion, seeds []string, change ...func(*Config)) *memory.Store {
	t.Helper()
	s := memory.New()
	f := openRaw(t, s, append([]func(*Config){named("first")}, change...)...)
	seed(t, f, seeds...)
	drain(t, f, site)
	require.NoError(t, f.Close())
	return s
}

// goOn crawls a run to its end, and returns how often each URL was leased.
func goOn(t *testing.T, s storage.Store, run string, n urlnorm.Normalizer, site func(Lease) Completion, change ...func(*Config)) map[string]int {
	t.Helper()
	f := openRaw(t, s, append([]func(*Config){named(run), under(n)}, change...)...)
	hits := drain(t, f, site)
	require.NoError(t, f.Close())
	verify(t, s)
	return hits
}

// answers lists the results of a run: URL, how it ended, and whether it was
// carried over.
func answers(t testing.TB, s storage.Store, run string) map[string]string {
	t.Helper()
	r, err := NewReader(t.Context(), s, run)
	require.NoError(t, err)
	got := map[string]string{}
	for res, err := range r.Results(t.Context(), 0) {
		require.NoError(t, err)
		got[res.URL] = fmt.Sprintf("%s {%s}", res.State, res.Reason)
		if res.Carried != "" {
			got[res.URL] += " carried"
		}
	}
	return got
}

// decisions lists what became of the references of a run, in order.
func decisions(t testing.TB, s storage.Store, run string) (all []string) {
	t.Helper()
	r, err := NewReader(t.Context(), s, run)
	require.NoError(t, err)
	for a, err := range r.Admissions(t.Context()) {
		require.NoError(t, err)
		all = append(all, fmt.Sprintf("%s: %s %s {%s}", a.Source, a.Reference.Observed, a.Decision, a.Reason))
	}
	return all
}

func TestRekeyRefusesWhatCannotBeRight(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := crawled(t, nil, []string{"http://a.test/"})
		f := openRaw(t, s, named("second"))
		require.NoError(t, f.Stop(t.Context(), "empty"))
		require.NoError(t, f.Fail(t.Context(), "empty"))
		require.NoError(t, f.Close())
		n, before := classed("s", urlnorm.Tracking), texts(cells(t, s))
		try := func(from, to string, n urlnorm.Normalizer) error {
			_, err := Rekey(t.Context(), Config{Store: s, Run: to, Normalizer: n}, from, nil)
			return err
		}
		assert.ErrorIs(t, try("third", "", n), ErrNoRun)
		assert.ErrorIs(t, try("first", "third", urlnorm.Standard{}), ErrSameNormalizer)
		assert.ErrorIs(t, try("first", "third", nil), ErrSameNormalizer, "the default is the standard")
		assert.ErrorIs(t, try("first", "first", n), ErrRunExists)
		assert.ErrorIs(t, try("first", "second", n), ErrRunExists)
		assert.ErrorContains(t, try("second", "", n), "observed nothing")
		_, err := Rekey(t.Context(), Config{Run: strings.Repeat("x", 200)}, "first", nil)
		assert.ErrorContains(t, err, "Store is nil")
		assert.ErrorContains(t, err, "128 are allowed")
		assert.Equal(t, before, texts(cells(t, s)), "nothing was changed")

		f = openRaw(t, s, named("third"))
		seed(t, f, "http://a.test/")
		assert.ErrorIs(t, try("first", "fourth", n), storage.ErrHeld, "somebody crawls")
		require.NoError(t, f.Close())
		assert.ErrorIs(t, try("first", "fourth", n), ErrRunActive, "it would be lost")
		assert.NoError(t, try("third", "fourth", n), "but may be rekeyed itself")
		_, err = Open(t.Context(), Config{Store: s, Run: "third"})
		assert.ErrorIs(t, err, ErrRunFinished, "and is set aside")
		assert.ErrorIs(t, try("first", "", n), ErrRunActive, "the active run is made of another")
		assert.ErrorIs(t, try("third", "fifth", n), ErrRunActive, "or has another name")
		goOn(t, s, "fourth", n, nil)
		_, err = Open(t.Context(), Config{Store: s, Run: "third"})
		assert.ErrorIs(t, err, ErrRunFinished, "for good")
	})
}

func TestRekeyOfAHalfRekeyedRunIsRefused(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := halfCrawled(t)
		s.on(slowly)
		ctx, cancel := context.WithCancel(t.Context())
		_, err := Rekey(ctx, Config{Store: s, Run: "second", Normalizer: renamed{}}, "first", func(Rekeyed) { cancel() })
		require.Error(t, err)
		_, err = Rekey(t.Context(), Config{Store: s, Run: "third", Normalizer: classed("s", urlnorm.Tracking)}, "second", nil)
		assert.ErrorContains(t, err, "half rekeyed from \"first\"")
		_, err = Rekey(t.Context(), Config{Store: s, Run: "second", Normalizer: classed("s", urlnorm.Tracking)}, "first", nil)
		assert.ErrorIs(t, err, ErrNormalizerChanged, "it began with another")
		_, err = Open(t.Context(), Config{Store: s, Run: "second"})
		assert.ErrorIs(t, err, ErrNormalizerChanged)
	})
}

func TestARekeyThatIsDoneOnlyReturnsWhatItCameTo(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		n := classed("s", urlnorm.Tracking)
		s := crawled(t, linked(map[string][]string{"http://a.test/": {"/p?s=1", "/p?s=2"}}), []string{"http://a.test/"})
		done := rekey(t, s, "first", "second", n)
		before := texts(cells(t, s))
		assert.Equal(t, done, rekey(t, s, "first", "second", n))
		assert.Equal(t, done, rekey(t, s, "first", "", n), "without a name, while it is unfinished")
		assert.Equal(t, before, texts(cells(t, s)))
		assert.Empty(t, goOn(t, s, "second", n, nil))
		assert.Equal(t, done, rekey(t, s, "first", "second", n), "it is over")
		again := rekey(t, s, "first", "", n)
		assert.Equal(t, "3", again.Run, "without a name another begins")
		assert.Equal(t, done.Carried, again.Carried)
	})
}

// TestKeysThatStayOneToOneBringTheSameDecisions replays a run under keys that
// differ in their version alone, with bounds that hold much back.
func TestKeysThatStayOneToOneBringTheSameDecisions(t *testing.T) {
	rng := seeded(t)
	for range soak(100) {
		seed1, most, steps := rng.Uint64(), 3+rng.Int64N(30), rng.IntN(60)
		inBubble(t, func(t *testing.T) {
			s := memory.New()
			f := openRaw(t, s, named("first"), func(c *Config) { c.Budget.URLs, c.Budget.Depth, c.Budget.Redirects = most, 1000, 200 })
			w := &decorated{seed: seed1, rng: rng, hits: map[string]int{}}
			seed(t, f, "http://a.test/", "http://a.test/?s=1")
			w.crawl(t, f, steps/2)
			_, _ = f.Enqueue(t.Context(), Sitemap, refs("http://a.test/8", "http://b.test/8", "http://a.test/9?s=9")...)
			w.crawl(t, f, steps/2)
			require.NoError(t, f.Close())
			done := rekey(t, s, "first", "second", renamed{})
			assert.Equal(t, withoutOffers(decisions(t, s, "first")), withoutOffers(decisions(t, s, "second")), "seed %d", seed1)
			assert.Zero(t, done.Merged+done.Split+done.Spare)
			old, err := NewReader(t.Context(), s, "first")
			require.NoError(t, err)
			was, err := old.Summary(t.Context())
			require.NoError(t, err)
			assert.Equal(t, was.States[Done], done.Carried)
			assert.Equal(t, doneRows(t, s, 1), doneRows(t, s, 2), "seed %d", seed1)
		})
	}
}

// withoutOffers leaves out what is decided again: when that is done depends on what
// else the writer has to do.
func withoutOffers(decisions []string) []string {
	return slices.DeleteFunc(decisions, func(d string) bool { return strings.HasPrefix(d, "offer") })
}

// TestWhatWasBeyondThePageBoundIsCountedInEveryRun follows a page through runs that
// admit it, do not, and have an answer for it already.
func TestWhatWasBeyondThePageBoundIsCountedInEveryRun(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := crawled(t, linked(map[string][]string{"http://a.test/": {"/p?s=1", "/p?s=2"}, "http://a.test/p?s=2": {"/1", "/2", "/3", "/4"}}),
			[]string{"http://a.test/"}, func(c *Config) { c.Budget.References = 3 })
		beyond := func(run string) int64 {
			r, err := NewReader(t.Context(), s, run)
			require.NoError(t, err)
			sum, err := r.Summary(t.Context())
			require.NoError(t, err)
			return decidedAs(sum, LimitReached, ReasonReferences)
		}
		require.EqualValues(t, 1, beyond("first"))
		rekey(t, s, "first", "lost", renamed{}, func(c *Config) { c.Budget.URLs = 2 })
		assert.EqualValues(t, 1, beyond("lost"))
		tracked := classed("s", urlnorm.Tracking)
		assert.EqualValues(t, 0, rekey(t, s, "lost", "spare", tracked, func(c *Config) { c.Budget.URLs = 9 }).Spare, "it was not carried")
		assert.EqualValues(t, 1, beyond("spare"))
		goOn(t, s, "spare", tracked, nil)
		assert.EqualValues(t, 1, rekey(t, s, "first", "4", tracked).Spare)
		assert.EqualValues(t, 1, beyond("4"))
		rekey(t, s, "4", "5", renamed{})
		assert.EqualValues(t, 1, beyond("5"))
		assert.Equal(t, observed(t, s, "first"), observed(t, s, "5"))
	})
}

// doneRows lists what is kept of the URLs of a run that are done.
func doneRows(t *testing.T, s storage.Store, run byte) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, c := range cells(t, s) {
		if c.space != spaceURL || c.key[5] != run {
			continue
		}
		u, err := decodeURL(place{}, c.value)
		require.NoError(t, err)
		if u.state == Done {
			all[u.url] = fmt.Sprintf("%s class %d hop %d seed %v", u.reason, u.class, u.hop, u.seed)
		}
	}
	return all
}

// TestWhatOneCommitDecidedIsReplayedInItsOrder makes a completion and an Enqueue
// one commit, under a bound that the first exhausts.
func TestWhatOneCommitDecidedIsReplayedInItsOrder(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShaky(memory.New())
		f := openRaw(t, s, named("first"), func(c *Config) { c.Budget.URLs = 3 })
		seed(t, f, "http://a.test/")
		home := one(t, f)
		s.on(slowly)
		calls := []func(){
			func() { seed(t, f, "http://z.test/") }, // its commit takes a second
			func() { complete(t, f, page(home, "/1", "/2")) },
			func() { seed(t, f, "http://a.test/3") },
		}
		for _, call := range calls {
			go call()
			synctest.Wait()
		}
		time.Sleep(time.Minute)
		s.on(nil)
		require.NoError(t, f.Close())
		want := []string{"seed: http://a.test/ admitted {new}", "seed: http://z.test/ admitted {new}",
			"link: /1 admitted {new}", "link: /2 limit_reached {urls}", "seed: http://a.test/3 limit_reached {urls}"}
		require.Equal(t, want, decisions(t, s, "first"))
		rekey(t, s, "first", "second", renamed{})
		assert.Equal(t, want, decisions(t, s, "second"))
	})
}

// TestADepthThatIsLoweredIsLoweredOnceMore replays a page that was too deep until
// the page before it was found on a shorter path: what that offers again is decided
// before the page's own answer comes.
func TestADepthThatIsLoweredIsLoweredOnceMore(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := memory.New()
		site := linked(map[string][]string{"http://a.test/": {"/a"}, "http://a.test/a": {"/b"}, "http://a.test/b": {"/deep"}, "http://a.test/shorter": {"/b"}})
		f := openRaw(t, s, named("first"), func(c *Config) { c.Budget.Depth = 2 })
		seed(t, f, "http://a.test/", "http://a.test/shorter")
		leases := lease(t, f, 2)
		complete(t, f, site(leases["http://a.test/"]))
		complete(t, f, site(one(t, f)))
		complete(t, f, site(one(t, f)))
		complete(t, f, site(leases["http://a.test/shorter"]))
		complete(t, f, page(one(t, f), "/deeper"))
		done(t, f)
		require.NoError(t, f.Close())
		report := rekey(t, s, "first", "second", renamed{})
		assert.EqualValues(t, 5, report.Carried)
		assert.Equal(t, decisions(t, s, "first"), decisions(t, s, "second"))
		assert.Empty(t, goOn(t, s, "second", renamed{}, nil))
	})
}

func TestWhatWasOfferedAgainIsReplayedOnce(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := memory.New()
		f := openRaw(t, s, named("first"), func(c *Config) { c.Budget.URLs = 2 })
		seed(t, f, numbered(5)...)
		complete(t, f, page(one(t, f), "/x", "/y"))
		require.NoError(t, f.Close())
		f = openRaw(t, s, named("first"), func(c *Config) { c.Budget.URLs = 6 })
		drain(t, f, nil)
		require.NoError(t, f.Close())
		require.Contains(t, strings.Join(decisions(t, s, "first"), "\n"), "offer: http://a.test/4 admitted {new}")
		report := rekey(t, s, "first", "second", renamed{})
		assert.EqualValues(t, 7, report.Total)
		assert.EqualValues(t, 7, report.Read)
		assert.Equal(t, observed(t, s, "first"), observed(t, s, "second"))
		assert.NotContains(t, strings.Join(decisions(t, s, "second"), "\n"), "offer", "the last bound is the bound")
	})
}

// TestLinksOfAnIdentityStandAtItsDepth merges a page with one that is nearer.
func TestLinksOfAnIdentityStandAtItsDepth(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		site := linked(map[string][]string{"http://a.test/": {"/far", "/p?s=2"}, "http://a.test/far": {"/p?s=1"}, "http://a.test/p?s=1": {"/next"}})
		s := crawled(t, site, []string{"http://a.test/"})
		rekey(t, s, "first", "second", classed("s", urlnorm.Tracking))
		r, err := NewReader(t.Context(), s, "second")
		require.NoError(t, err)
		for a, err := range r.Admissions(t.Context()) {
			require.NoError(t, err)
			if a.Reference.Observed == "/next" {
				assert.Equal(t, 2, a.Depth)
				assert.Equal(t, "http://a.test/p?s=1", a.Parent, "the page that holds it")
			}
		}
	})
}

// TestAnAnswerKeepsItsPlaceAmongTheSources rekeys a run twice. In the run between,
// one commit decides a reference that is a duplicate there, in a page whose answer
// is spare, and then carries the answer that has no links of its own over.
func TestAnAnswerKeepsItsPlaceAmongTheSources(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := memory.New()
		f := openRaw(t, s, named("first"))
		seed(t, f, "http://a.test/")
		complete(t, f, page(one(t, f), "/1?x=1", "/5?s=1", "/5?s=2"))
		leases := lease(t, f, 3)
		complete(t, f, page(leases["http://a.test/5?s=1"]))
		complete(t, f, page(leases["http://a.test/5?s=2"], "/1?x=2"))
		l := one(t, f)
		require.Equal(t, "http://a.test/1?x=2", l.URL)
		complete(t, f, page(l))
		require.NoError(t, f.Close())
		both := func(x urlnorm.Class) urlnorm.Normalizer {
			return urlnorm.Standard{Params: map[string]map[string]urlnorm.Class{"a.test": {"s": urlnorm.Tracking, "x": x}}}
		}
		rekey(t, s, "first", "between", both(urlnorm.Tracking))
		require.Equal(t, "done {fetched} carried", answers(t, s, "between")["http://a.test/1?x=2"])
		rekey(t, s, "between", "second", both(urlnorm.Content))
		assert.Equal(t, map[string]int{"http://a.test/1?x=1": 1}, goOn(t, s, "second", both(urlnorm.Content), nil))
	})
}

func TestAPageOfManyLinksIsReplayedWhole(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		links := make([]string, 3000)
		for i := range links {
			links[i] = "/with/a/path/that/is/not/short/" + lettered(i)
		}
		s := crawled(t, linked(map[string][]string{"http://a.test/": links}), []string{"http://a.test/"})
		assert.EqualValues(t, 3001, rekey(t, s, "first", "second", renamed{}).Carried)
		assert.Equal(t, decisions(t, s, "first"), decisions(t, s, "second"))
	})
}

// TestRekeyNeverExceedsTheBudget takes more identities than the bound allows, and
// raises it later.
func TestRekeyNeverExceedsTheBudget(t *testing.T) {
	site := linked(map[string][]string{
		"http://a.test/": {"/p?s=1", "/p?s=2", "/q"}, "http://a.test/p?s=1": {"/1"}, "http://a.test/p?s=2": {"/2", "/q"}, "http://a.test/q": {"/3"}})
	inBubble(t, func(t *testing.T) {
		s := crawled(t, site, []string{"http://a.test/"})
		done := rekey(t, s, "first", "second", renamed{}, func(c *Config) { c.Budget.URLs = 2 })
		assert.Equal(t, []string{
			"seed: http://a.test/ admitted {new}",
			"link: /p?s=1 admitted {new}", "link: /p?s=2 limit_reached {urls}", "link: /q limit_reached {urls}",
			"link: /1 limit_reached {urls}",
			"link: /2 policy_stop {lost_page}", "link: /q policy_stop {lost_page}",
			"link: /3 policy_stop {lost_page}",
		}, decisions(t, s, "second"))
		assert.Equal(t, []int64{2, 0, 3, 3}, []int64{done.Admitted, done.Duplicates, done.Limited, done.Stopped})
		assert.EqualValues(t, 7, done.Answers)
		assert.EqualValues(t, 2, done.Carried)
		assert.EqualValues(t, 5, done.Asked)

		rekey(t, s, "second", "third", urlnorm.StandardExact{}, func(c *Config) { c.Budget.URLs = 100 })
		all := strings.Join(decisions(t, s, "third"), "\n")
		assert.Contains(t, all, "link: /2 policy_stop {lost_page}", "its page is admitted now, and not yet requested")
		assert.Len(t, goOn(t, s, "third", urlnorm.StandardExact{}, site), 5, "which finds it")
		assert.Len(t, answers(t, s, "third"), 7)
	})
	inBubble(t, func(t *testing.T) {
		s := crawled(t, site, []string{"http://a.test/"})
		rekey(t, s, "first", "second", renamed{}, func(c *Config) { c.Budget.URLs = 2 })
		hits := goOn(t, s, "second", renamed{}, site, func(c *Config) { c.Budget.URLs = 100 })
		assert.Len(t, hits, 5, "what the bound had held back, and what hangs on it: %v", hits)
		assert.Len(t, answers(t, s, "second"), 7)
	})
}

func TestRekeyKeepsTheBoundsAndTheScopeOfTheRun(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		site := linked(map[string][]string{"http://a.test/": {"http://b.test/", "http://c.test/"}})
		s := crawled(t, site, []string{"http://a.test/", "http://b.test/"}, func(c *Config) { c.Budget.URLs, c.Budget.Depth, c.Scope.Exclude = 7, 3, []string{"/x"} })
		sum := func(run string) Summary {
			r, err := NewReader(t.Context(), s, run)
			require.NoError(t, err)
			sum, err := r.Summary(t.Context())
			require.NoError(t, err)
			return sum
		}
		rekey(t, s, "first", "second", renamed{})
		assert.Equal(t, sum("first").Limit, sum("second").Limit)
		assert.Equal(t, sum("first").Scope, sum("second").Scope, "with the hosts that its seeds have brought into it")
		goOn(t, s, "second", renamed{}, site)
		rekey(t, s, "second", "third", urlnorm.StandardExact{}, func(c *Config) { c.Budget.Depth, c.Scope = 9, Scope{Hosts: []string{"b.test"}} })
		assert.Equal(t, []int64{7, 9}, []int64{sum("third").Limit.URLs, int64(sum("third").Limit.Depth)})
		assert.Equal(t, []string{"b.test"}, sum("third").Scope.Hosts)
		assert.EqualValues(t, 1, sum("third").Admitted())
	})
}

// TestSourcesKeepWhatTheyAre rekeys references of every kind of source.
func TestSourcesKeepWhatTheyAre(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := memory.New()
		f := openRaw(t, s, named("first"), func(c *Config) { c.Budget.References = 3; c.Scope = Scope{Sites: []string{"a.test"}} })
		long := "http://a.test/" + strings.Repeat("x", 9000)
		for i, kind := range []Source{Seed, Sitemap, IndexNow, Recrawl, AdminCall} {
			_, err := f.Enqueue(t.Context(), kind, Reference{Observed: fmt.Sprintf("http://a.test/%d", i), Priority: int8(i%3 - 1), Rule: "given"})
			require.NoError(t, err)
		}
		_, err := f.Enqueue(t.Context(), Sitemap, refs(long, "mailto:x", "http://me:pw@a.test/", "http://z.test/")...)
		require.NoError(t, err)
		c := page(one(t, f))
		c.References = []Reference{{Observed: "deep?q=\u044f#f", Base: "http://a.test/dir/", Charset: "windows-1251", Rule: "a", Priority: -1},
			{Observed: "no", Rule: "img", Refused: "kind"}, {Observed: long, Rule: "a"}, {Observed: "/beyond", Rule: "a"}}
		complete(t, f, c)
		require.NoError(t, f.Close())
		done := rekey(t, s, "first", "second", renamed{})
		assert.Equal(t, done.Total, done.Read)
		assert.Equal(t, decisions(t, s, "first"), decisions(t, s, "second"))
		lines := func(run string) (all []string) {
			r, err := NewReader(t.Context(), s, run)
			require.NoError(t, err)
			for a, err := range r.Admissions(t.Context()) {
				require.NoError(t, err)
				all = append(all, fmt.Sprintf("%+v %s %d %s", a.Reference, a.Parent, a.Depth, a.URL))
			}
			sum, err := r.Summary(t.Context())
			require.NoError(t, err)
			return append(all, fmt.Sprint(sum.Decided))
		}
		assert.Equal(t, lines("first"), lines("second"))
		all := strings.Join(lines("second"), "\n")
		assert.Contains(t, all, "http://a.test/dir/deep?q=%FF", "in the charset of its page")
		assert.Contains(t, all, "references", "what was beyond the bound is counted again")
	})
}

func TestAnAnswerIsCarriedWithAllThatIsKnownOfIt(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		site := func(l Lease) Completion {
			c := l.Fetched(Evidence{Status: 200, Bytes: 7, Latency: time.Second, Digest: storage.Sum([]byte(l.URL)), Artifact: artifact(l.URL),
				ETag: `"e"`, LastModified: "Mon", Parser: "p1", Truncated: "length", Detail: "cut"})
			for i := range 3 {
				c.Records = append(c.Records, Record{Kind: "large", Data: []byte(`"` + strings.Repeat(fmt.Sprint(i), 60_000) + `"`)})
			}
			return c
		}
		s := crawled(t, site, []string{"http://a.test/"})
		read := func(run string) Result {
			r, err := NewReader(t.Context(), s, run)
			require.NoError(t, err)
			for res, err := range r.Results(t.Context(), 0) {
				require.NoError(t, err)
				return res
			}
			t.Fatal("no result")
			return Result{}
		}
		rekey(t, s, "first", "second", renamed{})
		goOn(t, s, "second", renamed{}, nil)
		rekey(t, s, "second", "third", urlnorm.StandardExact{})
		first, second, third := read("first"), read("second"), read("third")
		assert.Equal(t, first.Attempt, second.Carried)
		assert.Equal(t, first.Attempt, third.Carried, "it names the attempt, not the way")
		for _, r := range []*Result{&first, &second, &third} {
			r.Position, r.ID, r.Attempt, r.Carried, r.Finished = 0, LeaseID{}, "", "", time.Time{}
		}
		assert.Equal(t, first, second)
		assert.Equal(t, first, third)
		r, err := NewReader(t.Context(), s, "third")
		require.NoError(t, err)
		sum, err := r.Summary(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []int64{0, 0, 3}, []int64{sum.Bytes, sum.Requests, sum.Records}, "nothing was received")
		var events []Event
		for tr, err := range r.Transitions(t.Context()) {
			require.NoError(t, err)
			events = append(events, tr.Event)
		}
		assert.Equal(t, []Event{Admit, Carry}, events)
	})
}

func TestRedirectsAreFollowedOnceMoreWithoutARequest(t *testing.T) {
	tracked := classed("s", urlnorm.Tracking)
	redirects := func(to map[string]string) func(Lease) Completion {
		return func(l Lease) Completion {
			if target := to[l.URL]; target != "" {
				return l.Redirected(target, Evidence{Status: 302})
			}
			return page(l)
		}
	}
	for _, c := range []struct {
		name     string
		was, is  urlnorm.Normalizer
		seeds    []string
		to       map[string]string
		want     map[string]string // after Rekey
		requests []string          // of the crawl that goes on
	}{
		{"a chain", urlnorm.Standard{}, tracked, []string{"http://a.test/1?s=1"}, map[string]string{"http://a.test/1?s=1": "/2?s=2", "http://a.test/2?s=2": "http://www.a.test/3"},
			map[string]string{"http://a.test/1?s=1": "done {redirected} carried", "http://a.test/2?s=2": "done {redirected} carried", "http://www.a.test/3": "done {fetched} carried"}, nil},
		{"two that become one", urlnorm.Standard{}, tracked, []string{"http://a.test/1?s=1", "http://a.test/1?s=2"}, map[string]string{"http://a.test/1?s=1": "/to?s=1", "http://a.test/1?s=2": "/to?s=2"},
			map[string]string{"http://a.test/1?s=1": "done {redirected} carried", "http://a.test/to?s=1": "done {fetched} carried"}, nil},
		{"to two targets from what becomes one", urlnorm.Standard{}, tracked, []string{"http://a.test/1?s=1", "http://a.test/1?s=2"}, map[string]string{"http://a.test/1?s=1": "/to", "http://a.test/1?s=2": "/other"},
			map[string]string{"http://a.test/1?s=1": "done {redirected} carried", "http://a.test/to": "done {fetched} carried", "http://a.test/other": "done {fetched} carried"}, nil},
		{"to what becomes itself", urlnorm.Standard{}, tracked, []string{"http://a.test/1?s=1"}, map[string]string{"http://a.test/1?s=1": "/1"},
			map[string]string{"http://a.test/1": "done {fetched} carried"}, nil},
		{"to what was itself", tracked, urlnorm.Standard{}, []string{"http://a.test/1?s=1"}, map[string]string{"http://a.test/1?s=1": "/1"},
			map[string]string{}, []string{"http://a.test/1", "http://a.test/1?s=1"}},
		{"around in what becomes a circle", urlnorm.Standard{}, tracked, []string{"http://a.test/1"}, map[string]string{"http://a.test/1": "/login", "http://a.test/login": "/1?s=1"},
			map[string]string{"http://a.test/1": "done {redirected} carried", "http://a.test/login": "done {redirected} carried", "http://a.test/1?s=1": "done {fetched} carried"}, nil},
		{"out of the scope of a seed", urlnorm.Standard{}, tracked, []string{"http://a.test/1?s=1", "http://a.test/2"}, map[string]string{"http://a.test/1?s=1": "http://c.test/"},
			map[string]string{"http://a.test/2": "done {fetched} carried"}, []string{"http://a.test/1?s=1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				s := crawled(t, redirects(c.to), c.seeds, under(c.was))
				done := rekey(t, s, "first", "second", c.is)
				assert.Equal(t, c.want, answers(t, s, "second"), "%+v", done)
				var asked []string
				for at := range goOn(t, s, "second", c.is, redirects(c.to)) {
					asked = append(asked, at)
				}
				slices.Sort(asked)
				assert.Equal(t, c.requests, asked)
			})
		})
	}
	t.Run("longer than the bound", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			s := crawled(t, redirects(map[string]string{"http://a.test/1": "/2", "http://a.test/2": "/3"}), []string{"http://a.test/1"})
			rekey(t, s, "first", "second", renamed{}, func(c *Config) { c.Budget.Redirects = 1 })
			assert.Equal(t, map[string]string{"http://a.test/1": "done {redirected} carried", "http://a.test/2": "failed {too_many_redirects} carried"}, answers(t, s, "second"))
			goOn(t, s, "second", renamed{}, nil)
			rekey(t, s, "second", "third", urlnorm.StandardExact{})
			assert.Equal(t, []string{"seed: http://a.test/1 admitted {new}", "redirect: /2 admitted {new}"}, decisions(t, s, "third"), "a redirect that failed leads nowhere")
			hits := goOn(t, s, "third", urlnorm.StandardExact{}, redirects(map[string]string{"http://a.test/2": "/3"}))
			assert.Equal(t, map[string]int{"http://a.test/2": 1}, hits)
		})
	})
}

func TestOfWhatIsNotFinalNothingIsCarried(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := memory.New()
		f := openRaw(t, s, named("first"))
		seed(t, f, numbered(6)...)
		all := lease(t, f, 10)
		complete(t, f, all["http://a.test/0"].Failed("dns", Evidence{}))
		complete(t, f, all["http://a.test/1"].Refused("robots", Evidence{}))
		complete(t, f, all["http://a.test/2"].Missing(Evidence{Status: 404}))
		retry := all["http://a.test/3"].Retry("timeout", 0, Evidence{})
		retry.References = refs("/seen-before-it-broke")
		complete(t, f, retry)
		complete(t, f, all["http://a.test/4"].HandlerFailed(Evidence{Status: 200}))
		require.NoError(t, f.Close()) // 5 is leased
		rekey(t, s, "first", "second", renamed{})
		assert.Equal(t, map[string]string{"http://a.test/2": "done {missing} carried"}, answers(t, s, "second"))
		hits := goOn(t, s, "second", renamed{}, nil)
		assert.Len(t, hits, 6, "%v", hits)
		assert.Contains(t, hits, "http://a.test/seen-before-it-broke")
	})
}

func TestRulesOfASiteCanBeCorrectedToo(t *testing.T) {
	routes := linked(map[string][]string{"http://a.test/": {"/app#!/1", "/app#!/2", "http://www.a.test/x", "/x", "/dir/index.html", "/dir/"}})
	for _, c := range []struct {
		name     string
		was, is  urlnorm.Normalizer
		want     []string // answers after Rekey, beside the home page
		requests int
	}{
		{"routes kept apart", urlnorm.Standard{}, ruled(urlnorm.SplitRoutes), []string{"/dir/", "/dir/index.html", "/x"}, 2},
		{"routes no longer kept apart", ruled(urlnorm.SplitRoutes), urlnorm.Standard{}, []string{"/app", "/dir/", "/dir/index.html", "/x"}, 0},
		{"another rule beside routes", ruled(urlnorm.SplitRoutes), ruled(urlnorm.SplitRoutes, urlnorm.FoldIndex), []string{"/app", "/app", "/dir/index.html", "/x"}, 0},
		{"index files", urlnorm.Standard{}, ruled(urlnorm.FoldIndex), []string{"/app", "/dir/index.html", "/x"}, 0},
		{"one host", urlnorm.Standard{}, ruled(urlnorm.FoldToBare), []string{"/app", "/dir/", "/dir/index.html", "http://www.a.test/x"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				s := crawled(t, routes, []string{"http://a.test/"}, under(c.was), func(c *Config) { c.Scope = Scope{Sites: []string{"a.test"}} })
				rekey(t, s, "first", "second", c.is)
				var got []string
				r, err := NewReader(t.Context(), s, "second")
				require.NoError(t, err)
				for res, err := range r.Results(t.Context(), 0) {
					require.NoError(t, err)
					if at := strings.TrimPrefix(res.URL, "http://a.test"); at != "/" {
						got = append(got, at)
					}
				}
				slices.Sort(got)
				assert.Subset(t, got, c.want)
				requests := 0
				for _, n := range goOn(t, s, "second", c.is, routes) {
					requests += n
				}
				assert.Equal(t, c.requests, requests)
			})
		})
	}
}

func TestANormalizerIsKnownByItsRulesForSingleSites(t *testing.T) {
	standard := versionOf(urlnorm.Standard{})
	classes := func(order ...string) urlnorm.Normalizer {
		n := urlnorm.Standard{Params: map[string]map[string]urlnorm.Class{}}
		for _, site := range order {
			n.Params[site] = map[string]urlnorm.Class{"s": urlnorm.Tracking, "t": urlnorm.Content}
		}
		return n
	}
	assert.NotEqual(t, standard, versionOf(classed("s", urlnorm.Tracking)))
	assert.NotEqual(t, versionOf(classed("s", urlnorm.Content)), versionOf(classed("s", urlnorm.Tracking)))
	assert.NotEqual(t, versionOf(classes("a.test")), versionOf(classes("b.test")))
	assert.NotEqual(t, versionOf(ruled(urlnorm.FoldIndex)), versionOf(ruled(urlnorm.FoldOrder)))
	assert.Equal(t, versionOf(classes("a.test", "b.test")), versionOf(classes("b.test", "a.test")))
	assert.Equal(t, versionOf(ruled(urlnorm.FoldIndex, urlnorm.FoldOrder)), versionOf(ruled(urlnorm.FoldOrder, urlnorm.FoldIndex)))
	assert.Equal(t, standard, versionOf(classes()), "no rule is no difference")
	assert.NotEqual(t, versionOf(urlnorm.StandardExact{}), versionOf(urlnorm.StandardExact{Params: map[string]map[string]urlnorm.Class{"::1": {"s": urlnorm.Tracking}}}))
	assert.Equal(t, versionOf(classes("a.test")), versionOf(wrapped{classes("a.test")}), "a wrapper is asked for what it wraps")
	assert.LessOrEqual(t, len(versionOf(verbose{})), maxDetail)
}

type wrapped struct{ urlnorm.Normalizer }

func (w wrapped) Unwrap() urlnorm.Normalizer { return w.Normalizer }

// verbose has a long version and rules for a site of its own.
type verbose struct{ urlnorm.Standard }

func (verbose) Sites() []string { return []string{"b.test", "a.test", "b.test"} }

func (v verbose) Normalize(base *urlnorm.URL, ref string) (urlnorm.URL, error) {
	u, err := v.Standard.Normalize(base, ref)
	u.Key.Version = strings.Repeat("v", 500)
	if u.Origin.Site() == "a.test" {
		u.Key.Version = "a"
	}
	return u, err
}

package frontier

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage/memory"
	"github.com/weircrawl/weir/urlnorm"
)

// TestRulesOfASiteAreSeenWhereverTheyAre: behind a pointer, and in a type that
// embeds them.
func TestRulesOfASiteAreSeenWhereverTheyAre(t *testing.T) {
	with := classed("s", urlnorm.Tracking).(urlnorm.Standard)
	exact := urlnorm.StandardExact{Rules: map[string][]urlnorm.Rule{"a.test": {urlnorm.FoldIndex}}}
	assert.NotEqual(t, versionOf(urlnorm.Standard{}), versionOf(with))
	assert.Equal(t, versionOf(with), versionOf(&with))
	assert.Equal(t, versionOf(with), versionOf(struct{ urlnorm.Standard }{with}))
	assert.NotEqual(t, versionOf(urlnorm.StandardExact{}), versionOf(&exact))
	inBubble(t, func(t *testing.T) {
		s := memory.New()
		f := openRaw(t, s, named("first"), under(&urlnorm.Standard{}))
		seed(t, f, "http://a.test/p?s=1")
		require.NoError(t, f.Close())
		_, err := Open(t.Context(), Config{Store: s, Run: "first", Normalizer: &with})
		require.ErrorIs(t, err, ErrNormalizerChanged)
		rekey(t, s, "first", "second", &with)
	})
}

// rewriting asks for another URL than it compares, and for yet another when it is
// asked for that one: no law of a Normalizer holds.
type rewriting struct {
	urlnorm.Standard
	version string
}

func (r rewriting) Normalize(base *urlnorm.URL, ref string) (urlnorm.URL, error) {
	u, err := r.Standard.Normalize(base, ref)
	u.Key.Version += r.version
	u.Request = strings.NewReplacer("/1", "/2", "/2", "/3").Replace(u.Request)
	return u, err
}

func TestAnAnswerIsForTheURLThatWasRequested(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := crawled(t, nil, []string{"http://a.test/1", "http://a.test/2"}, under(rewriting{version: "a"}))
		rekey(t, s, "first", "second", rewriting{version: "b"})
		r, err := NewReader(t.Context(), s, "second")
		require.NoError(t, err)
		for result, err := range r.Results(t.Context(), 0) {
			require.NoError(t, err)
			_, u, err := r.whereIs(t.Context(), result.ID.place())
			require.NoError(t, err)
			assert.Equal(t, u.url, result.URL)
		}
	})
}

// TestALongReferenceLeadsThereAgain: what was admitted is, however long it was
// written, and what was refused as too long is not.
func TestALongReferenceLeadsThereAgain(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		for _, ref := range []string{
			"http://a.test/p" + strings.Repeat(" ", 9000),
			strings.Repeat("\t", 9000) + "/p",
			"http://a.test/" + strings.Repeat("x", 8192-len("http://a.test/")),
			strings.Repeat("../", 2800) + "p",
			"http://a.test/p#" + strings.Repeat("f", 9000),
			"/p#" + strings.Repeat("f", 8190),
		} {
			site := linked(map[string][]string{"http://a.test/": {ref}})
			s := crawled(t, site, []string{"http://a.test/"})
			rekey(t, s, "first", "second", renamed{})
			assert.Empty(t, goOn(t, s, "second", renamed{}, site), "%.20q", ref)
			assert.Len(t, answers(t, s, "second"), len(answers(t, s, "first")), "%.20q", ref)
		}
	})
}

func TestARaiseReachesTheTargetOfASpareRedirect(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		site := func(l Lease) Completion {
			switch l.URL {
			case "http://a.test/":
				return page(l, "/p?s=1", "/p?s=2")
			case "http://a.test/p?s=1":
				return l.Redirected("/x", Evidence{Status: 302})
			case "http://a.test/p?s=2":
				return l.Redirected("/y", Evidence{Status: 302})
			}
			return page(l)
		}
		s := crawled(t, site, []string{"http://a.test/"}, func(c *Config) { c.Budget.Depth = 1 })
		n := classed("s", urlnorm.Tracking)
		rekey(t, s, "first", "second", n, func(c *Config) { c.Budget.URLs = 2 })
		goOn(t, s, "second", n, site, func(c *Config) { c.Budget.URLs = 100 })
		assert.Contains(t, answers(t, s, "second"), "http://a.test/y")
		verify(t, s)
	})
}

func TestNamesAndVersionsThatAreNoText(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		for _, version := range []string{"v\xff", strings.Repeat("\u044f", 100), strings.Repeat("\u0436", 63) + "x\u044f"} {
			s := memory.New()
			f := openRaw(t, s, named("first"), under(rewriting{version: version}))
			seed(t, f, "http://a.test/")
			require.NoError(t, f.Close())
			f, err := Open(t.Context(), Config{Store: s, Run: "first", Normalizer: rewriting{version: version}})
			require.NoError(t, err, "%q", version)
			require.NoError(t, f.Close())
		}
	})
	_, err := Open(t.Context(), Config{Store: memory.New(), Run: "f\xff"})
	assert.ErrorContains(t, err, "is no UTF-8")
	_, err = Rekey(t.Context(), Config{Store: memory.New(), Run: "second"}, "", nil)
	assert.ErrorContains(t, err, "name the run")
}

func TestNoPasswordIsKeptWhateverTheRefusal(t *testing.T) {
	for _, ref := range []Reference{
		{Observed: "ftp://me:s3cr3t@a.test/"},
		{Observed: "http://me:s3cr3t@a.test:99999/"},
		{Observed: "http://me:s3cr3t@a b.test/"},
		{Observed: "http://me:s3cr3t@/"},
		{Observed: "http://me:s3cr3t@a.test/" + strings.Repeat("x", 9000)},
		{Observed: "//b.test/", Base: "http://me:s3cr3t@a.test/"},
		{Observed: "http://b.test/", Base: "http://me:s3cr3t@a.test/"},
		{Observed: "/x", Base: "http://me:s3cr3t@a.test/"},
	} {
		got, err := candidates(t.Context(), urlnorm.Standard{}, "", []Reference{ref})
		require.NoError(t, err)
		assert.NotContains(t, got[0].ref.Observed+got[0].ref.Base, "s3cr3t", "%.60s on %q is %s", ref.Observed, ref.Base, got[0].reject)
		again, err := candidates(t.Context(), urlnorm.Standard{}, "", []Reference{got[0].ref})
		require.NoError(t, err)
		assert.Equal(t, got[0].reject, again[0].reject)
	}
	got, err := candidates(t.Context(), urlnorm.Standard{}, "", []Reference{{Observed: "mailto:me@a.test"}})
	require.NoError(t, err)
	assert.Equal(t, "mailto:me@a.test", got[0].ref.Observed, "an address is no secret")
}

// TestTheTargetOfASpareRedirectStandsAtItsDepth: also where it is rekeyed again.
func TestTheTargetOfASpareRedirectStandsAtItsDepth(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		site := func(l Lease) Completion {
			switch l.URL {
			case "http://a.test/":
				return page(l, "/p?s=1", "/p?s=2")
			case "http://a.test/p?s=2":
				return l.Redirected("/y", Evidence{Status: 302})
			}
			return page(l)
		}
		s := crawled(t, site, []string{"http://a.test/"}, func(c *Config) { c.Budget.Depth = 1 })
		rekey(t, s, "first", "second", classed("s", urlnorm.Tracking))
		rekey(t, s, "second", "third", ruled(urlnorm.FoldIndex))
		assert.Contains(t, answers(t, s, "second"), "http://a.test/y")
		assert.Contains(t, answers(t, s, "third"), "http://a.test/y")
	})
}

// TestRekeyTakesNoActiveTime: it has an end of its own, and a run whose time it had
// spent could never go on.
func TestRekeyTakesNoActiveTime(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := halfCrawled(t)
		s.on(slowly)
		began := time.Now()
		rekey(t, s, "first", "second", renamed{}, func(c *Config) { c.Budget.Wall = time.Second })
		assert.Greater(t, time.Since(began), 3*time.Second)
		r, err := NewReader(t.Context(), s, "second")
		require.NoError(t, err)
		sum, err := r.Summary(t.Context())
		require.NoError(t, err)
		assert.LessOrEqual(t, sum.Active, time.Second, "the commit that closes it")

		f := openRaw(t, s, named("second"), under(renamed{}), func(c *Config) { c.Budget.Wall = 5 * time.Second })
		time.Sleep(5 * time.Second)
		stopped(t, f, ReasonWall)
		require.NoError(t, f.Close())
	})
}

// TestWhyAReferenceIsADuplicateIsNotLeftToChance: many requests of one key are told
// apart, each from the one that was admitted.
func TestWhyAReferenceIsADuplicateIsNotLeftToChance(t *testing.T) {
	s := newShaky(memory.New())
	f := openRaw(t, s, under(classed("s", urlnorm.Tracking)))
	seed(t, f, "http://a.test/")
	for round := range 10 {
		refs := make([]string, 20_000)
		for i := range refs {
			refs[i] = fmt.Sprintf("http://a.test/?s=%d", round*len(refs)+i)
		}
		seed(t, f, refs...)
	}
	require.NoError(t, f.Close())
	r, err := NewReader(t.Context(), s, "")
	require.NoError(t, err)
	why := map[Reason]int{}
	for a, err := range r.Admissions(t.Context()) {
		require.NoError(t, err)
		why[a.Reason]++
	}
	assert.Equal(t, map[Reason]int{ReasonNew: 1, "params": 200_000}, why)
}

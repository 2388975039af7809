package frontier

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/url"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
	"github.com/weircrawl/weir/urlnorm"
)

// decorated is a random site. What a page holds depends on its path and on x
// alone; its links are written with any s.
type decorated struct {
	seed uint64
	rng  *rand.Rand // of what the links are written with
	hits map[string]int
}

// content is a number that path and x decide.
func (w *decorated) content(u *url.URL, what string) int {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s %s %s", w.seed, u.Path, u.Query().Get("x"), what)
	return int(h.Sum64() >> 1)
}

// link writes the reference to a page in one of several ways.
func (w *decorated) link(n, x int) string {
	ref := fmt.Sprintf("/%d?x=%d", n, x)
	if x == 0 {
		ref = fmt.Sprintf("/%d", n)
	}
	if s := w.rng.IntN(4); s > 0 {
		mark := "&"
		if x == 0 {
			mark = "?"
		}
		ref += fmt.Sprintf("%ss=%d", mark, s)
	}
	return ref
}

func (w *decorated) answer(l Lease) Completion {
	w.hits[l.URL]++
	u, _ := url.Parse(l.URL)
	n := 0
	_, _ = fmt.Sscanf(u.Path, "/%d", &n)
	to := func(what string) (int, int) { return w.content(u, what) % 10, w.content(u, what+"x") % 3 }
	switch kind := w.content(u, "kind") % 10; {
	case n > 0 && kind == 0:
		return l.Missing(Evidence{Status: 404})
	case n > 0 && kind == 1:
		return l.Failed("broken", Evidence{})
	case n > 0 && kind < 4:
		_, x := to("target")
		return l.Redirected(w.link(n+1+w.content(u, "step")%3, x), Evidence{Status: 302})
	}
	c := page(l)
	for i := range w.content(u, "links") % 5 {
		c.References = append(c.References, Reference{Observed: w.link(to(fmt.Sprint(i))), Rule: "a", Priority: int8(w.rng.IntN(3) - 1)})
	}
	c.References = append(c.References, Reference{Observed: l.URL, Rule: "a", Priority: 1}, Reference{Observed: w.link(1, 1), Rule: "a"}, Reference{Observed: w.link(2, 0), Rule: "img", Refused: "kind"})
	c.Records = []Record{{Kind: "url", Data: []byte(fmt.Sprintf("%q", l.URL))}}
	return c
}

// crawl answers leases until the run is over, or n have been answered.
func (w *decorated) crawl(t testing.TB, f *Frontier, n int) {
	t.Helper()
	for range n {
		leases, err := f.Lease(t.Context(), 1)
		if errors.Is(err, ErrDone) {
			return
		}
		require.NoError(t, err)
		complete(t, f, w.answer(leases[0]))
	}
}

// keyed lists how the URLs of a run ended, by the key that n gives them.
func keyed(t testing.TB, s storage.Store, run string, n urlnorm.Normalizer) map[string]string {
	t.Helper()
	got := map[string]string{}
	for at, end := range answers(t, s, run) {
		u, err := n.Normalize(nil, at)
		require.NoError(t, err)
		got[u.Key.Text] = end[:len("done {")]
	}
	return got
}

// observed lists what pages and others named, each time it was decided at first.
func observed(t testing.TB, s storage.Store, run string) (all []string) {
	t.Helper()
	r, err := NewReader(t.Context(), s, run)
	require.NoError(t, err)
	for a, err := range r.Admissions(t.Context()) {
		require.NoError(t, err)
		if a.Source != Offer && a.Source != Redirect && a.Reference.Rule != "redirect" {
			all = append(all, fmt.Sprintf("%s: %s %s %q %d", a.Parent, a.Reference.Base, a.Reference.Observed, a.Reference.Refused, a.Reference.Priority))
		}
	}
	slices.Sort(all)
	return all
}

// TestARekeyedRunEndsLikeOneThatBeganUnderItsNormalizer is what Rekey is for: of
// a random site, crawled in part or whole under keys that are too fine, too
// coarse or both, and perhaps rekeyed before, the rekeyed run comes to what a new
// crawl would, and asks for nothing that is known.
func TestARekeyedRunEndsLikeOneThatBeganUnderItsNormalizer(t *testing.T) {
	rng := seeded(t)
	tracking, content := urlnorm.Tracking, urlnorm.Content
	both := func(s, x urlnorm.Class) urlnorm.Normalizer {
		return urlnorm.Standard{Params: map[string]map[string]urlnorm.Class{"a.test": {"s": s, "x": x}}}
	}
	normalizers := []urlnorm.Normalizer{urlnorm.Standard{}, urlnorm.StandardExact{}, both(tracking, content), both(content, tracking), both(tracking, tracking)}
	right := both(tracking, content)
	for range soak(300) {
		seed1, deep := rng.Uint64(), rng.IntN(2)*97+3
		bounded := func(c *Config) { c.Budget.Depth, c.Budget.Redirects = deep, 100 }
		site := func() *decorated {
			return &decorated{seed: seed1, rng: rand.New(rand.NewPCG(seed1, rng.Uint64())), hits: map[string]int{}}
		}
		wrong := normalizers[rng.IntN(len(normalizers))]
		if versionOf(wrong) == versionOf(right) {
			continue
		}
		steps := rng.IntN(120)
		inBubble(t, func(t *testing.T) {
			fresh := memory.New()
			f := openRaw(t, fresh, bounded, under(right), named("fresh"))
			seed(t, f, "http://a.test/")
			site().crawl(t, f, 1<<20)
			require.NoError(t, f.Close())

			s := memory.New()
			f = openRaw(t, s, bounded, under(wrong), named("first"))
			seed(t, f, "http://a.test/")
			site().crawl(t, f, steps)
			require.NoError(t, f.Close())
			from := "first"
			if between := normalizers[rng.IntN(len(normalizers))]; rng.IntN(2) == 0 && versionOf(between) != versionOf(wrong) && versionOf(between) != versionOf(right) {
				from = "between"
				rekey(t, s, "first", from, between)
				f = openRaw(t, s, named(from), under(between))
				site().crawl(t, f, rng.IntN(60))
				require.NoError(t, f.Close())
			}
			before := cells(t, s)
			known := keyed(t, s, from, right)

			report := rekey(t, s, from, "second", right)
			assert.Equal(t, report.Total, report.Read)
			assert.Equal(t, report.Answers, report.Carried+report.Spare+report.Asked)
			assert.Equal(t, observed(t, s, from), observed(t, s, "second"), "every reference has a disposition")
			f = openRaw(t, s, under(right), named("second"))
			again := site()
			again.crawl(t, f, 1<<20)
			require.NoError(t, f.Close())
			verify(t, s)

			want := keyed(t, fresh, "fresh", right)
			got := keyed(t, s, "second", right)
			t.Logf("%d answers under %q: %d carried, %d spare, %d asked again; %d of %d ended, %d requests, %d merged, %d split", report.Answers, report.Was, report.Carried, report.Spare, report.Asked, len(got), len(want), len(again.hits), report.Merged, report.Split)
			require.Equal(t, want, got, "seed %d, %d steps under %q", seed1, steps, versionOf(wrong))
			for at := range again.hits {
				u, err := right.Normalize(nil, at)
				require.NoError(t, err)
				if deep > 99 { // else a page may have been nearer under other keys, and be too deep when its answer comes
					require.NotEqual(t, "done {", known[u.Key.Text], "%s is known to %s; seed %d, %d steps under %q", at, from, seed1, steps, versionOf(wrong))
				}
			}
			require.Subset(t, texts(cells(t, s)), texts(before), "the first run keeps its rows")
		})
	}
}

// texts prints rows, so that they can be compared as a set.
func texts(rows []cell) []string {
	all := make([]string, len(rows))
	for i, c := range rows {
		all[i] = fmt.Sprintf("%s %x: %x", c.space.Name, c.key, c.value)
	}
	return all
}

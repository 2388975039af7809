package frontier

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
)

// manifold is a random site whose pages refer in every way: to pages, to what is
// stopped by a rule or by a bound, by redirects, in other encodings, and too often.
type manifold struct{ decorated }

func newManifold(seed1 uint64) *manifold {
	return &manifold{decorated{seed: seed1, rng: rand.New(rand.NewPCG(seed1, 1)), hits: map[string]int{}}}
}

func (w *manifold) answer(l Lease) Completion {
	c := w.decorated.answer(l)
	if c.Outcome != OutcomeFetched {
		return c
	}
	n := w.rng.IntN(1000)
	for _, r := range []Reference{
		{Observed: fmt.Sprintf("/item/%d?utm_source=%d", n%3, n)},
		{Observed: "http://other.test/x", Rule: "iframe"},
		{Observed: "mailto:someone@a.test", Rule: "a"},
		{Observed: "//user:secret@a.test/x", Rule: "a"},
		{Observed: "http://[bad", Rule: "a"},
		{Observed: "q?ü=1", Base: "http://a.test/deep/er/", Charset: "windows-1252", Rule: "a", Priority: -1},
		{Observed: "http://a.test/" + strings.Repeat("long", 3000), Rule: "a"},
		{Observed: "picture.png", Rule: "img", Refused: "kind: image"},
	} {
		if w.rng.IntN(2) == 0 {
			c.References = append(c.References, r)
		}
	}
	w.rng.Shuffle(len(c.References), func(i, j int) { c.References[i], c.References[j] = c.References[j], c.References[i] })
	return c
}

// manySeeds are seeds of every kind.
func manySeeds() []Reference {
	return append(refs("http://a.test/0", "http://a.test/0#again", "http://b.test:8080/1"),
		Reference{Observed: "ftp://a.test/"}, Reference{Observed: "http://c.test/", Refused: "given_up"}, Reference{Observed: "2", Base: "http://a.test/"})
}

// manyKinds crawls a manifold site under tight bounds, raises them in the middle
// so that references are decided again, and returns the store.
func manyKinds(t testing.TB, seed1 uint64) storage.Store {
	t.Helper()
	s, w := memory.New(), newManifold(seed1)
	for _, urls := range []int64{12, 60} {
		f, err := Open(t.Context(), Config{Store: s, Policy: Policy{Delay: -1, Concurrency: 10}, Budget: Budget{URLs: urls, Depth: 3, References: 9}})
		require.NoError(t, err)
		_, err = f.Enqueue(t.Context(), Seed, manySeeds()...)
		require.NoError(t, err)
		_, err = f.Enqueue(t.Context(), Sitemap, append(refs("http://a.test/5", "http://a.test/map/1"), Reference{Observed: "http://out.test/sitemap.xml", Hint: true})...)
		require.NoError(t, err)
		for i := 0; f.Summary().Unresolved() > 0 && (urls == 60 || i < 15); i++ {
			complete(t, f, w.answer(one(t, f)))
		}
		require.NoError(t, f.Close())
	}
	return s
}

func reader(t testing.TB, s storage.Store) *Reader {
	t.Helper()
	r, err := NewReader(t.Context(), s, "")
	require.NoError(t, err)
	return r
}

// recorded is the whole admission ledger.
func recorded(t testing.TB, r *Reader) (all []Admission) {
	t.Helper()
	for a, err := range r.Admissions(t.Context()) {
		require.NoError(t, err)
		all = append(all, a)
	}
	return all
}

// mayBeEmpty are the fields of an admission whose zero value says something, and
// when.
var mayBeEmpty = map[string]func(a Admission) bool{
	"Claim.Partition":    func(Admission) bool { return true }, // numbers count from 0
	"Claim.Index":        func(Admission) bool { return true },
	"Claim.Offset":       func(Admission) bool { return true },
	"Depth":              func(a Admission) bool { return true },
	"Slots":              func(a Admission) bool { return true },
	"Source":             func(a Admission) bool { return a.Parent != "" }, // Link is 0
	"Parent":             func(a Admission) bool { return a.Cursor != "" },
	"Cursor":             func(a Admission) bool { return a.Parent != "" },
	"Reference.Base":     func(a Admission) bool { return a.Parent == "" },
	"Reference.Charset":  func(a Admission) bool { return true }, // UTF-8
	"Reference.Priority": func(a Admission) bool { return true },
	"Reference.Hint":     func(Admission) bool { return true },   // a page
	"Reference.Refused":  func(a Admission) bool { return true }, // by nobody
	"URL":                keyless,
	"Key.Version":        keyless,
	"Key.Text":           keyless,
	"Identity":           keyless,
	"Was":                func(a Admission) bool { return a.Source != Offer },
	"WasFor":             func(a Admission) bool { return a.Source != Offer },
}

// keyless are the references that are no URL, or not kept.
func keyless(a Admission) bool {
	switch a.Reason.Word() {
	case "unsupported_scheme", "user_info", "malformed", "bad_host", "too_long":
		return a.Decision == PolicyStop
	}
	return a.Claim.Offset == offsetBeyond
}

func TestNoFieldOfAnAdmissionIsEmpty(t *testing.T) {
	filled, kinds := map[string]bool{}, map[string]bool{}
	for seed1 := range uint64(3) {
		for _, a := range recorded(t, reader(t, manyKinds(t, seed1))) {
			kinds[fmt.Sprintf("%s %s", a.Decision, a.Reason.Word())], kinds[a.Source.String()] = true, true
			fields("", reflect.ValueOf(a), func(name string, v reflect.Value) {
				if !v.IsZero() {
					filled[name] = true
					return
				}
				may := mayBeEmpty[name]
				require.True(t, may != nil && may(a), "%s is empty in %+v", name, a)
			})
			require.Equal(t, keyless(a), a.Identity == "", "%+v", a)
			got, err := json.Marshal(a)
			require.NoError(t, err)
			var back Admission
			require.NoError(t, json.Unmarshal(got, &back))
			require.Equal(t, a, back)
			require.NotContains(t, string(got), "secret")
		}
	}
	fields("", reflect.ValueOf(Admission{}), func(name string, _ reflect.Value) {
		if name != "Claim.Partition" { // one, until there are several machines
			assert.True(t, filled[name], "%s is never filled", name)
		}
	})
	for _, kind := range []string{"admitted new", "duplicate known", "duplicate tracking", "limit_reached urls", "limit_reached depth", "limit_reached references",
		"policy_stop out_of_scope", "policy_stop kind", "policy_stop user_info", "policy_stop unsupported_scheme", "policy_stop bad_host", "policy_stop too_long",
		"policy_stop given_up", "seed", "link", "redirect", "sitemap", "offer"} {
		assert.True(t, kinds[kind], "the site has none that is %s: %v", kind, kinds)
	}
}

// fields tells every field of a struct, and of structs in it.
func fields(prefix string, v reflect.Value, tell func(name string, v reflect.Value)) {
	for i := range v.NumField() {
		name, f := prefix+v.Type().Field(i).Name, v.Field(i)
		if f.Kind() == reflect.Struct && f.Type().PkgPath() != "time" {
			fields(name+".", f, tell)
			continue
		}
		tell(name, f)
	}
}

func TestASlowWalkRecountsEveryDisposition(t *testing.T) {
	for seed1 := range uint64(5) {
		r := reader(t, manyKinds(t, seed1))
		s, err := r.Summary(t.Context())
		require.NoError(t, err)
		type disposition struct {
			decision Decision
			reason   Reason
		}
		want, got, observed := map[disposition]int64{}, map[disposition]int64{}, int64(0)
		examples := map[disposition]bool{}
		for _, a := range recorded(t, r) {
			got[disposition{a.Decision, a.Reason.Word()}] += a.Count
			observed += a.Count
			if a.Was != 0 {
				got[disposition{a.Was, a.WasFor.Word()}]--
				observed--
			}
		}
		for _, d := range s.Decided {
			want[disposition{d.Decision, d.Reason}] = d.Count
			examples[disposition{d.Decision, d.Reason}] = d.Example != ""
		}
		for d, n := range got {
			if n == 0 {
				delete(got, d) // all of them were decided again
				continue
			}
			assert.True(t, examples[d], "%v has no example", d)
		}
		assert.Equal(t, want, got)
		assert.Equal(t, s.Observed, observed)
	}
}

func TestAnAdmissionHasTheSlotsThatWereSpentBefore(t *testing.T) {
	slots, raised := int64(0), false
	for _, a := range recorded(t, reader(t, manyKinds(t, 1))) {
		if a.Claim.Offset == offsetBeyond {
			continue
		}
		require.Equal(t, slots, a.Slots, "%+v", a)
		require.LessOrEqual(t, a.Slots, a.Limit)
		raised = raised || a.Limit == 60
		if a.Decision == Admitted && a.Source != Redirect {
			require.Less(t, a.Slots, a.Limit)
			slots++
		}
	}
	assert.True(t, raised)
	assert.Positive(t, slots)
}

// TestEnqueueAnswersWhatTheLedgerSays: a decision has one record, whoever asks.
func TestEnqueueAnswersWhatTheLedgerSays(t *testing.T) {
	s := memory.New()
	f := open(t, s, func(c *Config) { c.Budget.URLs = 3 })
	long := strings.Repeat("x", maxObserved)
	given := append(manySeeds(), Reference{Observed: long, Base: "http://a.test/", Rule: strings.Repeat("rule", 40)},
		Reference{Observed: "javascript:" + long}, Reference{Observed: "http://a.test/3", Refused: Reason(strings.Repeat("no", 100))},
		Reference{Observed: "http://u:p@a.test/"}, Reference{Observed: "/relative"}, Reference{Observed: "http://a.test/4"},
		Reference{Observed: "http://a.test/ü?ü", Charset: "windows-1252", Priority: 1}, Reference{Observed: "http://z.test/x"})
	for range 300 { // more than one row of it
		given = append(given, Reference{Observed: "http://a.test/late?" + long[:50]})
	}
	answer, err := f.Enqueue(t.Context(), Seed, given...)
	require.NoError(t, err)
	require.Greater(t, len(answer.Others), 300)
	byClaim := map[ClaimID]Admission{}
	for _, a := range recorded(t, reader(t, s)) {
		byClaim[a.Claim] = a
	}
	for _, a := range answer.Others {
		require.Equal(t, byClaim[a.Claim], a)
	}
}

func TestTheLedgerIsReadOnAfterAnyClaim(t *testing.T) {
	r := reader(t, manyKinds(t, 2))
	all := recorded(t, r)
	require.Greater(t, len(all), 100)
	after := func(c ClaimID) (rest []Admission) {
		for a, err := range r.AdmissionsAfter(t.Context(), c) {
			require.NoError(t, err)
			rest = append(rest, a)
		}
		return rest
	}
	assert.Equal(t, all, after(ClaimID{}))
	for i := 0; i < len(all); i += 7 {
		require.Equal(t, len(all)-i-1, len(after(all[i].Claim)), "after %s", all[i].Claim)
		if i+1 < len(all) {
			require.Equal(t, all[i+1], after(all[i].Claim)[0])
		}
	}
	assert.Empty(t, after(all[len(all)-1].Claim))
}

func TestAForeignClaimIsRefused(t *testing.T) {
	r := reader(t, manyKinds(t, 2))
	good := recorded(t, r)[20].Claim
	for _, change := range []func(c *ClaimID){
		func(c *ClaimID) { c.Partition++ }, func(c *ClaimID) { c.Generation++ }, func(c *ClaimID) { c.Sequence += 100_000 }, func(c *ClaimID) { c.Index += 100 },
	} {
		bad := good
		change(&bad)
		var got error
		for _, got = range r.AdmissionsAfter(t.Context(), bad) {
			break
		}
		assert.ErrorIs(t, got, ErrNoClaim, "%s", bad)
	}
}

// counting counts what is read of a store.
type counting struct {
	storage.Store
	reads, rows, bytes atomic.Int64
}

func (c *counting) Read(ctx context.Context, requests ...storage.ReadRequest) ([]storage.ReadResult, error) {
	got, err := c.Store.Read(ctx, requests...)
	c.reads.Add(1)
	for _, g := range got {
		for _, v := range g.Values {
			if v != nil {
				c.rows.Add(1)
				c.bytes.Add(int64(len(v)))
			}
		}
	}
	return got, err
}

// spent is what f reads.
func (c *counting) spent(f func()) (reads, rows int64) {
	reads, rows = c.reads.Load(), c.rows.Load()
	f()
	return c.reads.Load() - reads, c.rows.Load() - rows
}

func TestSeekingAClaimDoesNotReadWhatIsBefore(t *testing.T) {
	s := &counting{Store: memory.New()}
	f := open(t, s)
	for i := range 400 {
		seed(t, f, fmt.Sprintf("http://a.test/%d", i))
	}
	r := reader(t, s)
	all := recorded(t, r)
	_, rows := s.spent(func() {
		n := 0
		for _, err := range r.AdmissionsAfter(t.Context(), all[395].Claim) {
			require.NoError(t, err)
			n++
		}
		assert.Equal(t, 4, n)
	})
	assert.LessOrEqual(t, rows, int64(6))
}

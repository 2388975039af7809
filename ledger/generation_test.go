package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
)

// crawler is a run at work: what leases it gives out end as its test says.
type crawler struct {
	*frontier.Frontier
	t     *testing.T
	store storage.Store
}

func open(t *testing.T, store storage.Store) *crawler {
	t.Helper()
	f, err := frontier.Open(t.Context(), frontier.Config{Store: store, Policy: frontier.Policy{Delay: -1}})
	require.NoError(t, err)
	return &crawler{f, t, store}
}

// seed admits n URLs, each of its own origin.
func (c *crawler) seed(from, n int) {
	c.t.Helper()
	var refs []frontier.Reference
	for i := from; i < from+n; i++ {
		refs = append(refs, frontier.Reference{Observed: fmt.Sprintf("http://s%d.test/", i)})
	}
	_, err := c.Enqueue(c.t.Context(), frontier.Seed, refs...)
	require.NoError(c.t, err)
}

// work settles up to n leases, and reports whether the run is over.
func (c *crawler) work(n int) bool {
	c.t.Helper()
	for n > 0 {
		leases, err := c.Lease(c.t.Context(), n)
		if errors.Is(err, frontier.ErrDone) {
			return true
		}
		require.NoError(c.t, err)
		for _, l := range leases {
			done := l.Fetched(frontier.Evidence{Status: 200, Bytes: 7, Detail: "<é> & more"})
			done.Records = []frontier.Record{{Kind: "url", Data: []byte(fmt.Sprintf("%q", l.URL))}, {Kind: "raw", Data: []byte("\"\xff\"")}}
			_, err := c.Complete(c.t.Context(), done)
			require.NoError(c.t, err)
		}
		n -= len(leases)
	}
	return false
}

func (c *crawler) reader() *frontier.Reader {
	c.t.Helper()
	r, err := frontier.NewReader(c.t.Context(), c.store, "")
	require.NoError(c.t, err)
	return r
}

// freeze closes a generation.
func (c *crawler) freeze() *Generation {
	c.t.Helper()
	g, err := c.Freeze(c.t.Context())
	require.NoError(c.t, err)
	return At(c.reader(), g)
}

// pages walks all pages of s.
func pages(t *testing.T, s Source, r PageRequest) []Page {
	t.Helper()
	var all []Page
	for {
		p, err := s.Page(t.Context(), r)
		require.NoError(t, err)
		all = append(all, p)
		if r.After = p.Next; p.Next == "" {
			return all
		}
		require.LessOrEqual(t, len(all), 1000)
	}
}

func ids(pages []Page) (list []string) {
	for _, p := range pages {
		for _, r := range p.Results {
			list = append(list, r.ID)
		}
	}
	return list
}

func TestEveryBudgetOfAPageGivesAllResultsInOrder(t *testing.T) {
	c := open(t, memory.New())
	defer c.Close()
	c.seed(0, 20)
	c.work(20)
	g := c.freeze()
	var want []string
	for r, err := range g.All(t.Context()) {
		require.NoError(t, err)
		want = append(want, identity(r.ID))
	}
	require.Len(t, want, 20)
	one := pages(t, g, PageRequest{})
	require.Len(t, one, 1)
	size := one[0].Results[0].size()
	for _, k := range []struct {
		name  string
		r     PageRequest
		pages int
	}{
		{"default", PageRequest{}, 1},
		{"records", PageRequest{Records: 6}, 4},
		{"records, to the end", PageRequest{Records: 5}, 4},
		{"bytes", PageRequest{Bytes: size*3 + size/2}, 7},
		{"fewer bytes than a result", PageRequest{Bytes: 1}, 20},
		{"time", PageRequest{Time: 1}, 20},
	} {
		t.Run(k.name, func(t *testing.T) {
			got := pages(t, g, k.r)
			assert.Equal(t, want, ids(got))
			assert.Len(t, got, k.pages)
			assert.Equal(t, got, pages(t, g, k.r), "the same request has the same answer")
			for _, p := range got {
				assert.Equal(t, g.ID, p.Generation)
				assert.Equal(t, g.Frozen, p.Frozen)
				assert.True(t, p.Ordered)
				assert.Equal(t, Counts{20, 20, 0, 0, 0, 0}, p.Counts)
			}
		})
	}
}

func TestAResultHoldsItsRowAndItsRecords(t *testing.T) {
	c := open(t, memory.New())
	defer c.Close()
	c.seed(0, 3)
	c.work(3)
	g := c.freeze()
	results := pages(t, g, PageRequest{})[0].Results
	i := 0
	for want, err := range g.All(t.Context()) {
		require.NoError(t, err)
		require.Len(t, want.Records, 2)
		got, err := results[i].Row()
		require.NoError(t, err)
		assert.True(t, want.Finished.Equal(got.Finished))
		want.Finished = got.Finished
		assert.Equal(t, want, got)
		assert.Equal(t, want.State, results[i].State)
		i++
	}
	assert.Contains(t, string(results[0].Data), `"records":[{"kind":"url","data":"http://`)
	assert.Contains(t, string(results[0].Data), `<é> & more`)
	_, err := Result{ID: "x", Data: []byte(`{"attempt":"1"}`)}.Row()
	assert.ErrorContains(t, err, `result x: attempt "1"`)
}

func TestAGenerationStaysAsItWasWhileTheRunGoesOn(t *testing.T) {
	store := memory.New()
	c := open(t, store)
	c.seed(0, 20)
	c.work(8)
	g := c.freeze()
	before := pages(t, g, PageRequest{Records: 3})
	c.work(7)
	require.Len(t, ids(before), 8)
	assert.Equal(t, before, pages(t, g, PageRequest{Records: 3}))
	n := 0
	for _, err := range g.All(t.Context()) {
		require.NoError(t, err)
		n++
	}
	assert.Equal(t, 8, n)
	later := c.freeze()
	assert.Len(t, ids(pages(t, later, PageRequest{})), 15)
	require.NoError(t, c.Close())

	c = open(t, store)
	for !c.work(1) {
	}
	require.NoError(t, c.Close())
	first, err := c.reader().Generation(t.Context(), g.ID)
	require.NoError(t, err)
	assert.Equal(t, before, pages(t, At(c.reader(), first), PageRequest{Records: 3}), "from another process, after the run")
	last, err := Latest(t.Context(), c.reader())
	require.NoError(t, err)
	assert.Len(t, ids(pages(t, last, PageRequest{})), 20)
}

func TestARunThatHasFrozenNothingHasNoGeneration(t *testing.T) {
	c := open(t, memory.New())
	defer c.Close()
	c.seed(0, 1)
	_, err := Latest(t.Context(), c.reader())
	require.ErrorIs(t, err, ErrNotFrozen)
	assert.ErrorContains(t, err, "let it stop or end, or call Freeze")
}

func TestACursorIsOfItsGenerationAlone(t *testing.T) {
	freeze := func(store storage.Store, n int) *Generation {
		c := open(t, store)
		defer c.Close()
		c.seed(n, n)
		c.work(n)
		return c.freeze()
	}
	store := memory.New()
	g := freeze(store, 8)
	page, err := g.Page(t.Context(), PageRequest{Records: 3})
	require.NoError(t, err)
	next := page.Next
	require.NotEmpty(t, next)
	later := *g
	later.Last = 1
	for _, k := range []struct {
		name  string
		g     *Generation
		after Cursor
		want  string
	}{
		{"of an earlier generation", freeze(store, 3), next, `of generation "1.1", this is "1.2"`},
		{"of another store", freeze(memory.New(), 8), next, `of another store's generation "1.1"`},
		{"of nobody", g, "hello world", `"hello world" is not one of weir, and this is generation "1.1"`},
		{"cut", g, next[:len(next)-4], `and this is generation "1.1"`},
		{"behind the end", &later, next, `behind the end of generation "1.1"`},
	} {
		t.Run(k.name, func(t *testing.T) {
			_, err := k.g.Page(t.Context(), PageRequest{After: k.after})
			require.ErrorIs(t, err, ErrCursor)
			assert.ErrorContains(t, err, k.want)
		})
	}
}

func TestNoByteOfACursorMayChange(t *testing.T) {
	g := &Generation{Generation: frontier.Generation{ID: "main.3", Sequence: 70, Frozen: time.Unix(1, 0), Last: 1 << 40}}
	good := g.cursor(12345)
	at, err := g.position(good)
	require.NoError(t, err)
	require.EqualValues(t, 12345, at)
	for i := range len(good) {
		for c := range 256 {
			bad := []byte(good)
			if bad[i] == byte(c) {
				continue
			}
			bad[i] = byte(c)
			_, err := g.position(Cursor(bad))
			require.ErrorIs(t, err, ErrCursor, "%q", bad)
		}
	}
	for _, bad := range []Cursor{good + "\n", "\n" + good, good + "=", good + good, "A"} {
		_, err := g.position(bad)
		require.ErrorIs(t, err, ErrCursor, "%q", bad)
	}
	future := bytes.Clone([]byte("AgAAAAAA"))
	_, err = g.position(Cursor(future))
	require.ErrorIs(t, err, ErrCursor)
}

func FuzzACursorIsReadOnlyAsItWasMade(f *testing.F) {
	g := &Generation{Generation: frontier.Generation{ID: "main.3", Sequence: 70, Frozen: time.Unix(1, 0), Last: 1 << 40}}
	f.Add(string(g.cursor(7)))
	f.Add("hello")
	f.Fuzz(func(t *testing.T, s string) {
		at, err := g.position(Cursor(s))
		switch {
		case err != nil:
			require.ErrorIs(t, err, ErrCursor)
		case s != "":
			require.EqualValues(t, s, g.cursor(at))
		}
	})
}

func TestARunsReceiptIsTheReceiptOfItsExport(t *testing.T) {
	store := memory.New()
	c := open(t, store)
	c.seed(0, 20)
	for !c.work(1) {
	}
	require.NoError(t, c.Close())
	of, err := Reconcile(t.Context(), c.reader())
	require.NoError(t, err)
	require.Equal(t, Complete, of.Verdict, of.Why)
	g, err := Latest(t.Context(), c.reader())
	require.NoError(t, err)
	assert.Equal(t, g.ID, of.Generation)
	b := &box{}
	assert.Equal(t, of, materialize(t, Export{From: g, To: b}))
	require.NoError(t, of.Verify(t.Context(), b))
	assert.EqualValues(t, 40, of.Records)
}

func TestARunThatGoesOnHasAReceiptOfItsLastCommitAndNoGeneration(t *testing.T) {
	c := open(t, memory.New())
	defer c.Close()
	c.seed(0, 20)
	c.work(8)
	c.freeze()
	c.work(5)
	r, err := Reconcile(t.Context(), c.reader())
	require.NoError(t, err)
	assert.Equal(t, PartialResumable, r.Verdict, r.Why)
	assert.Empty(t, r.Generation)
	assert.EqualValues(t, 13, r.Results)
	assert.Empty(t, r.Faults)

	g := c.freeze()
	r, err = Reconcile(t.Context(), c.reader())
	require.NoError(t, err)
	assert.Equal(t, PartialResumable, r.Verdict, "frozen before the run is over")
	assert.Contains(t, r.Why, "never becomes whole: deliver the one that is frozen then")
	assert.Equal(t, g.ID, r.Generation)
}

func TestAnExportGoesOnWithItsGenerationAfterTheRunWentOn(t *testing.T) {
	store, b := memory.New(), &box{}
	c := open(t, store)
	c.seed(0, 20)
	c.work(12)
	g := c.freeze()
	e := export(g, b)
	e.Page.Records, e.Pages = 5, 1
	materialize(t, e)
	for !c.work(1) {
	}
	require.NoError(t, c.Close())

	newest, err := Latest(t.Context(), c.reader())
	require.NoError(t, err)
	_, err = Materialize(t.Context(), export(newest, b))
	var other *OtherGenerationError
	require.ErrorAs(t, err, &other)

	e.From, e.Pages = At(c.reader(), g.Generation), 0
	r := materialize(t, e)
	assert.Equal(t, g.ID, r.Generation)
	assert.EqualValues(t, 12, r.Results)
	assert.Equal(t, PartialResumable, r.Verdict, "a later success does not complete it")
	require.NoError(t, r.Verify(t.Context(), b))
}

func TestPollsThatBrokeTheirBoundsAreNamedBeforeAllThatTheyMayHaveCaused(t *testing.T) {
	c := open(t, memory.New())
	defer c.Close()
	c.seed(0, 2)
	c.work(1)
	r, err := Reconcile(t.Context(), c.reader(), "a poll has followed 3 cursors")
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(r.Why, "a poll has followed 3 cursors; "), r.Why)
	assert.Equal(t, []string{"a poll has followed 3 cursors"}, r.Polls)
	assert.Contains(t, r.String(), "a poll has followed 3 cursors\n")
	for !c.work(1) {
	}
	r, err = Reconcile(t.Context(), c.reader(), "a poll has followed 3 cursors")
	require.NoError(t, err)
	assert.Equal(t, Complete, r.Verdict, "the walk has proved what it walked")
}

func TestAPageEndsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows := func(yield func(frontier.Result, error) bool) {
			for i := range 100 {
				time.Sleep(time.Second)
				if !yield(frontier.Result{Position: uint64(i + 1), State: frontier.Done}, nil) {
					return
				}
			}
		}
		r := PageRequest{Time: 5 * time.Second}.WithDefaults()
		page, next, err := pageOf(rows, r, 1000, 1000)
		require.NoError(t, err)
		assert.Len(t, page, 4)
		assert.EqualValues(t, 5, next)
	})
}

package ledger

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
)

// recount counts again, slowly, what a receipt says of admissions and states: the
// first from the edges, the second from the log.
func recount(t require.TestingT, reader *frontier.Reader, ctx context.Context) (map[frontier.Decision]int64, map[frontier.State]int64) {
	decided, states := map[frontier.Decision]int64{}, map[frontier.State]int64{}
	for a, err := range reader.Admissions(ctx) {
		require.NoError(t, err)
		if a.Source != frontier.Offer {
			decided[a.Decision]++
			continue
		}
		decided[a.Decision]++ // decided again: a bound or the scope had held it back
		decided[a.Was]--
	}
	last := map[string]frontier.State{}
	for tr, err := range reader.Transitions(ctx) {
		require.NoError(t, err)
		if tr.ID.Ordinal != 0 {
			last[identity(tr.ID)] = tr.To
		}
	}
	for _, s := range last {
		states[s]++
	}
	return decided, states
}

// wanderer takes a run through anything that may happen to it.
type wanderer struct {
	*rapid.T
	store storage.Store
	f     *frontier.Frontier
	held  []frontier.Lease
	n     int
}

func (w *wanderer) open(urls int64) {
	f, err := frontier.Open(w.Context(), frontier.Config{Store: w.store, Policy: frontier.Policy{Delay: -1},
		Budget: frontier.Budget{URLs: urls, Depth: 3, Attempts: 2}})
	require.NoError(w, err)
	w.f, w.held = f, nil
}

// refs are a few URLs of a small web, some of which no crawler admits.
func (w *wanderer) refs() []frontier.Reference {
	one := rapid.Custom(func(t *rapid.T) frontier.Reference {
		return frontier.Reference{Observed: rapid.SampledFrom([]string{
			fmt.Sprintf("http://s%d.test/%d", rapid.IntRange(0, 5).Draw(t, "site"), rapid.IntRange(0, 9).Draw(t, "page")),
			"mailto:a@a.test", "http://b.test:99999/", "http://elsewhere.test/",
		}).Draw(t, "url")}
	})
	return rapid.SliceOfN(one, 1, 6).Draw(w.T, "references")
}

func (w *wanderer) seed(*rapid.T) {
	_, err := w.f.Enqueue(w.Context(), frontier.Seed, w.refs()...)
	w.may(err)
}

// may passes the errors by which a run says that it is over or has stopped.
func (w *wanderer) may(err error) {
	if err != nil && !errors.Is(err, frontier.ErrDone) && !errors.Is(err, frontier.ErrStopped) {
		require.NoError(w, err)
	}
}

func (w *wanderer) lease(*rapid.T) {
	if len(w.held) > 0 {
		return // the only one who could make Lease return is busy here
	}
	if s := w.f.Summary(); s.States[frontier.Queued] == 0 {
		return
	}
	leases, err := w.f.Lease(w.Context(), rapid.IntRange(1, 5).Draw(w.T, "n"))
	w.may(err)
	w.held = leases
}

func (w *wanderer) settle(*rapid.T) {
	if len(w.held) == 0 {
		return
	}
	l, e := w.held[0], frontier.Evidence{Status: 200, Bytes: 10}
	w.held = w.held[1:]
	w.n++
	var c frontier.Completion
	switch rapid.IntRange(0, 5).Draw(w.T, "outcome") {
	case 0, 1:
		c = l.Fetched(e)
		c.References = w.refs()
		c.Records = []frontier.Record{{Kind: "n", Data: []byte(fmt.Sprint(w.n))}}
	case 2:
		c = l.Failed("teapot", e)
	case 3:
		c = l.Refused("robots", e)
	case 4:
		c = l.Redirected(w.refs()[0].Observed, e)
	case 5:
		e.Truncated = "bytes"
		c = l.Fetched(e)
	}
	_, err := w.f.Complete(w.Context(), c)
	w.may(err)
}

func (w *wanderer) freeze(*rapid.T) {
	_, err := w.f.Freeze(w.Context())
	w.may(err)
}

// reopen loses all leases, and raises or keeps the budget.
func (w *wanderer) reopen(*rapid.T) {
	if w.f.Summary().Phase.Terminal() {
		return
	}
	require.NoError(w, w.f.Close())
	w.open(int64(rapid.IntRange(8, 30).Draw(w.T, "urls")))
}

// twice counts in both ways as of one commit: after a raise the run decides on its
// own what was held back.
func (w *wanderer) twice() (Receipt, map[frontier.Decision]int64, map[frontier.State]int64) {
	reader, err := frontier.NewReader(w.Context(), w.store, "")
	require.NoError(w, err)
	for range 1000 {
		r, err := Reconcile(w.Context(), reader)
		require.NoError(w, err)
		decided, states := recount(w, reader, w.Context())
		now, err := reader.Summary(w.Context())
		require.NoError(w, err)
		if now.Sequence == r.Sequence {
			return r, decided, states
		}
	}
	w.Fatal("the run commits all the time")
	return Receipt{}, nil, nil
}

func (w *wanderer) holds(*rapid.T) {
	r, decided, states := w.twice()
	require.Empty(w, r.Faults)
	var sum int64
	for d, n := range decided {
		sum += n
		assert.Equal(w, n, r.Dispositions[d], d)
	}
	assert.Equal(w, sum, r.Observed)
	c := r.Expected
	assert.Equal(w, c.Expected, c.Succeeded+c.Failed+c.Stopped+c.Skipped+c.Unresolved)
	assert.Equal(w, r.Admitted, c.Expected)
	assert.Equal(w, r.Admitted, r.Dispositions[frontier.Admitted])
	for s, n := range r.Counts {
		assert.Equal(w, states[s], n, s)
	}
	assert.Zero(w, r.Missing+r.Duplicates)
}

func TestReceiptsAreWhatASlowRecountFinds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := &wanderer{T: rt, store: memory.New()}
		w.open(12)
		defer func() { _ = w.f.Close() }()
		rt.Repeat(map[string]func(*rapid.T){
			"seed": w.seed, "lease": w.lease, "settle": w.settle, "freeze": w.freeze, "reopen": w.reopen, "recount": w.holds,
		})
		w.holds(rt)
	})
}

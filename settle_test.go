package weir

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/storage/memory"
)

func TestACompletionThatCannotBeAcceptedCostsItsOwnURLAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := memory.New()
		cfg := over(web(t, twoPages), mem)
		cfg.Policy = frontier.Policy{Delay: -1, Concurrency: 8}
		settled := 0
		cfg.Trace.Settled = func(frontier.Completion, frontier.Answer) { settled++ }
		r, gate := leased(t, cfg)
		r.end = func(err error) { t.Error("the run has ended:", err) }
		r.commit(t.Context(), []frontier.Completion{gate.Open(nil, time.Now().Add(time.Hour), 0, frontier.Evidence{})})
		_, err := r.f.Enqueue(t.Context(), frontier.Seed, frontier.Reference{Observed: "http://a.test/bad"}, frontier.Reference{Observed: "http://a.test/good"})
		require.NoError(t, err)

		leases, err := r.f.Lease(t.Context(), 3)
		require.NoError(t, err)
		require.Len(t, leases, 3)
		var group []frontier.Completion
		for _, l := range leases {
			c := l.Fetched(frontier.Evidence{Status: 200, Bytes: 7})
			if l.URL == "http://a.test/bad" {
				c.Records = []frontier.Record{{Kind: "page", Data: []byte("no JSON")}}
			}
			group = append(group, c)
		}
		r.commit(t.Context(), group)
		assert.Equal(t, []string{"done {fetched} http://a.test/", "done {fetched} http://a.test/good", "failed {handler} http://a.test/bad"}, results(t, mem))
		assert.Equal(t, 4, settled, "the gate, and each page once")
		assert.EqualValues(t, 21, r.f.Summary().Bytes, "what was fetched for it is charged")
		for row := range allResults(t, mem) {
			if row.State == frontier.Failed {
				assert.Contains(t, row.Evidence.Detail, "is not JSON")
			}
		}
	})
}

func TestAFrontierThatAcceptsNothingEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, gate := leased(t, over(web(t, twoPages), memory.New()))
		var ended error
		r.end = func(err error) { ended = err }
		require.NoError(t, r.f.Close())
		r.commit(t.Context(), []frontier.Completion{gate.Open(nil, time.Now().Add(time.Hour), 0, frontier.Evidence{})})
		require.ErrorIs(t, ended, frontier.ErrClosed)
		assert.ErrorIs(t, r.failure, frontier.ErrClosed)
	})
}

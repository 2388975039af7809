package ledger

import (
	"context"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
)

// BenchmarkWalk is what a receipt costs a result.
func BenchmarkWalk(b *testing.B) {
	const n = 20_000
	s, rows := run()
	var all []frontier.Result
	for i := range n {
		r := rows[0]
		r.ID.Origin, r.ID.Ordinal, r.Position = uint64(i/100), uint64(i%100), uint64(i+1)
		all = append(all, r)
	}
	s.Results = n
	for b.Loop() {
		r, err := survey(b.Context(), &live{summary: s, rows: func(_ context.Context, after uint64) iter.Seq2[frontier.Result, error] {
			return each(all[after:], nil)
		}})
		require.NoError(b, err)
		require.EqualValues(b, n, r.Results)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/result")
}

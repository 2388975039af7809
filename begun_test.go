package weir

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/storage/memory"
)

// A run that was killed before its seeds were admitted has nothing to go on with:
// it is neither complete, nor waits for ever.
func TestRunThatNothingWasOfferedToNeedsSeeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, twoPages), memory.New()
		cfg := over(w, mem)
		f, err := frontier.Open(t.Context(), frontier.Config{Store: mem, Gates: true})
		require.NoError(t, err)
		require.NoError(t, f.Close())

		_, err = Run(t.Context(), cfg)
		require.ErrorIs(t, err, ErrNoSeeds)
		receipt, err := Run(t.Context(), cfg, "http://a.test/")
		require.NoError(t, err)
		require.Equal(t, ledger.Complete, receipt.Verdict, receipt.Why)
		require.EqualValues(t, 1, receipt.Number, "the same run goes on")
	})
}

package backoff

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBoundDoublesUpToItsMaximum(t *testing.T) {
	for _, c := range []struct {
		failures int
		want     time.Duration
	}{
		{-1, 0}, {0, 0}, {1, time.Second}, {2, 2 * time.Second}, {5, 16 * time.Second},
		{10, 512 * time.Second}, {11, Max}, {21, Max}, {1 << 30, Max},
	} {
		require.Equal(t, c.want, Bound(c.failures), "%d failures", c.failures)
	}
}

func TestJitterStaysWithinItsBoundAndUsesIt(t *testing.T) {
	for failures := 1; failures < 30; failures++ {
		var low, high bool
		for range 1000 {
			w := Jitter(failures)
			require.Greater(t, w, time.Duration(0))
			require.LessOrEqual(t, w, Bound(failures))
			low = low || w < Bound(failures)/4
			high = high || w > Bound(failures)/4*3
		}
		require.True(t, low && high, "%d failures: the draws do not cover the bound", failures)
	}
}

package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNothingIsLostOrFetchedTwice(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(t.Context(), t.TempDir(), &out))
	require.Equal(t, `partial_resumable: 4 done, 6 to go, 5 requests so far
partial_resumable: 8 done, 2 to go, 9 requests so far
complete: 10 done, 0 to go, 11 requests so far
`, out.String(), "ten pages and one robots.txt")
}

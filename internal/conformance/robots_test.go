package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRealFilesMeanWhatMostProgramsSay judges robots.txt files of real sites. They
// are not copied into this module: each text is its site's own.
func TestRealFilesMeanWhatMostProgramsSay(t *testing.T) {
	if _, err := os.Stat(elsewhere + "/robots/real"); err != nil {
		t.Skipf("%s/robots/real is not there", elsewhere)
	}
	results, err := judge(os.DirFS(elsewhere), []suite{real})
	require.NoError(t, err)
	require.Len(t, results, 1)
	r := results[0]
	t.Logf("%d rows, %d passed", r.Rows, r.Passed)
	assert.GreaterOrEqual(t, float64(r.Passed), 0.998*float64(r.Rows))
	failed := map[string]bool{}
	for _, f := range r.Failures {
		failed[f.Row] = true
		assert.NotEmpty(t, f.Accepted, "%s: %s", f.Row, f.What)
	}
	for id := range real.accepted {
		assert.True(t, failed[id], "%s passes now: take it off the list", id)
	}
}

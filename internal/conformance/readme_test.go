package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the numbers into the README")

const (
	readme     = "../../README.md"
	tableBegin = "<!-- conformance -->\n"
	tableEnd   = "<!-- end -->\n"

	// elsewhere has the tables that are not copied: each text of robots/real is
	// its own site's.
	elsewhere = "../../../shared/testdata"
)

// everywhere is a folder whose files are looked for in the next one, too.
type everywhere []fs.FS

func (e everywhere) Open(name string) (file fs.File, err error) {
	for _, in := range e {
		if file, err = in.Open(name); !errors.Is(err, fs.ErrNotExist) {
			return file, err
		}
	}
	return nil, err
}

// TestTheREADMEQuotesTheNumbers keeps the table of the README true.
func TestTheREADMEQuotesTheNumbers(t *testing.T) {
	if _, err := os.Stat(elsewhere); err != nil {
		t.Skipf("%s is not there, and with it one line of the table", elsewhere)
	}
	results, err := judge(everywhere{os.DirFS("testdata"), os.DirFS(elsewhere)}, suites())
	require.NoError(t, err)
	text, err := os.ReadFile(readme)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(text), tableBegin)
	require.True(t, ok)
	quoted, after, ok := strings.Cut(rest, tableEnd)
	require.True(t, ok)
	if want := markdown(results); *update {
		require.NoError(t, os.WriteFile(readme, []byte(before+tableBegin+want+tableEnd+after), 0o644))
	} else {
		assert.Equal(t, want, quoted, "go test ./internal/conformance -run README -update")
	}
}

// markdown is the table of the README.
func markdown(results []result) string {
	var b strings.Builder
	b.WriteString("| suite | rows | passed | |\n|---|--:|--:|--:|\n")
	for _, r := range results {
		fmt.Fprintf(&b, "| %s | %d | %d | %s %% |\n", r.Suite, r.Rows, r.Passed, percent(r))
	}
	return b.String()
}

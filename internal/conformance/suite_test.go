package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNoPassIsLost: of the project's own copy of the tables no other row fails
// than those that are argued for, and none of these passes unnoticed.
func TestNoPassIsLost(t *testing.T) {
	data := os.DirFS("testdata")
	for _, s := range suites() {
		t.Run(s.name, func(t *testing.T) {
			results, err := judge(data, []suite{s})
			require.NoError(t, err)
			if len(results) == 0 {
				t.Skipf("%s is not in testdata", s.file)
			}
			r := results[0]
			t.Logf("%d rows, %d passed", r.Rows, r.Passed)
			assert.NotZero(t, r.Rows)
			failed := map[string]bool{}
			for _, f := range r.Failures {
				failed[f.Row] = true
				assert.NotEmpty(t, f.Accepted, "%s: %s", f.Row, f.What)
			}
			for id := range s.accepted {
				assert.True(t, failed[id], "%s passes now: take it off the list", id)
			}
		})
	}
}

type pair struct {
	ID   string
	A, B int
}

var pairs = table("x/pairs.jsonl", map[string]string{"known": "it is argued"}, func(_ fs.FS, row pair) verdict {
	if row.A < 0 {
		return verdict{foreign: true}
	}
	if row.B == 13 {
		panic("thirteen")
	}
	if row.B == 7 {
		return verdict{id: row.ID, failure: "seven", reason: "it is argued for its kind"}
	}
	return compare(row.ID, row.A, row.B)
})

func TestEveryRowIsCountedOnce(t *testing.T) {
	data := fstest.MapFS{"x/pairs.jsonl": {Data: []byte(`{"id":"good","a":1,"b":1}
{"id":"known","a":1,"b":2}
{"a":1,"b":2}

{"a":-1}
{"a":"text"}
{"a":1,"b":13}
{"a":1,"b":7}
`)}}
	results, err := judge(data, []suite{pairs, table("x/absent.jsonl", nil, func(fs.FS, pair) verdict { return verdict{} })})
	require.NoError(t, err)
	require.Len(t, results, 1, "a suite that is not there is left out")
	r := results[0]
	assert.Equal(t, []int{6, 1, 5, 1}, []int{r.Rows, r.Passed, r.Failed, r.Skipped})
	assert.Equal(t, failure{"known", "want 1, got 2", "it is argued"}, r.Failures[0])
	assert.Equal(t, failure{"#3", "want 1, got 2", ""}, r.Failures[1])
	assert.Contains(t, r.Failures[2].What, "unreadable")
	assert.Contains(t, r.Failures[3].What, "thirteen")
	assert.Equal(t, failure{"#7", "seven", "it is argued for its kind"}, r.Failures[4])
}

func TestStringsOfAnArrayAreComments(t *testing.T) {
	data := fstest.MapFS{"x/pairs.json": {Data: []byte(`["a comment", {"a":1,"b":1}]`)}}
	all, err := rows(data, "x/pairs.json")
	require.NoError(t, err)
	assert.Len(t, all, 1)
}

func TestTheReportIsJSONOnRequest(t *testing.T) {
	var out bytes.Buffer
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(dir+"/http", 0o750))
	require.NoError(t, os.WriteFile(dir+"/http/dates.jsonl", []byte(`{"value":"Sun, 06 Nov 1994 08:49:37 GMT","utc":"1994-11-06T08:49:37Z"}`), 0o600))
	require.NoError(t, run(&out, dir, true))
	var results []result
	require.NoError(t, json.Unmarshal(out.Bytes(), &results))
	assert.Equal(t, []result{{Suite: "http/dates", Rows: 1, Passed: 1}}, results)
}

func TestWhatCannotBeJudgedIsAnError(t *testing.T) {
	var out bytes.Buffer
	assert.ErrorContains(t, run(&out, "testdata/absent", true), "no such folder")
	assert.ErrorContains(t, run(&out, "suite.go", true), "no such folder")
	assert.ErrorContains(t, run(&out, t.TempDir(), true), "no table of any suite")
	assert.ErrorContains(t, unexpected([]string{"mine"}), "-data mine")
	assert.NoError(t, unexpected(nil))
	assert.Empty(t, out.String())
}

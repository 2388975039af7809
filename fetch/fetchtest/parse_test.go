package fetchtest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/fetch/fetchtest"
)

func TestEveryFaultIsReportedWithItsLine(t *testing.T) {
	_, err := fetchtest.Parse("web.txtar", []byte(`A comment
of two lines.
-- http://a.test/ --
fine
-- ftp://a.test/ --
-- http://a.test --
-- http:///x --
-- http://a.test/a#b --
-- http://u:p@a.test/ --
-- notes --
-- http://a.test/status --
HTTP 99
-- http://a.test/header --
HTTP 200
X: y
Not a header
-- http://a.test/unknown --
! frobnicate
-- http://a.test/arity --
HTTP 200
! delay
-- http://a.test/arity2 --
! chunked yes
-- http://a.test/duration --
! delay 5
-- http://a.test/number --
! truncate few
-- http://a.test/one --
! dns
-- http://a.test/* --
! tls
-- http://a.test/base64 --
! base64

?
-- http://a.test/huge --
! repeat 2000000000

x
-- http://a.test/length --
HTTP 200
Content-Length: many
-- want same --
1
-- want same --
2
`))
	require.Error(t, err)
	want := []string{
		`web.txtar:5: section "ftp://a.test/": want an http or https URL`,
		`web.txtar:6: section "http://a.test": the URL has no path`,
		`web.txtar:7: section "http:///x": the URL has no host`,
		`web.txtar:8: section "http://a.test/a#b": no request has`,
		`web.txtar:9: section "http://u:p@a.test/": "u:p@a.test" is no host`,
		`web.txtar:10: section "notes": want an http`,
		`web.txtar:12: "99" is no status`,
		`web.txtar:16: "Not a header" is neither`,
		`web.txtar:18: unknown directive "frobnicate": one of base64, chunked`,
		`web.txtar:21: ! delay takes a duration`,
		`web.txtar:23: ! chunked takes nothing`,
		`web.txtar:25: ! delay 5: want a duration`,
		`web.txtar:27: ! truncate few: want a number`,
		`web.txtar:28: "dns" breaks a whole host: name the section http://a.test/*`,
		`web.txtar:30: tls breaks https hosts only`,
		`web.txtar:32: ! base64:`,
		`web.txtar:36: ! repeat 2000000000: the body would exceed`,
		`web.txtar:40: Content-Length "many"`,
		`web.txtar:45: a second section "want same"`,
	}
	got := strings.Split(strings.TrimPrefix(err.Error(), "fetchtest: "), "\n")
	require.Len(t, got, len(want), "%v", err)
	for i := range want {
		assert.Contains(t, got[i], want[i])
	}
}

func TestAWebIsReadFromItsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "web.txtar")
	require.NoError(t, os.WriteFile(path, []byte("-- want hits --\n0\n"), 0o600))
	web, err := fetchtest.Open(path)
	require.NoError(t, err)
	want, ok := web.Want("hits")
	assert.True(t, ok)
	assert.Equal(t, "0\n", want)
	_, ok = web.Want("misses")
	assert.False(t, ok)

	_, err = fetchtest.Open(path + "x")
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func FuzzParseNeverLosesASection(f *testing.F) {
	f.Add("-- http://a.test/ --\nHTTP 200\n! gzip\n\nbody\n-- want x --\n")
	f.Add("-- http://a.test/* --\n! dns\n")
	f.Fuzz(func(t *testing.T, archive string) {
		if strings.Contains(archive, "repeat") {
			return // makes bodies of a gigabyte, as it was told
		}
		web, err := fetchtest.Parse("f", []byte(archive+"\n-- http://last.test/ --\nlast\n"))
		if err != nil {
			if !strings.Contains(err.Error(), "f:") {
				t.Fatalf("%q: no line in %v", archive, err)
			}
			return
		}
		if got := get(t.Context(), web, "http://last.test/"); strings.Count(archive, "last.test") == 0 && got.body != "last\n" {
			t.Fatalf("%q: the last section is %+v", archive, got)
		}
	})
}

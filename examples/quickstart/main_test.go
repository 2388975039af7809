package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
)

// quickstart runs the command with -json, and returns its receipt.
func quickstart(ctx context.Context, t *testing.T, args ...string) (ledger.Receipt, string, error) {
	t.Helper()
	var out, progress bytes.Buffer
	err := run(ctx, append([]string{"-json", "-delay", "1ms"}, args...), &out, &progress)
	var receipt ledger.Receipt
	require.NoError(t, json.Unmarshal(out.Bytes(), &receipt), "%v: %s", err, progress.String())
	return receipt, progress.String(), err
}

func TestTheBuiltInSiteIsAccountedForThroughStopsAndStarts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	receipt, _, err := quickstart(ctx, t, "-dir", dir)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Equal(t, ledger.PartialResumable, receipt.Verdict, receipt.Why)

	receipt, _, err = quickstart(t.Context(), t, "-dir", dir)
	require.NoError(t, err)
	assert.Equal(t, ledger.CompleteWithFailures, receipt.Verdict, receipt.Why)
	assert.EqualValues(t, 1, receipt.Number, "it went on")
	assert.Empty(t, receipt.Unresolved)
	assert.Equal(t, receipt.Admitted, receipt.Results-receipt.Superseded)
	assert.Greater(t, receipt.Counts[frontier.Done], int64(300))
	for _, want := range []string{"robots", "denied", "server_error", "too_many_redirects", "missing", "redirected"} {
		assert.Contains(t, words(receipt.Reasons), want)
	}
	assert.Contains(t, words(receipt.Decided), "depth", "the calendar has an end")
	assert.EqualValues(t, receipt.Results, lines(t, filepath.Join(dir, "pages.jsonl")))

	last, text, err := quickstart(t.Context(), t, "-dir", dir)
	require.NoError(t, err)
	assert.Equal(t, receipt, last)
	assert.Contains(t, text, "-again begins a new one")
}

func TestAgainBeginsANewRunWithinItsOwnBounds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	receipt, _, err := quickstart(t.Context(), t, "-dir", dir, "-max", "20")
	require.NoError(t, err)
	assert.EqualValues(t, 20, receipt.Used.URLs)
	out := filepath.Join(dir, "other.jsonl")
	receipt, _, err = quickstart(t.Context(), t, "-dir", dir, "-again", "-depth", "1", "-max", "30", "-concurrency", "2", "-out", out)
	require.NoError(t, err)
	assert.EqualValues(t, 2, receipt.Number)
	assert.EqualValues(t, 30, receipt.Limit.URLs)
	assert.EqualValues(t, 1, receipt.Limit.Depth)
	assert.EqualValues(t, receipt.Results, lines(t, out))
}

func TestURLsAreCrawledUnderTheLibrarysDefaults(t *testing.T) {
	t.Parallel()
	site, err := serveDemo()
	require.NoError(t, err)
	defer site.Close()
	url := "http://" + site.listener.Addr().String() + "/"
	receipt, _, err := quickstart(t.Context(), t, "-dir", t.TempDir(), url)
	require.NoError(t, err)
	assert.EqualValues(t, 10_000, receipt.Limit.URLs)
	assert.Equal(t, "private_address", words(receipt.Reasons), "loopback is refused")
	receipt, _, err = quickstart(t.Context(), t, "-dir", t.TempDir(), "-allow-private", url)
	require.NoError(t, err)
	assert.Equal(t, "missing", words(receipt.Reasons), "no host of the site has this name")
}

func TestATableSaysWhereTheResultsLie(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var out, progress strings.Builder
	require.NoError(t, run(t.Context(), []string{"-dir", dir, "-max", "5", "-delay", "1ms"}, &out, &progress))
	assert.Contains(t, out.String(), "verdict")
	assert.Contains(t, out.String(), "results: "+filepath.Join(dir, "pages.jsonl"))
}

func TestHelpIsNoErrorAndABadFlagIsSaidOnce(t *testing.T) {
	t.Parallel()
	var out, progress strings.Builder
	require.NoError(t, run(t.Context(), []string{"-h"}, &out, &progress))
	assert.Contains(t, out.String(), "usage: quickstart")
	assert.Contains(t, out.String(), "negative: none")
	out.Reset()
	err := run(t.Context(), []string{"-no-such-flag"}, &out, &progress)
	assert.ErrorContains(t, err, "-no-such-flag; -h lists the flags")
	assert.Empty(t, out.String()+progress.String(), "main prints the error")
}

func TestAnOutThatCannotBeWrittenIsNamedBeforeTheCrawl(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var out, progress strings.Builder
	err := run(t.Context(), []string{"-dir", dir, "-out", filepath.Join(dir, "missing", "pages.jsonl")}, &out, &progress)
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.ErrorContains(t, err, "choose another -out")
	assert.Empty(t, out.String(), "nothing was crawled")
	receipt, _, err := quickstart(t.Context(), t, "-dir", dir, "-max", "3")
	require.NoError(t, err)
	assert.EqualValues(t, 1, receipt.Number)
}

func TestOtherURLsThanThoseOfARunThatIsOverAreAnError(t *testing.T) {
	t.Parallel()
	site, err := serveDemo()
	require.NoError(t, err)
	defer site.Close()
	url, dir := "http://"+site.listener.Addr().String(), t.TempDir()
	receipt, _, err := quickstart(t.Context(), t, "-dir", dir, "notaurl")
	require.ErrorContains(t, err, "notaurl")
	require.Equal(t, frontier.FailedRun, receipt.Phase)

	receipt, _, err = quickstart(t.Context(), t, "-dir", dir, "-allow-private", url)
	require.NoError(t, err, "after a run that has failed a new one begins")
	assert.EqualValues(t, 2, receipt.Number)
	_, text, err := quickstart(t.Context(), t, "-dir", dir, "-allow-private", url+"/")
	require.NoError(t, err, "the same URL in another spelling")
	assert.Contains(t, text, "run 2 of "+dir+" is over; it began with "+url+"/; -again begins a new one")
	last, _, err := quickstart(t.Context(), t, "-dir", dir, "-allow-private", url+"/other")
	assert.ErrorContains(t, err, url+"/other was not crawled: run 2 of "+dir+" is over, and began with "+url+"/")
	assert.Equal(t, receipt, last, "its receipt is shown")
	receipt, _, err = quickstart(t.Context(), t, "-dir", dir, "-allow-private", "-again", url+"/other")
	require.NoError(t, err)
	assert.EqualValues(t, 3, receipt.Number)
}

func words(tallies []frontier.Tally) string {
	var list []string
	for _, t := range tallies {
		list = append(list, string(t.Reason))
	}
	return strings.Join(list, " ")
}

func lines(t *testing.T, path string) (n int) {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	for scanner := bufio.NewScanner(file); scanner.Scan(); n++ {
		assert.True(t, json.Valid(scanner.Bytes()))
	}
	assert.NoFileExists(t, path+".partial")
	return n
}

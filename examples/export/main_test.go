package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir"
	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/fetch/fetchtest"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
)

// crawled is a folder with a crawl of the built-in site.
func crawled(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, crawlDemo(t.Context(), dir))
	return dir
}

func receiptOf(t *testing.T, path string) (r ledger.Receipt) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &r))
	return r
}

func TestACrawlBecomesFilesWithReceipts(t *testing.T) {
	dir := crawled(t)
	var out, progress strings.Builder
	require.NoError(t, run(t.Context(), []string{"-dir", dir, "-page", "10", "-v"}, &out, &progress))
	assert.Equal(t, 2, strings.Count(out.String(), ": written, and checked against its receipt\n"))
	assert.Equal(t, 2*4, strings.Count(progress.String(), " results\n"), "31 results, ten at a time")

	for _, name := range []string{"pages.jsonl", "pages.csv"} {
		receipt := receiptOf(t, filepath.Join(dir, name+".receipt.json"))
		assert.Equal(t, ledger.CompleteWithFailures, receipt.Verdict, receipt.Why)
		assert.EqualValues(t, 31, receipt.Results)
		assert.Equal(t, "demo.1", receipt.Generation)
		assert.NoFileExists(t, filepath.Join(dir, name+".partial"))
	}
	text, err := os.ReadFile(filepath.Join(dir, "pages.jsonl"))
	require.NoError(t, err)
	assert.Equal(t, 31, strings.Count(string(text), "\n"))
	file, err := os.Open(filepath.Join(dir, "pages.csv"))
	require.NoError(t, err)
	defer file.Close()
	table, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	assert.Len(t, table, 1+31)
}

func TestAnotherStartFindsWhatIsPublished(t *testing.T) {
	dir := crawled(t)
	var out, progress strings.Builder
	require.NoError(t, run(t.Context(), []string{"-dir", dir}, &out, &progress))
	first := receiptOf(t, filepath.Join(dir, "pages.csv.receipt.json"))
	out.Reset()
	progress.Reset()
	require.NoError(t, run(t.Context(), []string{"-dir", dir}, &out, &progress))
	assert.Equal(t, 2, strings.Count(out.String(), ": published before, and checked against its receipt\n"))
	assert.Empty(t, progress.String(), "nothing is walked again")
	assert.Equal(t, first, receiptOf(t, filepath.Join(dir, "pages.csv.receipt.json")))
}

func TestADamagedFileIsFound(t *testing.T) {
	dir := crawled(t)
	require.NoError(t, run(t.Context(), []string{"-dir", dir}, io.Discard, io.Discard))
	path := filepath.Join(dir, "pages.jsonl")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), "Page 7", "Page 8", 1)), 0o600))
	err = run(t.Context(), []string{"-dir", dir}, io.Discard, io.Discard)
	require.ErrorIs(t, err, ledger.ErrDamaged)
	assert.ErrorContains(t, err, path)
	assert.ErrorContains(t, err, "remove the dataset and its receipt")
}

// stopper is a reader of the progress who has seen enough.
type stopper struct {
	strings.Builder
	at   string
	stop context.CancelFunc
}

func (s *stopper) Write(p []byte) (int, error) {
	n, err := s.Builder.Write(p)
	if strings.Contains(s.String(), s.at) {
		s.stop()
	}
	return n, err
}

func TestAStopLosesNothingAndTheNextStartGoesOn(t *testing.T) {
	dir := crawled(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	progress := &stopper{at: "pages.csv: page 1,", stop: stop}
	err := run(ctx, []string{"-dir", dir, "-page", "10", "-v"}, io.Discard, progress)
	require.ErrorIs(t, err, context.Canceled)
	assert.EqualError(t, err, "stopped; start it again to go on")
	assert.Contains(t, progress.String(), "pages.csv.partial has 20 of 31 results")
	assert.FileExists(t, filepath.Join(dir, "pages.jsonl"), "what was whole before is published")
	assert.NoFileExists(t, filepath.Join(dir, "pages.csv"))

	var out, more strings.Builder
	require.NoError(t, run(t.Context(), []string{"-dir", dir, "-page", "10", "-v"}, &out, &more))
	assert.NotContains(t, more.String(), "page 1,", "what was there is not walked again")
	assert.Equal(t, 2, strings.Count(more.String(), "pages.csv: page"))
	assert.EqualValues(t, 31, receiptOf(t, filepath.Join(dir, "pages.csv.receipt.json")).Results)
}

func TestAStopThatLeavesNothingToWriteSaysSo(t *testing.T) {
	dir := crawled(t)
	require.NoError(t, run(t.Context(), []string{"-dir", dir}, io.Discard, io.Discard))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	err := run(ctx, []string{"-dir", dir}, &stopper{at: "pages.jsonl: published before", stop: stop}, io.Discard)
	require.ErrorIs(t, err, context.Canceled)
	assert.EqualError(t, err, "stopped; everything is published: start it again to check it")
}

func TestProgressIsALineASecondAtMost(t *testing.T) {
	var out strings.Builder
	start := time.Now()
	p := progress{path: "x", out: &out, last: start}
	for i := range 35 {
		p.page(start.Add(time.Duration(i)*100*time.Millisecond), ledger.PageReceipt{Ordinal: i, Results: 7})
	}
	assert.Equal(t, "x: page 10, 7 results\nx: page 20, 7 results\nx: page 30, 7 results\n", out.String())
}

func TestWhatAnUnfinishedCrawlHasFoundStaysPartial(t *testing.T) {
	dir := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	web, err := fetchtest.Parse("demo", []byte(demo()))
	require.NoError(t, err)
	_, err = weir.Run(ctx, weir.Config{UserAgent: agent, Dir: dir, Workers: 1, Policy: frontier.Policy{Delay: -1}, Fetch: fetch.Config{Transport: web},
		OnPage: func(context.Context, *weir.Page) error { stop(); return nil }}, "http://demo.test/")
	require.ErrorIs(t, err, context.Canceled)

	var out strings.Builder
	require.NoError(t, run(t.Context(), []string{"-dir", dir}, &out, io.Discard))
	assert.Equal(t, 2, strings.Count(out.String(), ".partial: partial_resumable, and checked against its receipt\n"), out.String())
	assert.NoFileExists(t, filepath.Join(dir, "pages.jsonl"))
	assert.FileExists(t, filepath.Join(dir, "pages.jsonl.partial"))
}

func TestTheBuiltInSiteIsCrawledWhereNoFolderIsNamed(t *testing.T) {
	t.Chdir(t.TempDir())
	for range 2 {
		var out strings.Builder
		require.NoError(t, run(t.Context(), nil, &out, io.Discard))
		assert.Contains(t, out.String(), filepath.Join("export", "pages.csv")+": ")
	}
}

func TestWhatCannotBeExportedIsNamed(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(t.Context(), []string{"-h"}, &out, io.Discard))
	assert.Contains(t, out.String(), "usage: export")
	empty := filepath.Join(t.TempDir(), "empty")
	assert.ErrorContains(t, run(t.Context(), []string{"-dir", empty}, io.Discard, io.Discard), "there is no crawl in "+empty)
	assert.NoDirExists(t, empty, "and none is made")
	assert.ErrorContains(t, run(t.Context(), []string{"https://example.com/"}, io.Discard, io.Discard), "is no flag")
	assert.ErrorContains(t, run(t.Context(), []string{"-pages"}, io.Discard, io.Discard), "-h lists the flags")
}

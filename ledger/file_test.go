package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/storage"
)

// Books are a source of n results, frozen as one generation.
type books struct {
	n          int
	generation string
}

func (s books) Page(_ context.Context, r PageRequest) (Page, error) {
	from := 0
	if r.After != "" {
		if _, err := fmt.Sscanf(string(r.After), s.generation+"/%d", &from); err != nil {
			return Page{}, ErrCursor
		}
	}
	p := Page{Generation: s.generation, Ordered: true, Phase: frontier.Finished, Ended: time.Unix(1, 0).UTC(), Counts: NoCounts()}
	p.Counts.Expected, p.Counts.Succeeded = int64(s.n), int64(s.n)
	for i := from; i < min(s.n, from+r.Records); i++ {
		p.Results = append(p.Results, Result{ID: strconv.Itoa(i), State: frontier.Done,
			Data: json.RawMessage(fmt.Sprintf(`{"n":%d,"url":"http://a.test/%d"}`, i, i))})
	}
	if from+r.Records < s.n {
		p.Next = Cursor(fmt.Sprintf("%s/%d", s.generation, from+r.Records))
	}
	return p, nil
}

func exported(from Source, to Sink, pages int) (Receipt, error) {
	return Materialize(context.Background(), Export{From: from, To: to, Page: PageRequest{Records: 3}, Pages: pages})
}

// told counts the pages whose Write has returned.
type told struct {
	*File
	pages int
}

func (t *told) Write(ctx context.Context, line PageReceipt, results []Result) error {
	err := t.File.Write(ctx, line, results)
	if err == nil {
		t.pages = line.Ordinal + 1
	}
	return err
}

func TestAnExportIsTheSameWhereverThePowerFails(t *testing.T) {
	for name, loss := range losses {
		for _, pages := range []int{0, 2} { // published, and kept as partial
			t.Run(fmt.Sprintf("%s, %d pages", name, pages), func(t *testing.T) {
				whole := newMedium()
				_, err := exported(books{8, "g"}, &File{Path: "x.csv", disk: whole}, pages)
				require.NoError(t, err)
				for cut := 1; cut <= whole.effects; cut++ {
					for seed := range uint64(4) {
						dice := rand.New(rand.NewPCG(seed, uint64(cut)))
						broken := newMedium()
						broken.cut = cut
						sink := &told{File: &File{Path: "x.csv", disk: broken}}
						_, err := exported(books{8, "g"}, sink, pages)
						require.ErrorIs(t, err, errPower, "effect %d", cut)

						left := broken.after(loss, dice)
						found := left.String()
						resumed, err := (&File{Path: "x.csv", disk: left}).Resume(t.Context())
						require.NoError(t, err, "after %s\n%s", broken.trace[cut-1], found)
						require.GreaterOrEqual(t, len(consumed(resumed.Pages)), sink.pages, "after %s\n%s", broken.trace[cut-1], found)
						left.locked = map[string]bool{} // of the process that has died
						_, err = exported(books{8, "g"}, &File{Path: "x.csv", disk: left}, pages)
						require.NoError(t, err, "after %s\n%s", broken.trace[cut-1], found)
						require.Equal(t, whole.String(), left.String(), "after %s\n%s", broken.trace[cut-1], found)
					}
				}
			})
		}
	}
}

func TestADatasetIsPublishedUnderItsNameAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pages.jsonl")
	f := &File{Path: path}
	r, err := exported(books{8, "g"}, f, 0)
	require.NoError(t, err)
	require.True(t, r.Publishable(), r.Why)
	assert.Equal(t, []string{"pages.jsonl", "pages.jsonl.receipt.json"}, files(t, path))
	require.NoError(t, r.Verify(t.Context(), f))
	kept, err := f.Receipt()
	require.NoError(t, err)
	assert.Equal(t, r, kept)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	first, _, _ := strings.Cut(string(text), "\n")
	assert.Equal(t, `{"_":{"id":"0","state":"done"},"n":0,"url":"http://a.test/0"}`, first)

	again, err := exported(books{8, "g"}, &File{Path: path}, 0)
	require.NoError(t, err)
	assert.Equal(t, r, again)
}

func files(t *testing.T, path string) (names []string) {
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestWhatIsNotPublishableStaysPartialAndIsGoneOnWith(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pages.csv")
	f := &File{Path: path}
	r, err := exported(books{8, "g"}, f, 2)
	require.NoError(t, err)
	assert.Equal(t, PartialResumable, r.Verdict)
	assert.Equal(t, []string{"pages.csv.partial", "pages.csv.partial.progress", "pages.csv.partial.receipt.json"}, files(t, path))
	kept, err := f.Receipt()
	require.NoError(t, err)
	assert.EqualValues(t, "g/6", kept.Next)
	require.NoError(t, r.Verify(t.Context(), f))

	r, err = exported(books{8, "g"}, &File{Path: path}, 0)
	require.NoError(t, err)
	assert.Equal(t, Complete, r.Verdict)
	assert.Equal(t, []string{"pages.csv", "pages.csv.receipt.json"}, files(t, path))
	require.NoError(t, r.Verify(t.Context(), f))
}

func TestAPublishedDatasetIsNeverWrittenAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pages.jsonl")
	f := &File{Path: path}
	r, err := exported(books{4, "g"}, f, 0)
	require.NoError(t, err)
	before, err := os.ReadFile(path)
	require.NoError(t, err)

	assert.ErrorIs(t, f.Write(t.Context(), PageReceipt{Consumed: true}, nil), ErrPublished)
	assert.ErrorIs(t, f.Finish(t.Context(), Receipt{Verdict: Complete}), ErrPublished)
	assert.NoError(t, f.Finish(t.Context(), r))
	var other *OtherGenerationError
	_, err = exported(books{8, "h"}, f, 0)
	assert.ErrorAs(t, err, &other)
	require.NoError(t, f.Close())
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, before, after)
}

func TestAFileOfSomebodyElseIsNotReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pages.jsonl")
	require.NoError(t, os.WriteFile(path, []byte("mine\n"), 0o600))
	_, err := exported(books{4, "g"}, &File{Path: path}, 0)
	require.ErrorIs(t, err, ErrPublished)
	assert.Equal(t, []string{"pages.jsonl"}, files(t, path))
}

func TestOneWritesAtATimeAndTheOtherLearnsWho(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pages.jsonl")
	first, second := &File{Path: path}, &File{Path: path}
	require.NoError(t, first.Write(t.Context(), PageReceipt{Consumed: true}, nil))
	_, err := second.Resume(t.Context())
	require.ErrorIs(t, err, storage.ErrLocked)
	assert.ErrorContains(t, err, fmt.Sprintf("process %d", os.Getpid()))
	require.NoError(t, first.Close())
	r, err := second.Resume(t.Context())
	require.NoError(t, err)
	assert.Len(t, r.Pages, 1)
	require.NoError(t, second.Close())
}

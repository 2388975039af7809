package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
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

// seedsOf is how many throws of the dice a loss is tried with: it may need none.
func seedsOf(loss string) uint64 {
	if loss == "a part is lost" {
		return 12
	}
	return 1
}

func TestAnExportIsTheSameWhereverThePowerFails(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, pages int // bounds of an export that has ended before, if any, and of this one
	}{
		{"published", 0, 0},
		{"kept as partial", 0, 2},
		{"gone on with", 1, 0},
	} {
		for name := range losses {
			t.Run(c.name+", "+name, func(t *testing.T) {
				begin := func() *medium {
					m := newMedium()
					if c.before > 0 {
						_, err := exported(books{8, "g"}, &File{Path: "x.csv", disk: m}, c.before)
						require.NoError(t, err)
					}
					return m
				}
				whole := begin()
				before := whole.effects
				_, err := exported(books{8, "g"}, &File{Path: "x.csv", disk: whole}, c.pages)
				require.NoError(t, err)
				for cut := before + 1; cut <= whole.effects+1; cut++ {
					for seed := range seedsOf(name) {
						broken := begin()
						broken.cut = cut
						sink := &told{File: &File{Path: "x.csv", disk: broken}, pages: c.before}
						_, err := exported(books{8, "g"}, sink, c.pages)
						require.Equal(t, cut <= whole.effects, errors.Is(err, errPower), "effect %d: %v", cut, err)
						left := broken.after(losses[name], rand.New(rand.NewPCG(seed, uint64(cut))))
						story := fmt.Sprintf("seed %d, after %s\n%s", seed, broken.trace[len(broken.trace)-1], left)
						found := &File{Path: "x.csv", disk: left}
						resumed, err := found.Resume(t.Context())
						require.NoError(t, err, story)
						require.GreaterOrEqual(t, len(consumed(resumed.Pages)), sink.pages, story)
						require.NoError(t, found.Close())
						_, err = exported(books{8, "g"}, &File{Path: "x.csv", disk: left}, c.pages)
						require.NoError(t, err, story)
						require.Equal(t, whole.String(), left.String(), story)
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

func TestDamageIsNamedWithWhatToDo(t *testing.T) {
	for _, c := range []struct {
		name  string
		pages int // 0: published
		harm  func(path string) error
		want  []string
	}{
		{"rows are gone", 2, func(p string) error { return os.Remove(p + ".partial") }, []string{"it is gone", "to start over, remove"}},
		{"rows are cut", 2, func(p string) error { return os.Truncate(p+".partial", 10) }, []string{"it has 10 bytes of", "to start over, remove"}},
		{"progress is damaged", 2, func(p string) error { return flip(p+".partial.progress", 3) }, []string{"progress: line 1", "to start over, remove"}},
		{"partial receipt is damaged", 2, func(p string) error { return flip(p+".partial.receipt.json", 3) }, []string{"partial.receipt.json is no receipt", "restore it, or remove it"}},
		{"receipt is damaged", 0, func(p string) error { return flip(p+".receipt.json", 3) }, []string{"receipt.json is no receipt", "restore it, or remove it"}},
		{"dataset is gone", 0, func(p string) error { return os.Remove(p) }, []string{"has a receipt and is gone", "restore it, or remove the receipt"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "pages.csv")
			_, err := exported(books{8, "g"}, &File{Path: path}, c.pages)
			require.NoError(t, err)
			require.NoError(t, c.harm(path))
			before := files(t, path)
			_, err = (&File{Path: path}).Resume(t.Context())
			require.ErrorIs(t, err, ErrDamaged)
			for _, want := range c.want {
				assert.ErrorContains(t, err, want)
			}
			assert.Equal(t, before, files(t, path))
		})
	}
}

func flip(path string, at int) error {
	text, err := os.ReadFile(path)
	if err == nil {
		text[at] ^= 1
		err = os.WriteFile(path, text, 0o600)
	}
	return err
}

func TestATornLineIsDroppedWithItsPage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pages.csv")
	_, err := exported(books{8, "g"}, &File{Path: path}, 2)
	require.NoError(t, err)
	require.NoError(t, os.Remove(path+".partial.receipt.json"))
	log, err := os.ReadFile(path + ".partial.progress")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path+".partial.progress", log[:len(log)-1], 0o600))
	f := &File{Path: path}
	r, err := f.Resume(t.Context())
	require.NoError(t, err)
	assert.Len(t, r.Pages, 1)
	rows, err := collect(f.Results(t.Context()))
	require.NoError(t, err)
	assert.Len(t, rows, 3)
	require.NoError(t, f.Close())
}

func TestAStartOverIsNeverMixedWithWhatWasThere(t *testing.T) {
	rows := func(id string) []Result {
		return []Result{{ID: id, Data: json.RawMessage(`1`)}, {ID: id, Data: json.RawMessage(`2`)}}
	}
	write := func(m *medium, id string) error {
		f := &File{Path: "x.csv", disk: m}
		for i := range 3 {
			if err := f.Write(t.Context(), PageReceipt{Ordinal: i, Generation: id, Results: 2}, rows(id)); err != nil {
				return err
			}
		}
		return f.Close()
	}
	for name, loss := range losses {
		for cut, over := 1, false; !over; cut++ {
			for seed := range seedsOf(name) {
				m := newMedium()
				require.NoError(t, write(m, "old"))
				m.cut = m.effects + cut
				over = write(m, "new") == nil
				left := m.after(loss, rand.New(rand.NewPCG(seed, uint64(cut))))
				stage, err := load(left, "x.csv.partial", "x.csv.partial.progress")
				require.NoError(t, err, "%s: %s", name, m.trace[len(m.trace)-1])
				found, err := collect(stage.results(t.Context()))
				require.NoError(t, err)
				var want []Result
				for _, line := range stage.lines {
					want = append(want, rows(line.Generation)...)
				}
				require.Equal(t, want, found, "%s: %s\n%s", name, m.trace[len(m.trace)-1], left)
			}
		}
	}
}

// A full disk takes half of what it is given, and says so; or it takes all, and
// says so when it is to keep it.
type full struct {
	*medium
	room  int
	syncs int // that succeed
}

func (d *full) make(path string) (file, error) {
	f, err := d.medium.make(path)
	return &fullFile{f, d}, err
}

type fullFile struct {
	file
	d *full
}

func (s *fullFile) WriteAt(p []byte, at int64) (int, error) {
	if s.d.room -= len(p); s.d.room < 0 {
		n, _ := s.file.WriteAt(p[:len(p)/2], at)
		return n, syscall.ENOSPC
	}
	return s.file.WriteAt(p, at)
}

func (s *fullFile) Sync() error {
	if s.d.syncs--; s.d.syncs < 0 {
		s.d.syncs = 1 << 20
		return syscall.ENOSPC
	}
	return s.file.Sync()
}

func TestAFullDiskLosesNothing(t *testing.T) {
	whole := newMedium()
	_, err := exported(books{8, "g"}, &File{Path: "x.csv", disk: whole}, 0)
	require.NoError(t, err)
	tries := 0
	fails := func(d *full) bool {
		sink := &told{File: &File{Path: "x.csv", disk: d}}
		_, err := exported(books{8, "g"}, sink, 0)
		if err == nil {
			return false
		}
		tries++
		require.ErrorIs(t, err, storage.ErrNoSpace)
		stage, err := load(d, "x.csv.partial", "x.csv.partial.progress")
		require.NoError(t, err)
		require.Len(t, stage.lines, sink.pages, "a page that failed is not there, the others are")
		d.room, d.syncs = 1<<20, 1<<20
		_, err = exported(books{8, "g"}, sink.File, 0)
		require.NoError(t, err)
		require.Equal(t, whole.String(), d.String())
		return true
	}
	for room := 0; fails(newFull(room, 1<<20)); room += 50 {
	}
	require.Greater(t, tries, 10)
	tries = 0
	for syncs := 0; fails(newFull(1<<20, syncs)); syncs++ {
	}
	require.Greater(t, tries, 8)
}

func newFull(room, syncs int) *full { return &full{newMedium(), room, syncs} }

func TestWhatIsRewrittenIsStartedOver(t *testing.T) {
	f := &File{Path: filepath.Join(t.TempDir(), "pages.jsonl")}
	t.Cleanup(func() { assert.NoError(t, f.Close()) })
	row := func(id string) []Result { return []Result{{ID: id, Data: json.RawMessage(`1`)}} }
	require.NoError(t, f.Write(t.Context(), PageReceipt{Ordinal: 0}, row("a")))
	require.NoError(t, f.Write(t.Context(), PageReceipt{Ordinal: 1}, row("b")))
	assert.ErrorContains(t, f.Write(t.Context(), PageReceipt{Ordinal: 1}, row("c")), "page 1 comes after page 1")
	require.NoError(t, f.Write(t.Context(), PageReceipt{Ordinal: 0}, row("d")))
	rows, err := collect(f.Results(t.Context()))
	require.NoError(t, err)
	assert.Equal(t, row("d"), rows)
}

func TestAFormatIsChosenByTheExtension(t *testing.T) {
	for path, want := range map[string]Format{"a.jsonl": JSONL{}, "a.NDJSON": JSONL{}, "b/a.csv": CSV{}} {
		format, err := formatOf(path)
		require.NoError(t, err)
		assert.Equal(t, want, format)
	}
	path := filepath.Join(t.TempDir(), "pages.parquet")
	_, err := (&File{Path: path}).Resume(t.Context())
	assert.ErrorContains(t, err, "set File.Format")
	assert.Empty(t, files(t, path))
}

package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
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

// shelf is a source that keeps its results in memory. bend may answer for it.
type shelf struct {
	page    Page // what it says of the whole
	results []Result
	bend    func(r PageRequest, p *Page) error
	asked   []PageRequest
}

// newShelf has n done results of a frozen generation, of a job that is over.
func newShelf(n int) *shelf {
	s := &shelf{page: Page{Generation: "g1", Ordered: true, Phase: frontier.Finished,
		Counts: Counts{Expected: int64(n), Succeeded: int64(n)}}}
	for i := range n {
		s.results = append(s.results, Result{ID: fmt.Sprintf("r%03d", i), State: frontier.Done, Data: json.RawMessage(fmt.Sprintf(`{"n":%d}`, i))})
	}
	return s
}

func (s *shelf) Page(_ context.Context, r PageRequest) (Page, error) {
	s.asked = append(s.asked, r)
	p := s.page
	from := 0
	if r.After != "" {
		var err error
		if from, err = strconv.Atoi(string(r.After)); err != nil {
			return Page{}, fmt.Errorf("%w: %q", ErrCursor, r.After)
		}
	}
	to := min(from+r.Records, len(s.results))
	if p.Results = s.results[min(from, to):to]; to < len(s.results) {
		p.Next = Cursor(strconv.Itoa(to))
	}
	if s.bend != nil {
		if err := s.bend(r, &p); err != nil {
			return Page{}, err
		}
	}
	return p, nil
}

// box is a sink that keeps its dataset in memory. It fails the call with the number
// fail, after what it has to do if late is set.
type box struct {
	lines    []PageReceipt
	results  []Result
	receipt  Receipt
	finished int

	calls, fail int
	late        bool
}

var errKilled = errors.New("killed")

func (b *box) step(do func()) error {
	b.calls++
	killed := b.calls == b.fail
	if !killed || b.late {
		do()
	}
	if killed {
		return errKilled
	}
	return nil
}

func (b *box) Resume(context.Context) (Receipt, error) {
	if b.receipt.Verdict != "" {
		return b.receipt, nil
	}
	return Receipt{Pages: b.lines}, nil
}

func (b *box) Write(_ context.Context, line PageReceipt, results []Result) error {
	return b.step(func() {
		if line.Ordinal == 0 {
			b.lines, b.results = nil, nil
		}
		b.lines, b.results, b.receipt = append(b.lines, line), append(b.results, results...), Receipt{}
	})
}

func (b *box) Finish(ctx context.Context, r Receipt) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return b.step(func() { b.receipt, b.finished = r, b.finished+1 })
}

func (b *box) Results(context.Context) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		for _, r := range b.results {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// export walks s into b, ten results a page, and waits for nothing.
func export(s Source, b Sink) Export {
	return Export{From: s, To: b, Page: PageRequest{Records: 10}, Wait: func(context.Context, time.Duration) error { return nil }}
}

func materialize(t *testing.T, e Export) Receipt {
	t.Helper()
	r, err := Materialize(t.Context(), e)
	require.NoError(t, err)
	return r
}

func TestEveryPageIsConsumedOnceAndTheLastCursorIsEmpty(t *testing.T) {
	s, b := newShelf(35), &box{}
	var traced []PageReceipt
	e := export(s, b)
	e.Trace = func(l PageReceipt) { traced = append(traced, l) }
	r := materialize(t, e)
	assert.Equal(t, Complete, r.Verdict, r.Why)
	assert.Equal(t, s.results, b.results)
	assert.Equal(t, r, b.receipt)
	assert.Equal(t, r.Pages, traced)
	require.Len(t, r.Pages, 4)
	for i, line := range r.Pages {
		assert.Equal(t, i, line.Ordinal)
		assert.True(t, line.Consumed)
		assert.Equal(t, "g1", line.Generation)
		if i > 0 {
			assert.Equal(t, r.Pages[i-1].Out, line.In)
		}
	}
	assert.Empty(t, r.Pages[3].Out)
	assert.Empty(t, r.Next)
	assert.Empty(t, r.CutOff)
	assert.EqualValues(t, 35, r.Results)
}

func TestTheWholeDigestDoesNotDependOnHowPagesAreCut(t *testing.T) {
	e := export(newShelf(35), &box{})
	want := materialize(t, e)
	for _, size := range []int{1, 7, 35, 100} {
		e := export(newShelf(35), &box{})
		e.Page.Records = size
		got := materialize(t, e)
		assert.Equal(t, want.IDs, got.IDs)
		assert.Equal(t, want.Digest, got.Digest)
	}
}

func TestAKilledExportEndsInTheSameDatasetAndReceipt(t *testing.T) {
	clean := &box{}
	want := materialize(t, export(newShelf(55), clean))
	for _, late := range []bool{false, true} {
		for at := 1; at <= clean.calls; at++ {
			b := &box{fail: at, late: late}
			_, err := Materialize(t.Context(), export(newShelf(55), b))
			require.ErrorIs(t, err, errKilled)
			assert.Equal(t, want, materialize(t, export(newShelf(55), b)), "killed in call %d, late: %t", at, late)
			assert.Equal(t, clean.results, b.results)
		}
	}
}

func TestAnExportWithoutItsEndsIsRefused(t *testing.T) {
	for _, e := range []Export{{}, {From: &Generation{}}, {To: nowhere{}}} {
		_, err := Materialize(t.Context(), e)
		require.ErrorIs(t, err, errNoEnds)
	}
}

func TestAnErrorNamesThePackageOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pages.jsonl")
	whole := func(e Export) error {
		_, err := Materialize(t.Context(), e)
		return err
	}
	held := &File{Path: path}
	_, err := held.Resume(t.Context())
	require.NoError(t, err)
	locked := whole(export(newShelf(1), &File{Path: path}))
	require.NoError(t, held.Close())
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	published := whole(export(newShelf(1), &File{Path: path}))

	s, b := newShelf(35), &box{}
	e := export(s, b)
	e.Pages = 1
	require.NoError(t, whole(e))
	at("", func(*Page) error { return ErrRefused })(s, nil)
	refused := whole(e)

	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, ended := Materialize(over, export(newShelf(1), &box{}))
	for err, want := range map[error]error{locked: storage.ErrLocked, published: ErrPublished, refused: ErrRefused, ended: context.Canceled,
		whole(export(newShelf(1), &box{fail: 1})): errKilled, whole(export(newShelf(1), &box{fail: 2})): errKilled} {
		require.ErrorIs(t, err, want)
		assert.Equal(t, 1, strings.Count(err.Error(), "ledger: "), err.Error())
	}
}

package parquet_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	upstream "github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/ledger/parquet"
)

func listed(rows []ledger.Result) iter.Seq2[ledger.Result, error] {
	return func(yield func(ledger.Result, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func encode(t require.TestingT, f parquet.Format, rows []ledger.Result) []byte {
	var b bytes.Buffer
	require.NoError(t, f.Encode(context.Background(), &b, listed(rows)))
	return b.Bytes()
}

func decode(file []byte) (rows []ledger.Result, err error) {
	for row, err := range (parquet.Format{}).Decode(context.Background(), bytes.NewReader(file), int64(len(file))) {
		if err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func pages(n int) []ledger.Result {
	rows := make([]ledger.Result, n)
	for i := range rows {
		rows[i] = ledger.Result{ID: fmt.Sprint(i), State: frontier.Done, Data: json.RawMessage(fmt.Sprintf(
			`{"attempt":"1.%d","position":%d,"url":"http://a.test/%d","evidence":{"status":200}}`, i, i, i))}
	}
	return rows
}

func TestAFileGivesBackWhatItWasGiven(t *testing.T) {
	text := rapid.String()
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOf(rapid.Custom(func(t *rapid.T) ledger.Result {
			value, err := json.Marshal(rapid.OneOf(text.AsAny(), rapid.Int().AsAny(), rapid.MapOf(text, text).AsAny(),
				rapid.Just(any(nil))).Draw(t, "data"))
			require.NoError(t, err)
			return ledger.Result{ID: text.Draw(t, "id"), Data: value, Supersedes: rapid.Bool().Draw(t, "supersedes"),
				State: rapid.SampledFrom(append(frontier.States, 0)).Draw(t, "state")}
		})).Draw(t, "rows")
		columns := rapid.SampledFrom([]ledger.Columns{nil, {}, {"a", "a.b"}}).Draw(t, "columns")
		back, err := decode(encode(t, parquet.Format{Columns: columns}, rows))
		require.NoError(t, err)
		require.Equal(t, rows, append([]ledger.Result{}, back...))
	})
}

func TestOtherReadersFindTheColumns(t *testing.T) {
	file := encode(t, parquet.Format{}, pages(3))
	type row struct {
		ID     string  `parquet:"id"`
		URL    *string `parquet:"url,optional"`
		Status *string `parquet:"evidence.status,optional"`
		Target *string `parquet:"target,optional"`
	}
	rows, err := upstream.Read[row](bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	require.Len(t, rows, 3)
	assert.Equal(t, "http://a.test/2", *rows[2].URL)
	assert.Equal(t, "200", *rows[2].Status)
	assert.Nil(t, rows[2].Target)

	opened, err := upstream.OpenFile(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	var names []string
	for _, field := range opened.Schema().Fields() {
		names = append(names, field.Name())
	}
	assert.Equal(t, slices.Concat([]string{"id", "state", "supersedes"}, []string(ledger.PageColumns()), []string{"data"}), names)
}

func TestNoMoreThanAGroupOfRowsIsInMemory(t *testing.T) {
	rows := pages(5)
	big := `{"big":"` + strings.Repeat("x", 5<<20) + `"}`
	for i := range rows {
		rows[i].Data = json.RawMessage(big)
	}
	file := encode(t, parquet.Format{}, rows)
	opened, err := upstream.OpenFile(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	assert.Len(t, opened.RowGroups(), 2)
	assert.Less(t, len(file), 1<<20, "no data stand in an index, where they are not compressed")
}

func TestAColumnCannotHideOneOfOurs(t *testing.T) {
	err := parquet.Format{Columns: ledger.Columns{"id"}}.Encode(t.Context(), &bytes.Buffer{}, listed(pages(1)))
	assert.ErrorContains(t, err, `column "id" is there twice`)
}

// Rows that come before the error may be wrong: they are what a receipt is for.
func TestADamagedFileIsAnErrorThatNamesTheRow(t *testing.T) {
	file := encode(t, parquet.Format{Columns: ledger.Columns{"url"}}, pages(20))
	found := 0
	for at := 0; at < len(file); at += 7 {
		broken := slices.Clone(file)
		broken[at] ^= 0x10
		rows, err := decode(broken)
		if err != nil {
			row := (*ledger.RowError)(nil)
			require.ErrorAs(t, err, &row, "byte %d", at)
			require.EqualValues(t, len(rows)+1, row.Row)
			found++
		}
		_, err = decode(file[:at])
		require.Error(t, err)
	}
	assert.Greater(t, found, len(file)/7/2, "of the flipped bytes, most")
}

// A shelf is a source of frozen results.
type shelf []ledger.Result

func (s shelf) Page(_ context.Context, r ledger.PageRequest) (ledger.Page, error) {
	from := 0
	_, _ = fmt.Sscan(string(r.After), &from)
	end := min(from+r.Records, len(s))
	p := ledger.Page{Generation: "g", Ordered: true, Phase: frontier.Finished, Counts: ledger.NoCounts(), Results: s[from:end]}
	if end < len(s) {
		p.Next = ledger.Cursor(fmt.Sprint(end))
	}
	return p, nil
}

func TestAReceiptFindsARowThatChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pages.parquet")
	file := &ledger.File{Path: path, Format: parquet.Format{}}
	rows := pages(300)
	receipt, err := ledger.Materialize(t.Context(), ledger.Export{From: shelf(rows), To: file, Page: ledger.PageRequest{Records: 100}})
	require.NoError(t, err)
	require.True(t, receipt.Publishable(), receipt.Why)
	require.NoError(t, receipt.Verify(t.Context(), file))

	flipped := slices.Clone(rows)
	flipped[150].Data = bytes.Replace(flipped[150].Data, []byte("a.test"), []byte("b.test"), 1)
	swapped := slices.Clone(rows)
	swapped[150], swapped[151] = rows[151], rows[150]
	for name, other := range map[string][]ledger.Result{
		"flipped": flipped, "removed": slices.Delete(slices.Clone(rows), 150, 151), "last removed": rows[:299],
		"doubled": slices.Insert(slices.Clone(rows), 150, rows[150]), "swapped": swapped,
	} {
		require.NoError(t, os.WriteFile(path, encode(t, parquet.Format{}, other), 0o600))
		damaged := (*ledger.DamagedError)(nil)
		err := receipt.Verify(t.Context(), file)
		require.ErrorAs(t, err, &damaged, name)
		assert.ErrorIs(t, err, ledger.ErrDamaged, name)
	}
}

// TestAReceiptFindsEveryBitThatChanges, also one that no reader minds.
func TestAReceiptFindsEveryBitThatChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pages.parquet")
	file := &ledger.File{Path: path, Format: parquet.Format{Columns: ledger.Columns{}}}
	receipt, err := ledger.Materialize(t.Context(), ledger.Export{From: shelf(pages(2)), To: file})
	require.NoError(t, err)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for at := range whole {
		broken := slices.Clone(whole)
		broken[at] ^= 1 << (at % 8)
		require.NoError(t, os.WriteFile(path, broken, 0o600))
		require.ErrorIs(t, receipt.Verify(t.Context(), file), ledger.ErrDamaged, "byte %d", at)
		require.NoError(t, os.WriteFile(path, whole[:at], 0o600))
		require.ErrorIs(t, receipt.Verify(t.Context(), file), ledger.ErrDamaged, "cut at %d", at)
	}
	require.NoError(t, os.WriteFile(path, whole, 0o600))
	require.NoError(t, receipt.Verify(t.Context(), file))
}

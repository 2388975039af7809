package ledger

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
)

var formats = map[string]Format{
	"jsonl": JSONL{}, "csv": CSV{}, "csv with columns": CSV{Columns: Columns{"id", "a", "a.b", "data"}},
}

// awkward are rows that a format could give back otherwise.
var awkward = []Result{
	{ID: "1", Data: json.RawMessage(`{}`)},
	{ID: "2", State: frontier.Done, Data: json.RawMessage(`{"url":"http://a.test/","attempt":"x","position":1,"_":{"id":"not this"}}`)},
	{ID: "2", State: frontier.Failed, Supersedes: true, Data: json.RawMessage(`{"a":{"b":"=1+1"},"a.b":2,"html":"<a href=\"x\">&amp;</a>"}`)},
	{ID: "=HYPERLINK(1)", Data: json.RawMessage(`[1,"two",{"three":null}]`)},
	{ID: `"quoted", and` + "\r\nmore\u2028\x00", Data: json.RawMessage(`"a string\r\n"`)},
	{ID: " ", Data: json.RawMessage(`null`)},
	{ID: "'", Data: json.RawMessage(`-1.50e+300`)},
	{ID: "\ufffd", Data: json.RawMessage(`{"n":1.0,"n":10000000000000000000000001,"":""}`)},
}

func encode(t *testing.T, f Format, rows ...Result) []byte {
	var b bytes.Buffer
	require.NoError(t, f.Encode(t.Context(), &b, listed(rows)))
	return b.Bytes()
}

func collect(seq iter.Seq2[Result, error]) (rows []Result, err error) {
	for row, err := range seq {
		if err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func decoded(t *testing.T, f Format, file []byte) ([]Result, error) {
	return collect(f.Decode(t.Context(), bytes.NewReader(file), int64(len(file))))
}

func TestEveryFormatGivesBackWhatItWasGiven(t *testing.T) {
	for name, f := range formats {
		t.Run(name, func(t *testing.T) {
			for n := range len(awkward) + 1 {
				rows, err := decoded(t, f, encode(t, f, awkward[:n]...))
				require.NoError(t, err)
				assert.Equal(t, awkward[:n], append([]Result{}, rows...))
			}
		})
	}
}

func FuzzAFormatGivesBackWhatItWasGiven(f *testing.F) {
	for _, row := range awkward {
		f.Add(row.ID, []byte(row.Data), uint8(row.State), row.Supersedes)
	}
	f.Add("\xff", []byte("{}"), uint8(9), true)
	f.Fuzz(func(t *testing.T, id string, data []byte, state uint8, supersedes bool) {
		row := Result{ID: id, State: frontier.State(state) % 8, Supersedes: supersedes, Data: data}
		short, invalid := row.shortest(1)
		for name, format := range formats {
			var b bytes.Buffer
			err := format.Encode(t.Context(), &b, listed([]Result{row, row}))
			if (err != nil) != (invalid != nil) {
				t.Fatalf("%s: %v, want %v", name, err, invalid)
			}
			if err != nil {
				continue
			}
			rows, err := decoded(t, format, b.Bytes())
			if err != nil || !slices.EqualFunc(rows, []Result{short, short}, sameResult) {
				t.Errorf("%s: %v (%v), want %v, from %q", name, rows, err, short, b.Bytes())
			}
		}
	})
}

func sameResult(a, b Result) bool {
	return a.ID == b.ID && a.State == b.State && a.Supersedes == b.Supersedes && bytes.Equal(a.Data, b.Data)
}

// Whatever a file is, reading it ends, and ends in an error that names a row.
func FuzzAFileIsReadOrItsRowIsNamed(f *testing.F) {
	for _, format := range formats {
		var b bytes.Buffer
		if err := format.Encode(context.Background(), &b, listed(awkward)); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		for name, format := range formats {
			rows, err := decoded(t, format, file)
			named := (*RowError)(nil)
			if err != nil && (!errors.As(err, &named) || named.Row > int64(len(rows)+1)) {
				t.Errorf("%s: %d rows, then %v", name, len(rows), err)
			}
			if err == nil && name == "jsonl" && utf8.Valid(file) && !bytes.Equal(encode(t, format, rows...), file) {
				again, err := decoded(t, format, encode(t, format, rows...))
				if err != nil || len(again) != len(rows) {
					t.Errorf("%q reads as %v, which reads as %v (%v)", file, rows, again, err)
				}
			}
		}
	})
}

// A byte that is changed is found by the receipt's digest, or nobody sees it.
func TestAChangedByteIsFoundOrChangesNothing(t *testing.T) {
	cells := func(file []byte) [][]string {
		lines, _ := csv.NewReader(bytes.NewReader(file)).ReadAll()
		return lines
	}
	format := CSV{Columns: Columns{"url", "a", "a.b"}}
	whole := encode(t, format, awkward...)
	for at := range whole {
		for _, bit := range []byte{1, 2, 4, 8, 16, 32} {
			broken := slices.Clone(whole)
			broken[at] ^= bit
			rows, err := decoded(t, format, broken)
			if err == nil && slices.EqualFunc(rows, awkward, sameResult) {
				require.Equal(t, cells(whole), cells(broken), "byte %d, bit %d", at, bit)
			}
		}
	}
}

func TestAnAnswerNeverReachesASpreadsheetAsAFormula(t *testing.T) {
	for _, text := range []string{"=1+1", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "\n=1", "＝1", `"=1"`} {
		data, err := marshal(map[string]string{"a": text})
		require.NoError(t, err)
		lines, err := csv.NewReader(bytes.NewReader(encode(t, CSV{Columns: Columns{"a"}}, Result{ID: text, Data: data}))).ReadAll()
		require.NoError(t, err)
		for _, cell := range lines[1] {
			if cell != "" {
				assert.Contains(t, `"{`, cell[:1], "%q", cell)
			}
		}
	}
	assert.Equal(t, "id,state,supersedes,n,data\r\n1,,,-5,\"{\"\"n\"\":-5}\"\r\n",
		string(encode(t, CSV{Columns: Columns{"n"}}, Result{ID: "1", Data: json.RawMessage(`{"n":-5}`)})), "a number stays one")
}

func TestPagesOfACrawlHaveTheirColumns(t *testing.T) {
	page := Result{ID: "1", State: frontier.Done, Data: json.RawMessage(
		`{"position":1,"attempt":"1.1","url":"http://a.test/","reason":"fetched","evidence":{"status":200,"bytes":5}}`)}
	text := string(encode(t, CSV{}, page))
	assert.True(t, strings.HasPrefix(text, "id,state,supersedes,url,reason,evidence.status,finished,evidence.bytes,evidence.digest,attempts,depth,target,data\r\n"+
		"1,done,,http://a.test/,fetched,200,,5,,,,,"), text)
	assert.True(t, strings.HasPrefix(string(encode(t, CSV{}, awkward[0])), "id,state,supersedes,data\r\n"))
	assert.Equal(t, "id,state,supersedes,data\r\n", string(encode(t, CSV{})), "an empty dataset has a header")
}

func TestABrokenFileNamesTheRow(t *testing.T) {
	for _, c := range []struct {
		format Format
		file   string
		row    int64
		err    string
	}{
		{JSONL{}, "{\"_\":{\"id\":\"1\"}}\n{\"_\":{\"id\":\"2\"}", 2, "ends within the row"},
		{JSONL{}, "{\"_\":{\"id\":\"1\"}}\n{\"id\":\"2\"}\n", 2, "not one that this format has written"},
		{JSONL{}, "{\"_\":{\"id\":\"1\"}}\n\n", 2, "not one that this format has written"},
		{JSONL{}, "{\"_\":{\"id\":\"1\",\"state\":\"dead\"}}\n", 1, "dead"},
		{JSONL{}, "{\"_\":{\"id\":\"1\",\"value\":1},\"a\":2}\n", 1, "not one that this format has written"},
		{CSV{}, "", 0, "EOF"},
		{CSV{}, "id,data\r\n", 0, "header"},
		{CSV{}, "id,state,supersedes,data\r\n1,,,1\r\n2,,\r\n", 2, "wrong number of fields"},
		{CSV{}, "id,state,supersedes,data\r\n1,,,12", 1, "ends within the row"},
		{CSV{}, "id,state,supersedes,data\r\n1,,,x\r\n", 1, "no JSON value"},
		{CSV{}, "id,state,supersedes,data\r\n1,dead,,1\r\n", 1, "dead"},
		{CSV{}, "id,state,supersedes,data\r\n1,,no,1\r\n", 1, "column 3"},
		{CSV{}, "id,state,supersedes,a,data\r\n1,,,x,\"{\"\"a\"\":\"\"y\"\"}\"\r\n", 1, "column 4"},
		{CSV{}, "id,state,supersedes,data\r\n\"\"\"x\",,,1\r\n", 1, "its id"},
	} {
		rows, err := decoded(t, c.format, []byte(c.file))
		named := (*RowError)(nil)
		require.ErrorAs(t, err, &named, "%q", c.file)
		assert.Equal(t, c.row, named.Row, "%q", c.file)
		assert.ErrorContains(t, err, c.err)
		assert.Len(t, rows, int(max(c.row-1, 0)))
	}
}

func TestARowThatCannotBeWrittenIsNamed(t *testing.T) {
	for _, c := range []struct {
		row Result
		err error
	}{
		{Result{ID: "\xff", Data: json.RawMessage(`1`)}, errText},
		{Result{ID: "1", Data: json.RawMessage(`{`)}, errJSON},
		{Result{ID: "1"}, errJSON},
		{Result{ID: strings.Repeat("1", MaxRow), Data: json.RawMessage(`1`)}, errLong},
	} {
		for name, f := range formats {
			err := f.Encode(t.Context(), &bytes.Buffer{}, listed([]Result{awkward[0], c.row}))
			named := (*RowError)(nil)
			require.ErrorAs(t, err, &named, name)
			assert.EqualValues(t, 2, named.Row)
			assert.ErrorIs(t, err, c.err)
		}
	}
}

func TestAFormatStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	over := errors.New("over")
	for name, f := range formats {
		file := encode(t, f, awkward...)
		cancel(over)
		assert.ErrorIs(t, f.Encode(ctx, &bytes.Buffer{}, listed(awkward)), over, name)
		_, err := collect(f.Decode(ctx, bytes.NewReader(file), int64(len(file))))
		assert.ErrorIs(t, err, over, name)
	}
}

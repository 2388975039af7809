package ledger

import (
	"bytes"
	"encoding/json"
	"iter"
	"testing"

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

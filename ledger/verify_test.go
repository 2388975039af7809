package ledger

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
)

func TestVerifyFindsTheFirstPageThatDiffers(t *testing.T) {
	for _, c := range []struct {
		name string
		harm func([]Result) []Result
		page int
		what string
	}{
		{"a byte flipped", func(r []Result) []Result {
			r[12].Data = bytes.Clone(r[12].Data)
			r[12].Data[5] ^= 1
			return r
		}, 1, "other contents"},
		{"a state changed", func(r []Result) []Result { r[12].State = frontier.Failed; return r }, 1, "other contents"},
		{"a mark removed", func(r []Result) []Result { r[12].Supersedes = true; return r }, 1, "other contents"},
		{"an ID changed", func(r []Result) []Result { r[22].ID = "x"; return r }, 2, "other identities, or in another order"},
		{"a row removed", func(r []Result) []Result { return slices.Delete(r, 12, 13) }, 1, "other identities, or in another order"},
		{"the last row removed", func(r []Result) []Result { return r[:34] }, 3, "the dataset ends after 4 of its 5 results"},
		{"all rows removed", func([]Result) []Result { return nil }, 0, "the dataset ends after 0 of its 10 results"},
		{"a row doubled", func(r []Result) []Result { return slices.Insert(r, 12, r[12]) }, 1, "other identities, or in another order"},
		{"two rows swapped", func(r []Result) []Result { r[20], r[21] = r[21], r[20]; return r }, 2, "other identities, or in another order"},
		{"a row added at the end", func(r []Result) []Result { return append(r, r[0]) }, -1, "results follow the 4 pages of the receipt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := &box{}
			r := materialize(t, export(newShelf(35), b))
			require.NoError(t, r.Verify(t.Context(), b))
			b.results = c.harm(slices.Clone(b.results))
			var damaged *DamagedError
			require.ErrorAs(t, r.Verify(t.Context(), b), &damaged)
			assert.Equal(t, DamagedError{Page: c.page, What: c.what}, *damaged)
		})
	}
}

// A walk goes on only from what is as it was written.
func TestADamagedPartIsNotGoneOnWith(t *testing.T) {
	b := &box{}
	e := export(newShelf(35), b)
	e.Pages = 2
	materialize(t, e)
	b.results = b.results[:19]
	before := *b
	_, err := Materialize(t.Context(), export(newShelf(35), b))
	var damaged *DamagedError
	require.ErrorAs(t, err, &damaged)
	assert.Equal(t, 1, damaged.Page)
	assert.Equal(t, before, *b)
}

func TestAnEditedReceiptIsFound(t *testing.T) {
	b := &box{}
	s := newShelf(35)
	s.page.Counts.Succeeded, s.page.Counts.Failed, s.results[7].State = 34, 1, frontier.Failed
	r := materialize(t, export(s, b))
	require.Equal(t, CompleteWithFailures, r.Verdict)
	for name, edit := range map[string]func(*Receipt){
		"verdict":  func(r *Receipt) { r.Verdict = Complete },
		"counts":   func(r *Receipt) { r.Expected.Failed = 0 },
		"line":     func(r *Receipt) { r.Pages = slices.Clone(r.Pages); r.Pages[1].Retries = 3 },
		"lines":    func(r *Receipt) { r.Pages = r.Pages[:3] },
		"faults":   func(r *Receipt) { r.Faults = []string{"x"} },
		"no seal":  func(r *Receipt) { r.Seal = "" },
		"all sums": func(r *Receipt) { r.IDs, r.Digest = "", "" },
	} {
		edited := r
		edit(&edited)
		var damaged *DamagedError
		require.ErrorAs(t, edited.Verify(t.Context(), b), &damaged, name)
		assert.Equal(t, "the receipt: it is not as it was sealed", damaged.What, name)
	}
	require.NoError(t, r.Verify(t.Context(), b))
}

// Whoever can make a seal still cannot make a receipt that the dataset does not
// bear out.
func TestASealDoesNotReplaceTheDataset(t *testing.T) {
	b := &box{}
	r := materialize(t, export(newShelf(35), b))
	for name, edit := range map[string]func(*Receipt){
		"identities": func(r *Receipt) { r.IDs = r.Digest },
		"contents":   func(r *Receipt) { r.Digest = r.IDs },
		"results":    func(r *Receipt) { r.Results++ },
		"bytes":      func(r *Receipt) { r.Bytes++ },
		"duplicates": func(r *Receipt) { r.Duplicates++ },
		"superseded": func(r *Receipt) { r.Superseded++ },
		"cursors":    func(r *Receipt) { r.Pages = slices.Clone(r.Pages); r.Pages[1].In = "0" },
		"a page":     func(r *Receipt) { r.Pages = r.Pages[:3] },
		"records":    func(r *Receipt) { r.Records++ },
		"truncated":  func(r *Receipt) { r.Truncated++ },
		"verdict":    func(r *Receipt) { r.Verdict = CompleteWithFailures },
	} {
		edited := r
		edit(&edited)
		edited = edited.sealed()
		var damaged *DamagedError
		require.ErrorAs(t, edited.Verify(t.Context(), b), &damaged, name)
	}
}

// A receipt is a file: it must read back as it was written, and keep its seal.
func TestAReceiptReadsBackAsItWasWritten(t *testing.T) {
	s, rows := run()
	for name, r := range map[string]Receipt{
		"of a run":    account(t, s, each(rows, nil)),
		"of a source": materialize(t, export(newShelf(35), &box{})),
		"of nothing":  Receipt{}.judged(),
	} {
		text, err := json.Marshal(r)
		require.NoError(t, err, name)
		var back Receipt
		require.NoError(t, json.Unmarshal(text, &back), name)
		assert.Equal(t, r.Seal, back.sealed().Seal, name)
		again, err := json.Marshal(back)
		require.NoError(t, err, name)
		assert.Equal(t, string(text), string(again), name)
	}
}

func TestAReceiptKeepsItsSealWhateverBytesAnExampleHas(t *testing.T) {
	for _, example := range []string{"http://a.test/\xff", "http://a.test/\xe2\x82", "\ufffd", `\ufffd`, "\u20ac"} {
		r := Receipt{Decided: []frontier.Tally{{Reason: "new", Count: 1, Example: example}}}.sealed()
		text, err := json.Marshal(r)
		require.NoError(t, err)
		var kept Receipt
		require.NoError(t, json.Unmarshal(text, &kept))
		assert.Equal(t, kept.Seal, kept.sealed().Seal, "%q", example)
	}
}

package frontier

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/internal/sheet"
	"github.com/weircrawl/weir/storage/memory"
)

func graphOf(t testing.TB, r *Reader) (all []Edge) {
	t.Helper()
	for e, err := range r.Graph(t.Context()) {
		require.NoError(t, err)
		all = append(all, e)
	}
	return all
}

// TestEveryReferenceIsOneEdgeWithItsLastDecision: what was decided again is in the
// graph once, as the counters count it.
func TestEveryReferenceIsOneEdgeWithItsLastDecision(t *testing.T) {
	for seed1 := range uint64(5) {
		r := reader(t, manyKinds(t, seed1))
		s, err := r.Summary(t.Context())
		require.NoError(t, err)
		want, got := map[string]int64{}, map[string]int64{}
		for _, d := range s.Decided {
			if d.Reason != ReasonReferences {
				want[fmt.Sprint(d.Decision, d.Reason)] = d.Count
			}
		}
		for _, e := range graphOf(t, r) {
			got[fmt.Sprint(e.Decision, e.Reason.Word())]++
			require.NotEqual(t, Offer, e.Source)
			require.Equal(t, e.From == "", e.Source == Seed || e.Source == Sitemap, "%+v", e)
			require.NotEmpty(t, e.Rule)
		}
		assert.Equal(t, want, got)
	}
}

func TestGraphIsWrittenAsLinesAndAsTable(t *testing.T) {
	r := reader(t, manyKinds(t, 1))
	want := graphOf(t, r)
	var lines, table bytes.Buffer
	require.NoError(t, r.WriteGraph(t.Context(), &lines, GraphJSONL))
	var got []Edge
	for d := json.NewDecoder(&lines); d.More(); {
		var e Edge
		require.NoError(t, d.Decode(&e))
		got = append(got, e)
	}
	assert.Equal(t, want, got)

	require.NoError(t, r.WriteGraph(t.Context(), &table, GraphCSV))
	rows, err := csv.NewReader(&table).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, len(want)+1)
	for i, e := range want {
		require.Equal(t, e.row(), rows[i+1])
	}
	assert.ErrorContains(t, r.WriteGraph(t.Context(), &table, "dot"), `use "jsonl" or "csv"`)
}

// TestNoCellOfTheGraphIsAFormulaOrTwoLines: what a page wrote reads back as a text.
func TestNoCellOfTheGraphIsAFormulaOrTwoLines(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := memory.New()
		f := open(t, s)
		seed(t, f, "http://a.test/")
		c := page(one(t, f))
		for _, text := range []string{`=HYPERLINK("http://b.test/")`, "+1", "-1", "@x", "＝1", "\t=1", "/a\r\n=1", "/\x1b[2J", `"=1"`, "/,"} {
			c.References = append(c.References, Reference{Observed: text, Rule: text, Base: "http://a.test/", Refused: Reason(text)})
		}
		complete(t, f, c)
		r := reader(t, s)
		var table bytes.Buffer
		require.NoError(t, r.WriteGraph(t.Context(), &table, GraphCSV))
		rows, err := csv.NewReader(&table).ReadAll()
		require.NoError(t, err)
		edges := graphOf(t, r)
		require.Len(t, rows, len(edges)+1)
		for i, e := range edges {
			var texts []string
			for _, cell := range rows[i+1] {
				assert.NotRegexp(t, `(?s)^[=+@＝-]|[\x00-\x1f]`, cell)
				text, err := sheet.Parse(cell)
				require.NoError(t, err)
				texts = append(texts, text)
			}
			assert.Equal(t, []string{e.From, e.To, e.Source.String(), e.Rule, e.Observed, strconv.Itoa(e.Depth), e.Decision.String(), string(e.Reason), e.Time.Format(time.RFC3339Nano)}, texts)
		}
	})
}

// TestPatternsCountWhatIsHeldBackExactly: by decision and reason they add up to the
// counters, and never more.
func TestPatternsCountWhatIsHeldBackExactly(t *testing.T) {
	for seed1 := range uint64(5) {
		r := reader(t, manyKinds(t, seed1))
		s, err := r.Summary(t.Context())
		require.NoError(t, err)
		want := map[string]int64{}
		for _, d := range s.Decided {
			if d.Decision != Admitted && d.Decision != Duplicate {
				want[fmt.Sprint(d.Decision, d.Reason)] = d.Count
			}
		}
		for _, limit := range []int{0, 1, 5} {
			top, rest, err := r.Patterns(t.Context(), limit)
			require.NoError(t, err)
			got := map[string]int64{}
			for _, p := range append(top, rest...) {
				got[fmt.Sprint(p.Decision, p.Reason)] += p.Count
				require.NotEmpty(t, p.Example)
				require.NotContains(t, p.Example, "secret")
			}
			assert.Equal(t, want, got)
			assert.True(t, limit == 0 && rest == nil || len(top) == limit, "%d of %d", len(top), limit)
		}
	}
}

// TestSummaryOverstatesNoPattern holds the sketch of the head against the exact walk.
func TestSummaryOverstatesNoPattern(t *testing.T) {
	for seed1 := range uint64(5) {
		r := reader(t, manyKinds(t, seed1))
		s, err := r.Summary(t.Context())
		require.NoError(t, err)
		all, _, err := r.Patterns(t.Context(), 0)
		require.NoError(t, err)
		exact, sum := map[string]int64{}, int64(0)
		for _, p := range all {
			if p.Decision == LimitReached {
				exact[cutPattern(p.Pattern, maxSketched)+string(p.Reason)] += p.Count
				sum += p.Count
			}
		}
		told := s.PatternRest
		require.NotEmpty(t, s.Patterns)
		for _, p := range s.Patterns {
			assert.LessOrEqual(t, p.Count, exact[p.Pattern+string(p.Reason)], "%+v", p)
			told += p.Count
		}
		assert.Equal(t, sum, told)
	}
}

func TestPatternsOfATrapAreOne(t *testing.T) {
	s := memory.New()
	f := open(t, s, func(c *Config) { c.Budget.Depth = 3 })
	seed(t, f, "http://a.test/cal/2026-01-01?page=1")
	day := 1
	drain(t, f, func(l Lease) Completion {
		c := page(l)
		for range 3 {
			day++
			c.References = append(c.References, Reference{Observed: fmt.Sprintf("/cal/2026-01-%02d?page=%d", day%90, day), Rule: "a"})
		}
		c.References = append(c.References, Reference{Observed: "JavaScript:void(0)", Rule: "a"}, Reference{Observed: "http://[", Rule: "a"})
		return c
	})
	top, rest, err := reader(t, s).Patterns(t.Context(), 0)
	require.NoError(t, err)
	assert.Empty(t, rest)
	require.Len(t, top, 3)
	assert.Equal(t, PatternTally{"a.test/cal/{date}?page", LimitReached, ReasonDepth, 81, top[0].Example}, top[0])
	assert.Equal(t, PatternTally{"http:*", PolicyStop, "bad_host", 40, "http://["}, top[1])
	assert.Equal(t, PatternTally{"javascript:*", PolicyStop, "unsupported_scheme", 40, "JavaScript:void(0)"}, top[2])
}

func TestPatternsBeyondTheirBoundAreOther(t *testing.T) {
	s := suppressed{most: 3}
	for i := range 10 {
		s.add(&Admission{URL: "http://a.test/" + strings.Repeat("x", i), Decision: LimitReached, Reason: "urls", Count: 2, Reference: Reference{Observed: fmt.Sprint(i)}})
	}
	top, rest := s.heaviest(0)
	assert.Len(t, top, 3)
	assert.Equal(t, []PatternTally{{"other", LimitReached, "urls", 14, "3"}}, rest)
}

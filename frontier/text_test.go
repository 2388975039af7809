package frontier

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weircrawl/weir/internal/codec"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
)

func TestClippedTextIsWholeCharacters(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"short", "é", "é"},
		{"fits", "éé", "éé"},
		{"between", "ééé", "éé"},
		{"within", "aéé", "aé"},
		{"no UTF-8", "a\xff\xfe", "a\ufffd"},
		{"grows", "\xffa\xff", "\ufffda"},
		{"ends early", "a\xe2\x82", "a\ufffd"},
		{"ends early at the bound", "ab\xe2\x82", "ab"},
		{"continued", "\x80\x80\x80\x80\x80", "\ufffd"},
	} {
		assert.Equal(t, c.want, clipText(c.text, 4), c.name)
	}
}

// TestClippedTextObeysItsLaws: a text that was cut by bytes, as examples once were, is
// kept as the whole one would be.
func TestClippedTextObeysItsLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"a", "é", "€", "😀", "\xff", "\xe2", "\x82", "\xf0\x9f", "\ufffd", "\x00"})
		text := strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "text"), "")
		n := rapid.IntRange(0, 16).Draw(t, "n")
		kept := clipText(text, n)
		assert.True(t, utf8.ValidString(kept), "%q", kept)
		assert.LessOrEqual(t, len(kept), n)
		assert.Equal(t, kept, clipText(kept, n))
		assert.Equal(t, kept, clipText(text[:min(len(text), n)], n))
		if utf8.ValidString(text) {
			assert.True(t, strings.HasPrefix(text, kept))
			assert.Greater(t, len(kept)+utf8.UTFMax, min(len(text), n), "no more is cut than a character")
		}
	})
}

// hostileRefs are texts of the web that a cut at a byte breaks, or that are no UTF-8.
func hostileRefs() []Reference {
	return refs("mailto:"+strings.Repeat("é", 60), "http://a.test/"+strings.Repeat("é", 60), "http://a.test/\xff\xfe", "http://\xff.test/", "\x80\x80", "http://a.test/€"+strings.Repeat("\xff", 200))
}

// hostile lives a run whose every example is of hostileRefs.
func hostile(t *testing.T) storage.Store {
	s := memory.New()
	f := openRaw(t, s, named("life"), func(c *Config) { c.Budget = Budget{URLs: 2, References: 4} })
	seed(t, f, "http://a.test/")
	l := one(t, f)
	c := page(l)
	c.References = hostileRefs()
	c.Overflow = Overflow{Count: 3, Example: strings.Repeat("\xff", 200)}
	complete(t, f, c)
	_, err := f.Enqueue(t.Context(), Seed, append(hostileRefs(), Reference{Observed: "/x", Base: "http://a.test/", Refused: Reason(strings.Repeat("ü", 60))})...)
	require.NoError(t, err)
	complete(t, f, one(t, f).Failed("no\xff\xe2", Evidence{Detail: "\xff", Parser: "\xff", Truncated: "\xff"}))
	done(t, f)
	require.NoError(t, f.Close())
	return s
}

// examples are the texts of a summary that a page, a header or a program gave.
func examples(s Summary) (all []string) {
	for _, list := range [][]Tally{s.Ends, s.Decided, s.Stops} {
		for _, tally := range list {
			all = append(all, tally.Example, string(tally.Reason))
		}
	}
	for _, p := range s.Patterns {
		all = append(all, p.Pattern, p.Example)
	}
	return all
}

func TestSummaryReadsBackFromJSONWhateverBytesAnExampleHas(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := reader(t, hostile(t))
		s, err := r.Summary(t.Context())
		require.NoError(t, err)
		require.Greater(t, len(s.Decided), 4)
		require.NotEmpty(t, s.Patterns)
		for _, text := range examples(s) {
			assert.True(t, utf8.ValidString(text), "%q", text)
		}
		beyond := 0
		for _, a := range recorded(t, r) {
			if a.Claim.Offset == offsetBeyond {
				beyond++
				assert.True(t, utf8.ValidString(a.Reference.Observed), "%q", a.Reference.Observed)
			}
		}
		require.Equal(t, 1, beyond)
		text, err := json.Marshal(s)
		require.NoError(t, err)
		var again Summary
		require.NoError(t, json.Unmarshal(text, &again))
		assert.Equal(t, examples(s), examples(again))
	})
}

// TestExamplesThatWereCutAtBytesStillReplay writes the examples as they were kept
// before: 96 bytes of what was written, wherever that cuts.
func TestExamplesThatWereCutAtBytesStillReplay(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := hostile(t)
		whole := map[string]string{}
		for _, ref := range append(hostileRefs(), refs(strings.Repeat("\xff", 200))...) {
			whole[clipText(ref.Observed, exampleSize)] = clip(ref.Observed, exampleSize)
		}
		older := 0
		for _, c := range cells(t, s) {
			if c.space != spaceHead && c.space != spaceGeneration {
				continue
			}
			h, err := decodeHead(c.value)
			require.NoError(t, err)
			for _, tally := range h.tallies {
				if raw, ok := whole[tally.example]; ok && raw != tally.example {
					tally.example = raw
					older++
				}
			}
			for i := range h.held.list {
				h.held.list[i].example = "\xff" + clip(h.held.list[i].example, 40)
			}
			h.sketch = nil
			rewrite(t, s, storage.Op{Space: c.space, Key: c.key, Value: h.encode()})
		}
		require.Greater(t, older, 5)
		require.NoError(t, examine(t.Context(), s))
		sum, err := reader(t, s).Summary(t.Context())
		require.NoError(t, err)
		for _, text := range examples(sum) {
			assert.True(t, utf8.ValidString(text), "%q", text)
		}
	})
}

// TestAPatternOfAnOlderHeadStaysWithinItsCounter: what replaces a byte is longer.
func TestAPatternOfAnOlderHeadStaysWithinItsCounter(t *testing.T) {
	w := codec.NewWriter(rowVersion, nil)
	(&patterns{total: 1, list: []patternCount{{pattern: strings.Repeat("\xffa", 36), reason: "urls", example: strings.Repeat("a\xff", 24), count: 1}}}).write(w)
	got := readPatterns(codec.NewReader(w.Seal(), rowVersion)).list[0]
	assert.LessOrEqual(t, len(got.pattern), maxSketched)
	assert.LessOrEqual(t, len(got.pattern)+len(got.example), maxSketchedBoth)
	assert.True(t, utf8.ValidString(got.pattern+got.example))
}

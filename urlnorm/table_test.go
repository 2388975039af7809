package urlnorm

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

func TestEveryRefusalHasItsName(t *testing.T) {
	type row struct{ Href, Base, Outcome, URL, Reason string }
	reasons := map[string]Reject{
		"scheme": UnsupportedScheme, "userinfo": UserInfo, "bad-port": BadPort,
		"bad-host": BadHost, "bad-host-label": BadHost, "too-long": TooLong,
	}
	for _, row := range rows[row](t, "admission.jsonl") {
		base, err := Standard{}.Normalize(nil, row.Base)
		require.NoError(t, err)
		got, err := Standard{}.Normalize(&base, row.Href)
		if row.Outcome == "admit" {
			require.NoError(t, err, row.Href)
			assert.Equal(t, row.URL, got.Request, row.Href)
		} else {
			assert.Equal(t, reasons[row.Reason], err, row.Href)
			assert.Zero(t, got)
		}
	}
	_, err := Standard{}.Normalize(nil, "relative")
	assert.Equal(t, Malformed, err)
	_, err = Standard{}.Normalize(&URL{Request: "mailto:x"}, "relative")
	assert.Equal(t, Malformed, err)
	_, err = Standard{}.Normalize(nil, "data:"+strings.Repeat("x", MaxLength))
	assert.Equal(t, UnsupportedScheme, err, "the scheme is what is wrong, not the length")
	_, err = Standard{}.Normalize(nil, "http://a.test/"+strings.Repeat("\u00fc", MaxLength/4))
	assert.Equal(t, TooLong, err, "encoding made it too long")
	_, err = Standard{}.Normalize(nil, "http://a.test/#"+strings.Repeat("x", MaxLength))
	assert.Equal(t, TooLong, err, "the fragment is kept, so it counts")
}

func TestRFC3986IsFollowed(t *testing.T) {
	type row struct{ ID, Profile, Input, Base, Expected, Whatwg string }
	exact := func(base, ref string) (URL, error) {
		if base == "" {
			return StandardExact{}.Normalize(nil, ref)
		}
		return StandardExact{}.Normalize(&URL{Request: base}, ref)
	}
	for _, row := range rows[row](t, "facts.jsonl") {
		if !strings.HasPrefix(row.Whatwg, "http") {
			continue // another scheme
		}
		got, err := exact(row.Base, row.Input)
		require.NoError(t, err, row.ID)
		switch row.Profile {
		case "resolve-rfc3986": // where the URL standard says otherwise, browsers follow it, and so do we
			want, _, _ := strings.Cut(row.Whatwg, "#")
			assert.Equal(t, want, got.Request, row.ID)
		case "normalize-rfc3986":
			assert.Equal(t, row.Expected, got.Key.Text, row.ID)
		case "not-equivalent-rfc3986":
			other, err := exact("", row.Expected)
			require.NoError(t, err)
			assert.NotEqual(t, other.Key, got.Key, row.ID)
		default:
			t.Errorf("%s: no such profile: %s", row.ID, row.Profile)
		}
	}
}

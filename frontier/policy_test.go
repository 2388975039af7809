package frontier

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weircrawl/weir/storage/memory"
	"github.com/weircrawl/weir/urlnorm"
)

func TestAPolicyHasItsDefaults(t *testing.T) {
	for _, c := range []struct {
		name       string
		given      Policy
		delay      time.Duration
		fastest    time.Duration
		once, site int
	}{
		{"nothing", Policy{}, time.Second, time.Second, 1, 4},
		{"a delay is its own floor", Policy{Delay: 3 * time.Second}, 3 * time.Second, 3 * time.Second, 1, 4},
		{"no delay", Policy{Delay: -1}, 0, 0, 1, 4},
		{"it may shrink", Policy{Delay: 3 * time.Second, Fastest: time.Second}, 3 * time.Second, time.Second, 1, 4},
		{"it may shrink to none", Policy{Fastest: -1}, time.Second, 0, 1, 4},
		{"never slower than the delay", Policy{Fastest: time.Hour}, time.Second, time.Second, 1, 4},
		{"an origin's bound is its site's", Policy{Concurrency: 16}, time.Second, time.Second, 16, 16},
		{"unless the site's is named", Policy{Concurrency: 16, SiteConcurrency: 2}, time.Second, time.Second, 16, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := c.given.WithDefaults()
			assert.Equal(t, []any{c.delay, c.fastest, c.once, c.site}, []any{p.Delay, p.Fastest, p.Concurrency, p.SiteConcurrency})
		})
	}
}

func TestEveryFaultOfAPolicyIsNamed(t *testing.T) {
	assert.NoError(t, Policy{}.Validate())
	assert.NoError(t, Policy{Version: "v", Paused: "night", Delay: -1, Fastest: -1, Concurrency: 8, SiteConcurrency: 9, URLs: 1, Pattern: 1,
		Exempt: []string{"a.test/{n}"}, Disallow: []string{"/x", "*.pdf$"}}.Validate())
	err := Policy{Version: strings.Repeat("v", 65), Paused: "\xff", Delay: 25 * time.Hour, Fastest: 26 * time.Hour, Concurrency: -1, SiteConcurrency: -2,
		URLs: -3, Pattern: -4, Exempt: []string{""}, Disallow: []string{"", "x", "/#", "/" + strings.Repeat("x", 1<<10), "/\xff"}}.Validate()
	require.Error(t, err)
	for _, part := range []string{"Version", "Paused", "Delay is 25h", "Fastest is 26h", "slower than Delay", "Concurrency is -1", "SiteConcurrency is -2", "URLs is -3",
		"Pattern is -4", "Exempt", "pattern is empty", `"x" can match nothing`, "no fragment", "has 1025 bytes", "no UTF-8"} {
		assert.ErrorContains(t, err, part)
	}
	long := make([]string, 1_000)
	for i := range long {
		long[i] = "/" + strings.Repeat("y", 100)
	}
	assert.ErrorContains(t, Policy{Disallow: long}.Validate(), "it takes")
	assert.ErrorContains(t, Policy{Disallow: append(long, "/z")}.Validate(), "1000 of each")
}

func policyOf(t *rapid.T) Policy {
	duration := rapid.Custom(func(t *rapid.T) time.Duration {
		d := time.Duration(rapid.Int64Range(-1, int64(time.Hour)).Draw(t, "duration"))
		return max(d, -1)
	})
	texts := rapid.SliceOfN(rapid.StringMatching(`/[a-z*"<$]{0,5}`), 0, 3)
	some := func(s []string) []string {
		if len(s) == 0 {
			return nil
		}
		return s
	}
	n := rapid.Int64Range(0, 1<<40)
	return Policy{Version: rapid.StringN(0, 9, 20).Draw(t, "version"), Paused: rapid.StringN(0, 9, 20).Draw(t, "paused"),
		Delay: duration.Draw(t, "delay"), Fastest: duration.Draw(t, "fastest"), Concurrency: rapid.IntRange(0, 99).Draw(t, "concurrency"),
		SiteConcurrency: rapid.IntRange(0, 99).Draw(t, "site"), URLs: n.Draw(t, "urls"), Pattern: n.Draw(t, "pattern"),
		Exempt: some(texts.Draw(t, "exempt")), Disallow: some(texts.Draw(t, "disallow"))}
}

func TestAPolicyReadsBackAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := policyOf(t)
		b, err := json.Marshal(p)
		require.NoError(t, err)
		var again Policy
		require.NoError(t, json.Unmarshal(b, &again), "%s", b)
		require.Equal(t, p, again, "%s", b)
	})
}

func TestAPolicyIsReadableAsJSON(t *testing.T) {
	b, err := json.Marshal(Policy{Delay: 1500 * time.Millisecond, Fastest: -1, SiteConcurrency: 2, Disallow: []string{"/*?sort="}})
	require.NoError(t, err)
	assert.JSONEq(t, `{"delay": "1.5s", "fastest": "none", "site_concurrency": 2, "disallow": ["/*?sort="]}`, string(b))
}

func TestAPolicyFileThatMayMeanSomethingElseIsRefused(t *testing.T) {
	for _, c := range []struct{ name, text, fault string }{
		{"an unknown key", `{"default": {"dealy": "1s"}}`, "dealy"},
		{"an unknown key of the table", `{"site": {}}`, "site"},
		{"a number for a duration", `{"default": {"delay": 2}}`, "delay"},
		{"a duration without a unit", `{"default": {"delay": "2"}}`, `write "1.5s"`},
		{"a key twice", `{"default": {"delay": "2s", "Delay": "1s"}}`, "stands twice"},
		{"an origin twice", `{"origins": {"http://a.test": {}, "http://a.test": {}}}`, "stands twice"},
		{"two tables", `{} {}`, "after top-level value"},
		{"a torn one", `{"default": {"delay": "2s"`, "unexpected end"},
		{"nothing", ``, "unexpected end"},
		{"an array", `[]`, "cannot unmarshal array"},
		{"a deep one", strings.Repeat("[", 100) + strings.Repeat("]", 100), "nested deeper"},
		{"no number", `{"default": {"urls": NaN}}`, "invalid character"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var table PolicyTable
			assert.ErrorContains(t, json.Unmarshal([]byte(c.text), &table), c.fault)
		})
	}
}

func TestAnOriginsPolicyIsOverItsSitesAndTheDefault(t *testing.T) {
	table := PolicyTable{Version: "t1",
		Default: Policy{Delay: 2 * time.Second, Concurrency: 3, Disallow: []string{"/a"}, Exempt: []string{"e"}, Fastest: -1, Pattern: 7, URLs: 8, SiteConcurrency: 9},
		Sites:   map[string]Policy{"example.com": {Delay: 4 * time.Second, Disallow: []string{"/b"}, Paused: "site"}},
		Origins: map[urlnorm.Origin]Policy{"https://x.example.com": {Delay: 8 * time.Second, Paused: "origin"}},
	}
	require.NoError(t, table.Validate())
	other, site := table.Default, table.Default
	other.Version = "t1"
	site.Version, site.Delay, site.Disallow, site.Paused = "t1", 4*time.Second, []string{"/b"}, "site"
	origin := site
	origin.Delay, origin.Paused = 8*time.Second, "origin"
	for o, want := range map[urlnorm.Origin]Policy{
		"https://b.test":             other,
		"https://example.com":        site,
		"http://www.example.com:81":  site,
		"https://x.example.com":      origin,
		"http://x.example.com":       site,
		"https://notexample.com":     other,
		"https://x.example.com:8443": site,
	} {
		assert.Equal(t, want, table.Policy(o), "%s", o)
	}
}

// TestATableFallsThroughFieldByField compares each field with what reflection
// says: the first of three that is not zero.
func TestATableFallsThroughFieldByField(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		three := []Policy{policyOf(t), policyOf(t), policyOf(t)}
		table := PolicyTable{Default: three[2], Sites: map[string]Policy{"a.test": three[1]}, Origins: map[urlnorm.Origin]Policy{"http://a.test": three[0]}}
		want := map[string]any{}
		for i := 2; i >= 0; i-- {
			var fields map[string]any
			require.NoError(t, json.Unmarshal(three[i].encode(), &fields))
			for name, value := range fields {
				want[name] = value
			}
		}
		delete(want, "version")
		var got map[string]any
		require.NoError(t, json.Unmarshal(table.Policy("http://a.test").encode(), &got))
		require.Equal(t, want, got)
	})
}

func TestEveryFaultOfATableIsNamed(t *testing.T) {
	err := PolicyTable{Version: strings.Repeat("v", 65), Default: Policy{Version: "own"},
		Sites:   map[string]Policy{"www.example.com": {}, "Example.com": {}, "": {}},
		Origins: map[urlnorm.Origin]Policy{"https://a.test:443": {}, "https://a.test/": {}, "a.test": {}, "https://b.test": {Delay: 48 * time.Hour}},
	}.Validate()
	for _, part := range []string{"version", "a version of its own", `"www.example.com"; its registrable domain is "example.com"`, `"Example.com"`,
		`no site is called ""`, `it is written "https://a.test"`, `"https://a.test/"`, `"a.test" is no origin`, "origin https://b.test: policy: Delay is 48h"} {
		assert.ErrorContains(t, err, part)
	}
	many := PolicyTable{Origins: map[urlnorm.Origin]Policy{}}
	for i := range maxSubjects + 1 {
		many.Origins[urlnorm.Origin("http://"+strings.Repeat("a", i%60+1)+strings.Repeat("b", i/60)+".test")] = Policy{}
	}
	assert.ErrorContains(t, many.Validate(), "10001 sites and origins")
}

func TestOpenNamesTheFaultsOfItsPolicy(t *testing.T) {
	for _, source := range []PolicySource{Policy{Delay: 48 * time.Hour}, PolicyTable{Default: Policy{Delay: 48 * time.Hour}}} {
		_, err := Open(t.Context(), Config{Store: memory.New(), Policy: source})
		assert.ErrorContains(t, err, "Delay is 48h")
	}
}

package robots

import (
	"encoding/json"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// explain repairs one kind after the other, and returns the first whose repair
// makes both agree; -1 if they do from the start. Whatever is repaired, the RFC's
// answer stays, and in the end both agree.
func explain(t require.TestingT, q question) int {
	want, by := q.ours(), -1
	agree := q.theirs() == want
	for i, k := range kinds {
		q = k.repair(q)
		require.Equal(t, want, q.ours(), "%s changes the answer: %v", k.name, q)
		if !agree && q.theirs() == want {
			agree, by = true, i
		}
	}
	require.Equal(t, want, q.theirs(), "no kind explains it: %v", q)
	return by
}

func TestEveryKindOfDifferenceHasExamples(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			for _, q := range k.examples {
				want := q.ours()
				assert.NotEqual(t, want, q.theirs(), "no difference: %v", q)
				q = k.repair(q)
				assert.Equal(t, want, q.ours(), "repaired: %v", q)
				assert.Equal(t, want, q.theirs(), "repaired: %v", q)
			}
		})
	}
}

func TestEveryDifferenceOnThirdPartyRowsIsOfANamedKind(t *testing.T) {
	differ := map[string]int{}
	for _, q := range thirdParty(t) {
		if costly(q.body, len(q.url)+len(start)) != "" {
			differ["too costly to ask"]++
		} else if by := explain(t, q); by >= 0 {
			differ[kinds[by].name]++
		}
	}
	for name, n := range differ {
		t.Logf("%4d %s", n, name)
	}
	assert.NotEmpty(t, differ)
}

// thirdParty returns the rows of the tables in internal/conformance.
func thirdParty(t *testing.T) (all []question) {
	const tables = "../internal/conformance/testdata/robots/"
	data, err := os.ReadFile(tables + "cases.jsonl")
	require.NoError(t, err)
	for line := range strings.Lines(string(data)) {
		var row struct {
			Robots, URL string
			Body        []byte `json:"robots_b64"`
			Ref         string `json:"robots_ref"`
			Agent       string `json:"user_agent"`
		}
		require.NoError(t, json.Unmarshal([]byte(line), &row))
		if row.Ref != "" {
			row.Body, err = os.ReadFile(tables + row.Ref)
			require.NoError(t, err)
		}
		all = append(all, question{append(row.Body, row.Robots...), row.Agent, row.URL})
	}
	require.NotEmpty(t, all)
	return all
}

func TestEveryDifferenceOnGeneratedFilesIsOfANamedKind(t *testing.T) {
	pick := func(all ...string) *rapid.Generator[string] { return rapid.SampledFrom(all) }
	path := rapid.StringOfN(rapid.SampledFrom([]rune("ab/*$%.? \u00fc")), 0, 6, -1)
	agent := pick("weirbot", "WeirBot/1.0", "weir", "weirbot2", "*", "", "???", "b")
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(0, 8).Draw(t, "lines") {
			key := pick("User-agent", "Allow", "Disallow", "Crawl-delay", "disalow", "Sitemap", "x").Draw(t, "key")
			value := "/" + path.Draw(t, "path")
			switch key {
			case "User-agent":
				value = agent.Draw(t, "agent")
			case "Crawl-delay":
				value = pick("1", "x", "-1", "").Draw(t, "delay")
			}
			if rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
				value = strings.TrimPrefix(value, "/")
			}
			b.WriteString(key + pick(": ", ":", " : ", " ").Draw(t, "colon") + value + pick("\n", "\r\n", " # c\n", "").Draw(t, "end"))
		}
		explain(t, question{[]byte(b.String()), agent.Draw(t, "of"), "/" + path.Draw(t, "on")})
	})
}

func FuzzSecondOpinion(f *testing.F) {
	f.Add([]byte("User-agent: *\nDisallow: /*a$\nAllow /b"), "weirbot", "/a")
	f.Add([]byte("\xef\xbb\xbfuser-agent:weirbot\rallow:/%zz\r\ndisallow /"), "WeirBot/1.0", "/%7e%zz")
	f.Fuzz(func(t *testing.T, body []byte, agent, url string) {
		o := SecondOpinion(body, agent, url)
		require.NotContains(t, o.None, "panics")
		if q := (question{body, agent, url}); costly(body, len(url)) == "" && !strings.Contains(q.String(), "~") {
			explain(t, q)
		}
	})
}

func TestAnOpinionThatPanicsIsNone(t *testing.T) {
	assert.Equal(t, "no opinion: it panics: index out of range", ask(func() (bool, error) { panic("index out of range") }).String())
	assert.Equal(t, "no opinion: one line voids the whole file: a b", ask(func() (bool, error) { return true, errors.New("a\n b") }).String())
}

func TestAFileThatWouldTakeLongHasNoSecondOpinion(t *testing.T) {
	path := "/" + strings.Repeat("a", 2<<10)
	for _, row := range []struct{ body, why string }{
		{"User-agent: *\n#" + strings.Repeat("c", maxOpinionBody), "no opinion: the file is longer than 64 KiB"},
		{"User-agent: *\n" + strings.Repeat("Disallow: /*b\n", maxOpinionWildcards), "no opinion: the file has more than 64 wildcards"},
		{"User-agent: *\nDisallow: /*" + strings.Repeat("a", 4<<10), "no opinion: its patterns and the URL are too long together"},
		{strings.Repeat("user-agent:a\n", 2000) + strings.Repeat("allow:/\n", 2000), "no opinion: its user agents and rules are too many together"},
		{strings.Repeat("#****\n", 100) + "User-agent: *\nDisallow: /a", "disallowed"},
	} {
		assert.Equal(t, row.why, SecondOpinion([]byte(row.body), "weirbot", path).String())
	}
}

// The worst that the limits of an opinion let through takes a moment: nothing can
// interrupt the library.
func TestTheWorstSecondOpinionTakesAMoment(t *testing.T) {
	numbered := func(n int, line string) string {
		var b strings.Builder
		for i := 0; i < n && b.Len()+len(line) < maxOpinionBody-20; i++ {
			b.WriteString(strings.Replace(line, "%", strconv.Itoa(i), 1))
		}
		return b.String()
	}
	const all = maxOpinionBody
	a := func(n int) string { return strings.Repeat("a", n) }
	for _, row := range []struct {
		name, body string
		path       int
	}{
		{"one long pattern", "User-agent: *\nDisallow: /*" + a(60<<10) + "b", 16},
		{"a long pattern on a longer path", "User-agent: *\nDisallow: /*" + a(500) + "b", 1900},
		{"many stars on a long path", "User-agent: *\nDisallow: /" + strings.Repeat("*a", 60) + "*b", 7000},
		{"many patterns", "User-agent: *\n" + numbered(60, "Disallow: /*"+a(80)+"b\n"), 180},
		{"user agents by rules", numbered(700, "user-agent:a%\n") + numbered(700, "allow:/\n"), 100},
		{"rules", "user-agent:*\n" + numbered(all, "allow:/\n"), 100},
		{"user agents", numbered(all, "user-agent:%\n"), 100},
		{"words", numbered(all, "a "), 100},
		{"errors", numbered(all, "allow:/\n"), 100},
	} {
		t.Run(row.name, func(t *testing.T) {
			require.Empty(t, costly([]byte(row.body), row.path))
			begin := time.Now()
			SecondOpinion([]byte(row.body), "weirbot", "/"+a(row.path-1))
			t.Log(time.Since(begin))
			assert.Less(t, time.Since(begin), 5*time.Second, "on an idle machine 0.15 s")
		})
	}
}

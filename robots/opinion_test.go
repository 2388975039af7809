package robots

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A question is put to both libraries.
type question struct {
	body       []byte
	agent, url string
}

func put(lines, agent, url string) question {
	return question{[]byte(strings.ReplaceAll(lines, "|", "\n")), agent, url}
}

func (q question) String() string { return fmt.Sprintf("%q of %q on\n%s", q.url, q.agent, q.body) }

// ours answers by the RFC; theirs is "none" where there is no opinion.
func (q question) ours() string {
	if Parse(q.body).Decide(q.agent, q.url).Allowed {
		return "allowed"
	}
	return "disallowed"
}

func (q question) theirs() string {
	o := SecondOpinion(q.body, q.agent, q.url)
	if o.None != "" {
		return "none"
	}
	return o.String()
}

// item is one line of a file that may bear on a decision.
type item struct{ key, value string }

func (q question) items() (all []item) {
	for line := range lines(counted(q.body)) {
		line, _, _ = strings.Cut(line, "#")
		switch key, value := directive(line); key {
		case "user-agent", "allow", "disallow", "crawl-delay":
			all = append(all, item{key, value})
		}
	}
	return all
}

// with returns q with other items, written as everybody writes them.
func (q question) with(items []item) question {
	var b strings.Builder
	for _, it := range items {
		fmt.Fprintf(&b, "%s: %s\n", it.key, it.value)
	}
	q.body = []byte(b.String())
	return q
}

// patterns returns q with each pattern mapped; one that becomes "" goes.
func (q question) patterns(change func(string) string) question {
	var kept []item
	for _, it := range q.items() {
		if (it.key == "allow" || it.key == "disallow") && it.value != "" {
			if it.value = change(it.value); it.value == "" {
				continue
			}
		}
		kept = append(kept, it)
	}
	return q.with(kept)
}

// A kind is one way in which the library differs from the RFC. repair says the
// same to the RFC in a way that this kind does not touch.
type kind struct {
	name     string
	examples []question
	repair   func(question) question
}

// kinds stand in an order in which a later repair may rely on an earlier one.
var kinds = []kind{
	{
		name:     "robots.txt itself is like any other path",
		examples: []question{put("User-agent: *|Disallow: /", "weirbot", "/robots.txt")},
		repair: func(q question) question {
			if target(q.url) == "/robots.txt" {
				return q.with(nil)
			}
			return q
		},
	},
	{
		name: "it reads words, not lines",
		examples: []question{
			put("User-agent: *|Disallow: /a#b", "weirbot", "/a"),
			put("User-agent: *|Disallow : /a", "weirbot", "/a"),
			put("User-agent: *|Disalow: /a", "weirbot", "/a"),
			put("User-agent: *|do not Disallow: /a", "weirbot", "/a"),
		},
		repair: func(q question) question { return q.with(q.items()) },
	},
	{
		name: "one bad line voids the whole file",
		examples: []question{
			put("Disallow: /a|User-agent: *|Disallow: /b", "weirbot", "/a"),
			put("User-agent: *|Crawl-delay: fast|Disallow: /a", "weirbot", "/a"),
		},
		repair: func(q question) question {
			items := q.items()
			first := slices.IndexFunc(items, func(it item) bool { return it.key == "user-agent" })
			if first < 0 {
				return q.with(nil)
			}
			return q.with(slices.DeleteFunc(items[first:], func(it item) bool {
				seconds, err := strconv.ParseFloat(it.value, 64)
				return it.key == "crawl-delay" && (err != nil || !(seconds >= 0 && seconds < 1e300))
			}))
		},
	},
	{
		name:     "Crawl-delay ends a list of user agents",
		examples: []question{put("User-agent: weirbot|Crawl-delay: 5|User-agent: *|Disallow: /", "weirbot", "/a")},
		repair: func(q question) question {
			return q.with(slices.DeleteFunc(q.items(), func(it item) bool { return it.key == "crawl-delay" }))
		},
	},
	{
		name: "an agent is named by what its header begins with",
		examples: []question{
			put("User-agent: weir|Disallow: /", "weirbot", "/a"),
			put("User-agent: weirbot/2.0|Disallow: /", "weirbot", "/a"),
		},
		repair: func(q question) question {
			own, items := strings.ToLower(Token(q.agent)), q.items()
			if own == "*" || strings.Trim(own, tokenChars) != "" {
				own = "!nobody"
			}
			for i, it := range items {
				if it.key != "user-agent" {
					continue
				}
				items[i].value = "~other" // no agent begins so
				for _, token := range products(it.value) {
					if token = strings.ToLower(token); token == own || token == "*" {
						items[i].value = token
					}
				}
			}
			q.agent = own
			return q.with(items)
		},
	},
	{
		name: "a group without rules is none",
		examples: []question{
			put("User-agent: *|Disallow: /||User-agent: weirbot|", "weirbot", "/a"),
			put("User-agent: *|Disallow: /||User-agent: weirbot|Disallow:", "weirbot", "/a"),
		},
		repair: func(q question) question {
			items := append(q.items(), item{"disallow", ""})
			for i, it := range items {
				if it.key != "user-agent" && it.value == "" {
					items[i] = item{"disallow", nothing}
				}
			}
			if items[0].key != "user-agent" {
				return q.with(nil)
			}
			return q.with(items)
		},
	},
	{
		name: "a pattern that does not begin with a slash gets one",
		examples: []question{
			put("User-agent: *|Disallow: a", "weirbot", "/a"),
			put("User-agent: *|Disallow: *", "weirbot", "/a"),
		},
		repair: func(q question) question {
			return q.patterns(func(p string) string {
				if !strings.HasPrefix(p, "*") && !strings.HasPrefix(p, "/") {
					return ""
				}
				if strings.Trim(p, "*") == "" {
					return "/" + p[1:] // as long, and matches as much
				}
				return p
			})
		},
	}, {
		name: "a dollar is the end of the URL wherever it stands",
		examples: []question{
			put("User-agent: *|Disallow: /a$b", "weirbot", "/a$b"),
			put("User-agent: *|Disallow: /*$/b", "weirbot", "/a$/b"),
		},
		repair: func(q question) question {
			q.url = strings.ReplaceAll(target(q.url), "$", "%24")
			return q.patterns(func(p string) string {
				p, anchored := strings.CutSuffix(p, "$")
				p = strings.ReplaceAll(p, "$", "%24")
				if anchored {
					p += "$"
				}
				return p
			})
		},
	},
	{
		name: "an encoding is compared as it is written",
		examples: []question{
			put("User-agent: *|Disallow: /~a", "weirbot", "/%7ea"),
			put("User-agent: *|Disallow: /%c3%bc", "weirbot", "/\u00fc"),
			put("User-agent: *|Disallow: /a b", "weirbot", "/a%20c"),
			put("User-agent: *|Disallow: /%2A", "weirbot", "/*"),
			put("User-agent: *|Disallow: /\xff", "weirbot", "/%FF"),
		},
		repair: func(q question) question {
			literal := func(s string) string {
				return strings.NewReplacer("*", "%2A", "$", "%24").Replace(normalize(s))
			}
			q.url = literal(target(q.url))
			return q.patterns(func(p string) string {
				p, anchored := strings.CutSuffix(p, "$")
				literals := strings.Split(p, "*")
				for i := range literals {
					literals[i] = literal(literals[i])
				}
				p = strings.Join(literals, "*")
				if anchored {
					p += "$"
				}
				return p
			})
		},
	},
	{
		name: "a pattern with wildcards may begin anywhere",
		examples: []question{
			put("User-agent: *|Disallow: /a*c", "weirbot", "/x/abc"),
			put("User-agent: *|Disallow: /a$", "weirbot", "/x/a"),
		},
		repair: func(q question) question { // a beginning that no other place looks like
			q.url = start + target(q.url)
			return q.patterns(func(p string) string { return start + p })
		},
	},
	{
		name: "the rule that decides is the first, or the one whose regular expression is longest",
		examples: []question{
			put("User-agent: *|Disallow: /a|Allow: /a", "weirbot", "/a"),
			put("User-agent: *|Disallow: /a*.c|Allow: /a.b.c", "weirbot", "/a.b.c"),
			put("User-agent: *|Disallow: /|Allow: /*", "weirbot", "/a"),
		},
		repair: func(q question) question { // nothing else matches
			decides := Parse(q.body).Decide(q.agent, q.url).Line
			items := q.items()
			for i, it := range items {
				if decides > 0 && it.key != "user-agent" && i+1 != decides {
					items[i] = item{"disallow", nothing}
				}
			}
			return q.with(items)
		},
	},
}

// What no file and no URL has.
const (
	start      = "/~start"
	nothing    = "/~nothing"
	tokenChars = "abcdefghijklmnopqrstuvwxyz0123456789-_."
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

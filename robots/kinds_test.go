package robots

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/weircrawl/weir/internal/pathmatch"
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
			if pathmatch.Cut(q.url) == "/robots.txt" {
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
			q.url = strings.ReplaceAll(pathmatch.Cut(q.url), "$", "%24")
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
				return strings.NewReplacer("*", "%2A", "$", "%24").Replace(pathmatch.Normalize(s))
			}
			q.url = literal(pathmatch.Cut(q.url))
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
			q.url = start + pathmatch.Cut(q.url)
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

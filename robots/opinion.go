package robots

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/temoto/robotstxt"

	"github.com/weircrawl/weir/internal/pathmatch"
)

// Opinion is what temoto/robotstxt, the library of most Go crawlers, says about
// one agent and URL. It is information and decides nothing: it differs from RFC
// 9309 on every tenth case.
type Opinion struct {
	Allowed bool   // where there is an opinion
	None    string // why there is none; else empty
}

func (o Opinion) String() string {
	switch {
	case o.None != "":
		return "no opinion: " + o.None
	case o.Allowed:
		return "allowed"
	}
	return "disallowed"
}

// SecondOpinion returns what most Go crawlers would have decided. Files on which
// the library could take long have none.
func SecondOpinion(body []byte, agent, url string) Opinion {
	path := pathmatch.Cut(url)
	if why := costly(body, len(path)); why != "" {
		return Opinion{None: why}
	}
	return ask(func() (bool, error) {
		data, err := robotstxt.FromBytes(body)
		if err != nil {
			return false, err
		}
		return data.TestAgent(path, agent), nil
	})
}

// ask returns the opinion of a library that is not trusted to return.
func ask(library func() (bool, error)) (o Opinion) {
	defer func() {
		if p := recover(); p != nil {
			o = Opinion{None: fmt.Sprint("it panics: ", p)}
		}
	}()
	allowed, err := library()
	if err != nil {
		return Opinion{None: "one line voids the whole file: " + firstLines(err)}
	}
	return Opinion{Allowed: allowed}
}

// firstLines returns the start of what the library complains about, in one line.
func firstLines(err error) string {
	text := strings.Join(strings.Fields(err.Error()), " ")
	return text[:min(len(text), 200)]
}

// What an opinion may cost. Nothing interrupts the library, so what it would do
// is counted first.
const (
	maxOpinionBody      = 64 << 10
	maxOpinionWildcards = 64
	maxOpinionMatch     = 1 << 20 // bytes of patterns with wildcards, by bytes of the URL
	maxOpinionShares    = 1 << 19 // user agents by rules: each of a list has its own copy
)

// costly returns why the library is not asked about a file and a path of that
// length; empty if it is.
func costly(body []byte, path int) string {
	if len(body) > maxOpinionBody {
		return fmt.Sprintf("the file is longer than %d KiB", maxOpinionBody>>10)
	}
	var wildcards, patterns int
	for line := range lines(string(body)) {
		if n := strings.Count(line, "*") + strings.Count(line, "$"); n > 0 && !comment(line) {
			wildcards += n
			patterns += len(line)
		}
	}
	lower := bytes.ToLower(body)
	count := func(word string) int { return bytes.Count(lower, []byte(word)) }
	switch {
	case wildcards > maxOpinionWildcards:
		return fmt.Sprintf("the file has more than %d wildcards", maxOpinionWildcards)
	case patterns*path > maxOpinionMatch:
		return "its patterns and the URL are too long together"
	case count("agent")*(count("allow")+count("delay")) > maxOpinionShares:
		return "its user agents and rules are too many together"
	}
	return ""
}

// comment reports whether nothing but a comment stands in a line.
func comment(line string) bool {
	return strings.HasPrefix(strings.TrimLeft(line, " \t\v"), "#")
}

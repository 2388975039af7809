package robots

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"
)

// Parser is the version of this parser and matcher, kept with every record.
const Parser = "1"

// MaxBody is how much of a file counts: RFC 9309, section 2.5, asks for at least
// 500 KiB.
const MaxBody = 500 << 10

// Parse reads a robots.txt. It has no errors: a line that it does not understand
// is skipped.
func Parse(body []byte) Rules {
	text := string(whole(bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF"))))
	p := parser{
		rules: Rules{groups: map[string]*group{}, size: len(text)},
		seen:  map[string]bool{},
	}
	for text != "" {
		var line string
		line, text = cutLine(text)
		p.line(line)
	}
	return p.finish()
}

// whole cuts a body that is too long behind its last whole line.
func whole(body []byte) []byte {
	if len(body) <= MaxBody {
		return body
	}
	if body[MaxBody] == '\n' || body[MaxBody] == '\r' {
		return body[:MaxBody]
	}
	return body[:1+bytes.LastIndexAny(body[:MaxBody], "\r\n")]
}

func cutLine(text string) (line, rest string) {
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		return text[:i], text[i+1:]
	}
	return text, ""
}

// parser is the state between two lines. The lines of a list of user agents are
// kept once and shared by their groups: a file of n lines takes memory for n.
type parser struct {
	rules  Rules
	seen   map[string]bool // sitemaps
	block  *block          // what allow and disallow lines add to; nil before any user agent
	delay  *time.Duration  // what a crawl-delay line changes
	closed bool            // the block has a rule: the next user agent begins another
	named  bool            // the last line named a user agent: the next one shares its delay
}

func (p *parser) line(line string) {
	key, value := directive(line)
	if key == "user-agent" {
		p.agent(value)
		return
	}
	if key != "" {
		p.named = false
	}
	switch key {
	case "allow", "disallow":
		p.closed = true
		p.rule(value, key == "allow")
	case "crawl-delay":
		p.crawlDelay(value)
	case "sitemap":
		p.sitemap(value)
	case "http", "https":
		if strings.HasSuffix(value, ".xml") { // a sitemap line that lost its name
			p.sitemap(strings.TrimSpace(line))
		}
	}
}

// directive splits a line, without its comment, at the colon, or at white space
// where there is none and only two words stand.
func directive(line string) (key, value string) {
	line, _, _ = strings.Cut(line, "#")
	key, value, ok := strings.Cut(line, ":")
	if !ok {
		if words := strings.Fields(line); len(words) == 2 {
			key, value = words[0], words[1]
		}
	}
	key = strings.ToLower(strings.TrimSpace(key))
	if right, ok := misspelt[key]; ok {
		key = right
	}
	return key, strings.TrimSpace(value)
}

// misspelt holds what Google's parser takes for a directive as well.
var misspelt = map[string]string{
	"useragent": "user-agent", "user agent": "user-agent",
	"dissallow": "disallow", "dissalow": "disallow", "disalow": "disallow", "diasllow": "disallow", "disallaw": "disallow",
	"site-map": "sitemap",
}

// agent adds a user agent to the list that is open, or begins another. One that
// names nobody opens a list all the same.
func (p *parser) agent(value string) {
	if p.block == nil || p.closed {
		p.block, p.closed = &block{}, false
		p.rules.size += blockSize
	}
	if !p.named {
		p.delay, p.named = new(time.Duration), true
	}
	token := product(value)
	if token == "" {
		return
	}
	g := p.rules.groups[token]
	if g == nil {
		g = &group{}
		p.rules.groups[token] = g
		p.rules.size += len(token) + groupSize
	}
	g.add(p.block, p.delay)
	p.rules.size += memberSize
}

// product returns what a user-agent line names, in lower case: a star that stands
// alone, or the leading characters of a product token. RFC 9309, section 2.2.1,
// knows letters, hyphens and underscores; digits are added, because crawlers have
// them.
func product(value string) string {
	if rest, ok := strings.CutPrefix(value, "*"); ok && (rest == "" || !inToken[rest[0]]) {
		return "*"
	}
	i := 0
	for i < len(value) && inToken[value[i]] {
		i++
	}
	return strings.ToLower(value[:i])
}

var inToken = setOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

// rule adds a rule to the open list. An empty value is no restriction, and its
// list all the same one that was found.
func (p *parser) rule(value string, allow bool) {
	if value == "" || p.block == nil {
		return
	}
	r := rule{text: value, pattern: newPattern(value), allow: allow}
	p.block.rules = append(p.block.rules, r)
	p.rules.size += ruleSize + len(r.pattern)
}

// crawlDelay keeps the longest that a list names. What is no plain decimal number
// is none; markup behind it is ignored.
func (p *parser) crawlDelay(value string) {
	value, _, _ = strings.Cut(value, "<")
	if p.delay == nil || strings.Trim(value, "0123456789.") != "" {
		return
	}
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		delay := time.Duration(min(seconds, maxDelay.Seconds()) * float64(time.Second))
		*p.delay = max(*p.delay, delay)
	}
}

// maxDelay keeps a delay within what a duration can hold; the frontier's own
// maximum is much lower.
const maxDelay = 24 * time.Hour

func (p *parser) sitemap(value string) {
	if value != "" && !p.seen[value] {
		p.seen[value] = true
		p.rules.sitemaps = append(p.rules.sitemaps, value)
		p.rules.size += stringSize
	}
}

func (p *parser) finish() Rules {
	for _, g := range p.rules.groups {
		for _, b := range g.blocks {
			b.sort()
		}
	}
	p.rules.sitemaps = slices.Clip(p.rules.sitemaps)
	return p.rules
}

// Sizes of what the rules are made of, for Rules.Size.
const (
	ruleSize   = int(unsafe.Sizeof(rule{}))
	blockSize  = int(unsafe.Sizeof(block{}))
	groupSize  = int(unsafe.Sizeof(group{})) + mapEntry
	memberSize = int(unsafe.Sizeof((*block)(nil)) + unsafe.Sizeof((*time.Duration)(nil)))
	stringSize = int(unsafe.Sizeof(""))

	mapEntry = 64 // about what a map takes for a key and a pointer
)

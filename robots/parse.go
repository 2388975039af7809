package robots

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/weircrawl/weir/internal/pathmatch"
)

// Parser is the version of this parser and matcher, kept with every record.
const Parser = "3"

// Parse reads a robots.txt. It has no errors: a line that it does not understand
// is skipped.
func Parse(body []byte) Rules {
	text := counted(body)
	p := parser{
		rules: Rules{groups: map[string]*group{}, size: len(text)},
		seen:  map[string]bool{},
	}
	for line := range lines(text) {
		p.number++
		p.line(line)
	}
	return p.finish()
}

// parser is the state between two lines. A file of n lines takes memory for n:
// what a list of user agents says is kept once.
type parser struct {
	rules  Rules
	seen   map[string]bool // sitemaps
	number int32           // of the line, from 1
	block  *block          // what allow and disallow lines add to; nil before any user agent
	pause  *pause          // what a crawl-delay line changes; nil likewise
	closed bool            // the block has a rule: the next user agent begins another
	named  bool            // the last line named a user agent: the next one shares its delay
	loose  pause           // what crawl-delay lines before any user agent say
}

func (p *parser) line(line string) {
	line, _, _ = strings.Cut(line, "#")
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
		p.rule(strings.TrimSpace(line), value, key == "allow")
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
	key, value, ok := strings.Cut(line, ":")
	if !ok {
		if words := strings.Fields(line); len(words) == 2 {
			key, value = words[0], words[1]
		}
	}
	key = strings.TrimSpace(key)
	var lower [16]byte // keeps the look-up off the heap
	if known, ok := directives[string(appendLower(lower[:0], key))]; ok {
		key = known
	}
	return key, strings.TrimSpace(value)
}

// directives are those that are read, in all the ways in which Google's parser
// takes them.
var directives = map[string]string{
	"user-agent": "user-agent", "useragent": "user-agent", "user agent": "user-agent",
	"allow": "allow", "disallow": "disallow", "crawl-delay": "crawl-delay", "sitemap": "sitemap",
	"http": "http", "https": "https",
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
		p.pause, p.named = &pause{}, true
	}
	for _, token := range products(value) {
		p.group(strings.ToLower(token)).add(p.block, p.pause)
		p.rules.size += memberSize
	}
}

// products returns what a user-agent line names: a star that stands alone, or the
// leading characters of a product token. RFC 9309, section 2.2.1, knows letters,
// hyphens and underscores; digits are added, because crawlers have them, and
// "archive.org_bot" is named with its dot, too.
func products(value string) (tokens []string) {
	if rest, ok := strings.CutPrefix(value, "*"); ok && (rest == "" || !inToken[rest[0]]) {
		return []string{"*"}
	}
	for _, allowed := range []*[256]bool{&inToken, &inDotted} {
		if token := leading(value, allowed); token != "" && !slices.Contains(tokens, token) {
			tokens = append(tokens, token)
		}
	}
	return tokens
}

var (
	inToken  = setOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
	inDotted = setOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")
)

func setOf(in string) (set [256]bool) {
	for i := 0; i < len(in); i++ {
		set[in[i]] = true
	}
	return set
}

func leading(value string, allowed *[256]bool) string {
	i := 0
	for i < len(value) && allowed[value[i]] {
		i++
	}
	return value[:i]
}

// group returns the group of token, made if it is new.
func (p *parser) group(token string) *group {
	g := p.rules.groups[token]
	if g == nil {
		g = &group{token: token}
		p.rules.groups[token] = g
		p.rules.size += len(token) + groupSize
	}
	return g
}

// rule adds a rule to the open list. An empty value is no restriction, and its
// list all the same one that was found.
func (p *parser) rule(line, value string, allow bool) {
	if value == "" || p.block == nil {
		return
	}
	r := rule{text: line, pattern: pathmatch.New(value), line: p.number, allow: allow}
	p.block.rules = append(p.block.rules, r)
	p.rules.size += ruleSize + len(r.pattern)
}

// crawlDelay keeps the longest that a list names. What is no plain decimal number
// is none; markup behind it is ignored.
func (p *parser) crawlDelay(value string) {
	value, _, _ = strings.Cut(value, "<")
	if strings.Trim(value, "0123456789.") != "" {
		return
	}
	seconds, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return
	}
	to := p.pause
	if to == nil {
		to = &p.loose
	}
	delay := time.Duration(min(seconds, maxDelay.Seconds()) * float64(time.Second))
	to.delay, to.given = max(to.delay, delay), true
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

// finish returns the rules. A crawl-delay in a file that names no user agent at
// all is meant for everybody.
func (p *parser) finish() Rules {
	if p.block == nil && p.loose.given {
		p.group("*").add(&block{}, &p.loose)
	}
	for _, g := range p.rules.groups {
		g.finish()
	}
	p.rules.sitemaps = slices.Clip(p.rules.sitemaps)
	return p.rules
}

// Sizes of what the rules are made of, for Rules.Size.
const (
	ruleSize   = int(unsafe.Sizeof(rule{}))
	blockSize  = int(unsafe.Sizeof(block{}))
	groupSize  = int(unsafe.Sizeof(group{})) + mapEntry
	memberSize = int(unsafe.Sizeof((*block)(nil)))
	stringSize = int(unsafe.Sizeof(""))

	mapEntry = 64 // about what a map takes for a key and a pointer
)

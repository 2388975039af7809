package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/weircrawl/weir/robots"
	"github.com/weircrawl/weir/urlnorm"
)

// robotsSuites judge the tables of robots.
var robotsSuites = []suite{
	table("robots/cases.jsonl", map[string]string{
		"rb12a067bfc1": "Allow: / and Disallow: /* on /: the pattern with more octets decides (RFC 9309, section 2.2.2)",
	}, judgeDecision),
	real,
	table("robots/directives.jsonl", nil, judgeDirectives),
	table("robots/limits.jsonl", nil, judgeLimit),
	table("robots/access.jsonl", nil, judgeAccess),
}

// real are files of real sites.
var real = table("robots/real.jsonl", nil, judgeDecision)

// A robotsRow is a question to one robots.txt.
type robotsRow struct {
	ID      string
	Level   string
	Body    []byte `json:"robots_b64"`
	Text    string `json:"robots"`
	Ref     string `json:"robots_ref"` // a file beside the table
	File    string // likewise
	Parts   []part `json:"robots_parts"`
	Octets  int    // of the parts together
	Agent   string `json:"user_agent"`
	URL     string
	Allowed *bool

	Seconds  json.RawMessage `json:"crawl_delay_seconds"` // null: none
	Sitemaps []string
	Note     string
}

// A part is a text and how often it stands there.
type part struct {
	text  string
	times int
}

func (p *part) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&p.text, &p.times})
}

// body returns the file of the row.
func (r robotsRow) body(data fs.FS) ([]byte, error) {
	if file := cmp.Or(r.Ref, r.File); file != "" {
		return fs.ReadFile(data, "robots/"+file)
	}
	for _, p := range r.Parts {
		r.Body = append(r.Body, strings.Repeat(p.text, p.times)...)
	}
	return append(r.Body, r.Text...), nil
}

// gated are the levels on which programs agree with the RFC or with each other.
// The others say what one program does.
var gated = []string{"", "rfc", "consensus", "majority"}

// judgeDecision judges what a file says about one agent and URL.
func judgeDecision(data fs.FS, row robotsRow) verdict {
	body, err := row.body(data)
	if row.Allowed == nil || !slices.Contains(gated, row.Level) || errors.Is(err, fs.ErrNotExist) {
		return verdict{foreign: true}
	}
	if err != nil {
		return verdict{id: row.ID, failure: err.Error()}
	}
	return compare(row.ID, *row.Allowed, robots.Parse(body).Decide(row.Agent, row.URL).Allowed)
}

// A directives is what a file says beside its rules.
type directives struct {
	Delay    *float64 `json:",omitempty"`
	Sitemaps []string `json:",omitempty"`
}

// judgeDirectives compares those of them that the row states.
func judgeDirectives(data fs.FS, row robotsRow) verdict {
	body, err := row.body(data)
	if err != nil {
		return verdict{id: row.ID, failure: err.Error()}
	}
	rules := robots.Parse(body)
	var want, got directives
	if row.Seconds != nil {
		if err := json.Unmarshal(row.Seconds, &want.Delay); err != nil {
			return verdict{id: row.ID, failure: err.Error()}
		}
		if delay, ok := rules.Delay(row.Agent); ok {
			seconds := delay.Seconds()
			got.Delay = &seconds
		}
	}
	if row.Sitemaps != nil {
		want.Sitemaps = row.Sitemaps
		got.Sitemaps = resolved(rules.Sitemaps(), row.Note)
	}
	return compare(row.ID, want, got)
}

// against finds the URL that a row resolved its references with.
var against = regexp.MustCompile(`relative values against (\S+)`)

// resolved returns references as a crawler would request them, if the note of
// their row names a base, and else as they are.
func resolved(references []string, note string) []string {
	all := append([]string{}, references...)
	m := against.FindStringSubmatch(note)
	if m == nil {
		return all
	}
	base, err := urlnorm.StandardExact{}.Normalize(nil, m[1])
	for i, reference := range all {
		if u, err2 := (urlnorm.StandardExact{}).Normalize(&base, reference); err == nil && err2 == nil {
			all[i] = u.Request
		}
	}
	return all
}

// judgeLimit judges a large file, which comes by an exchange as any other.
func judgeLimit(data fs.FS, row robotsRow) verdict {
	body, err := row.body(data)
	switch {
	case row.Allowed == nil: // the choice of an implementation
		return verdict{foreign: true}
	case err != nil:
		return verdict{id: row.ID, failure: err.Error()}
	case row.Octets != 0 && row.Octets != len(body):
		return verdict{id: row.ID, failure: fmt.Sprintf("the parts are %d octets, not %d", len(body), row.Octets)}
	}
	s := &site{steps: []step{{Status: 200, Body: string(body)}}}
	record, err := s.visit(time.Now())
	if err != nil {
		return verdict{id: row.ID, failure: err.Error()}
	}
	return compare(row.ID, *row.Allowed, record.Decide(row.Agent, row.URL).Allowed)
}

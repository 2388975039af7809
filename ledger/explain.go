package ledger

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/weircrawl/weir/frontier"
)

// An Explanation is why a URL was, or was not, crawled: everything that the ledgers
// know of it, and what its robots.txt says.
type Explanation struct {
	frontier.Explained
	Robots *Robots `json:"robots,omitempty"` // nil: no robots.txt of its origin was read
}

// Robots is the record of an origin's robots.txt, and what it says of one URL.
type Robots struct {
	Status  int           `json:"status"`
	Fetched time.Time     `json:"fetched"`
	Expires time.Time     `json:"expires"`
	Parser  string        `json:"parser"`
	Digest  string        `json:"digest,omitempty"` // of the file; empty if there were no rules to read
	Allowed bool          `json:"allowed"`          // by the protocol, and by the operator's policy
	Policy  string        `json:"policy,omitempty"` // of the operator, where it is stricter
	Rule    string        `json:"rule,omitempty"`   // that decides, as written; empty: none matches
	Line    int           `json:"line,omitempty"`
	Group   string        `json:"group,omitempty"`    // whose rules were asked
	Delay   time.Duration `json:"delay_ns,omitempty"` // Crawl-delay
	Lost    string        `json:"lost,omitempty"`     // why the file cannot be read any more; then nothing is allowed
}

// mostLines is how many decisions, transitions and attempts a person is shown.
const mostLines = 20

// String prints one fact a line.
func (e Explanation) String() string {
	if e.Asked == "" {
		return "no URL was asked for\n"
	}
	p := &printer{}
	p.line(e.verdict())
	p.identity(e.Explained)
	p.admissions(e.Explained)
	p.life(e.Explained)
	p.origin(e.Origin, e.Time)
	p.policy(e.Policy)
	p.robots(e.Robots)
	p.result(e.Explained)
	if !e.Known {
		p.held(e.Held)
	}
	return p.String()
}

// verdict is the answer in one line, of the URL as it was asked for.
func (e Explanation) verdict() string {
	text := e.Asked
	switch {
	case e.Rejected != "":
		return fmt.Sprintf("%s is nothing that can be requested {%s}", text, e.Rejected)
	case e.Known:
		text += " is " + reasoned(e.State.String(), e.Reason)
	case e.Preview != nil:
		text += fmt.Sprintf(" was never admitted; offered now it would be %s%s", reasoned(e.Preview.Decision.String(), e.Preview.Reason), e.then())
	default:
		text += " was never admitted"
	}
	if e.URL != e.Asked {
		text += ", as " + e.URL
	}
	return text
}

// then says what would follow an admission, as far as the robots.txt is known.
func (e Explanation) then() string {
	if e.Preview.Decision != frontier.Admitted || e.Robots == nil || e.Robots.Allowed {
		return ""
	}
	return ", and then refused {robots}"
}

// printer collects facts.
type printer struct{ strings.Builder }

// line prints one line: what the web wrote cannot begin another.
func (p *printer) line(text string) { p.WriteString(plain(text) + "\n") }

func (p *printer) fact(name, format string, args ...any) {
	p.line(fmt.Sprintf("  %-11s ", name) + fmt.Sprintf(format, args...))
}

func (p *printer) identity(e frontier.Explained) {
	if e.Identity == "" {
		return
	}
	p.fact("key", "%s (%s)", e.Key.Text, e.Key.Version)
	for i, o := range e.Observed {
		if i == mostLines {
			p.fact("written", "and otherwise")
			break
		}
		p.fact("written", "%q", o)
	}
}

// admissions prints who named the URL, and what was decided each time.
func (p *printer) admissions(e frontier.Explained) {
	if e.Admission != nil {
		p.decision("admitted", *e.Admission)
	}
	if e.From != "" {
		p.fact("from", "the redirect of %s", e.From)
	}
	for i, a := range e.Decisions {
		if i == mostLines {
			break
		}
		if e.Admission == nil || a.Claim != e.Admission.Claim {
			p.decision("named", a)
		}
	}
	p.fact("references", "%d, %s", e.Seen, scanned(e.Scanned))
}

func scanned(s frontier.Scanned) string {
	how := "of all"
	if !s.Whole {
		how = "of the first"
	}
	return fmt.Sprintf("%s %d that were decided (%s read)", how, s.References, size(s.Bytes))
}

func (p *printer) decision(name string, a frontier.Admission) {
	p.fact(name, "%s: %s by %s of %s, rule %s, depth %d, %d of %d URLs, policy %s", stampOf(a.Time), reasoned(a.Decision.String(), a.Reason),
		a.Source, cmp.Or(a.Parent, a.Cursor), a.Reference.Rule, a.Depth, a.Slots, a.Limit, a.Policy)
}

func stampOf(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.000") }

// life prints the transitions and the attempts.
func (p *printer) life(e frontier.Explained) {
	history := e.History
	if n := len(history) - mostLines; n > 0 || e.Earlier {
		history = history[max(n, 0):]
		p.fact("history", "begins before")
	}
	for _, t := range history {
		from := ""
		if t.From != frontier.Unseen {
			from = t.From.String() + " -> "
		}
		p.fact("history", "%s: %s%s", stampOf(t.Time), from, reasoned(fmt.Sprintf("%s by %s", t.To, t.Event), t.Reason))
	}
	for _, a := range e.Attempts[max(len(e.Attempts)-mostLines, 0):] {
		p.fact("attempt", "%d: %s", a.ID.Generation, endOf(a))
		if l := a.Late; l != nil {
			p.fact("late", "%d stale and %d conflicting reports of it, the first %s: %s", l.Stale, l.Conflicts, stampOf(l.Time), reasoned(l.Outcome.String(), l.Reason))
		}
	}
}

// endOf is what came of an attempt: what was reported, and what that came to where
// nothing is left to try.
func endOf(a frontier.Attempt) string {
	switch {
	case a.Outcome == frontier.OutcomeRetry && a.Event == frontier.Fail:
		return reasoned("failed", a.Reason) + ", and none is left"
	case a.Outcome != frontier.NoOutcome:
		return reasoned(a.Outcome.String(), a.Reason)
	case a.Event != frontier.NoEvent:
		return reasoned(a.Event.String(), a.Reason)
	}
	return "goes on"
}

// origin prints how an origin stood at the time now.
func (p *printer) origin(o *frontier.OriginState, now time.Time) {
	if o == nil {
		return
	}
	p.fact("origin", "%s: %d in flight, gate %s", o.Origin, o.InFlight, reasoned(o.Gate.State, o.Gate.Reason))
	if o.Paused != "" {
		p.fact("paused", "%s", o.Paused)
	}
	if o.Next.After(now) {
		p.fact("next", "%s", reasoned("no request before "+stampOf(o.Next), o.Why))
	}
}

// policy prints what the operator's rules say, beside what robots.txt does.
func (p *printer) policy(s *frontier.Standing) {
	if s == nil {
		return
	}
	p.fact("policy", "%s: %s", s.Policy.Version, s)
}

func (p *printer) robots(r *Robots) {
	if r == nil {
		return
	}
	says := "forbidden"
	if r.Allowed {
		says = "allowed"
	}
	switch {
	case r.Lost != "":
		p.fact("robots", "%s: the file is lost: %s", says, r.Lost)
	case r.Line > 0:
		p.fact("robots", "%s by line %d of the group %s: %s", says, r.Line, r.Group, r.Rule)
	default:
		p.fact("robots", "%s: %s", says, cmp.Or(r.Rule, "no rule matches"))
	}
	if r.Policy != "" {
		p.fact("robots", "the operator's policy: %s", r.Policy)
	}
	p.fact("robots", "status %d, fetched %s, good until %s, parser %s", r.Status, stampOf(r.Fetched), stampOf(r.Expires), r.Parser)
}

func (p *printer) result(known frontier.Explained) {
	r := known.Result
	if r == nil {
		return
	}
	e := r.Evidence
	p.fact("result", "%s, %s", reasoned(r.State.String(), r.Reason), responded(r.Evidence))
	if e.Detail != "" {
		p.fact("detail", "%s", e.Detail)
	}
	if r.Target != "" {
		p.fact("target", "%s", r.Target)
	}
	for i, record := range known.Records {
		if i == mostLines {
			break
		}
		p.fact("record", "%s %s", record.Kind, clip(string(record.Data)))
	}
}

// responded is what a site has answered.
func responded(e frontier.Evidence) string {
	switch {
	case e.Status == 0:
		return "no response"
	case e.Bytes == 0:
		return fmt.Sprintf("status %d, no body", e.Status)
	}
	return fmt.Sprintf("status %d, %s, %s", e.Status, size(e.Bytes), e.Digest)
}

// held prints what is held back as the URL is, or would be.
func (p *printer) held(like []frontier.PatternTally) {
	for _, t := range like {
		p.fact("held back", "%s like %s {%s}", count(t.Count, "reference"), t.Pattern, t.Reason)
	}
}

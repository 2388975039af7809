package robots

import (
	"fmt"
	"time"
)

// Decision is the answer for one agent and URL, with what decided.
type Decision struct {
	Allowed bool          // by the protocol, and by the operator's policy
	Policy  Verdict       // Deny if the policy forbids what the protocol allows; else empty
	Rule    string        // of the protocol, as written: "Disallow: /private", "status 503"; empty if nothing matched
	Line    int           // of the file, from 1, that Rule stands in; 0 if it is no line
	Group   string        // the product token, or "*", whose rules were asked; empty if no group holds
	Delay   time.Duration // Crawl-delay, as the file says; 0 if it does not
}

// Verdict is what an origin's robots.txt, or a policy, says about all its URLs.
type Verdict string

const (
	ByRules Verdict = "rules" // the file decides for each URL
	Allow   Verdict = "allow"
	Deny    Verdict = "deny"
)

// Policy is what an operator asks for beside the protocol. It can only be
// stricter, and is recorded beside what the protocol says: see Note and Decision.
// It is given in a Visit to Record.Gate, whose Rules decide with it; Record.Decide
// and Parse do not know it. The zero value adds nothing.
type Policy struct {
	Forbidden Verdict // of an origin that answers 401 or 403; Deny, or as RFC 9309 has it: Allow
}

// denies reports whether p forbids what the protocol allows for that status.
func (p Policy) denies(status int) bool {
	return p.Forbidden == Deny && (status == 401 || status == 403)
}

// Protocol reports whether the protocol alone allows the URL.
func (d Decision) Protocol() bool { return d.Allowed || d.Policy == Deny }

// String explains d in one line.
func (d Decision) String() string {
	text := "disallowed"
	if d.Protocol() {
		text = "allowed"
	}
	switch {
	case d.Line > 0:
		text += fmt.Sprintf(" by line %d of group %s: %q", d.Line, d.Group, d.Rule)
	case d.Rule != "":
		text += " by " + d.Rule
	case d.Group != "":
		text += ": no rule of group " + d.Group + " matches"
	default:
		text += ": no group holds"
	}
	if d.Policy == Deny {
		text += "; disallowed by policy"
	}
	return text
}

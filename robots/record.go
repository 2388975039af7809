package robots

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/urlnorm"
)

// Record is what an origin's robots.txt said, or why it could not be read.
type Record struct {
	Origin     urlnorm.Origin // that was asked, and that the rules hold for
	Status     int            // of the last response; 0 without one
	Class      fetch.Class    // of the last exchange
	Err        error          // of the last exchange
	Fetched    time.Time      // when the last exchange began
	Expires    time.Time      // Fetched for a failure
	Parser     string         // version of what reads Body
	Hops       []string       // URLs that redirects led to, at most 5
	Body       []byte         // of a 2xx response; what counts of it, or one byte more
	Truncated  string         // why Body is cut: "length" is no fault here if it is more than counts
	Undecoded  bool           // a coding of the body is unknown or broken
	RetryAfter time.Duration  // of the last response
	Bytes      int64          // of all bodies, decoded
}

// Digest names the body, in the form of storage.Sum; it is empty without one.
func (r Record) Digest() string {
	if !r.parsed() {
		return ""
	}
	sum := sha256.Sum256(r.Body)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Verdict returns what the protocol says about all URLs of the origin.
func (r Record) Verdict() Verdict {
	if r.parsed() {
		return ByRules
	}
	if _, allowed := r.access(); allowed {
		return Allow
	}
	return Deny
}

// Rules returns what the protocol says for every URL of the origin.
func (r Record) Rules() Rules {
	if r.parsed() {
		return Parse(r.Body)
	}
	return accessRules(r.access())
}

// Decide answers for one agent and URL. Whoever asks more than once keeps Rules.
func (r Record) Decide(agent, url string) Decision { return r.Rules().Decide(agent, url) }

// parsed reports whether there are rules to read (RFC 9309, section 2.3.1.1).
func (r Record) parsed() bool {
	return r.Status/100 == 2 && !r.unreachable()
}

// unreachable reports whether nobody knows what the rules are (RFC 9309, section
// 2.3.1.4), so that everything is disallowed until it is known. 429 counts as
// that, too: who asks for less must not get more. So does a file of which a part
// was lost, and a wall before it: what is not seen may forbid something.
func (r Record) unreachable() bool {
	switch r.Class {
	case fetch.DNS, fetch.Connect, fetch.TLS, fetch.Timeout, fetch.Protocol, fetch.Content,
		fetch.PrivateAddress, fetch.Malformed, fetch.Cancelled:
		return true
	}
	return r.Status == 0 || r.busy() || r.lost() || r.walled()
}

// busy reports whether the origin asks to come back later.
func (r Record) busy() bool { return r.Status == 429 || r.Status/100 == 5 }

// walled reports whether what came instead of a file, or of the way to it, asks for
// a login, a payment or a proof of humanity. Behind 4xx it is the status that counts.
func (r Record) walled() bool {
	switch r.Class {
	case fetch.Challenge, fetch.Login, fetch.Payment:
		return r.Status/100 == 2 || r.Status/100 == 3
	}
	return false
}

// lost reports whether a part of the file did not arrive, or cannot be read.
func (r Record) lost() bool { return r.loss() != "" }

// loss names what took a part of the file. A length takes none of it where more is
// there than counts; a body can also be too long before it is decoded.
func (r Record) loss() string {
	switch {
	case r.Status/100 != 2 || r.Truncated == fetch.TruncatedLength && len(r.Body) > MaxBody && !r.Undecoded:
		return ""
	case r.Truncated == "" && r.Undecoded:
		return "undecoded"
	}
	return r.Truncated
}

// access names the rule that stands in for a file, and says what it allows.
func (r Record) access() (rule string, allowed bool) {
	switch {
	case r.Status == 0 || r.unreachable() && !r.busy() && !r.lost():
		return "unreachable: " + string(r.Class), false
	case r.lost():
		return "incomplete: " + r.loss(), false
	case r.busy():
		return fmt.Sprintf("status %d", r.Status), false
	case r.Status/100 == 3: // section 2.3.1.2: beyond five redirects, or leading nowhere
		return "redirects", true
	}
	return fmt.Sprintf("status %d", r.Status), true // section 2.3.1.3
}

// accessRules are the rules of an origin without a file.
func accessRules(rule string, allowed bool) Rules {
	return Rules{access: rule, allowed: allowed, size: len(rule)}
}

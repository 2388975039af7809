package frontier

import (
	"encoding/hex"
	"fmt"
	"time"

	"github.com/weircrawl/weir/urlnorm"
)

// Source says who named a reference.
type Source uint8

const (
	Link Source = iota // a page
	Seed
	Redirect
	Sitemap
	IndexNow
	Recrawl
	AdminCall
	Offer // a reference decided again, because a bound or a depth has changed
)

var sourceNames = [...]string{"link", "seed", "redirect", "sitemap", "indexnow", "recrawl", "admin", "offer"}

func (s Source) String() string { return name(sourceNames[:], uint8(s)) }

// MarshalText writes the source's word.
func (s Source) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the source's word.
func (s *Source) UnmarshalText(b []byte) error { return parse(sourceNames[:], b, (*uint8)(s)) }

// A Reference is what a page wrote, or another source named.
type Reference struct {
	Observed string `json:"observed"`           // as written, with its fragment
	Base     string `json:"base,omitempty"`     // absolute URL that it is relative to; default the leased URL
	Charset  string `json:"charset,omitempty"`  // encoding of the page that holds it, as urlnorm.URL has it; default UTF-8
	Rule     string `json:"rule,omitempty"`     // what found it: "a", "link[rel=next]"; at most 64 bytes; default the source's word
	Priority int8   `json:"priority,omitempty"` // 1 sooner, 0, -1 later
	Hint     bool   `json:"hint,omitempty"`     // it is read for references alone, as a sitemap is: it takes a slot of Budget.Hints, and is another identity than the page at its URL
	Refused  Reason `json:"refused,omitempty"`  // if not empty, it is counted as policy_stop for this reason, unless it is no URL at all, and not admitted
}

// kept is what a row holds of r.
func (r Reference) kept() Reference {
	r.Observed, r.Base, r.Rule = clip(r.Observed, maxObserved), clip(r.Base, maxObserved), clipText(r.Rule, maxReason)
	r.Refused = cleanReason(r.Refused)
	return r
}

// Reason is one word that is counted, 64 bytes at most: a bound, a rejection, a
// failure, a word of yours. What follows a colon is detail, and is not counted
// apart: "robots: unreachable" counts as "robots".
type Reason string

// Word returns the part of r that is counted.
func (r Reason) Word() Reason {
	for i := range len(r) {
		if r[i] == ':' {
			return r[:i]
		}
	}
	return r
}

// Decision is the disposition of one reference; every reference has one.
type Decision uint8

const (
	Admitted       Decision = iota + 1
	Duplicate               // its identity was admitted before; the reason is a rule of the Normalizer if that made it one
	LimitReached            // a bound holds it back; decided again when the bound is raised
	DeferredBudget          // no credit on this partition yet
	PolicyStop              // a rule holds it back; see the reason
)

var decisionNames = [...]string{"", "admitted", "duplicate", "limit_reached", "deferred_budget", "policy_stop"}

func (d Decision) String() string { return name(decisionNames[:], uint8(d)) }

// MarshalText writes the decision's word.
func (d Decision) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads the decision's word.
func (d *Decision) UnmarshalText(b []byte) error { return parse(decisionNames[:], b, (*uint8)(d)) }

// Bounds and rules of weir's own that hold references back or end URLs. A
// Normalizer's rejections count under their own words.
const (
	ReasonNew            Reason = "new"
	ReasonKnown          Reason = "known"
	ReasonURLs           Reason = "urls"
	ReasonOverBudget     Reason = "over_budget" // more slots are spent than the limit: nothing is admitted until it is raised
	ReasonHints          Reason = "hints"
	ReasonOrigins        Reason = "origins"
	ReasonDepth          Reason = "depth"
	ReasonPattern        Reason = "pattern" // so many URLs of one path pattern are admitted: a calendar, facets, session ids
	ReasonReferences     Reason = "references"
	ReasonRecords        Reason = "records"
	ReasonBytes          Reason = "bytes"
	ReasonWall           Reason = "wall"
	ReasonScope          Reason = "out_of_scope"
	ReasonLeftScope      Reason = "scope"      // the end of a URL that was in scope when it was admitted
	ReasonDisallowed     Reason = "disallowed" // by Policy.Disallow; the pattern follows a colon
	ReasonPaused         Reason = "paused"     // by a policy; why follows a colon
	ReasonKind           Reason = "kind"       // what found it is not followed: it leads to an image, another form of the page
	ReasonOriginEnded    Reason = "origin_ended"
	ReasonSeedLeftScope  Reason = "seed_left_scope"
	ReasonRedirects      Reason = "too_many_redirects"
	ReasonRedirected     Reason = "redirected"
	ReasonNoneAdmitted   Reason = "no_seed_admitted"
	ReasonExhausted      Reason = "attempts_exhausted"
	ReasonLost           Reason = "lost"
	ReasonExpired        Reason = "expired"
	ReasonHandler        Reason = "handler"
	ReasonTooLarge       Reason = "too_large"
	ReasonThrottled      Reason = "throttled"
	ReasonDelay          Reason = "delay"       // a wait: the operator's, between two requests
	ReasonCrawlDelay     Reason = "crawl_delay" // a wait: the site's, between two requests
	ReasonSlowed         Reason = "slowed"      // a wait: between two requests, longer since the origin was busy or failed
	ReasonReady          Reason = "ready"
	ReasonDue            Reason = "due"
	ReasonRetry          Reason = "retry"
	ReasonDepthLowered   Reason = "depth_lowered"
	ReasonPriorityRaised Reason = "priority_raised"
	ReasonRaised         Reason = "raised"
)

// An Admission is the record of one decision on one reference: the admission
// ledger is made of them. References beyond the bound of one page are one record,
// with the first of them as example and no key.
type Admission struct {
	Run        string      `json:"run"`
	Claim      ClaimID     `json:"claim"`
	Time       time.Time   `json:"time"`
	Source     Source      `json:"source"`
	Parent     string      `json:"parent,omitempty"` // the URL that holds the reference; empty for a source that is no page
	Cursor     string      `json:"cursor,omitempty"` // of a source that is no page: its word, the commit and the place there, "seed 12.0"
	Reference  Reference   `json:"reference"`
	URL        string      `json:"url,omitempty"`      // to request; empty where the normalizer rejected it
	Key        urlnorm.Key `json:"key,omitzero"`       // empty where the normalizer rejected it
	Identity   string      `json:"identity,omitempty"` // hash of origin and key, in hexadecimal; empty where there is no key
	Decision   Decision    `json:"decision"`
	Reason     Reason      `json:"reason"`
	Count      int64       `json:"count"`             // of references: 1, or those beyond the bound of one page
	Was        Decision    `json:"was,omitzero"`      // of one decided again: what the decision replaces in the counts
	WasFor     Reason      `json:"was_for,omitempty"` // and its reason
	Depth      int         `json:"depth"`             // of the reference: links followed from a seed
	Slots      int64       `json:"slots"`             // of the page budget, spent when it was decided
	Limit      int64       `json:"limit"`             // of the page budget, then
	Policy     string      `json:"policy"`            // its version
	Normalizer string      `json:"normalizer"`        // its version
	Store      string      `json:"store"`             // what keeps its rows, and their format: "bolt/2"
}

// ClaimID names one decision: the commit that made it, and its place there.
type ClaimID struct {
	Partition  uint16 `json:"partition"`
	Generation uint64 `json:"generation"` // of the partition's fence
	Sequence   uint64 `json:"sequence"`   // of the commit
	Index      uint32 `json:"index"`      // of the source in the commit
	Offset     uint32 `json:"offset"`     // of the reference in the source
}

// String prints the claim as one word.
func (c ClaimID) String() string {
	return fmt.Sprintf("%d.%d.%d.%d.%d", c.Partition, c.Generation, c.Sequence, c.Index, c.Offset)
}

// offsetBeyond is the offset of the record that stands for the references beyond
// the bound of one page.
const offsetBeyond = 1<<32 - 1

// shared is what all decisions of one source have in common; run and commit are
// known where it is read, and its row holds the rest.
type shared struct {
	common
	at     int64
	gen    uint64
	ref    admissionRef
	source *source
}

// common is what all decisions of a run have in common.
type common struct {
	partition              uint16
	run, normalizer, store string
}

// common is what the decisions of h's run share, as it was opened last.
func (h *head) common(k keys) common {
	v := h.contract.Versions
	engine := v.Engine
	if engine == "" {
		engine = "store"
	}
	return common{k.partition, h.name, v.Normalizer, fmt.Sprintf("%s/%d", engine, v.Store)}
}

// admission is the record of d, whose reference resolves to c. slots are those
// spent before it.
func (s shared) admission(c *candidate, d *decided, offset uint32, slots int64) Admission {
	a := s.blank(offset)
	a.Reference, a.Decision, a.Reason, a.Was, a.WasFor, a.Slots = d.ref.kept(), d.decision, d.reason, d.was, d.wasFor, slots
	if a.Reference.Rule == "" {
		a.Reference.Rule = s.source.named().String()
	}
	if c.reject == "" && d.keyed() {
		a.Key, a.URL, a.Identity = c.url.Key, c.url.Request, hex.EncodeToString(c.id[:])
	}
	return a
}

// beyond is the record of the references beyond the bound of one page.
func (s shared) beyond(over Overflow) Admission {
	a := s.blank(offsetBeyond)
	a.Reference = Reference{Observed: over.Example, Base: s.source.base, Rule: s.source.named().String()}
	a.Decision, a.Reason, a.Count, a.Slots = LimitReached, ReasonReferences, over.Count, s.source.slots
	return a
}

func (s shared) blank(offset uint32) Admission {
	from := s.source
	return Admission{Run: s.run, Claim: ClaimID{s.partition, s.gen, s.ref.seq, s.ref.source, offset}, Time: stamp(s.at),
		Source: from.kind, Parent: from.base, Cursor: from.cursor(s.ref), Count: 1, Depth: int(from.depth), Limit: from.limit,
		Policy: from.policy, Normalizer: s.normalizer, Store: s.store}
}

// cursor says where the references of a source that is no page were told: at is
// its own place, unless it is decided again.
func (s *source) cursor(at admissionRef) string {
	if s.base != "" {
		return ""
	}
	if s.kind == Offer {
		at = s.again
	}
	return fmt.Sprintf("%s %d.%d", s.named(), at.seq, at.source)
}

// keyed reports whether d's reference has a key: it was no Normalizer that stopped
// it.
func (d *decided) keyed() bool {
	if d.decision != PolicyStop {
		return true
	}
	refused := cleanReason(d.ref.Refused)
	return d.reason == ReasonScope || d.reason.Word() == ReasonDisallowed || d.reason == ReasonOriginEnded || refused != "" && cleanReason(d.reason) == refused
}

// Enqueued answers an Enqueue: how many references had each disposition, and the
// record of each that is neither Admitted nor Duplicate, the first 1,000.
type Enqueued struct {
	Accepted int // admitted now
	Known    int // admitted before
	Limited  int // held back by a bound
	Deferred int // held back for want of credit
	Stopped  int // held back by a rule
	Others   []Admission
	Sequence uint64 // of the commit
}

package frontier

import (
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
	Observed string // as written, with its fragment
	Base     string // absolute URL that it is relative to; default the leased URL
	Charset  string // encoding of the page that holds it, as urlnorm.URL has it; default UTF-8
	Rule     string // what found it: "a", "link[rel=next]"; at most 64 bytes
	Priority int8   // 1 sooner, 0, -1 later
	Refused  Reason // if not empty, it is counted as policy_stop for this reason, unless it is no URL at all, and not admitted
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
	ReasonOrigins        Reason = "origins"
	ReasonDepth          Reason = "depth"
	ReasonReferences     Reason = "references"
	ReasonRecords        Reason = "records"
	ReasonBytes          Reason = "bytes"
	ReasonWall           Reason = "wall"
	ReasonScope          Reason = "out_of_scope"
	ReasonKind           Reason = "kind" // what found it is not followed: it leads to an image, another form of the page
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
	ReasonReady          Reason = "ready"
	ReasonDue            Reason = "due"
	ReasonRetry          Reason = "retry"
	ReasonDepthLowered   Reason = "depth_lowered"
	ReasonPriorityRaised Reason = "priority_raised"
	ReasonRaised         Reason = "raised"
)

// An Admission is the record of one decision on one reference.
type Admission struct {
	Reference Reference
	Source    Source
	Parent    string      // the URL that holds the reference; empty for a source that is no page
	Key       urlnorm.Key // empty where the normalizer rejected it
	URL       string      // to request; empty where the normalizer rejected it
	Decision  Decision
	Reason    Reason
	Depth     int    // of the reference: links followed from a seed
	Slots     int64  // of the page budget, spent when it was decided
	Limit     int64  // of the page budget, then
	Policy    string // its version
	Claim     ClaimID
	Time      time.Time
}

// ClaimID names one decision: the commit that made it, and its place there.
type ClaimID struct {
	Partition  uint16
	Generation uint64 // of the partition's fence
	Sequence   uint64 // of the commit
	Index      uint32 // of the source in the commit
	Offset     uint32 // of the reference in the source
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

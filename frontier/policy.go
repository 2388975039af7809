package frontier

import (
	"errors"
	"fmt"
	"math"
	"time"
	"unicode/utf8"

	"github.com/weircrawl/weir/internal/pathmatch"
	"github.com/weircrawl/weir/urlnorm"
)

// A PolicySource says how an origin is treated. It is asked at every admission,
// before every lease and before every request: it must answer from memory, and be
// safe for concurrent use. An answer that changes is in force from the next
// decision on. A source that also has the method Validate() error is asked for its
// faults by Open.
type PolicySource interface {
	Policy(o urlnorm.Origin) Policy
}

// Policy is how one origin is treated. It is a PolicySource too: the same for
// every origin. A zero field means its default. Its JSON has durations as "1.5s",
// and "none" for a negative one.
type Policy struct {
	Version         string        // recorded with every decision; default "static/1"
	Paused          string        // why no URL may be leased now; empty: leased
	Delay           time.Duration // between the starts of two requests; default 1 s, negative: none
	Fastest         time.Duration // what Delay may shrink to while the origin answers well; default Delay, negative: none
	Concurrency     int           // requests at once, fewer while the origin is slowed; default 1
	SiteConcurrency int           // requests at once over all origins of its site; default 4, or Concurrency if that is more
	URLs            int64         // identities admitted of this origin; default the run's budget
	Pattern         int64         // distinct URLs admitted of one path pattern; default the run's Budget.Pattern
	Exempt          []string      // patterns, as weir prints them, that no Pattern bound holds for
	Disallow        []string      // path patterns, as in robots.txt, that are refused beside the site's own rules
}

// Policy returns p for every origin.
func (p Policy) Policy(urlnorm.Origin) Policy { return p }

// Defaults of a Policy where nobody says otherwise.
const (
	DefaultDelay           = time.Second // between two requests to one origin
	DefaultSiteConcurrency = 4           // requests at once to one site

	defaultVersion = "static/1"
)

// WithDefaults returns p with every zero field at its default, and no delay as 0:
// then 0 <= Fastest <= Delay, and 1 <= Concurrency <= SiteConcurrency unless p says
// less for a site.
func (p Policy) WithDefaults() Policy {
	set(&p.Version, defaultVersion)
	set(&p.Delay, DefaultDelay)
	set(&p.Fastest, p.Delay)
	p.Delay, p.Concurrency = max(p.Delay, 0), max(p.Concurrency, 1)
	p.Fastest = min(max(p.Fastest, 0), p.Delay)
	set(&p.SiteConcurrency, max(DefaultSiteConcurrency, p.Concurrency))
	p.SiteConcurrency = max(p.SiteConcurrency, 1)
	return p
}

// over returns p with what below says where p says nothing.
func (p Policy) over(below Policy) Policy {
	set(&p.Version, below.Version)
	set(&p.Paused, below.Paused)
	set(&p.Delay, below.Delay)
	set(&p.Fastest, below.Fastest)
	set(&p.Concurrency, below.Concurrency)
	set(&p.SiteConcurrency, below.SiteConcurrency)
	set(&p.URLs, below.URLs)
	set(&p.Pattern, below.Pattern)
	if len(p.Exempt) == 0 {
		p.Exempt = below.Exempt
	}
	if len(p.Disallow) == 0 {
		p.Disallow = below.Disallow
	}
	return p
}

// admits is what of p decides which references are admitted.
func (p Policy) admits() string {
	return string(Policy{URLs: p.URLs, Pattern: p.Pattern, Exempt: p.Exempt, Disallow: p.Disallow}.encode())
}

// Bounds of a Policy.
const (
	maxPolicyDelay = 24 * time.Hour
	maxConcurrency = 1 << 20
	maxPolicyTexts = 1_000    // of Exempt, and of Disallow
	maxPolicy      = 16 * kib // as JSON: it lies in one row
)

// Validate returns every fault of p.
func (p Policy) Validate() error {
	var faults []error
	fault := func(broken bool, format string, args ...any) {
		if broken {
			faults = append(faults, fmt.Errorf("policy: "+format, args...))
		}
	}
	for _, s := range []struct{ name, is string }{{"Version", p.Version}, {"Paused", p.Paused}} {
		fault(len(s.is) > maxReason || !utf8.ValidString(s.is), "%s %.80q is no UTF-8 or has more than %d bytes", s.name, s.is, maxReason)
	}
	for _, d := range []struct {
		name string
		is   time.Duration
	}{{"Delay", p.Delay}, {"Fastest", p.Fastest}} {
		fault(d.is > maxPolicyDelay, "%s is %v; %v is the most: pause the origin instead", d.name, d.is, maxPolicyDelay)
	}
	fault(p.Delay != 0 && p.Fastest > max(p.Delay, 0), "Fastest is %v, which is slower than Delay, %v", p.Fastest, p.Delay)
	for _, n := range []struct {
		name string
		is   int64
		most int64
	}{
		{"Concurrency", int64(p.Concurrency), maxConcurrency}, {"SiteConcurrency", int64(p.SiteConcurrency), maxConcurrency},
		{"URLs", p.URLs, math.MaxInt64}, {"Pattern", p.Pattern, math.MaxInt64},
	} {
		fault(n.is < 0 || n.is > n.most, "%s is %d; it must be 0 to %d; to stop an origin, set Paused", n.name, n.is, n.most)
	}
	fault(len(p.Exempt) > maxPolicyTexts || len(p.Disallow) > maxPolicyTexts, "it has %d of Exempt and %d of Disallow; %d of each are allowed", len(p.Exempt), len(p.Disallow), maxPolicyTexts)
	for _, e := range p.Exempt {
		fault(e == "" || len(e) > maxPattern || !utf8.ValidString(e), "Exempt %.80q is no pattern as Status prints them", e)
	}
	for _, d := range p.Disallow {
		if err := pathmatch.Fault(d); err != nil {
			fault(true, "Disallow: %w", err)
		}
	}
	if size := len(p.encode()); len(faults) == 0 {
		fault(size > maxPolicy, "it takes %d bytes; %d are allowed: use fewer and shorter patterns", size, maxPolicy)
	}
	return errors.Join(faults...)
}

package frontier

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/weircrawl/weir/urlnorm"
)

// A PolicyTable is a PolicySource that treats origins and sites differently: what
// an origin's Policy leaves at zero is its site's, and then Default's. It must not
// change while it is in use. Its JSON is that of a policy file:
//
//	{
//	  "version": "2026-05",
//	  "default": {"delay": "2s", "disallow": ["/*?sort="]},
//	  "sites": {"example.com": {"concurrency": 2, "fastest": "500ms"}},
//	  "origins": {"https://old.example.com": {"paused": "moving"}}
//	}
type PolicyTable struct {
	Version string                    `json:"version,omitempty"` // of the whole table; its policies have none of their own
	Default Policy                    `json:"default,omitzero"`
	Sites   map[string]Policy         `json:"sites,omitempty"`   // by registrable domain
	Origins map[urlnorm.Origin]Policy `json:"origins,omitempty"` // as "https://example.com", without a default port
}

// Policy returns what holds for o.
func (t PolicyTable) Policy(o urlnorm.Origin) Policy {
	p := t.layers(o)
	p.Version = t.Version
	return p
}

// layers is what the origin's policy, its site's and the default say together.
func (t *PolicyTable) layers(o urlnorm.Origin) Policy {
	p := t.Origins[o]
	if len(t.Sites) > 0 {
		p = p.over(t.Sites[o.Site()])
	}
	return p.over(t.Default)
}

// UnmarshalJSON reads a policy file, and refuses a key that it does not know or
// that stands twice. It does not validate.
func (t *PolicyTable) UnmarshalJSON(b []byte) error {
	type plain PolicyTable
	var is plain
	if err := strictly(b, &is); err != nil {
		return fmt.Errorf("policy table: %w", err)
	}
	*t = PolicyTable(is)
	return nil
}

// IsZero reports whether p says nothing.
func (p Policy) IsZero() bool {
	b := p.encode()
	return string(b) == "{}"
}

// maxSubjects bounds the sites and origins that policies are kept for.
const maxSubjects = 10_000

// Validate returns every fault of t, by site and origin.
func (t PolicyTable) Validate() error {
	var faults []error
	if len(t.Version) > maxReason || !utf8.ValidString(t.Version) {
		faults = append(faults, fmt.Errorf("policy table: version %.80q is no UTF-8 or has more than %d bytes", t.Version, maxReason))
	}
	if n := len(t.Sites) + len(t.Origins); n > maxSubjects {
		faults = append(faults, fmt.Errorf("policy table: it names %d sites and origins; %d are allowed", n, maxSubjects))
	}
	faults = append(faults, entryFaults("default", t.Default, nil)...)
	for _, site := range slices.Sorted(maps.Keys(t.Sites)) {
		faults = append(faults, entryFaults("site "+site, t.Sites[site], siteFault(site))...)
	}
	for _, o := range slices.Sorted(maps.Keys(t.Origins)) {
		faults = append(faults, entryFaults("origin "+string(o), t.Origins[o], originFault(o))...)
	}
	return errors.Join(faults...)
}

func entryFaults(subject string, p Policy, fault error) []error {
	var faults []error
	if fault != nil {
		faults = append(faults, fmt.Errorf("policy table: %w", fault))
	}
	if p.Version != "" {
		faults = append(faults, fmt.Errorf("policy table: %.300s has a version of its own; a table has one", subject))
	}
	if err := p.Validate(); err != nil {
		faults = append(faults, fmt.Errorf("policy table: %.300s: %w", subject, err))
	}
	return faults
}

// siteFault says why no origin is of this site, or returns nil.
func siteFault(site string) error {
	is := urlnorm.Origin("https://" + site).Site()
	if is == site && site != "" {
		return nil
	}
	return fmt.Errorf("no site is called %.300q; its registrable domain is %.300q", site, is)
}

// originFault says why no request has this origin, or returns nil.
func originFault(o urlnorm.Origin) error {
	u, err := urlnorm.Standard{}.Normalize(nil, string(o)+"/")
	switch {
	case err != nil:
		return fmt.Errorf("%.300q is no origin: %w; write https://example.com", o, err)
	case u.Origin != o:
		return fmt.Errorf("no request has the origin %.300q; it is written %.300q", o, u.Origin)
	}
	return nil
}

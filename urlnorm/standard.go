package urlnorm

import (
	"maps"
	"slices"
)

// MaxLength is the most bytes that a reference, a request or a key may have.
const MaxLength = 8 << 10

// exactVersion names what is folded everywhere, part of every key. A change of it
// needs a new version, or old and new keys would be compared.
const exactVersion = "1"

// standardVersion has the version of the tracking set in it.
var standardVersion = exactVersion + "t" + standardParams.version

// Standard resolves as browsers do and compares by RFC 3986, leaving tracking
// parameters out of the key. The zero value is ready for use.
//
// What it is told of a site is in the Version of that site's keys and of no other.
// It must not change while the Normalizer is in use.
type Standard struct {
	// Params classes query parameters, by site (registrable domain, or host
	// where there is none) and by name, as URL.Unknown and a ParamReport spell it,
	// case and all: "a%20b", not "a b". It goes before the standard set.
	Params map[string]map[string]Class
	// Rules are further merges, by site.
	Rules map[string][]Rule
}

// Normalize implements Normalizer. The result may share memory with base and ref.
func (s Standard) Normalize(base *URL, ref string) (URL, error) {
	return s.rules().normalize(base, ref)
}

// Sites lists the sites of which s is told something, so that a frontier notices
// when that changes.
func (s Standard) Sites() []string { return s.rules().sites() }

// Validate reports, in one order, what can have no effect: a site that is not one,
// such as www.example.com or https://example.com/ for example.com, a parameter that
// is spelled as no key has it, a class that is none, and a rule that no site can be
// given.
func (s Standard) Validate() error { return s.rules().validate() }

func (s Standard) rules() rules {
	return rules{version: standardVersion, tracking: standardParams.tracking, params: s.Params, rules: s.Rules}
}

// StandardExact is Standard without its tracking set: only Params and Rules merge
// what RFC 3986 does not.
type StandardExact struct {
	Params map[string]map[string]Class // as in Standard
	Rules  map[string][]Rule           // as in Standard
}

// Normalize implements Normalizer. The result may share memory with base and ref.
func (s StandardExact) Normalize(base *URL, ref string) (URL, error) {
	return s.rules().normalize(base, ref)
}

// Sites lists the sites of which s is told something, as Standard's does.
func (s StandardExact) Sites() []string { return s.rules().sites() }

// Validate reports what can have no effect, as Standard's does.
func (s StandardExact) Validate() error { return s.rules().validate() }

func (s StandardExact) rules() rules {
	return rules{version: exactVersion, params: s.Params, rules: s.Rules}
}

// rules is what the two normalizers differ in.
type rules struct {
	version  string
	tracking map[string]bool
	params   map[string]map[string]Class
	rules    map[string][]Rule
}

func (r rules) normalize(base *URL, ref string) (URL, error) {
	request, err := resolve(base, ref)
	if err != nil {
		return URL{}, err
	}
	u := URL{Observed: ref, Request: request}
	r.compare(&u)
	if len(u.Request) > MaxLength || len(u.Key.Text) > MaxLength {
		return URL{}, TooLong
	}
	return u, nil
}

func (r rules) sites() []string {
	return slices.AppendSeq(slices.Collect(maps.Keys(r.params)), maps.Keys(r.rules))
}

package normtest

import (
	"fmt"
	"testing"

	"github.com/weircrawl/weir/urlnorm"
)

// A Subject is what is tested.
type Subject struct {
	Normalizer urlnorm.Normalizer
	// Rules are the names that URL.Folded may have, each of which folds one of the
	// References or of the kit's own. Without any, only what RFC 3986 calls equal may
	// have one key.
	Rules []urlnorm.Rule
	// References are absolute references to the sites that its rules are for, which
	// it takes.
	References []string
}

// Run runs every check of the kit against s.
func Run(t *testing.T, s Subject) {
	t.Helper()
	if s.Normalizer == nil {
		t.Fatal(noNormalizer)
	}
	for _, c := range Checks() {
		t.Run(c.Name, func(t *testing.T) {
			if err := c.Run(s); err != nil {
				t.Error(err)
			}
		})
	}
}

// Checks returns the whole contract, in the order of reading.
func Checks() []Check {
	return []Check{
		{"every reference of the subject is taken, and every rule of it folds one", subjectIsTried},
		{"what was observed is kept as written", observedIsKept},
		{"a request is absolute, without fragment, as a browser writes it", requestIsSendable},
		{"no rule changes the path or the query of a request", requestIsObserved},
		{"the origin is that of the request", originIsOfRequest},
		{"a request normalizes to itself and to its key", requestIsFixed},
		{"every key has a version, one for each site, and a site with its own is listed", versionsAreSites},
		{"a key that Standard or StandardExact does not make has not its version", versionsAreOwn},
		{"two requests have one key only if RFC 3986 or a named rule says so", mergesAreNamed},
		{"a rule that folds is one of those that were named, and changed the key", rulesAreKnown},
		{"what cannot be requested is refused by a word", refusalsAreNamed},
		{"the same question has the same answer, at any time and at once", answersArePure},
		{"a base stays as it is", baseIsKept},
		{"hostile references are survived in linear time and bounded length", hostileIsSurvived},
	}
}

// A Check is one law.
type Check struct {
	Name string // the law as a sentence
	run  func(t *trial)
}

const noNormalizer = "Subject.Normalizer is nil: give the one that is tested"

// Run tells what s does otherwise than the law says.
func (c Check) Run(s Subject) (err error) {
	if s.Normalizer == nil {
		return fmt.Errorf("%s: %s", c.Name, noNormalizer)
	}
	t := &trial{Subject: s}
	defer func() {
		switch p := recover(); p {
		case nil:
		case any(t):
			err = fmt.Errorf("%s: %s", c.Name, t.failure)
		default:
			err = fmt.Errorf("%s: panic: %v, on %.300q", c.Name, p, t.asked)
		}
	}()
	c.run(t)
	return nil
}

// A trial is one run of one check, which stops at the first thing that does not hold.
type trial struct {
	Subject
	asked   string // the reference that was asked about last
	failure string
}

// holds stops the trial unless ok; Run recovers t.
func (t *trial) holds(ok bool, format string, args ...any) {
	if !ok {
		t.failure = fmt.Sprintf(format, args...)
		panic(t)
	}
}

// ask is Normalize, with a note of what to name in a panic.
func (t *trial) ask(base *urlnorm.URL, ref string) (urlnorm.URL, error) {
	t.asked = ref
	return t.Normalizer.Normalize(base, ref)
}

// An answer is what a Normalizer made of one reference.
type answer struct {
	base *urlnorm.URL
	ref  string
	urlnorm.URL
}

// answers asks about the whole corpus and returns what is taken.
func (t *trial) answers() (all []answer) {
	for _, base := range t.bases() {
		for _, ref := range t.references() {
			if u, err := t.ask(base, ref); err == nil {
				all = append(all, answer{base, ref, u})
			}
		}
	}
	t.holds(len(all) > 0, "every reference was refused: name some that are taken in Subject.References")
	return all
}

// exact is the same reference by the URL standard and RFC 3986 alone.
func (t *trial) exact(base *urlnorm.URL, ref string) urlnorm.URL {
	u, err := urlnorm.StandardExact{}.Normalize(base, ref)
	t.holds(err == nil, "%q: no browser requests it, and it was taken: %v", ref, err)
	return u
}

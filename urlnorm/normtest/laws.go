package normtest

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/weircrawl/weir/urlnorm"
)

func subjectIsTried(t *trial) {
	for _, ref := range t.References {
		_, err := t.ask(nil, ref)
		t.holds(err == nil, "%.300q, of Subject.References, is refused: %v", ref, err)
	}
	folded := map[urlnorm.Rule]bool{}
	for _, a := range t.answers() {
		for _, rule := range a.Folded {
			folded[rule] = true
		}
	}
	for _, rule := range t.Rules {
		t.holds(folded[rule], "no reference was folded by %q, which Subject.Rules names: add one that it folds to Subject.References, or leave it out", rule)
	}
}

func observedIsKept(t *trial) {
	for _, a := range t.answers() {
		t.holds(a.Observed == a.ref, "%q: Observed is %q", a.ref, a.Observed)
	}
}

func requestIsSendable(t *trial) {
	for _, a := range t.answers() {
		t.holds(!strings.Contains(a.Request, "#"), "%q: a fragment is never sent, and the request is %q", a.ref, a.Request)
		browser := t.exact(nil, a.Request).Request
		t.holds(a.Request == browser, "%q: the request is %q, which a browser writes %q", a.ref, a.Request, browser)
	}
}

func requestIsObserved(t *trial) {
	for _, a := range t.answers() {
		browser := t.exact(a.base, a.ref).Request
		t.holds(behindOrigin(a.Request) == behindOrigin(browser), "%q: a key may be folded, what is requested never: %q became %q", a.ref, browser, a.Request)
	}
}

// behindOrigin returns path and query of an absolute request, without a fragment.
func behindOrigin(request string) string {
	request, _, _ = strings.Cut(request, "#")
	_, rest, _ := strings.Cut(request, "://")
	if slash := strings.IndexByte(rest, '/'); slash >= 0 {
		return rest[slash:]
	}
	return ""
}

func originIsOfRequest(t *trial) {
	for _, a := range t.answers() {
		origin := t.exact(nil, a.Request).Origin
		t.holds(a.Origin == origin, "%q: the origin of %q is %q, and not %q", a.ref, a.Request, origin, a.Origin)
	}
}

func requestIsFixed(t *trial) {
	for _, a := range t.answers() {
		again, err := t.ask(nil, a.Request+a.Key.Route())
		t.holds(err == nil, "%q: its request %q is refused: %v", a.ref, a.Request, err)
		t.holds(again.Request == a.Request, "%q: its request %q has the request %q", a.ref, a.Request, again.Request)
		t.holds(again.Key.Text == a.Key.Text, "%q: the key is %q, that of its request %q is %q", a.ref, a.Key.Text, a.Request, again.Key.Text)
	}
}

// maxVersion is what a frontier keeps of a version.
const maxVersion = 256

func versionsAreSites(t *trial) {
	versions, listed := map[string]string{}, sitesOf(t.Normalizer)
	plain, _ := t.ask(nil, "http://example.com/") // what a frontier knows the rules by
	for _, a := range t.answers() {
		t.holds(a.Key.Version != "", "%q: Key.Version is empty", a.ref)
		t.holds(len(a.Key.Version) <= maxVersion, "%q: a version has at most %d bytes, this one %d", a.ref, maxVersion, len(a.Key.Version))
		known, ok := versions[a.Origin.Site()]
		t.holds(!ok || known == a.Key.Version, "%q: version %q, and %q for others of %s", a.ref, a.Key.Version, known, a.Origin.Site())
		versions[a.Origin.Site()] = a.Key.Version
		t.holds(a.Key.Version == plain.Key.Version || slices.Contains(listed, a.Origin.Site()),
			"%q: %s has a version of its own, %q: list it in a method Sites() []string, or put the word behind every Version", a.ref, a.Origin.Site(), a.Key.Version)
	}
}

// sitesOf returns the sites of which n says that it has rules for them.
func sitesOf(n urlnorm.Normalizer) (sites []string) {
	switch n := n.(type) {
	case interface{ Sites() []string }:
		return n.Sites()
	case interface{ Unwrap() urlnorm.Normalizer }:
		return sitesOf(n.Unwrap())
	}
	return nil
}

// versionsAreOwn finds the version that was forgotten: a run that began with Standard
// would go on as if nothing had changed.
func versionsAreOwn(t *trial) {
	for _, a := range t.answers() {
		for _, known := range []urlnorm.Normalizer{urlnorm.Standard{}, urlnorm.StandardExact{}} {
			u, err := known.Normalize(a.base, a.ref)
			t.holds(err != nil || a.Key.Version != u.Key.Version || a.Key.Text == u.Key.Text,
				"%q: the key is %q, that of %T is %q, and both have the version %q: put a word of your own behind it, as in u.Key.Version += \"+mine1\"",
				a.ref, a.Key.Text, known, u.Key.Text, u.Key.Version)
		}
	}
}

// identity is what a frontier compares.
type identity struct {
	origin urlnorm.Origin
	text   string
}

func mergesAreNamed(t *trial) {
	unnamed := map[identity]answer{} // the first that no rule folded
	for _, a := range t.answers() {
		if len(a.Folded) > 0 {
			continue
		}
		id := identity{a.Origin, a.Key.Text}
		first, ok := unnamed[id]
		if !ok {
			unnamed[id] = a
			continue
		}
		x, y := t.exact(nil, first.Request).Key, t.exact(nil, a.Request).Key
		t.holds(x == y, "%q and %q have the key %q and no name in Folded", first.ref, a.ref, a.Key.Text)
	}
}

func rulesAreKnown(t *trial) {
	for _, a := range t.answers() {
		for _, rule := range a.Folded {
			t.holds(slices.Contains(t.Rules, rule), "%q was folded by %q, which Subject.Rules does not name", a.ref, rule)
		}
		t.holds(len(a.Folded) == 0 || t.exact(a.base, a.ref).Key.Text != a.Key.Text, "%q: %v changed nothing", a.ref, a.Folded)
	}
}

func refusalsAreNamed(t *trial) {
	for _, ref := range unrequestable {
		_, err := t.ask(nil, ref)
		t.holds(err != nil, "%.100q was taken", ref)
		var reject urlnorm.Reject
		t.holds(errors.As(err, &reject) && reject != "", "%.100q: %v is no Reject", ref, err)
	}
}

func answersArePure(t *trial) {
	var wait sync.WaitGroup
	first, others := t.answers(), make([][]answer, 4)
	for i := range others {
		wait.Go(func() {
			other := &trial{Subject: t.Subject}
			defer func() { _ = recover() }() // it has no answers
			others[i] = other.answers()
		})
	}
	wait.Wait()
	for _, other := range others {
		t.holds(len(other) == len(first), "%d references were taken, and %d at once with others", len(first), len(other))
		for i := range first {
			t.holds(reflect.DeepEqual(other[i].URL, first[i].URL), "%q: %+v, and then %+v", first[i].ref, first[i].URL, other[i].URL)
		}
	}
}

func baseIsKept(t *trial) {
	for _, base := range t.bases()[1:] {
		before := *base
		before.Folded, before.Unknown = slices.Clone(base.Folded), slices.Clone(base.Unknown)
		for _, ref := range t.references() {
			_, _ = t.ask(base, ref)
			t.holds(reflect.DeepEqual(*base, before), "the base %q is %+v after %q", base.Observed, *base, ref)
		}
	}
}

// patience is for all hostile references together, some hundred of 8 KiB: what takes
// linear time needs a hundredth of it, what takes quadratic time far more.
const patience = 3 * time.Second

func hostileIsSurvived(t *trial) {
	base := t.bases()[len(t.bases())-1]
	start := time.Now()
	hostile(func(ref string) {
		u, err := t.ask(base, ref)
		t.holds(err != nil || len(u.Request) <= urlnorm.MaxLength && len(u.Key.Text) <= urlnorm.MaxLength,
			"%.50q of %d bytes: request of %d, key of %d", ref, len(ref), len(u.Request), len(u.Key.Text))
		t.holds(time.Since(start) < patience, "after %v: at %.50q of %d bytes", patience, ref, len(ref))
	})
}

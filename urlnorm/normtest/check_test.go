package normtest_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/urlnorm"
	"github.com/weircrawl/weir/urlnorm/normtest"
)

func TestStandardKeepsTheContract(t *testing.T) {
	normtest.Run(t, normtest.Subject{Normalizer: urlnorm.Standard{}, Rules: []urlnorm.Rule{urlnorm.FoldTracking}})
}

func TestStandardExactKeepsTheContract(t *testing.T) {
	normtest.Run(t, normtest.Subject{Normalizer: urlnorm.StandardExact{}})
}

func TestEveryRuleOfASiteKeepsTheContract(t *testing.T) {
	rules := []urlnorm.Rule{
		urlnorm.FoldSessions, urlnorm.FoldOthers, urlnorm.FoldOrder, urlnorm.FoldEmpty, urlnorm.FoldSlashes, urlnorm.FoldIndex,
		urlnorm.FoldTrailingSlash, urlnorm.FoldPathCase, urlnorm.FoldToBare, urlnorm.FoldToWWW, urlnorm.SplitRoutes,
	}
	classes := map[string]map[string]urlnorm.Class{"shop.test": {"a": urlnorm.Content, "b": urlnorm.Content, "sid": urlnorm.Tracking}}
	shop := []string{"https://shop.test/", "https://www.shop.test:8443/x"}
	for _, rule := range rules {
		t.Run(string(rule), func(t *testing.T) {
			n := urlnorm.StandardExact{Rules: map[string][]urlnorm.Rule{"shop.test": {rule}}}
			folds := []urlnorm.Rule{rule}
			if rule == urlnorm.SplitRoutes {
				folds = nil
			}
			normtest.Run(t, normtest.Subject{Normalizer: n, Rules: folds, References: shop})
		})
	}
	t.Run("all", func(t *testing.T) {
		n := urlnorm.Standard{Params: classes, Rules: map[string][]urlnorm.Rule{"shop.test": rules}}
		folds := []urlnorm.Rule{urlnorm.FoldTracking, urlnorm.FoldParams}
		for _, rule := range rules {
			// FoldOthers leaves no order, and FoldToBare no other host.
			if !slices.Contains([]urlnorm.Rule{urlnorm.FoldOrder, urlnorm.FoldToWWW, urlnorm.SplitRoutes}, rule) {
				folds = append(folds, rule)
			}
		}
		normtest.Run(t, normtest.Subject{Normalizer: n, Rules: folds, References: shop})
	})
}

// A control is a Normalizer that breaks one law.
type control struct {
	check, fault string
	change       func(base *urlnorm.URL, u *urlnorm.URL)
	refuse       func(err error) error
	references   []string       // of the Subject
	rules        []urlnorm.Rule // of the Subject, beside FoldTracking
}

// own is behind the version of a control.
const own = "+control1"

func (c control) subject() normtest.Subject {
	return normtest.Subject{Normalizer: c, Rules: append([]urlnorm.Rule{urlnorm.FoldTracking}, c.rules...), References: c.references}
}

func (c control) Normalize(base *urlnorm.URL, ref string) (urlnorm.URL, error) {
	u, err := urlnorm.Standard{}.Normalize(base, ref)
	if err != nil {
		if c.refuse != nil {
			err = c.refuse(err)
		}
		return u, err
	}
	u.Key.Version += own
	if c.change != nil {
		c.change(base, &u)
	}
	return u, nil
}

func controls() []control {
	var count atomic.Int64
	is := func(u *urlnorm.URL, text string) bool { return strings.Contains(u.Request, text) }
	return []control{
		{check: "every reference of the subject is taken, and every rule of it folds one", fault: "a reference is refused",
			references: []string{"https://shop.test/", "ht!tp://shop.test/"}},
		{check: "every reference of the subject is taken, and every rule of it folds one", fault: "a reference is no absolute one",
			references: []string{"/relative"}},
		{check: "every reference of the subject is taken, and every rule of it folds one", fault: "a rule never folds",
			rules: []urlnorm.Rule{"variant"}},
		{check: "what was observed is kept as written", fault: "it is trimmed",
			change: func(_, u *urlnorm.URL) { u.Observed = strings.TrimSpace(u.Observed) }},
		{check: "a request is absolute, without fragment, as a browser writes it", fault: "the fragment is kept",
			change: func(_, u *urlnorm.URL) {
				if _, fragment, ok := strings.Cut(u.Observed, "#"); ok && len(fragment) < 100 {
					u.Request += "#" + fragment
				}
			}},
		{check: "no rule changes the path or the query of a request", fault: "tracking parameters are not requested",
			change: func(_, u *urlnorm.URL) {
				if len(u.Folded) > 0 {
					u.Request = u.Key.Text
				}
			}},
		{check: "the origin is that of the request", fault: "the dot of a name is kept",
			change: func(_, u *urlnorm.URL) {
				if is(u, "//a.test./") {
					u.Origin = "http://a.test."
				}
			}},
		{check: "a request normalizes to itself and to its key", fault: "the key has what the request has not",
			change: func(_, u *urlnorm.URL) {
				if strings.HasSuffix(u.Observed, "#part") {
					u.Key.Text += "|part"
				}
			}},
		{check: "every key has a version, one for each site, and a site with its own is listed", fault: "some keys have none",
			change: func(_, u *urlnorm.URL) {
				if is(u, "?") {
					u.Key.Version = ""
				}
			}},
		{check: "every key has a version, one for each site, and a site with its own is listed", fault: "each origin has its own",
			change: func(_, u *urlnorm.URL) { u.Key.Version += string(u.Origin) }},
		{check: "every key has a version, one for each site, and a site with its own is listed", fault: "it is not listed",
			change: func(_, u *urlnorm.URL) {
				if u.Origin.Site() == "b.test" {
					u.Key.Version += "+b1"
				}
			}},
		{check: "a key that Standard or StandardExact does not make has not its version", fault: "that of Standard is kept",
			change: func(_, u *urlnorm.URL) {
				u.Key.Version = strings.TrimSuffix(u.Key.Version, own)
				if text, _, ok := strings.Cut(u.Key.Text, "&sid="); ok {
					u.Key.Text, u.Folded = text, []urlnorm.Rule{urlnorm.FoldTracking}
				}
			}},
		{check: "a key that Standard or StandardExact does not make has not its version", fault: "it is that of StandardExact",
			change: func(_, u *urlnorm.URL) {
				exact, _ := urlnorm.StandardExact{}.Normalize(nil, "http://a.test/")
				u.Key.Version = exact.Key.Version
			}},
		{check: "two requests have one key only if RFC 3986 or a named rule says so", fault: "case is folded",
			change: func(_, u *urlnorm.URL) { u.Key.Text = strings.ToLower(u.Key.Text) }},
		{check: "two requests have one key only if RFC 3986 or a named rule says so", fault: "a plus is a space",
			change: func(_, u *urlnorm.URL) { u.Key.Text = strings.ReplaceAll(u.Key.Text, "+", "%20") }},
		{check: "two requests have one key only if RFC 3986 or a named rule says so", fault: "a slash at the end is dropped",
			change: func(_, u *urlnorm.URL) { u.Key.Text = strings.TrimSuffix(u.Key.Text, "/") }},
		{check: "a rule that folds is one of those that were named, and changed the key", fault: "it has another name",
			change: func(_, u *urlnorm.URL) {
				if is(u, "fbclid") {
					u.Folded = []urlnorm.Rule{"advertising"}
				}
			}},
		{check: "a rule that folds is one of those that were named, and changed the key", fault: "its name stands everywhere",
			change: func(_, u *urlnorm.URL) { u.Folded = []urlnorm.Rule{urlnorm.FoldTracking} }},
		{check: "what cannot be requested is refused by a word", fault: "the error has no word",
			refuse: func(err error) error { return errors.New("no: " + err.Error()) }},
		{check: "the same question has the same answer, at any time and at once", fault: "answers are numbered",
			change: func(_, u *urlnorm.URL) { u.Unknown = []string{fmt.Sprint(count.Add(1))} }},
		{check: "a base stays as it is", fault: "it is written to",
			change: func(base, _ *urlnorm.URL) {
				if base != nil {
					base.Charset = "x-read"
				}
			}},
		{check: "hostile references are survived in linear time and bounded length", fault: "bytes that are no text panic",
			change: func(_, u *urlnorm.URL) {
				if strings.Contains(u.Observed, "\xff") {
					panic("no text")
				}
			}},
		{check: "hostile references are survived in linear time and bounded length", fault: "a key grows",
			change: func(_, u *urlnorm.URL) {
				if len(u.Observed) > 1000 {
					u.Key.Text += u.Observed + u.Observed
				}
			}},
		{check: "hostile references are survived in linear time and bounded length", fault: "time is quadratic",
			change: func(_, u *urlnorm.URL) {
				if len(u.Request) < 1000 {
					return
				}
				for i := range u.Request {
					for range u.Request[i:] {
						count.Add(1)
					}
				}
			}},
	}
}

func TestEveryCheckBitesAndNoOther(t *testing.T) {
	bitten := map[string]bool{}
	for _, c := range controls() {
		t.Run(c.check+"/"+c.fault, func(t *testing.T) {
			for _, check := range normtest.Checks() {
				err := check.Run(c.subject())
				if check.Name == c.check {
					bitten[c.check] = true
					require.Error(t, err, "%q passed a normalizer of which %s", c.check, c.fault)
					assert.ErrorContains(t, err, c.check, "the error names the law")
				} else {
					assert.NoError(t, err, "%q is kept", check.Name)
				}
			}
		})
	}
	for _, check := range normtest.Checks() {
		assert.True(t, bitten[check.Name], "no normalizer breaks %q", check.Name)
	}
}

func TestAFaultIsToldInOneLine(t *testing.T) {
	panics := func(_, u *urlnorm.URL) {
		if strings.Contains(u.Request, "/print") {
			panic("boo")
		}
	}
	forgets := func(_, u *urlnorm.URL) {
		u.Key = urlnorm.Key{Version: strings.TrimSuffix(u.Key.Version, own), Text: strings.TrimSuffix(u.Key.Text, "/print")}
	}
	news := []string{"https://news.test/a/print"}
	for _, row := range []struct {
		name, check string
		subject     normtest.Subject
		want        string
	}{
		{"a panic names its reference", "a base stays", control{change: panics, references: news}.subject(),
			`panic: boo, on "https://news.test/a/print"`},
		{"no Normalizer", "a base stays", normtest.Subject{}, "Subject.Normalizer is nil"},
		{"all is refused", "the origin is", normtest.Subject{Normalizer: refusing{}}, "every reference was refused"},
		{"a reference of its own is refused", "every reference", normtest.Subject{Normalizer: refusing{}, References: news},
			`"https://news.test/a/print", of Subject.References, is refused: urlnorm: malformed`},
		{"a rule that never folds", "every reference", control{rules: []urlnorm.Rule{"variant"}}.subject(),
			`no reference was folded by "variant", which Subject.Rules names`},
		{"a version that is forgotten", "a key that Standard", control{change: forgets, references: news}.subject(),
			`"https://news.test/a/print": the key is "https://news.test/a", that of urlnorm.Standard is "https://news.test/a/print", and both have the version "1t2": put a word of your own behind it, as in u.Key.Version += "+mine1"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, check := range normtest.Checks() {
				if strings.HasPrefix(check.Name, row.check) {
					err := check.Run(row.subject)
					require.ErrorContains(t, err, check.Name+": "+row.want)
					assert.NotContains(t, err.Error(), "\n")
				}
			}
		})
	}
}

func TestNoLawHoldsForANormalizerThatPanics(t *testing.T) {
	panics := control{change: func(_, u *urlnorm.URL) { panic("asked") }}
	for _, check := range normtest.Checks() {
		if !strings.HasPrefix(check.Name, "what cannot be requested") { // which it refuses as Standard does
			assert.ErrorContains(t, check.Run(panics.subject()), "panic: asked", check.Name)
		}
	}
}

type refusing struct{}

func (refusing) Normalize(*urlnorm.URL, string) (urlnorm.URL, error) {
	return urlnorm.URL{}, urlnorm.Malformed
}

// A wrapped Normalizer has the rules of the one within.
type wrapped struct{ urlnorm.Normalizer }

func (w wrapped) Unwrap() urlnorm.Normalizer { return w.Normalizer }

func TestAWrappedNormalizerKeepsTheContract(t *testing.T) {
	rules := map[string][]urlnorm.Rule{"shop.test": {urlnorm.FoldIndex}}
	for _, n := range []urlnorm.Normalizer{urlnorm.Standard{Rules: rules}, urlnorm.StandardExact{Rules: rules}} {
		folds := []urlnorm.Rule{urlnorm.FoldIndex}
		if _, ok := n.(urlnorm.Standard); ok {
			folds = append(folds, urlnorm.FoldTracking)
		}
		normtest.Run(t, normtest.Subject{Normalizer: wrapped{n}, Rules: folds, References: []string{"https://shop.test/"}})
	}
}

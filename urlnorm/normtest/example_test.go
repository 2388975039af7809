package normtest_test

import (
	"fmt"
	"strings"

	"github.com/weircrawl/weir/urlnorm"
	"github.com/weircrawl/weir/urlnorm/normtest"
)

// A shop shows one page for every variant of a thing.
type shop struct{ urlnorm.Standard }

func (s shop) Normalize(base *urlnorm.URL, ref string) (urlnorm.URL, error) {
	u, err := s.Standard.Normalize(base, ref)
	if err != nil || u.Origin != "https://shop.test" {
		return u, err
	}
	u.Key.Version += "+variant1" // or keys with and without the rule would be compared
	if thing, _, ok := strings.Cut(u.Key.Text, "/variant/"); ok {
		u.Key.Text = thing
		u.Folded = append(u.Folded, "variant")
	}
	return u, nil
}

// Sites are those of which keys have a version of their own.
func (s shop) Sites() []string { return []string{"shop.test"} }

func Example() {
	subject := normtest.Subject{
		Normalizer: shop{},
		Rules:      []urlnorm.Rule{urlnorm.FoldTracking},
		References: []string{"https://shop.test/shirt", "https://shop.test/shirt/variant/blue"},
	}
	for _, check := range normtest.Checks() { // in a test: normtest.Run(t, subject)
		if err := check.Run(subject); err != nil {
			fmt.Println("broken:", check.Name)
		}
	}
	subject.Rules = append(subject.Rules, "variant")
	for _, check := range normtest.Checks() {
		if err := check.Run(subject); err != nil {
			fmt.Println("still broken:", check.Name)
		}
	}
	// Output:
	// broken: a rule that folds is one of those that were named, and changed the key
}

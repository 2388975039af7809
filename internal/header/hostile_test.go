package header

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestAHostileFieldCostsItsLengthAndNoMore: a megabyte of each pattern is read in
// a moment by every function. A search or a copy of the rest at each step would
// take minutes.
func TestAHostileFieldCostsItsLengthAndNoMore(t *testing.T) {
	const size = 1 << 20
	readers := []struct {
		name  string
		start string
		read  func([]string)
	}{
		{"Links", "", func(v []string) { Links(v) }},
		{"Links", "<a>;", func(v []string) { Links(v) }},
		{"ContentType", "", func(v []string) { ContentType(v) }},
		{"ContentType", "a/b;", func(v []string) { ContentType(v) }},
		{"ContentLength", "", func(v []string) { _, _ = ContentLength(v) }},
		{"Location", "", func(v []string) { Location(v) }},
		{"RetryAfter", "", func(v []string) { RetryAfter(v[0], now) }},
		{"CookieDate", "", func(v []string) { CookieDate(v[0]) }},
	}
	patterns := []string{
		",", "<", "<,", "<a>,", "<a>;", ";", ";a", `;a="\"",`, `;a="\""`, `,a;b="`, `"`, `"\`, `\`, `a/b,`, `a/b;c="d",`,
		"=", " ", "\xff", "1", "1 ", "1:1:1 ", "jan ", "a/b;charset=c,", ";rel=x",
	}
	for _, r := range readers {
		for _, p := range patterns {
			value := []string{r.start + strings.Repeat(p, size/len(p))}
			began := time.Now()
			r.read(value)
			assert.Less(t, time.Since(began), 2*time.Second, "%s of %q and %q", r.name, r.start, p)
		}
	}
}

//go:build unix

package header

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestAHostileFieldCostsItsLengthAndNoMore: eight times as much of any pattern
// takes about eight times as long. A search or a copy of the rest at each step
// would take 64 times as long.
func TestAHostileFieldCostsItsLengthAndNoMore(t *testing.T) {
	const small, large = 16 << 10, 128 << 10
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
			cost := func(size int) time.Duration {
				value := []string{r.start + strings.Repeat(p, size/len(p))}
				began := processorTime(t)
				r.read(value)
				return processorTime(t) - began
			}
			least, most := cost(small), cost(large)
			for range 200 { // what came in between does not count
				if most > 24*least {
					least, most = min(least, cost(small)), min(most, cost(large))
				}
			}
			assert.False(t, most > 24*least && most > 5*time.Millisecond, "%s of %q and %q: %v and %v", r.name, r.start, p, least, most)
		}
	}
}

func processorTime(t *testing.T) time.Duration {
	var usage unix.Rusage
	require.NoError(t, unix.Getrusage(unix.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

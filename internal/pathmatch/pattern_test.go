package pathmatch

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// slow says what a pattern means, by a regular expression.
func slow(value string) *regexp.Regexp {
	value, anchored := strings.CutSuffix(value, "$")
	var b strings.Builder
	b.WriteString("^(?s:")
	for i, literal := range strings.Split(value, "*") {
		if i > 0 {
			b.WriteString(".*")
		}
		b.WriteString(regexp.QuoteMeta(Normalize(literal)))
	}
	b.WriteString(")")
	if anchored {
		b.WriteString("$")
	}
	return regexp.MustCompile(b.String())
}

func TestTheMatcherAgreesWithASlowOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringOfN(rapid.SampledFrom([]rune("ab/*$%")), 0, 12, -1).Draw(t, "value")
		target := rapid.StringOfN(rapid.SampledFrom([]rune("ab/$%")), 0, 12, -1).Draw(t, "target")
		want := slow(value).MatchString(Normalize(target))
		if got := New(value).Match(Normalize(target)); got != want {
			t.Fatalf("%q on %q: got %v, want %v", value, target, got, want)
		}
	})
}

func FuzzTheMatcherAgreesWithASlowOne(f *testing.F) {
	f.Add("/*a*b$", "/xaxb")
	f.Add("/%2A$", "/*")
	f.Add("*$%24", "/a$$")
	f.Add("/\x00*\x01$", "/%00a\x01")
	f.Fuzz(func(t *testing.T, value, target string) {
		if len(value) > 1<<10 {
			t.Skip("regexp is the slow one")
		}
		require.Equal(t, slow(value).MatchString(Normalize(target)), New(value).Match(Normalize(target)))
	})
}

// slowly normalizes one octet after the other.
func slowly(s string) string {
	escape := regexp.MustCompile(`^%[0-9A-Fa-f]{2}`)
	const reserved, others = ":/?#[]@!$&'()*+,;=", "-._~"
	var b strings.Builder
	for s != "" {
		octet, size, encoded := s[0], 1, escape.MatchString(s)
		if encoded {
			octet, size = digit(s[1])*16+digit(s[2]), 3
		}
		isUnreserved := regexp.MustCompile("^[A-Za-z0-9]$").MatchString(string(rune(octet))) || strings.IndexByte(others, octet) >= 0
		last := b.String()[max(0, b.Len()-2):]
		completing := encoded && digit(octet) < 16 && regexp.MustCompile(`%[0-9A-Fa-f]?$`).MatchString(last)
		stays := !completing && (isUnreserved || octet == '*' || octet == '$' || octet == '\'' || !encoded && (octet == '%' || strings.IndexByte(reserved, octet) >= 0))
		if stays {
			b.WriteByte(octet)
		} else {
			b.WriteString("%" + string("0123456789ABCDEF"[octet/16]) + string("0123456789ABCDEF"[octet%16]))
		}
		s = s[size:]
	}
	return b.String()
}

func FuzzNormalizingTwiceIsOnce(f *testing.F) {
	for _, s := range []string{"/a%7e%3a%3A%2a%zz%", "/\u00fc \x00", "%%41", "%e", "/%C3%BC", "/?q='%27", "%2%41", "%%34%31", "%7e%2%41", "%7e%%34%31"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := Normalize(s)
		require.Equal(t, slowly(s), once)
		require.Equal(t, len(once), settled(once), "normal is settled: %q", once)
		require.LessOrEqual(t, len(once), 3*len(s))
	})
}

// TestMatchingTakesLinearTime compares the time of a pattern and a URL with that
// of both eight times as long: what is quadratic would take 64 times as long.
func TestMatchingTakesLinearTime(t *testing.T) {
	a := func(n int) string { return strings.Repeat("a", n) }
	for _, row := range []struct {
		name            string
		pattern, target func(n int) string
	}{
		{"stars", func(n int) string { return "/" + strings.Repeat("*a", n) + "*b" }, func(n int) string { return a(4 * n) }},
		{"anchored", func(n int) string { return "/" + strings.Repeat("*ab", n) + "*$b$" }, func(n int) string { return strings.Repeat("ab", 4*n) }},
		{"a long literal, wrong at its end", func(n int) string { return "/*" + a(n) + "b" }, func(n int) string { return a(4 * n) }},
		{"wrong in its middle", func(n int) string { return "/*" + a(n) + "b" + a(n) }, func(n int) string { return strings.Repeat(a(n)+"c"+a(n), 4) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			short, long := shortest(row.pattern(4000), row.target(4000)), shortest(row.pattern(32_000), row.target(32_000))
			t.Log(short, long)
			assert.Less(t, long, 24*short)
		})
	}
}

// shortest returns the time of the fastest of some matches, which has been
// disturbed the least.
func shortest(value, path string) time.Duration {
	p, target := New(value), Normalize("/"+path)
	best := time.Hour
	for range 15 {
		begin := time.Now()
		if p.Match(target) {
			panic("it takes a mismatch to look everywhere")
		}
		best = min(best, time.Since(begin))
	}
	return best
}

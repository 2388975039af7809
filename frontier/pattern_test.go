package frontier

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weircrawl/weir/internal/codec"
)

func TestPatternIsWhatOneTemplateMakes(t *testing.T) {
	for _, c := range []struct{ name, request, want string }{
		{"a page as it is", "https://a.test/docs/install", "a.test/docs/install"},
		{"no path", "https://a.test", "a.test/"},
		{"root", "https://a.test/", "a.test/"},
		{"a port and an address stay", "http://127.0.0.1:8080/x/7", "127.0.0.1:8080/x/{n}"},
		{"IPv6 stays", "http://[2001:db8::1]:81/", "[2001:db8::1]:81/"},
		{"a numbered host", "https://img12.a.test:8443/", "img{n}.a.test:8443/"},
		{"a number", "https://a.test/item/123/edit", "a.test/item/{n}/edit"},
		{"a number in a word", "https://a.test/page12.html", "a.test/page{n}.html"},
		{"a date", "https://a.test/cal/2026-02-31", "a.test/cal/{date}"},
		{"a date the other way", "https://a.test/cal/31.12.2026-x", "a.test/cal/{date}-x"},
		{"a date in segments", "https://a.test/2026/02/31/", "a.test/{n}+/"},
		{"a uuid", "https://a.test/o/123e4567-e89b-12d3-a456-426614174000.json", "a.test/o/{uuid}.json"},
		{"a hash", "https://a.test/c/DEADBEEF01", "a.test/c/{hex}"},
		{"a session id in the path", "https://a.test/s/k3v8sdf98sdfkj3/cart", "a.test/s/{id}/cart"},
		{"a long word with a number is none", "https://a.test/internationalization18n", "a.test/internationalization{n}n"},
		{"S-H9 a parameter of a segment", "https://a.test/p;jsessionid=ABC", "a.test/p;jsessionid"},
		{"several", "https://a.test/p;a=1;b;c=/q;=x", "a.test/p;a;b;c/q"},
		{"a word of hexadecimal letters", "https://a.test/deadbeef/facade", "a.test/deadbeef/facade"},
		{"a short hash is a word with numbers", "https://a.test/c/a1b2c3", "a.test/c/a{n}b{n}c{n}"},
		{"eight digits are a number", "https://a.test/20260102", "a.test/{n}"},
		{"one segment again and again", "https://a.test/x/x/x/x/y", "a.test/x+/y"},
		{"two segments again and again", "https://a.test/a/b/a/b/a/b/c", "a.test/a/b+/c"},
		{"numbers of different length repeat", "https://a.test/p/1/p/22/p/333", "a.test/p/{n}+"},
		{"empty segments stay", "https://a.test//x//", "a.test//x//"},
		{"names of the query, sorted, once", "https://a.test/s?b=2&a=1&b=3&c", "a.test/s?a&b&c"},
		{"numbered names", "https://a.test/s?f[12]=x&f[7]=y&", "a.test/s?f[{n}]"},
		{"an empty query", "https://a.test/s?", "a.test/s"},
		{"a fragment is no part", "https://a.test/s#p12", "a.test/s"},
		{"escapes are letters", "https://a.test/wiki/%E4%BD%A0-42", "a.test/wiki/%E4%BD%A0-{n}"},
		{"cut with a mark", "https://a.test/" + strings.Repeat("x", 300), "a.test/" + strings.Repeat("x", 192) + "*"},
		{"no URL", "x12", "x{n}/"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, patternOf(c.request))
		})
	}
}

// swapped is s with every digit outside of an escape replaced by another one.
func swapped(s string) string {
	b := []byte(s)
	for i := 0; i < len(b); {
		n := escape(s[i:])
		if n == 1 && digit(b[i]) {
			b[i] = '0' + (b[i]-'0'+3)%10
		}
		i += n
	}
	return string(b)
}

func FuzzNoValueDecidesAPattern(f *testing.F) {
	for _, s := range []string{"a/2026-01-02/x?b=1", "deadbeef1/1/1/1", "%41%2", "x/123e4567-e89b-12d3-a456-426614174000", "?a1=&a2=", "a#1", "\xff/9"} {
		f.Add(s, "v")
	}
	f.Fuzz(func(t *testing.T, path, value string) {
		got := patternOf("https://a.test/" + path)
		assert.LessOrEqual(t, len(got), maxPattern)
		assert.Equal(t, got, patternOf("https://a.test/"+swapped(path)), "other digits: %q", path)
		if strings.ContainsAny(path, "?#") || strings.ContainsAny(value, "&#=") {
			return
		}
		assert.Equal(t, patternOf("https://a.test/"+path+"?q=1"), patternOf("https://a.test/"+path+"?q="+value), "another value: %q", value)
		if utf8.ValidString(path) {
			assert.True(t, utf8.ValidString(got), "%q", got)
		}
	})
}

// exactly is the slow count that a sketch is held against.
type exactly map[patternCount]int64

func (e exactly) total() (sum int64) {
	for _, n := range e {
		sum += n
	}
	return sum
}

// checked compares a sketch with what was added.
func (e exactly) checked(t require.TestingT, p *patterns) {
	top, rest := p.heaviest(maxPatterns)
	sum := rest
	for _, c := range top {
		sum += c.Count
		require.Positive(t, c.Count)
		require.LessOrEqual(t, c.Count, e[patternCount{pattern: c.Pattern, reason: c.Reason}], "%s is overstated", c.Pattern)
	}
	require.Equal(t, e.total(), sum, "what is not told by pattern is in the rest")
	require.LessOrEqual(t, len(p.list), maxPatterns)
}

func TestSketchNeverOverstates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p patterns
		want := exactly{}
		kinds := rapid.SampledFrom([]int{3, maxPatterns, maxPatterns + 5, 300}).Draw(t, "kinds")
		for range rapid.IntRange(1, 400).Draw(t, "steps") {
			k := rapid.IntRange(0, kinds-1).Draw(t, "kind")
			at := patternCount{pattern: strings.Repeat("p", k%20) + string(rune('a'+k/20)), reason: []Reason{"urls", "depth"}[k%2]}
			n := rapid.Int64Range(-3, 6).Draw(t, "n")
			if n < 0 {
				n = -min(-n, want[at])
			}
			want[at] += n
			p.add(at.pattern, at.reason, n, "x")
			want.checked(t, &p)
		}
	})
}

func TestSketchKeepsWhatIsHeavy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p patterns
		want := exactly{}
		for i := range rapid.IntRange(500, 3000).Draw(t, "steps") {
			k := rapid.IntRange(0, 400).Draw(t, "kind")
			if i%3 == 0 {
				k = 0 // the heavy one
			}
			at := patternCount{pattern: string(rune(0x400 + k)), reason: "urls"}
			want[at]++
			p.add(at.pattern, at.reason, 1, "")
		}
		least := want.total() / maxPatterns
		kept := map[string]int64{}
		for i := range p.list {
			kept[p.list[i].pattern] = p.list[i].sure()
		}
		for at, n := range want {
			if n > least {
				require.GreaterOrEqual(t, kept[at.pattern], n-least, "%d of %d", n, want.total())
			}
		}
	})
}

func TestSketchOfTheSameAdditionsHasTheSameBytes(t *testing.T) {
	encoded := func(p *patterns) []byte {
		w := codec.NewWriter(1, nil)
		p.write(w)
		return w.Seal()
	}
	rapid.Check(t, func(t *rapid.T) {
		var whole, broken patterns
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			pattern, n := string(rune('a'+rapid.IntRange(0, 90).Draw(t, "kind"))), rapid.Int64Range(-2, 5).Draw(t, "n")
			whole.add(pattern, "urls", n, pattern)
			broken.add(pattern, "urls", n, pattern)
			if rapid.Bool().Draw(t, "reopened") {
				r := codec.NewReader(encoded(&broken), 1)
				broken = readPatterns(r)
				require.NoError(t, r.Close())
			}
		}
		require.Equal(t, encoded(&whole), encoded(&broken))
	})
}

func TestSketchIsBoundedWhateverIsAdded(t *testing.T) {
	var p patterns
	long := strings.Repeat("й", 400)
	for i := range 1000 {
		p.add(string(rune(0x400+i))+long, Reason(long+": detail"), 1<<62/1000, long)
	}
	w := codec.NewWriter(1, nil)
	p.write(w)
	assert.LessOrEqual(t, len(w.Seal()), 16+160*maxPatterns)
	top, rest := p.heaviest(8)
	require.Len(t, top, 8)
	assert.Positive(t, rest)
	assert.True(t, strings.HasSuffix(top[0].Pattern, "*") && utf8.ValidString(top[0].Pattern) && utf8.ValidString(top[0].Example))
}

func TestTakingBackMoreThanWasCountedLeavesNone(t *testing.T) {
	var p patterns
	p.add("a", "urls", 2, "first")
	p.add("a", "urls", 1, "second")
	top, _ := p.heaviest(8)
	assert.Equal(t, []PatternTally{{Pattern: "a", Reason: "urls", Count: 3, Example: "first"}}, top)
	p.add("a", "urls", -5, "")
	p.add("never", "urls", -5, "")
	top, rest := p.heaviest(8)
	assert.Empty(t, top)
	assert.Zero(t, rest)
}

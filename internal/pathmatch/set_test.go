package pathmatch

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestASetNamesThePatternThatMatches(t *testing.T) {
	s := NewSet([]string{"/private/", "*.pdf$", "/*?sort=", "/%7eu"})
	for _, c := range []struct{ url, want string }{
		{"https://a.test/private/x", "/private/"},
		{"https://a.test/%70rivate/", "/private/"},
		{"https://a.test/public/private/", ""},
		{"https://a.test/x.pdf", "*.pdf$"},
		{"https://a.test/x.pdf?y", ""},
		{"https://a.test/x.pdf#y", "*.pdf$"},
		{"https://a.test/l?a=b&sort=1", ""},
		{"https://a.test/l?sort=1", "/*?sort="},
		{"https://a.test?sort=1", "/*?sort="},
		{"https://a.test/~u", "/%7eu"},
		{"https://a.test", ""},
	} {
		got, ok := s.Match(Target(c.url))
		assert.Equal(t, c.want, got, c.url)
		assert.Equal(t, c.want != "", ok, c.url)
	}
	_, ok := s.Match(Target("https://a.test/a"), Target("https://a.test/private/"))
	assert.True(t, ok, "any of some targets")
	assert.True(t, NewSet(nil).Empty())
	assert.False(t, s.Empty())
}

func TestAPatternThatCanMatchNothingIsAFault(t *testing.T) {
	for _, text := range []string{"/", "*", "/a*b$", "*?x="} {
		assert.NoError(t, Fault(text), text)
	}
	for _, text := range []string{"", "a", "?x", "/a#b", "/\xff", "/" + strings.Repeat("a", maxText)} {
		assert.Error(t, Fault(text), text)
	}
}

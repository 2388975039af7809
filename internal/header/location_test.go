package header

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestALocationIsOneReference(t *testing.T) {
	cases := []struct {
		name   string
		values []string
		want   string
		ok     bool
	}{
		{"none", nil, "", false},
		{"empty: the URL of the response", []string{" "}, "", true},
		{"as written", []string{" /a%c3%A9 b#c "}, "/a%c3%A9 b#c", true},
		{"a list that is none", []string{"/a, /b"}, "/a, /b", true},
		{"UTF-8", []string{"/é?☃"}, "/é?☃", true},
		{"bytes of Latin-1", []string{"/caf\xe9?é"}, "/caf%E9?%C3%A9", true},
		{"one in two lines", []string{"/a", "/a "}, "/a", true},
		{"two", []string{"/a", "/b"}, "", false},
		{"two, one of them empty", []string{"", "/b"}, "", false},
	}
	for _, c := range cases {
		got, ok := Location(c.values)
		assert.Equal(t, c.want, got, c.name)
		assert.Equal(t, c.ok, ok, c.name)
	}
}

func FuzzALocationKeepsTheBytesOfItsServer(f *testing.F) {
	f.Add("/caf\xe9?\u2603")
	f.Fuzz(func(t *testing.T, value string) {
		got, ok := Location([]string{value})
		if !ok || !utf8.ValidString(got) {
			t.Fatalf("%q: %q, %v", value, got, ok)
		}
		if strings.Contains(value, "%") {
			t.Skip()
		}
		bytes, err := url.PathUnescape(got)
		assert.NoError(t, err)
		assert.Equal(t, strings.Trim(value, " \t\r\n"), bytes)
	})
}

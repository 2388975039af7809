package header

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAMediaTypeIsReadAsBrowsersReadIt(t *testing.T) {
	cases := []struct{ value, want string }{
		{"text/html", "text/html"},
		{" Text/HTML ; Charset=UTF-8 ", "text/html;charset=UTF-8"},
		{"text/html;charset=a;charset=b", "text/html;charset=a"},
		{`text/html;charset="a\"b;c"x;d=e`, `text/html;charset="a\"b;c";d=e`},
		{`text/html;charset="open`, "text/html;charset=open"},
		{`text/html;charset="open\`, `text/html;charset="open\\"`},
		{`text/html;charset=""`, `text/html;charset=""`},
		{"text/html;charset=;a=b", "text/html;a=b"},
		{"text/html;a =b;;c;=d;e=f", "text/html;e=f"},
		{"text/html;a=\x01;b=\xff", "text/html;b=\"\xff\""},
		{"text/html, text/plain", ""},
		{"text", ""},
		{"text/", ""},
		{"/html", ""},
		{"text/html/5", ""},
		{"te xt/html", ""},
		{"", ""},
	}
	for _, c := range cases {
		m, ok := ParseMediaType(c.value)
		assert.Equal(t, c.want, m.String(), c.value)
		assert.Equal(t, c.want != "", ok, c.value)
	}
}

func TestOfSeveralContentTypesTheLastOneCounts(t *testing.T) {
	cases := []struct {
		name   string
		values []string
		want   string
	}{
		{"none", nil, ""},
		{"none that is a type", []string{"", "text", "*/*"}, ""},
		{"one", []string{"text/html"}, "text/html"},
		{"two in two lines", []string{"text/html", "text/plain"}, "text/plain"},
		{"two in one line", []string{"text/html, text/plain"}, "text/plain"},
		{"nonsense behind", []string{"text/html", "x", "*/*;charset=a"}, "text/html"},
		{"the charset is kept", []string{"text/html;charset=a", "text/html;b=c"}, "text/html;b=c;charset=a"},
		{"a charset of its own", []string{"text/html;charset=a", "text/html;charset=b"}, "text/html;charset=b"},
		{"the first charset is kept", []string{"text/html;charset=a, text/html;charset=b", "text/html"}, "text/html;charset=a"},
		{"the charset is of its type", []string{"text/html;charset=a", "text/plain", "text/html"}, "text/html"},
		{"a comma in quotes", []string{`text/html;a="b,text/plain"`}, `text/html;a="b,text/plain"`},
		{"a backslash outside quotes", []string{`text/html\,text/plain`}, "text/plain"},
		{"quotes over two lines", []string{`text/html;a="`, `text/plain"`}, `text/html;a=", text/plain"`},
	}
	for _, c := range cases {
		m, ok := ContentType(c.values)
		assert.Equal(t, c.want, m.String(), c.name)
		assert.Equal(t, c.want != "", ok, c.name)
	}
}

func TestACharsetIsFoundByItsName(t *testing.T) {
	m, _ := ParseMediaType(`text/html;a=b;CHARSET="x"`)
	assert.Equal(t, "x", m.Charset())
	assert.Empty(t, MediaType{Essence: "text/html"}.Charset())
}

func TestParametersAreBounded(t *testing.T) {
	var value strings.Builder
	value.WriteString("a/b")
	for i := range MaxParameters + 1 {
		value.WriteString(";" + strings.Repeat("x", i+1) + "=1")
	}
	m, ok := ParseMediaType(value.String())
	require.True(t, ok)
	assert.Len(t, m.Parameters, MaxParameters)
	assert.Equal(t, "x", m.Parameters[0].Name)
}

func FuzzAPrintedMediaTypeIsReadBackAsTheSame(f *testing.F) {
	for _, value := range fromTable(f, "http/wpt/mime-types.json", "input") {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		m, ok := ContentType([]string{value})
		if !ok {
			assert.Zero(t, m)
			return
		}
		again, ok := ParseMediaType(m.String())
		require.True(t, ok, m.String())
		assert.Equal(t, m, again)
		same, _ := ContentType([]string{m.String(), value})
		assert.Equal(t, m.Essence, same.Essence, "the last one counts")
	})
}

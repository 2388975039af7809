package sheet

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTextThatAProgramWouldObeyIsQuoted(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"http://a.test/?a=1&b=<2>", "http://a.test/?a=1&b=<2>"},
		{"é, \"b\"", "é, \"b\""},
		{"=1+1", `"=1+1"`},
		{`=HYPERLINK("http://b.test/")`, `"=HYPERLINK(\"http://b.test/\")"`},
		{"+1", `"+1"`},
		{"-1", `"-1"`},
		{"@SUM(A1)", `"@SUM(A1)"`},
		{"＝1", `"＝1"`},
		{"＠x<>&", `"＠x<>&"`},
		{"\t=1", `"\t=1"`},
		{"a\r\n=1", `"a\r\n=1"`},
		{"\x1b[2J", `"\u001b[2J"`},
		{`"=1"`, `"\"=1\""`},
		{"\xff", "\"\\ufffd\""},
	} {
		assert.Equal(t, c.want, Text(c.text), "%q", c.text)
	}
}

func TestACellThatNobodyHasQuotedIsRefused(t *testing.T) {
	for _, cell := range []string{`"`, `"a`, `"a"b`, `"\x"`} {
		_, err := Parse(cell)
		require.Error(t, err, cell)
	}
}

func FuzzEveryTextComesBackAndBeginsNoFormula(f *testing.F) {
	for _, text := range []string{"", "a", "=1", "\"", "a\nb", "\xff=", "\u2028"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cell := Text(text)
		if strings.ContainsAny(cell, "\r\n\t\x00\x1b") || cell != "" && strings.ContainsAny(cell[:1], "=+-@") {
			t.Errorf("%q is written as %q", text, cell)
		}
		again, err := Parse(cell)
		if want := string([]rune(text)); err != nil || again != want || !utf8.ValidString(cell) {
			t.Errorf("%q is written as %q, and read as %q (%v)", text, cell, again, err)
		}
	})
}

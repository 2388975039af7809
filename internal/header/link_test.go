package header

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// one prints a link with its relation types, as a table can hold it.
func one(l Link) string { return fmt.Sprintf("<%s> %s", l.Target, strings.Join(l.Rel, ",")) }

func TestALinkFieldIsReadAsItIsMeant(t *testing.T) {
	cases := []struct {
		name    string
		values  []string
		want    []string
		skipped int
	}{
		{"one", []string{`<https://a.test/c>; rel="canonical"`}, []string{"<https://a.test/c> canonical"}, 0},
		{"several in one value", []string{`<a>; rel=next, <b>; rel="prev"`}, []string{"<a> next", "<b> prev"}, 0},
		{"several values", []string{`<a>; rel=next`, `<b>;rel=prev`}, []string{"<a> next", "<b> prev"}, 0},
		{"commas and semicolons in a target", []string{`<a,b;c>; rel=x`}, []string{"<a,b;c> x"}, 0},
		{"commas and semicolons in quotes", []string{`<a>; title="c, d; e"; rel=x, <f>; rel=g`}, []string{"<a> x", "<f> g"}, 0},
		{"types in any case", []string{`<a>; REL="Next PREV"`}, []string{"<a> next,prev"}, 0},
		{"types apart by any white space", []string{"<a>; rel=\" next\t prev \""}, []string{"<a> next,prev"}, 0},
		{"the first rel counts", []string{`<a>; rel=x; rel=y`}, []string{"<a> x"}, 0},
		{"also if it is empty", []string{`<a>; rel; rel=y`}, []string{"<a> "}, 0},
		{"no rel", []string{`<a>`}, []string{"<a> "}, 0},
		{"no target", []string{`<>; rel=self`}, []string{"<> self"}, 0},
		{"spaces around a target", []string{`< a >; rel=x`}, []string{"<a> x"}, 0},
		{"spaces around =", []string{"<a> ; rel\t= \"x\" , <b>"}, []string{"<a> x", "<b> "}, 0},
		{"escapes", []string{`<a>; rel="x\"y\\z"`}, []string{`<a> x"y\z`}, 0},
		{"a quote that is not closed", []string{`<a>; rel="x, <b>; rel=y`}, []string{"<a> x,,<b>;,rel=y"}, 0},
		{"something behind a quote", []string{`<a>; title="t" u; rel=x`}, []string{"<a> x"}, 0},
		{"no semicolon", []string{`<a> rel=x, <b>; rel=y`}, []string{"<a> ", "<b> y"}, 0},
		{"empty elements", []string{`, <a>; rel=x,,<b>; rel=y,`, ``}, []string{"<a> x", "<b> y"}, 0},
		{"no angle brackets", []string{`a; rel=x, <b>; rel=y`}, []string{"<b> y"}, 1},
		{"quotes before a comma", []string{`a; title="x, <y>", <b>; rel=y`}, []string{"<b> y"}, 1},
		{"a bracket that is not closed", []string{`<a; rel=x`}, nil, 1},
		{"an empty value", []string{""}, nil, 0},
		{"nothing", nil, nil, 0},
	}
	for _, c := range cases {
		links, skipped := Links(c.values)
		var got []string
		for _, l := range links {
			got = append(got, one(l))
		}
		assert.Equal(t, c.want, got, c.name)
		assert.Equal(t, c.skipped, skipped, c.name)
	}
}

func TestALinkKeepsAllItsParameters(t *testing.T) {
	links, _ := Links([]string{`<a>; rel=alternate; hreflang=de; HREFLANG=at; title*=UTF-8''%e2%82%ac; crossorigin; x=`})
	require.Len(t, links, 1)
	assert.Equal(t, []Parameter{
		{"rel", "alternate"}, {"hreflang", "de"}, {"hreflang", "at"}, {"title*", "UTF-8''%e2%82%ac"}, {"crossorigin", ""}, {"x", ""},
	}, links[0].Parameters)
	language, ok := links[0].Parameter("hreflang")
	assert.Equal(t, "de", language)
	assert.True(t, ok)
	_, ok = links[0].Parameter("media")
	assert.False(t, ok)
}

func TestALinkOfAnotherResourceIsNotThePagesLink(t *testing.T) {
	cases := []struct {
		value     string
		anchor    string
		elsewhere bool
	}{
		{`<a>; rel=x`, "", false},
		{`<a>; rel=x; anchor=""`, "", false},
		{`<a>; rel=x; anchor="#part"`, "#part", false},
		{`<a>; rel=x; anchor="/other"; anchor="#part"`, "/other", true},
		{`<a>; rel=x; anchor="https://b.test/"`, "https://b.test/", true},
	}
	for _, c := range cases {
		links, _ := Links([]string{c.value})
		require.Len(t, links, 1, c.value)
		assert.Equal(t, c.anchor, links[0].Anchor, c.value)
		assert.Equal(t, c.elsewhere, links[0].Elsewhere(), c.value)
	}
}

func TestLinksAndTheirParametersAreBounded(t *testing.T) {
	links, skipped := Links([]string{strings.Repeat("<a>,", MaxLinks+7)})
	assert.Len(t, links, MaxLinks)
	assert.Equal(t, 7, skipped)
	links, _ = Links([]string{"<a>" + strings.Repeat(";x=1", MaxParameters+7) + `,<b>`})
	require.Len(t, links, 2)
	assert.Len(t, links[0].Parameters, MaxParameters)
}

func FuzzALinkIsReadBackAsItIsPrinted(f *testing.F) {
	f.Add(`<a>; rel="x\"y"; title="c, d", b, <c>;anchor="#x";rel`)
	for _, value := range fromTable(f, "html/link_header.jsonl", "header") {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		links, skipped := Links([]string{value})
		if len(links) > MaxLinks || len(links)+skipped > len(value)/2+1 {
			t.Fatalf("%q: %d links, %d skipped", value, len(links), skipped)
		}
		if len(links) == MaxLinks {
			t.Skip()
		}
		var printed []byte
		for _, l := range links {
			printed = append(append(append(printed, '<'), l.Target...), '>')
			for _, p := range l.Parameters {
				printed = append(append(printed, ';'), p.Name...)
				printed = appendQuoted(append(printed, '='), p.Value)
			}
			printed = append(printed, ',')
		}
		again, broken := Links([]string{string(printed)})
		assert.Equal(t, links, again)
		assert.Zero(t, broken)
	})
}

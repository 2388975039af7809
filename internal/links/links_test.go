package links

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func observed(links []Link) (all []string) {
	for _, l := range links {
		all = append(all, l.Observed)
	}
	return all
}

func TestTheFirstBaseWithAnHrefCounts(t *testing.T) {
	for _, row := range []struct{ name, html, base string }{
		{"relative", `<base href="/about/"><a href=x>`, "/about/"},
		{"without scheme", `<base href=//cdn.example/>`, "//cdn.example/"},
		{"second", `<base target=_top><base href=one><base href=two>`, "one"},
		{"empty", `<base href=""><base href=two>`, ""},
		{"in a comment", `<!-- <base href=no> --><base href=yes>`, "yes"},
		{"in a template", `<template><base href=no></template><base href=yes>`, "yes"},
		{"in svg", `<svg><base href=no></svg><base href=yes>`, "yes"},
		{"none", `<a href=x>`, ""},
	} {
		assert.Equal(t, row.base, Extract([]byte(row.html), Options{}).Base, row.name)
	}
}

func TestReferencesBeyondTheBoundsAreCountedWithAnExample(t *testing.T) {
	page := []byte(`<a href=one><a href=two><img src=three><a href=four>`)

	all := Extract(page, Options{})
	assert.Equal(t, []string{"one", "two", "three", "four"}, observed(all.Links))
	assert.Zero(t, all.Beyond)

	few := Extract(page, Options{References: 2})
	assert.Equal(t, []string{"one", "two"}, observed(few.Links))
	assert.Equal(t, 2, few.Beyond)
	assert.Equal(t, "three", few.Example)

	short := Extract(page, Options{Bytes: 10})
	assert.Equal(t, []string{"one", "two", "four"}, observed(short.Links))
	assert.Equal(t, 1, short.Beyond)
	assert.Equal(t, "three", short.Example)
}

func TestOnlyReferencesThatAReaderFollowsAreFollowed(t *testing.T) {
	page := `<frameset><frame src=1 longdesc=x></frameset><a href=2 ping="x  x"><map><area href=3></map><iframe src=4></iframe>
		<meta http-equiv=refresh content="0;url=5"><link rel="Next  chapter" href=6><link rel=prev href=7>
		<link rel=stylesheet href=x><link rel=canonical href=x><link rel="alternate next-door" href=x><link href=x imagesrcset="x 2x">
		<img src=x srcset="x 2x" lowsrc=x longdesc=x><script src=x></script><video src=x poster=x></video><audio src=x></audio><track src=x>
		<source src=x srcset=x><embed src=x><object data=x></object><form action=x></form><button formaction=x></button>
		<input type=IMAGE src=x formaction=x><input src=no><blockquote cite=x></blockquote><q cite=x></q><del cite=x></del><ins cite=x></ins>
		<body background=x><table background=x><td background=x><th background=x></table><bgsound src=x>
		<svg><image xlink:href=x /><use href="x#y" /><use href="#no" /><feImage href=x /><script href=x /></svg><p data-href=no data-src=no>`
	var followed, others []string
	for _, l := range Extract([]byte(page), Options{}).Links {
		assert.NotEqual(t, "no", l.Observed)
		assert.Equal(t, l.Observed[0] < 'x', Followed(l.Rule), l.Rule)
		if Followed(l.Rule) {
			followed = append(followed, l.Observed+" "+l.Rule)
		} else {
			others = append(others, l.Rule)
		}
	}
	assert.Equal(t, []string{"1 frame", "2 a", "3 area", "4 iframe", "5 meta[refresh]", "6 link[rel=next chapter]", "7 link[rel=prev]"}, followed)
	assert.Equal(t, strings.Fields(`frame[longdesc] a[ping] a[ping] link[rel=stylesheet] link[rel=canonical] link[rel=alternate_next-door] link link[imagesrcset]
		img img[srcset] img[lowsrc] img[longdesc] script video video[poster] audio track source source[srcset] embed object form button
		input input[formaction] blockquote q del ins body table td th bgsound image[href] use[href] feimage[href] script[href]`),
		strings.Fields(strings.ReplaceAll(strings.Join(others, "\n"), "alternate next", "alternate_next")))
}

func TestEveryRuleNamesItsElementAndAttribute(t *testing.T) {
	for name, el := range elements {
		for _, r := range append(el.refers, el.inSVG...) {
			l := Link{Rule: r.rule}
			assert.Equal(t, r.attribute.String(), l.Attribute(), r.rule)
			if name != "image" { // is img in HTML
				assert.Equal(t, name, l.Element(), r.rule)
			}
		}
	}
	for rule, want := range map[string][2]string{
		"meta[refresh]": {"meta", "content"}, "link[rel=next]": {"link", "href"}, "link": {"link", "href"}, "header[rel=next]": {"", ""}, "header": {"", ""},
	} {
		l := Link{Rule: rule}
		assert.Equal(t, want, [2]string{l.Element(), l.Attribute()}, rule)
	}
}

func TestRelIsKeptAndNofollowSeen(t *testing.T) {
	links := Extract([]byte(`<a rel="sponsored NoFollow" href=1><a rel=nofollowx href=2><a href=3>`), Options{}).Links
	assert.Equal(t, "sponsored NoFollow", links[0].Rel)
	assert.True(t, links[0].NoFollow())
	assert.False(t, links[1].NoFollow())
	assert.False(t, links[2].NoFollow())
}

func TestTextIsFoldedAndCutBetweenCharacters(t *testing.T) {
	for _, row := range []struct{ html, text string }{
		{"<a href=x> one \n <b>two</b>\tthree </a> four", "one two three"},
		{"<a href=x>fish &amp; chips</a>", "fish & chips"},
		{"<a href=x>not closed", "not closed"},
		{"<a href=x><img alt=no></a>", ""},
		{"<a href=x>" + strings.Repeat("x", 255) + "\u00e9</a>", strings.Repeat("x", 255)},
		{"<a href=x>" + strings.Repeat("x", 254) + "\u00e9</a>", strings.Repeat("x", 254) + "\u00e9"},
	} {
		assert.Equal(t, row.text, Extract([]byte(row.html), Options{}).Links[0].Text, row.html)
	}
}

func TestTextIsLeftOutWhereItIsNotWanted(t *testing.T) {
	links := Extract([]byte("<a href=x>one</a> <a href=y>two"), Options{NoText: true}).Links
	assert.Equal(t, []string{"x", "y"}, observed(links))
	assert.Equal(t, []string{"", ""}, []string{links[0].Text, links[1].Text})
}

func TestSI3DataURLsAreKnownAndNotKept(t *testing.T) {
	page := `<img src=" DATA:image/png;base64,` + strings.Repeat("A", 1<<20) + `"><a href="` + strings.Repeat("a", 1<<20) + `"><a href=x>`
	got := Extract([]byte(page), Options{})
	require.Len(t, got.Links, 3)
	assert.Len(t, got.Links[0].Observed, maxData)
	assert.Len(t, got.Links[1].Observed, maxReference)
	assert.Equal(t, "x", got.Links[2].Observed)
}

func TestSVGTagsThatCloseThemselvesHideNothing(t *testing.T) {
	page := `<svg><title/><style/><script/><a xlink:href=in></a></svg><a href=after>`
	assert.Equal(t, []string{"in", "after"}, observed(Extract([]byte(page), Options{}).Links))
}

func TestACutPageYieldsWhatIsWhole(t *testing.T) {
	assert.Equal(t, []string{"one"}, observed(Extract([]byte(`<a href=one>1</a><a href="two`), Options{}).Links))
}

func TestATemplateHidesNothingBehindIt(t *testing.T) {
	for _, page := range []string{
		"<template><svg><title/></svg></template><a href=x>",
		"<template><svg><style/></template><a href=x>",
		"<template><svg><script href=s /></svg></template><a href=x>",
		"<template><svg><template></svg></template><a href=x>",
		"<svg><template><title/></template></svg><a href=x>",
		"<svg><foreignObject><template><svg><title/></template></foreignObject><style/></svg><a href=x>",
		"<template></svg><noscript><frameset></template><a href=x>",
	} {
		assert.Equal(t, []string{"x"}, observed(Extract([]byte(page), Options{}).Links), page)
	}
	for _, page := range []string{
		`<template><script src="s"/></template><a href="x"/>`, `<template><title/></template><a href="x"/>`, `<template/><a href="x"/>`,
	} {
		assert.Equal(t, []string{"x"}, observed(Extract([]byte(page), Options{XML: true}).Links), page)
	}
}

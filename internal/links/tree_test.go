package links

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"pgregory.net/rapid"
)

// treeLinks lists the links of a page in the tree that a browser without scripts
// builds, as "element reference" with "in head" where it is, each once and with
// all its text. Its base is that of the first base element outside noscript.
func treeLinks(t require.TestingT, page string) (links map[string]string, base string) {
	root, err := html.ParseWithOptions(strings.NewReader(page), html.ParseOptionEnableScripting(false))
	require.NoError(t, err)
	links = map[string]string{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || within(n, "template") {
			continue
		}
		if ref, ok := refersTo(n); ok {
			links[n.Data+" "+ref+placeOf(n)] += textContent(n)
		}
		if href, ok := attributeValue(n, "href"); ok && base == "" && n.Data == "base" && n.Namespace == "" && !within(n, "noscript") {
			base = href
		}
	}
	return links, base
}

// refersTo returns the reference of an element that this test speaks of.
func refersTo(n *html.Node) (string, bool) {
	switch {
	case n.Data == "a" || n.Data == "link":
		return attributeValue(n, "href")
	case n.Data == "script" || n.Data == "iframe" || n.Namespace == "" && (n.Data == "img" || n.Data == "frame"):
		return attributeValue(n, "src")
	}
	return "", false
}

func attributeValue(n *html.Node, name string) (string, bool) {
	i := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
	if i < 0 {
		return "", false
	}
	return n.Attr[i].Val, true
}

func within(n *html.Node, name string) bool {
	for p := range n.Ancestors() {
		if p.Data == name && p.Namespace == "" {
			return true
		}
	}
	return false
}

func placeOf(n *html.Node) string {
	if within(n, "head") {
		return " in head"
	}
	return ""
}

func textContent(n *html.Node) string {
	if n.Data != "a" {
		return ""
	}
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode && !within(d, "template") {
			b.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), "")
}

// passLinks lists what Extract finds of them.
func passLinks(page string) (links map[string]string, base string) {
	found := Extract([]byte(page), Options{})
	links = map[string]string{}
	for _, l := range found.Links {
		key := l.Element() + " " + l.Observed
		if l.InHead {
			key += " in head"
		}
		links[key] += strings.Join(strings.Fields(l.Text), "")
	}
	return links, found.Base
}

// joined makes a page of parts in which each N is a number of its own.
func joined(parts []string) string {
	var page strings.Builder
	for i, part := range parts {
		page.WriteString(strings.ReplaceAll(part, "N", fmt.Sprint(i)))
	}
	return page.String()
}

// tags hold everything on which the place of a link depends. There are no
// framesets among them: in a page of frames a tree drops what else there is, and a
// crawler may look.
var tags = []string{
	"<a href=N>", "</a>", "<a>", "x", " ", "<p>", "</p>", "<div>", "</div>", "<li>", "<b>", "</b>", "<table>", "</table>", "<tr>", "<td>", "</td>",
	"<th>", "<caption>", "<tbody>", "<noscript>", "</noscript>", "<head>", "</head>", "<body>", "</body>", "<html>", "</html>", "<template>",
	"</template>", "<svg>", "</svg>", "<math>", "</math>", "<foreignObject>", "</foreignObject>", "<title>", "</title>", "<desc>", "</desc>",
	"<mi>", "</mi>", "<svg/>", "<path/>", "<title/>", "<style>", "</style>", "<script>", "</script>", "<script/>", "<![CDATA[", "]]>", "<object>",
	"</object>", "<button>", "<form>", "<!-- c -->", "<span>", "<input>", "<br>", "<noframes>", "</noframes>", "<textarea>", "</textarea>", "<xmp>",
	"<iframe>", "</iframe>", "<plaintext>", "<select>", "</select>", "<meta>",
}

func TestATreeHoldsTheSameLinks(t *testing.T) {
	probes := []string{"<base href=N>", "<link href=N>", "<script src=N></script>", "<frame src=N>", "<a href=N>", "<img src=N>", "<image src=N>", "<iframe src=N></iframe>"}
	check := func(parts ...string) {
		page := joined(parts)
		want, wantBase := treeLinks(t, page)
		got, gotBase := passLinks(page)
		withoutTexts(want)
		withoutTexts(got)
		require.Equal(t, want, got, page)
		require.Equal(t, wantBase, gotBase, page)
	}
	for _, probe := range append(probes, strings.Join(probes, "")) {
		check(probe)
		for _, first := range tags {
			if !passedOver(first, "", probe) {
				check(first, probe)
			}
		}
	}
	for _, first := range tags {
		for _, second := range tags {
			probe := strings.Join(probes, "")
			if passedOver(first, second, probe) {
				probe = strings.Join(probes[1:], "") // without a base
			}
			if !passedOver(first, second, probe) {
				check(first, second, probe)
			}
		}
	}
}

// passedOver reports whether a pass and a tree are meant to differ. A base in
// noscript counts for a tree alone. An end tag in SVG of an element that is not
// open ends SVG for a pass alone, which does not know what else is open.
func passedOver(first, second, probe string) bool {
	noscript := first == "<noscript>" || second == "<noscript>"
	stray := (first == "<svg>" || first == "<math>") && slices.Contains([]string{"</div>", "</b>", "</table>", "</td>"}, second)
	return noscript && strings.Contains(probe, "<base") || stray
}

// withoutTexts leaves the texts out.
func withoutTexts(links map[string]string) {
	for key := range links {
		links[key] = ""
	}
}

func TestATreeHoldsTheSameTexts(t *testing.T) {
	inline := []string{"<a href=N>", "<a href=N>", "</a>", "<a>", "x", " y ", "<br>", "<img>", "<!-- c -->", "&amp;", "<template>t</template>"}
	blocks := []string{"<p>", "</p>", "<div>", "</div>", "<li>", "<ul>", "</ul>", "<button>", "</button>", "<h1>", "</h1>", "<b>", "</b>", "<span>", "</span>"}
	tables := []string{"<table><tr><td>", "<td>", "<th>", "<tr><td>", "</td></tr></table>"}
	objects := []string{"<object>", "</object>"}
	for name, parts := range map[string][]string{"in blocks": append(blocks, inline...), "in tables": append(tables, inline...), "in objects": append(objects, inline...)} {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			page := "<body>" + joined(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 12).Draw(t, "parts"))
			want, _ := treeLinks(t, page)
			got, _ := passLinks(page)
			require.Equal(t, want, got, page)
		}))
	}
}

func TestATreeHoldsTheSameTextsWhereElementsAreNested(t *testing.T) {
	for _, page := range []string{
		"<a href=1>1<table><a href=2>2</a><tr><td>3<a href=4>4</table>5", "<a href=1>1<table><td></a>2</table>3</a>4",
		"<table><td><a href=1>1<td>2</table>3", "<table><td><a href=1>1</table>2", "<a href=1>1<object><a href=2>2</object>3</a>4",
		"<object><a href=1>1</object>2", "<svg><a href=1>1<a href=2>2</a>3</a>4</svg>5", "<a href=1>1<svg><a href=2>2</svg>3</a>4",
		"<a href=1>1<svg><text>2</a>3", "<svg><a href=1>1<p>2", "<a href=1>1<svg><title>2</title><a href=3>3</a></svg>4</a>5",
		"<a href=1>1<li>2<a href=3>3", "<ul><li><a href=1>1<li>2<li><a href=2>3</ul>4", "<a href=1>1<table><tr><td>2<table><td>3</table>4</table>5",
		"<table><caption><a href=1>1</caption><tr><td>2</table>", "<a href=1><script>1</script><style>2</style><textarea>&amp;</textarea><title>&lt;</title></a>",
		"<a href=1>1<template>2<a href=3>3</a></template>4</a>5", "<a href=1>1<a>2", "<a href=1>a\x00b</a>", "<a href=1>1<table><table><a href=2>2</a></table>3",
	} {
		want, _ := treeLinks(t, "<body>"+page)
		got, _ := passLinks("<body>" + page)
		assert.Equal(t, want, got, page)
	}
}

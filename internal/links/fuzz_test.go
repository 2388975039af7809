package links

import (
	"bytes"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// pages are seeds of what is fuzzed.
var pages = []string{
	`<base href=/b/><a href="x">t</a><img srcset="a 1x, b">`, `<svg><a xlink:href=x><title/></svg>`, `<noscript><a href=x></noscript>`,
	`<meta http-equiv=refresh content="1;url='x">`, `<template><a href=x></template><link rel="a b" href=c>`, `<a href="` + strings.Repeat("&lt;", 300) + `">`,
	"<a href=\x00\xff>\xff</a>", `<script><!--<script></script><a href=x>`, `<a href=1><table><a href=2><td><a href=3></table>4</a>`,
	`<frameset><frame src=x></frameset>`, `<math><mi><![CDATA[<a href=x>]]>`, `<meta name=robots content="none, max-snippet: 3">`, "\uFEFF<link href=x>",
	`<p ping="a b"><a ping="a b" href=c><input type=image src=x><use href=#x>`, `<title>a</titl></title><!--a--><a href=x>a < b &amp c`,
}

// FuzzExtract: every link stands where it says, in order, and within the bounds.
func FuzzExtract(f *testing.F) {
	for i, page := range pages {
		f.Add([]byte(page), `<a>; rel="x", <`+strings.Repeat("b", 9000)+`>`, i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, body []byte, header string, isXML bool) {
		options := Options{References: 5, Bytes: 20_000, Agent: "weirbot", XML: isXML, Header: http.Header{"Link": {header}, "X-Robots-Tag": {header}}}
		got := Extract(body, options)
		last, size := InHeader, 0
		for _, l := range got.Links {
			require.GreaterOrEqual(t, l.Offset, last)
			last, size = l.Offset, size+len(l.Observed)
			require.True(t, l.Offset == InHeader || body[l.Offset] == '<')
			require.Equal(t, l.Offset == InHeader, l.Element() == "")
			require.Equal(t, l.Element() == "", l.Attribute() == "")
			require.LessOrEqual(t, len(l.Observed), maxReference)
			require.LessOrEqual(t, len(l.Rule), 64)
			require.LessOrEqual(t, len(l.Rel), maxRel)
			require.LessOrEqual(t, len(l.Text), maxText)
			require.LessOrEqual(t, max(len(l.Hreflang), len(l.Type), len(l.Descriptor)), maxDetail)
			require.LessOrEqual(t, l.Delay, MaxDelay)
			require.True(t, !utf8.Valid(body) || utf8.ValidString(l.Text), "%q", l.Text)
		}
		require.LessOrEqual(t, len(got.Links), options.References)
		require.LessOrEqual(t, size, options.Bytes)
		require.LessOrEqual(t, len(got.Base), maxReference)
		require.LessOrEqual(t, len(got.Example), maxReference)
		require.LessOrEqual(t, len(got.Stated), maxStated)
		require.Equal(t, withoutText(got.Links), withoutText(Extract(body, Options{References: 5, Bytes: 20_000, XML: isXML, Header: options.Header, NoText: true}).Links))
	})
}

func withoutText(links []Link) []Link {
	links = slices.Clone(links)
	for i := range links {
		links[i].Text = ""
	}
	return links
}

// FuzzACutPageHasTheFirstLinks: what is found in the first bytes of a page is what
// is found first in the page, and its base is the page's. Only the texts of a
// elements that are open at the cut may differ.
func FuzzACutPageHasTheFirstLinks(f *testing.F) {
	for _, page := range pages {
		f.Add([]byte(page), 10, false)
		f.Add([]byte(page), len(page)-2, true)
	}
	f.Fuzz(func(t *testing.T, body []byte, n int, isXML bool) {
		n = max(0, min(n, len(body)))
		all := Extract(body, Options{XML: isXML})
		e := extractor{scanner: scanner{page: body[:n], cdata: isXML}, options: Options{XML: isXML}.withDefaults()}
		e.pass()
		require.LessOrEqual(t, len(e.result.Links), len(all.Links))
		first := all.Links[:len(e.result.Links)]
		require.Equal(t, withoutText(first), withoutText(e.result.Links))
		if e.result.Base != "" {
			require.Equal(t, all.Base, e.result.Base)
		}
		for i, l := range e.result.Links {
			if !slices.ContainsFunc(e.open, func(a anchor) bool { return a.link == i }) {
				require.Equal(t, first[i].Text, l.Text)
			}
		}
	})
}

func FuzzSrcsetIsReadAsTheStandardSays(f *testing.F) {
	for _, set := range []string{"a 1x, b 2x", "a,b c,,d", "a 1w 2h,b 1h", "a (, ) 1x,b", "a ( b", ", a -0x,b -1x,c 1e5x,d .5x,e 1.x", "a 00w, b 01w", "a  1x\t,\nb", "a 1x 1x,b+1w", "a )(x, b"} {
		f.Add([]byte(set))
	}
	f.Fuzz(func(t *testing.T, set []byte) {
		var got []string
		for c := range srcsetCandidates(set) {
			got = append(got, string(c.url))
		}
		require.Equal(t, slowSrcset(string(set)), got, "%q", set)
	})
}

// slowSrcset is "parse a srcset attribute" of the HTML standard, step by step.
func slowSrcset(input string) (candidates []string) {
	for position := 0; ; {
		for position < len(input) && strings.ContainsRune(" \t\n\f\r,", rune(input[position])) { // 4
			position++
		}
		if position == len(input) { // 5
			return candidates
		}
		start := position
		for position < len(input) && !strings.ContainsRune(" \t\n\f\r", rune(input[position])) { // 6
			position++
		}
		url := input[start:position]
		var descriptors []string // 7
		if strings.HasSuffix(url, ",") {
			url = strings.TrimRight(url, ",") // 8
		} else {
			descriptors, position = slowDescriptors(input, position) // 9
		}
		if slowValid(descriptors) {
			candidates = append(candidates, url)
		}
	}
}

func slowDescriptors(input string, position int) (descriptors []string, end int) {
	current, state := "", "in descriptor"
	for ; ; position++ {
		if position >= len(input) {
			if current != "" || state == "in parens" {
				descriptors = append(descriptors, current)
			}
			return descriptors, position
		}
		c := input[position]
		blank := strings.ContainsRune(" \t\n\f\r", rune(c))
		switch {
		case state == "in descriptor" && blank:
			if current != "" {
				descriptors = append(descriptors, current)
				current, state = "", "after descriptor"
			}
		case state == "in descriptor" && c == ',':
			if current != "" {
				descriptors = append(descriptors, current)
			}
			return descriptors, position + 1
		case state == "in descriptor" && c == '(':
			current, state = current+"(", "in parens"
		case state == "in parens" && c == ')':
			current, state = current+")", "in descriptor"
		case state == "after descriptor" && blank:
		case state == "after descriptor":
			state = "in descriptor"
			position--
		default:
			current += string([]byte{c})
		}
	}
}

var (
	slowInteger = regexp.MustCompile(`^[0-9]+$`)
	slowFloat   = regexp.MustCompile(`^-?([0-9]+|[0-9]*\.[0-9]+)([eE][+-]?[0-9]+)?$`)
)

func slowValid(descriptors []string) bool { // 10 to 14
	width, density, height, wrong := false, false, false, false
	for _, d := range descriptors {
		value, kind := d[:len(d)-1], d[len(d)-1]
		zero := strings.Trim(value, "0") == ""
		switch {
		case kind == 'w' && slowInteger.MatchString(value):
			wrong = wrong || width || density || zero
			width = true
		case kind == 'x' && slowFloat.MatchString(value):
			number, _ := strconv.ParseFloat(value, 64)
			wrong = wrong || width || density || height || number < 0
			density = true
		case kind == 'h' && slowInteger.MatchString(value):
			wrong = wrong || height || density || zero
			height = true
		default:
			wrong = true
		}
	}
	return !wrong && !(height && !width)
}

func FuzzRefreshIsReadAsTheStandardSays(f *testing.F) {
	for _, content := range []string{"1;url=x", "  2 , URL = 'a'b", "3", ".5 x", "1..;u", "1 ;,x", "4;url\n=\"y", "5;ur=z", "", "x", "1x", "99999999999999999999;a"} {
		f.Add([]byte(content))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		target, delay, ok := refresh(content)
		got := fmt.Sprintf("%q %s %t", target, delay, ok)
		require.Equal(t, slowRefresh(content), got, "%q", content)
	})
}

// slowRefresh is the "shared declarative refresh steps" of the HTML standard, step
// by step.
func slowRefresh(input []byte) string {
	position := 0
	skip := func(set string) []byte {
		start := position
		for position < len(input) && bytes.IndexByte([]byte(set), input[position]) >= 0 {
			position++
		}
		return input[start:position]
	}
	at := func(set string) bool {
		return position < len(input) && bytes.IndexByte([]byte(set), input[position]) >= 0
	}
	const blank, digit, none = " \t\n\f\r", "0123456789", `"" 0s false`
	skip(blank)                       // 3
	digits := skip(digit)             // 5
	if len(digits) == 0 && !at(".") { // 6.1
		return none
	}
	delay := MaxDelay
	if n, err := strconv.Atoi("0" + string(digits)); err == nil && n < int(MaxDelay/time.Second) {
		delay = time.Duration(n) * time.Second
	}
	found := func(url []byte) string { return fmt.Sprintf("%q %s true", url, delay) }
	skip(digit + ".")           // 8
	if position == len(input) { // 10
		return found(nil)
	}
	if !at(";," + blank) { // 11.1
		return none
	}
	skip(blank)   // 11.2
	if at(";,") { // 11.3
		position++
	}
	skip(blank) // 11.4
	rest := bytes.TrimRight(input[position:], blank)
	url := rest
	for _, letter := range []string{"uU", "rR", "lL"} { // 11.8 and so on
		if !at(letter) {
			return found(slowQuotes(url, input, position, letter == "uU"))
		}
		position++
	}
	skip(blank)
	if !at("=") {
		return found(url)
	}
	position++
	skip(blank)
	return found(slowQuotes(bytes.TrimRight(input[position:], blank), input, position, true))
}

// slowQuotes are the steps from "skip quotes" on, if they are reached.
func slowQuotes(url, input []byte, position int, reached bool) []byte {
	if !reached || position >= len(input) || input[position] != '"' && input[position] != '\'' {
		return url
	}
	quote := input[position]
	url = url[1:]
	if end := bytes.IndexByte(url, quote); end >= 0 {
		url = url[:end]
	}
	return url
}

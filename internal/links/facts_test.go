package links

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestALinkSaysWhatIsKnownOfWhereItLeads(t *testing.T) {
	body := `<link rel=alternate hreflang=de-AT type=application/rss+xml href=feed><body><link rel=canonical href=here>
		<a href=x hreflang=fr rel="ugc Sponsored">x</a><img srcset="i.png 2x, j.png 640w 480h"><meta http-equiv=refresh content="30; url=later">`
	at := func(tag string) int { return strings.Index(body, tag) }
	got := Extract([]byte(body), Options{}).Links
	assert.Equal(t, []Link{
		{Observed: "feed", Rule: "link[rel=alternate]", Rel: "alternate", Hreflang: "de-AT", Type: "application/rss+xml", Offset: 0, InHead: true},
		{Observed: "here", Rule: "link[rel=canonical]", Rel: "canonical", Offset: at("<link rel=canonical")},
		{Observed: "x", Rule: "a", Rel: "ugc Sponsored", Text: "x", Hreflang: "fr", Offset: at("<a")},
		{Observed: "i.png", Rule: "img[srcset]", Descriptor: "2x", Offset: at("<img")},
		{Observed: "j.png", Rule: "img[srcset]", Descriptor: "640w 480h", Offset: at("<img")},
		{Observed: "later", Rule: "meta[refresh]", Delay: 30 * time.Second, Offset: at("<meta")},
	}, got)
	assert.True(t, got[2].HasRel("sponsored") && got[2].HasRel("UGC"))
	assert.False(t, got[2].NoFollow(), "what is sponsored is followed unless it asks otherwise")
}

func TestTheHeaderRefersBeforeThePage(t *testing.T) {
	header := http.Header{
		"Link":         {`<n>; rel="next"; hreflang=de, <c>; rel=Canonical; type="text/html"`, `<other>; rel=next; anchor="/elsewhere", <part>; rel=up; anchor="#a", <plain>`},
		"X-Robots-Tag": {"nofollow"},
	}
	got := Extract([]byte("<base href=/b/><a href=x>"), Options{Header: header, References: 4})
	assert.Equal(t, []Link{
		{Observed: "n", Rule: "header[rel=next]", Rel: "next", Hreflang: "de", Offset: InHeader},
		{Observed: "c", Rule: "header[rel=canonical]", Rel: "canonical", Type: "text/html", Offset: InHeader},
		{Observed: "part", Rule: "header[rel=up]", Rel: "up", Offset: InHeader},
		{Observed: "plain", Rule: "header", Offset: InHeader},
	}, got.Links)
	assert.Equal(t, 1, got.Beyond, "the bound is one for both")
	assert.Equal(t, "x", got.Example)
	assert.True(t, got.NoFollow)
	assert.True(t, Followed("header[rel=next]"))
	assert.False(t, Followed("header[rel=canonical]"))
	assert.Equal(t, got.Links, Extract(nil, Options{Header: header}).Links, "what is no page has its header all the same")
}

func TestARefreshWaitsADayAtMost(t *testing.T) {
	for content, want := range map[string]time.Duration{
		"0;x": 0, ".9;x": 0, "86399;x": 86399 * time.Second, "86401;x": MaxDelay, "99999999999999999999999999;x": MaxDelay,
	} {
		_, delay, ok := refresh([]byte(content))
		assert.True(t, ok, content)
		assert.Equal(t, want, delay, content)
	}
}

func TestInXMLATagThatClosesItselfHoldsNothing(t *testing.T) {
	body := `<?xml version="1.0"?><html xmlns="x"><head><title/><script src="s"/><style/></head><body><a href="a"/>no<h:a xmlns:h="x" href="b">b</h:a>` +
		`<![CDATA[<a href="no">]]><a href="c"><![CDATA[<c>]]></a><template/><iframe src="f"/><textarea/><a href="d">d</a></body></html>`
	var texts []string
	for _, l := range Extract([]byte(body), Options{XML: true}).Links {
		texts = append(texts, l.Observed+" "+l.Text)
	}
	assert.Equal(t, []string{"s ", "a ", "b b", "c <c>", "f ", "d d"}, texts)
	assert.Empty(t, Extract([]byte(body), Options{}).Links, "in HTML its title never ends")
}

func TestEveryDirectiveIsReportedWithWhomItNames(t *testing.T) {
	body := `<meta name=robots content="NoArchive, max-snippet:20, , noarchive"><meta name=WeirBot content=nosnippet><meta name=otherbot content=noindex>`
	header := http.Header{"X-Robots-Tag": {
		"unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, noimageindex",
		"otherbot: noindex, weirbot: unavailable_after: 25 Jun 2010 15:00:00 PST, noimageindex, *: all",
		"unavailable_after: Saturday, 26-Jun-10 15:00:00 GMT",
	}}
	got := Extract([]byte(body), Options{Agent: "weirbot", Header: header}).Directives
	assert.Equal(t, Directives{Stated: []Directive{
		{"unavailable_after", "Fri, 25 Jun 2010 15:00:00 GMT", ""}, {"noimageindex", "", ""},
		{"unavailable_after", "25 Jun 2010 15:00:00 PST", "weirbot"}, {"noimageindex", "", "weirbot"}, {"all", "", ""},
		{"unavailable_after", "Saturday, 26-Jun-10 15:00:00 GMT", ""},
		{"noarchive", "", ""}, {"max-snippet", "20", ""}, {"nosnippet", "", "WeirBot"},
	}}, got)
}

func TestADirectiveWithAValueIsNoAgent(t *testing.T) {
	var d Directives
	d.header([]byte("max-snippet: 20, noindex"), "weirbot")
	assert.True(t, d.NoIndex)
}

func TestAStatedNofollowIsObeyedWhateverStandsBeforeIt(t *testing.T) {
	for _, content := range []string{
		"unavailable_after: never, nofollow", "unavailable_after: none, nofollow", "unavailable_after: soon,NOFOLLOW", "unavailable_after: , nofollow",
		"unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, nofollow", "unavailable_after: Friday, 25-Jun-10 15:00:00 GMT, nofollow",
		"unavailable_after: 2010-06-25, nofollow", "noindex nofollow", "nofollow noindex", "noarchive \t nofollow, x", "noarchive,, nofollow",
		"max-audio-preview: 3, nofollow", "max-audio-preview: none, nofollow", "max-snippet:-1, nofollow", "x-new: 3, nofollow",
	} {
		page := Extract([]byte(`<meta name=robots content="`+content+`">`), Options{Agent: "weirbot"})
		assert.True(t, page.NoFollow, content)
		header := Extract(nil, Options{Agent: "weirbot", Header: http.Header{"X-Robots-Tag": {content}}})
		assert.True(t, header.NoFollow, content)
	}
	for _, content := range []string{"unavailable_after: Fri, nofollow", "nofollowing", "no follow"} {
		assert.False(t, Extract([]byte(`<meta name=robots content="`+content+`">`), Options{}).NoFollow, content)
	}
}

func TestOnlyAnAgentThatIsNamedListens(t *testing.T) {
	for value, want := range map[string]bool{
		"weirbot: nofollow": true, "WEIRBOT:nofollow": true, "robots: none": true, "*: nofollow": true, "otherbot: noindex, nofollow": false,
		"otherbot: noindex, weirbot: nofollow": true, "weirbot: noindex, otherbot: nofollow": false, ": nofollow": true,
		"otherbot: noai, nofollow": false, "otherbot: max-snippet: 3, nofollow": false, "otherbot: noindex nofollow": false, "otherbot:nofollow": false,
		"otherbot: unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow": false, "otherbot: noindex, weirbot: x-new, nofollow": true,
	} {
		var d Directives
		d.header([]byte(value), "weirbot")
		assert.Equal(t, want, d.NoFollow, value)
		d = Directives{}
		d.header([]byte("otherbot: nofollow"), "")
		assert.False(t, d.NoFollow, "without an agent nobody is named")
	}
}

func TestALongRelIsObeyedToItsEnd(t *testing.T) {
	filler := strings.Repeat("x ", maxRel)
	for rel, nofollow := range map[string]bool{
		filler + "nofollow": true, filler + "next NoFollow y": true, filler + "nofollowing": false, strings.Repeat("x", maxRel-8) + "nofollowing": false,
	} {
		for _, page := range []string{`<a rel="` + rel + `" href=x>`, `<area rel="` + rel + `" href=x>`, `<link rel="` + rel + `" href=x>`} {
			assert.Equal(t, nofollow, Extract([]byte(page), Options{}).Links[0].NoFollow(), page)
		}
		header := http.Header{"Link": {`<x>; rel="` + rel + `"`}}
		assert.Equal(t, nofollow, Extract(nil, Options{Header: header}).Links[0].NoFollow(), rel)
	}
}

func TestARuleSaysNextAndPrevHoweverLongTheRel(t *testing.T) {
	long := strings.Repeat("x", maxRule-2)
	for rel, want := range map[string]string{
		long + " next":                               "next",
		long + " chapter Prev":                       "prev",
		strings.Repeat("y ", maxRel) + "NEXT":        "next " + strings.Repeat("y ", 23) + "y",
		"alternate " + long + " nextdoor":            "alternate",
		strings.Repeat("x", maxRule-5) + " nextdoor": strings.Repeat("x", maxRule-5),
		long + "xxx":                                 long + "xx",
	} {
		body, header := Extract([]byte(`<link rel="`+rel+`" href=x>`), Options{}), Extract(nil, Options{Header: http.Header{"Link": {`<x>; rel="` + rel + `"`}}})
		assert.Equal(t, "link[rel="+want+"]", body.Links[0].Rule)
		assert.Equal(t, "header[rel="+want+"]", header.Links[0].Rule)
		leads := want[:4] == "next" || want[:4] == "prev"
		assert.Equal(t, leads, Followed(body.Links[0].Rule), rel)
		assert.Equal(t, leads, Followed(header.Links[0].Rule), rel)
	}
}

func TestAFrameCountsInAFrameset(t *testing.T) {
	for body, want := range map[string]int{
		"<frame src=x>": 0, "<frameset><frame src=x></frameset>": 1, "<head></head> <frameset><frame src=x><frameset><frame src=y></frameset><frame src=z></frameset><frame src=no>": 3,
		"<body><frameset><frame src=x></frameset>": 0, "text<frameset><frame src=x></frameset>": 0, "<p><frameset><frame src=x></frameset>": 1,
		"<frameset></frameset><frameset><frame src=x></frameset>": 0, "<table></table><frameset><frame src=x></frameset>": 0,
	} {
		assert.Len(t, Extract([]byte(body), Options{}).Links, want, body)
	}
}

func TestAByteOrderMarkIsNoText(t *testing.T) {
	assert.True(t, Extract([]byte("\uFEFF<link href=x>"), Options{}).Links[0].InHead)
	assert.False(t, Extract([]byte(" x<link href=x>"), Options{}).Links[0].InHead)
}

func TestXLinkIsAReferenceInSVGOnly(t *testing.T) {
	assert.Equal(t, []string{"in", "first"}, observed(Extract([]byte(`<a xlink:href=no><svg><a xlink:href=in /><a xlink:href=no href=first>`), Options{}).Links))
}

func TestALongSrcsetIsDecodedCandidateByCandidate(t *testing.T) {
	got := Extract([]byte(`<img srcset="`+strings.Repeat(" ", maxEncoded)+`a?b&amp;c 2x">`), Options{}).Links
	assert.Equal(t, []string{"a?b&c"}, observed(got))
}

func TestDirectivesAreBounded(t *testing.T) {
	var body strings.Builder
	for i := range 100 {
		fmt.Fprintf(&body, "<meta name=robots content='d%d: %s'>", i, strings.Repeat("v", 200))
	}
	got := Extract([]byte(body.String()+"<meta name=robots content=nofollow>"), Options{})
	assert.Len(t, got.Stated, maxStated)
	assert.Len(t, got.Stated[0].Value, maxValue)
	assert.True(t, got.NoFollow, "what is not reported is obeyed all the same")
	assert.False(t, Extract([]byte("<meta name=robots content='"+strings.Repeat("x,", maxRobots/2)+"nofollow'>"), Options{}).NoFollow)
}

func TestWhatIsNestedIsFollowedToABound(t *testing.T) {
	page := strings.Repeat("<a href=x><table><td>", 100) + strings.Repeat("<svg><desc>", 100)
	e := extractor{scanner: scanner{page: []byte(page)}, options: Options{}.withDefaults()}
	e.pass()
	assert.LessOrEqual(t, len(e.open), maxAnchors)
	assert.LessOrEqual(t, len(e.scopes), maxScopes)
	assert.LessOrEqual(t, len(e.foreign), maxForeign)
	assert.Len(t, e.result.Links, 100)
}

func TestLinksOfTheHeaderThatAreNotReadAreBeyond(t *testing.T) {
	got := Extract(nil, Options{Header: http.Header{"Link": {strings.Repeat("<a>,", 1100)}}})
	assert.Len(t, got.Links, 1000)
	assert.Equal(t, 100, got.Beyond)
}

func TestEveryNameIsFoundInAnyCase(t *testing.T) {
	for name, el := range elements {
		assert.Same(t, el, elementNames.find([]byte(strings.ToUpper(name)), &unknown), name)
	}
	for a := noAttribute + 1; a < attributeCount; a++ {
		assert.Equal(t, a, attributesByName.find([]byte(strings.ToUpper(a.String())), noAttribute))
	}
	assert.Same(t, &unknown, elementNames.find([]byte("ab"), &unknown))
}

package links

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/urlnorm"
)

// requests resolves the links of a page as the crawler does. What cannot be
// requested is the word of its refusal.
func requests(t *testing.T, page, body string) (all []string) {
	t.Helper()
	found := Extract([]byte(body), Options{})
	base := found.BaseOf(page, on(page))
	for _, l := range found.Links {
		url, err := on(base)(l.Observed)
		var reject urlnorm.Reject
		if errors.As(err, &reject) {
			url = string(reject)
		} else {
			require.NoError(t, err)
		}
		all = append(all, url)
	}
	return all
}

// on resolves references against a URL.
func on(base string) func(ref string) (string, error) {
	b, err := urlnorm.Standard{}.Normalize(nil, base)
	return func(ref string) (string, error) {
		if err != nil {
			u, err := urlnorm.Standard{}.Normalize(nil, ref)
			return u.Request, err
		}
		u, err := urlnorm.Standard{}.Normalize(&b, ref)
		return u.Request, err
	}
}

func TestSI1ABaseIsResolvedAgainstThePage(t *testing.T) {
	const page = "https://a.example/x/y"
	for name, c := range map[string]struct{ body, want string }{
		"S-I1 relative":         {`<base href="/about/"><link href="static/a.css">`, "https://a.example/about/static/a.css"},
		"S-I1 without scheme":   {`<base href=//cdn.example/><link href=/w/b.js>`, "https://cdn.example/w/b.js"},
		"the first with a href": {`<base target=_top><base href=one/><base href=two/><a href=z>`, "https://a.example/x/one/z"},
		"behind the links":      {`<a href=z><base href=/late/>`, "https://a.example/late/z"},
		"invalid":               {`<base href="http://[/"><a href=z>`, "https://a.example/x/z"},
		"without a host":        {`<base href="//["><a href=z>`, "https://a.example/x/z"},
		"behind noscript":       {`<noscript><base href=/no/></noscript><base href=/yes/><a href=z>`, "https://a.example/yes/z"},
		"empty":                 {`<base href=""><a href=z>`, "https://a.example/x/z"},
		"data":                  {`<base href="data:text/html,x"><a href=z>`, "https://a.example/x/z"},
		"script":                {`<base href=" JavaScript:x"><a href=z>`, "https://a.example/x/z"},
		"of another scheme":     {`<base href="about:blank"><a href=z>`, "malformed"},
		"absolute on that":      {`<base href="about:blank"><a href=http://b.example/>`, "http://b.example/"},
		"only a name":           {`<base href="www.b.example"><a href=z>`, "https://a.example/x/z"},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, []string{c.want}, requests(t, page, c.body)) })
	}
}

func TestSI2SpaceAroundAReferenceIsNoPartOfIt(t *testing.T) {
	body := "<base href=' / '><a href=' http://b.example/'><a href='&#10;  /feed.xml&#9;'><form action='\t/f '></form><img src='\n/i\n'><iframe src=' /n '></iframe>" +
		"<link href='/l\r\n'><img srcset='\n /s  2x'><meta http-equiv=refresh content=' 0 ; url= /m '>"
	want := "http://b.example/ http://a.example/feed.xml http://a.example/f http://a.example/i http://a.example/n http://a.example/l http://a.example/s http://a.example/m"
	assert.Equal(t, strings.Fields(want), requests(t, "http://a.example/?post=1", body))
}

func TestSI3WhatIsNotOfTheWebIsRefusedByName(t *testing.T) {
	body := `<img src="data:image/png;base64,AAAA"><a href="javascript:void(0)"><a href="mailto:x@a.example"><a href="tel:1">` +
		`<a href="blob:http://a.example/x"><a href="JavaScript:x"><a href=" &#9;java&#10;script:x"><a href=good>`
	want := append(strings.Fields(strings.Repeat("unsupported_scheme ", 7)), "http://a.example/good")
	assert.Equal(t, want, requests(t, "http://a.example/", body))
}

func TestSI4AReferenceWithSpacesIsRequested(t *testing.T) {
	assert.Equal(t, []string{"http://a.example/URL%20with%20spaces/"}, requests(t, "http://a.example/", `<a href="/URL with spaces/">`))
}

func TestSI5RefreshDoesNotDependOnAttributeOrder(t *testing.T) {
	body := `<meta content="0;url=dummy.html" http-equiv="refresh"><META HTTP-EQUIV=Refresh CONTENT="0; URL='/x'">
		<!-- <meta http-equiv="refresh" content="0;url=no"> --><noscript><meta http-equiv=refresh content="9;url=plain"></noscript>`
	assert.Equal(t, []string{"http://a.example/d/dummy.html", "http://a.example/x", "http://a.example/d/plain"}, requests(t, "http://a.example/d/", body))
}

func TestSI6RelativeFormsLeadWhereABrowserGoes(t *testing.T) {
	body := `<a href=dos><a href=/path-2><a href=//b.example/z><a href=?p=2><a href="">`
	assert.Equal(t, strings.Fields("http://a.example/dos http://a.example/path-2 http://b.example/z http://a.example/uno?p=2 http://a.example/uno"),
		requests(t, "http://a.example/uno", body))
	assert.Equal(t, strings.Fields("http://a.example/uno/dos http://a.example/path-2 http://b.example/z http://a.example/uno/?p=2 http://a.example/uno/"),
		requests(t, "http://a.example/uno/", body))
}

func TestSK7NestingDoesNotHideALink(t *testing.T) {
	body := strings.Repeat("<div>", 1024) + "<a href=/x>" + strings.Repeat("</div>", 1024)
	assert.Equal(t, []string{"http://a.example/x"}, requests(t, "http://a.example/", body))
	script := "!function(){var a='<a href=/no>'" + strings.Repeat(";if(a<b&&c>d){e=f}", 600<<10/19) + "}"
	assert.Equal(t, []string{"http://a.example/no"}, requests(t, "http://a.example/", script), "a script that is served as HTML is read as HTML")
}

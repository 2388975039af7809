package main

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
)

var smallSite = fstest.MapFS{
	"sites/s/index.html":      {Data: []byte(`<a href="a b.html">1</a><a rel=nofollow href=deep/>2</a><a href=gone.html?x=1>3</a><img src=i.png><a href=//b.test/x>4</a>`)},
	"sites/s/a b.html":        {Data: []byte(`<a href="deep/more.txt">5</a><a href="?again">6</a>`)},
	"sites/s/deep/index.html": {Data: []byte(`<frame src=more.txt><a href="more.html">7</a>`)},
	"sites/s/deep/more.txt":   {Data: []byte(`<a href=/no.html>no link</a>`)},
	"sites/s/deep/more.html":  {Data: []byte(`<a href=/index.html>home</a><a href="mailto:a@b.test">m</a>`)},
	"sites/s/robots.txt":      {Data: []byte("User-agent: *\nDisallow: /")},
	"sites/s/i.png":           {Data: []byte("\x89PNG")},
}

func smallRow() siteRow {
	return siteRow{Name: "small", Site: "s", Start: "/index.html",
		Reached:  []reached{{"/index.html", 0}, {"/deep/", 1}, {"/a%20b.html", 1}, {"/deep/more.html", 2}, {"/deep/more.txt", 2}},
		NotFound: []string{"/gone.html"}, External: []string{"http://b.test/x"}}
}

func TestASiteIsCrawledAsItStands(t *testing.T) {
	assert.Equal(t, verdict{id: "small"}, judgeSite(smallSite, smallRow()))

	row := smallRow()
	row.Reached = append(row.Reached, reached{"/a%20b.html?again", 2})
	row.NotFound = []string{"/gone.html?x=1"}
	assert.Equal(t, verdict{id: "small"}, judgeSite(smallSite, row), "a row may tell queries apart")
}

func TestASiteIsComparedExactly(t *testing.T) {
	for name, change := range map[string]func(*siteRow){
		"a page less":          func(r *siteRow) { r.Reached = r.Reached[1:] },
		"a page more":          func(r *siteRow) { r.Reached = append(r.Reached, reached{"/i.png", 1}) },
		"another depth":        func(r *siteRow) { r.Reached[1].Depth = 2 },
		"nothing not found":    func(r *siteRow) { r.NotFound = nil },
		"something else is":    func(r *siteRow) { r.NotFound = append(r.NotFound, "/no.html") },
		"nothing outside":      func(r *siteRow) { r.External = nil },
		"something else is it": func(r *siteRow) { r.External = append(r.External, "mailto:a@b.test") },
		"another folder":       func(r *siteRow) { r.Site = "t" },
	} {
		t.Run(name, func(t *testing.T) {
			row := smallRow()
			change(&row)
			assert.NotEmpty(t, judgeSite(smallSite, row).failure)
		})
	}
}

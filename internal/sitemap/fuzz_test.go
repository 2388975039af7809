package sitemap

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// seeds are texts of every form, right and wrong.
var seeds = []string{
	`<?xml version="1.0"?><urlset xmlns="x"><url><loc>http://a.test/1</loc><lastmod>2024-05-06</lastmod></url><url><loc><![CDATA[http://a.test/?a&b]]></loc></url></urlset>`,
	`<sitemapindex><sitemap><loc>http://a.test/1.xml</loc></sitemap><sitemap>http://a.test/2</sitemap></sitemapindex>`,
	`<rss><channel><item><guid>http://a.test/g</guid><link>http://a.test/1</link><pubDate>Thu, 05 Jan 2017 12:34:50 GMT</pubDate></item></channel></rss>`,
	`<feed><entry><link rel=alternate href="http://a.test/1?a=1&amp;b"/><updated>2024</updated></entry></feed>`,
	`<urlset><url><image:image><image:loc>http://a.test/i</image:loc></image:image><xhtml:link rel="alternate" hreflang="de" href="http://a.test/de"/><loc>http://a.test/<!-- x -->1</loc></url></urlset>`,
	`<urlset><url><loc>http://a.test/1<url><loc>http://a.test/2</loc</url></url><x a="<y>"></urlset>`,
	"http://a.test/1\r\nwww.a.test/2\nx\n", "<html>", "{", "", "\x1f\x8b\x08", "\xff\xfe<\x00u\x00", "<!DOCTYPE x [<!ENTITY a 'b'>]><urlset>&a;",
}

// small are limits that a short text reaches.
var small = Limits{Bytes: 1 << 10, Entries: 3, Children: 2, URL: 40, Extras: 2, Depth: 3}

// outcome reads a body and keeps what came of it.
func outcome(body io.Reader, l Limits) (all []Entry, report Report, err error) {
	r := New(body, Options{Limits: l})
	for e, problem := range r.Entries() {
		if problem != nil {
			return all, r.Report(), problem
		}
		all = append(all, e)
	}
	return all, r.Report(), nil
}

// FuzzPiecesDoNotMatter: a body that comes in odd reads has the same entries and
// the same report.
func FuzzPiecesDoNotMatter(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s), false)
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, body []byte, packed bool) {
		if packed {
			body = gz(t, body)
		}
		all, report, err := outcome(bytes.NewReader(body), Limits{})
		require.NoError(t, err)
		for _, odd := range []io.Reader{
			iotest.OneByteReader(bytes.NewReader(body)), iotest.HalfReader(bytes.NewReader(body)), iotest.DataErrReader(bytes.NewReader(body)),
		} {
			same, again, err := outcome(odd, Limits{})
			require.NoError(t, err)
			assert.Equal(t, all, same)
			assert.Equal(t, report, again)
		}
	})
}

// FuzzBoundsHold: nothing that is yielded or reported is larger than it may be, all
// of it is valid, and every entry has a URL.
func FuzzBoundsHold(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s), false)
		f.Add([]byte(strings.Repeat(s, 20)), true)
	}
	f.Fuzz(func(t *testing.T, body []byte, packed bool) {
		if packed {
			body = gz(t, body)
		}
		all, report, err := outcome(bytes.NewReader(body), small)
		require.NoError(t, err)
		assert.LessOrEqual(t, report.Bytes, small.Bytes)
		assert.LessOrEqual(t, report.Entries, small.Entries)
		assert.LessOrEqual(t, report.Children, small.Children)
		assert.Len(t, all, report.Entries+report.Children)
		assert.NotEqual(t, report.Kind == "", report.Refused == "")
		for i, e := range all {
			assert.Equal(t, i+1, e.N)
			assert.NotEmpty(t, e.Loc)
			extras := len(e.Images) + len(e.Videos) + len(e.Alternates)
			assert.LessOrEqual(t, extras, small.Extras)
			assert.True(t, e.Priority >= 0 && e.Priority <= 1)
			urls := []string{e.Loc}
			for _, x := range e.Images {
				urls = append(urls, x.Loc, x.License)
			}
			for _, a := range e.Alternates {
				urls = append(urls, a.Href)
			}
			for _, u := range urls {
				assert.LessOrEqual(t, len(strings.ReplaceAll(u, "\ufffd", "?")), small.URL)
				assert.True(t, utf8.ValidString(u))
			}
		}
		for _, n := range report.Notes {
			assert.Positive(t, n.Count)
			assert.LessOrEqual(t, len(n.Example), exampleMax)
			assert.True(t, utf8.ValidString(n.Example))
		}
	})
}

// FuzzTheFirstPartListsTheFirstURLs: of a text that breaks off.
func FuzzTheFirstPartListsTheFirstURLs(f *testing.F) {
	for i, s := range seeds {
		f.Add(s, uint16(10*i+20))
	}
	f.Fuzz(func(t *testing.T, text string, size uint16) {
		text = "<urlset>" + text
		whole, _, err := outcome(strings.NewReader(text), Limits{})
		require.NoError(t, err)
		part, _, err := outcome(strings.NewReader(text), Limits{Bytes: max(9, int64(size))})
		require.NoError(t, err)
		require.LessOrEqual(t, len(part), len(whole))
		for i := range part {
			assert.Equal(t, whole[i].Loc, part[i].Loc)
		}
	})
}

// FuzzWellFormedXMLIsReadAsXML: encoding/xml writes, and we read the same.
func FuzzWellFormedXMLIsReadAsXML(f *testing.F) {
	f.Add("http://a.test/?a=1&b=2", "x <y> & ]]> \"z\"", "é\u2028'")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		type page struct {
			Title string `xml:"title"` // of nothing that we know
			Loc   string `xml:"loc"`
		}
		set := struct {
			XMLName struct{} `xml:"urlset"`
			Pages   []page   `xml:"url"`
		}{Pages: []page{{b, "http://a.test/" + a}, {c, "http://a.test/" + b}, {a, "http://a.test/" + c}}}
		text, err := xml.Marshal(set)
		require.NoError(t, err)
		require.NoError(t, xml.Unmarshal(text, &set)) // what XML cannot say is replaced
		want := []string{}
		for _, p := range set.Pages[3:] {
			want = append(want, string(trim([]byte(p.Loc))))
		}
		all, report := readText(t, xml.Header+string(text))
		assert.Equal(t, want, locsOf(all), "%s", text)
		assert.True(t, report.Whole())
	})
}

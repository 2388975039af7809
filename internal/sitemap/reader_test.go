package sitemap

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// readAll reads a whole sitemap, which has no error.
func readAll(t testing.TB, body io.Reader, o Options) ([]Entry, Report) {
	t.Helper()
	r := New(body, o)
	var all []Entry
	for e, err := range r.Entries() {
		require.NoError(t, err)
		all = append(all, e)
	}
	return all, r.Report()
}

func readText(t testing.TB, text string) ([]Entry, Report) {
	t.Helper()
	return readAll(t, strings.NewReader(text), Options{})
}

func locsOf(all []Entry) []string {
	locs := []string{}
	for _, e := range all {
		locs = append(locs, e.Loc)
	}
	return locs
}

// faultsOf prints notes as "fault:count".
func faultsOf(r Report) []string {
	faults := []string{}
	for _, n := range r.Notes {
		faults = append(faults, string(n.Fault)+":"+string(rune('0'+n.Count)))
	}
	return faults
}

func TestEveryFormIsRead(t *testing.T) {
	for name, c := range map[string]struct {
		kind Kind
		text string
	}{
		"urlset":   {URLSet, `<urlset><url><loc>http://a.test/1</loc></url><url><loc>http://a.test/2</loc></url></urlset>`},
		"index":    {Index, `<sitemapindex><sitemap><loc>http://a.test/1</loc></sitemap><sitemap><loc>http://a.test/2</loc></sitemap></sitemapindex>`},
		"rss 2.0":  {RSS, `<rss><channel><link>http://a.test/</link><item><link>http://a.test/1</link></item><item><guid>http://a.test/2</guid></item></channel></rss>`},
		"rss 1.0":  {RSS, `<rdf:RDF><channel><link>http://a.test/</link></channel><item><link>http://a.test/1</link></item><item><link>http://a.test/2</link></item></rdf:RDF>`},
		"atom":     {Atom, `<feed><link href="http://a.test/"/><entry><link href="http://a.test/1"/><link href="http://a.test/3"/></entry><entry><link rel="self" href="http://a.test/4"/><link rel='Alternate' href='http://a.test/2'/></entry></feed>`},
		"text":     {Text, "http://a.test/1\nhttp://a.test/2\n"},
		"prefixed": {URLSet, `<s:urlset><s:url><s:loc>http://a.test/1</s:loc></s:url><s:url><s:loc>http://a.test/2</s:loc></s:url></s:urlset>`},
	} {
		t.Run(name, func(t *testing.T) {
			all, report := readText(t, c.text)
			assert.Equal(t, c.kind, report.Kind)
			assert.Equal(t, []string{"http://a.test/1", "http://a.test/2"}, locsOf(all))
			assert.Empty(t, report.Notes)
			assert.True(t, report.Whole())
			for i, e := range all {
				assert.Equal(t, i+1, e.N)
				assert.Equal(t, c.kind == Index, e.Child)
				assert.Equal(t, DefaultPriority, e.Priority)
			}
		})
	}
}

// TestSyntaxIsLenient: what was meant is read, and what was wrong is named.
func TestSyntaxIsLenient(t *testing.T) {
	const a, b = "http://a.test/a", "http://a.test/b"
	set := func(inner string) string { return "<urlset>" + inner + "</urlset>" }
	for _, c := range []struct {
		name, text string
		locs       []string
		faults     []string
	}{
		{"blank lines before the declaration", "\n\n <?xml version='1.0'?>" + set(`<url><loc>`+a+`</loc></url>`), []string{a}, nil},
		{"a declaration that does not end", "<?xml version='1.0'>" + set(`<url><loc>`+a+`</loc></url>`), []string{a}, nil},
		{"a warning before the declaration", "<br />\n<b>Warning</b>: x in y <?xml version='1.0'?>" + set(`<url><loc>`+a+`</loc></url>`), []string{a}, []string{"junk:4"}},
		{"words before the declaration", "Warning: x <?xml version='1.0'?>" + set(`<url><loc>`+a+`</loc></url>`), []string{a}, []string{"junk:1"}},
		{"words between and behind", "<urlset>x<url><loc>" + a + "</loc></url></urlset>y", []string{a}, []string{"junk:2"}},
		{"upper case", `<URLSET><Url><LOC>` + a + `</loc></URL></urlset>`, []string{a}, nil},
		{"no end of loc", set(`<url><loc>` + a + `<lastmod>2024</lastmod></url><url><loc>` + b + `</url>`), []string{a, b}, []string{"missing end:2"}},
		{"no end of url", set(`<url><loc>` + a + `</loc><url><loc>` + b + `</loc>`), []string{a, b}, []string{"missing end:1"}},
		{"no end of either", set(`<url><loc>` + a + `<url><loc>` + b + `</url>`), []string{a, b}, []string{"missing end:3"}},
		{"no start of url", set(`<url><loc>` + a + `</loc></url></url>`), []string{a}, []string{"stray end:1"}},
		{"two locs", set(`<url><loc>` + a + `</loc><loc>` + b + `</loc></url>`), []string{a, b}, []string{"missing end:1"}},
		{"url in loc", set(`<url><loc><url>` + a + `</url></loc></url>`), []string{a}, nil},
		{"markup in loc", set(`<url><loc><b>http://a.test</b>/a</loc></url>`), []string{a}, nil},
		{"no loc", set(`<url>` + a + `</url><url>x</url><url/>`), []string{a}, []string{"bare loc:1", "no loc:2"}},
		{"S-M3 white space inside loc", set("<url><loc>\n   " + a + "\n  </loc></url>"), []string{a}, nil},
		{"a comment in loc", set(`<url><loc>http://a.test/<!-- <loc> -->a</loc></url>`), []string{a}, nil},
		{"a section", set(`<url><loc>` + "\u00a0" + `<![CDATA[ http://a.test/?a=1&amp;b ]]>` + "\ufeff" + `</loc></url>`), []string{"http://a.test/?a=1&amp;b"}, nil},
		{"a section beside text", set(`<url><loc>http://a.test/?a&amp;b<![CDATA[&amp;]]>&#38;</loc></url>`), []string{"http://a.test/?a&b&amp;&"}, nil},
		{"a bare ampersand", set(`<url><loc>http://a.test/?a=1&copy=2&b;x&amp;&#x41;</loc></url>`), []string{"http://a.test/?a=1&copy=2&b;x&A"}, []string{"unknown entity:1"}},
		{"an entity of HTML", set(`<url><loc>http://a.test/caf&eacute;</loc></url>`), []string{"http://a.test/café"}, nil},
		{"a tag that the next one cuts", set(`<url><loc>` + a + `</loc</url><url x="<loc>` + b + `</loc></url>`), []string{a, b}, []string{"broken tag:2"}},
		{"a less-than sign", set(`<url><loc>http://a.test/?1<2</loc></url>`), []string{"http://a.test/?1<2"}, nil},
		{"broken bytes", set("<url><loc>http://a.test/\xff\xfe</loc></url>"), []string{"http://a.test/\ufffd"}, []string{"invalid text:1"}},
		{"two roots", set(`<url><loc>`+a+`</loc></url>`) + `<?xml version="1.0"?>` + set(`<url><loc>`+b+`</loc></url>`), []string{a, b}, []string{"another root:1"}},
		{"a page in an index", `<sitemapindex><url><loc>` + a + `</loc></url></sitemapindex>`, []string{a}, []string{"misplaced entry:1"}},
		{"cut in loc", `<urlset><url><loc>` + a + `</loc></url><url><loc>http`, []string{a}, []string{"truncated:1"}},
		{"cut in url", `<urlset><url><loc>` + a + `</loc><lastmod>20`, []string{a}, []string{"truncated:1"}},
		{"cut in a tag", `<urlset><url><loc>` + a + `</lo`, []string{}, []string{"truncated:1"}},
		{"cut in a comment", `<urlset><url><loc>` + a + `</loc></url></urlset><!-- `, []string{a}, []string{"truncated:1"}},
		{"cut before the link of an item", `<rss><item><link>` + a + `</link></item><item><guid>` + b + `</guid>`, []string{a}, []string{"truncated:1"}},
		{"the source of an entry", `<feed><entry><source><link href="http://b.test/"/></source><link href="` + a + `"/></entry></feed>`, []string{a}, nil},
		{"links in the text of an item", `<rss><item><description><p><link>http://b.test/</link></description><link>` + a + `</link></item></rss>`, []string{a}, nil},
		{"a link of Atom in RSS", `<rss><item><atom:link href="http://b.test/"/><link>` + a + `</link></item></rss>`, []string{a}, nil},
		{"the end of a line, in any system", "http://a.test/a\rhttp://a.test/b\r\n\n", []string{a, b}, nil},
		{"a list with words", "# our pages\n\n \ufeffhttp://a.test/a \nsee below\nhttp://a.test/b", []string{a, b}, []string{"no url:2"}},
		{"a list without schemes", "www.a.test\na.test/b", []string{"www.a.test", "a.test/b"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			all, report := readText(t, c.text)
			assert.Equal(t, c.locs, locsOf(all))
			assert.Equal(t, append([]string{}, c.faults...), faultsOf(report))
			assert.Empty(t, report.Refused)
		})
	}
}

func TestWhatIsNoSitemapIsRefusedByName(t *testing.T) {
	const quoted = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://a.test/</loc></url></urlset>`
	for _, c := range []struct {
		name, text string
		want       Refusal
	}{
		{"nothing", "", Empty},
		{"blanks", " \n\ufeff\t", Empty},
		{"S-M5 a page that quotes a sitemap", "<html><body><pre>" + quoted, HTML},
		{"S-M5 with a doctype", "<!DOCTYPE HTML PUBLIC '-//W3C//DTD HTML 4.01//EN'><title>x</title>" + quoted, HTML},
		{"S-M5 in XHTML", "<?xml version='1.0'?>\n<html xmlns='http://www.w3.org/1999/xhtml'>" + quoted, HTML},
		{"S-M5 behind words", "Oops <html>" + quoted, HTML},
		{"json", `{"urls":["http://a.test/"]}`, JSON},
		{"json list", ` ["http://a.test/"]`, JSON},
		{"binary", "\x89PNG\r\n\x1a\n\x00\x00", Binary},
		{"words", "Error 404: no such thing.", Unrecognised},
		{"other markup", "<opml><outline/></opml>", Unrecognised},
		{"a root after too much", "<x>" + strings.Repeat("<y>junk</y>", 10_000) + quoted, Unrecognised},
	} {
		t.Run(c.name, func(t *testing.T) {
			all, report := readText(t, c.text)
			assert.Empty(t, all)
			assert.Equal(t, c.want, report.Refused)
			assert.Empty(t, report.Kind)
			assert.False(t, report.Whole())
		})
	}
}

func TestNoDefinitionIsBelieved(t *testing.T) {
	all, report := readText(t, `<!DOCTYPE urlset [<!ENTITY a "http://a.test/">]]><!-- ]> ' --><!ENTITY b "&a;&a;>"> <!ENTITY x SYSTEM "file:///etc/passwd">]>`+
		`<urlset><url><loc>http://a.test/&b;&x;</loc></url></urlset>`)
	assert.Equal(t, []string{"http://a.test/&b;&x;"}, locsOf(all))
	assert.EqualValues(t, 2, report.Count(UnknownEntity))
}

func TestFieldsThatSayNothingAreCountedAndTheEntryStays(t *testing.T) {
	all, report := readText(t, `<urlset><url><loc>http://a.test/1</loc><lastmod>2024-05-06T07:08:09+02:00</lastmod><changefreq> Weekly</changefreq><priority>0,8</priority></url>`+
		`<url><loc>http://a.test/2</loc><lastmod>yesterday</lastmod><changefreq>sometimes</changefreq><priority>7</priority></url>`+
		`<url><loc>http://a.test/3</loc><lastmod/><changefreq></changefreq><priority>NaN</priority></url></urlset>`)
	require.Len(t, all, 3)
	assert.Equal(t, "2024-05-06T05:08:09Z", all[0].LastMod.Time.Format("2006-01-02T15:04:05Z07:00"))
	assert.Equal(t, []any{Weekly, 0.8}, []any{all[0].ChangeFreq, all[0].Priority})
	for _, e := range all[1:] {
		assert.Equal(t, []any{true, "", DefaultPriority}, []any{e.LastMod.IsZero(), e.ChangeFreq, e.Priority})
	}
	assert.Equal(t, []Note{{BadLastMod, 1, "yesterday"}, {BadChangeFreq, 1, "sometimes"}, {BadPriority, 2, "7"}}, report.Notes)
	assert.True(t, report.Whole(), "nothing is wrong with the text")
}

func TestALaterTimeOfAFeedCounts(t *testing.T) {
	all, _ := readText(t, `<feed><updated>2001-01-01</updated><entry><published>2023-01-01</published><link href="http://a.test/1"/><updated>2024-01-01</updated></entry>`+
		`<entry><published>2023-01-01</published><link href="http://a.test/2"/></entry></feed>`)
	require.Len(t, all, 2)
	assert.Equal(t, []int{2024, 2023}, []int{all[0].LastMod.Time.Year(), all[1].LastMod.Time.Year()})
	all, _ = readText(t, `<rss><item><link>http://a.test/1</link><dc:date>2024-01-01T01:02Z</dc:date></item></rss>`)
	require.Len(t, all, 1)
	assert.Equal(t, ToTheMinute, all[0].LastMod.Exact)
}

func TestAnErrorOfTheSourceComesLastAndTakesNothingBack(t *testing.T) {
	broken := errors.New("broken")
	body := `<urlset><url><loc>http://a.test/1</loc></url><url><loc>http://a.test/2`
	r := New(io.MultiReader(strings.NewReader(body), iotest.ErrReader(broken)), Options{})
	var got []string
	var errs []error
	for e, err := range r.Entries() {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		assert.Empty(t, errs)
		got = append(got, e.Loc)
	}
	assert.Equal(t, []string{"http://a.test/1"}, got)
	assert.Equal(t, []error{broken}, errs)
	assert.EqualValues(t, 1, r.Report().Count(Truncated))
	for range r.Entries() {
		t.Error("a second reading yields something")
	}
}

// TestAReaderMayStop anywhere, and has had the first entries.
func TestAReaderMayStop(t *testing.T) {
	for _, text := range append(seeds, strings.Repeat("http://a.test/\n", 9), "<urlset>"+strings.Repeat("<url><loc>http://a.test/</loc>", 9)) {
		whole, _ := readText(t, text)
		for stop := 1; stop <= len(whole); stop++ {
			r := New(strings.NewReader(text), Options{})
			var got []Entry
			for e := range r.Entries() {
				if got = append(got, e); len(got) == stop {
					break
				}
			}
			assert.Equal(t, whole[:stop], got)
			assert.Equal(t, stop, r.Report().Entries+r.Report().Children)
		}
	}
}

package sitemap

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const oneURL = "<url><loc>http://a.test/1</loc></url>"

// TestEveryBoundIsNamedWithACountAndAnExample, and what is within it stays.
func TestEveryBoundIsNamedWithACountAndAnExample(t *testing.T) {
	long := "http://a.test/" + strings.Repeat("x", 100)
	image := func(n int) string {
		return fmt.Sprintf("<image:image><image:loc>http://a.test/%d.png</image:loc></image:image>", n)
	}
	for _, c := range []struct {
		name, text string
		limits     Limits
		locs       []string
		want       Note
	}{
		{"bytes", "<urlset>" + oneURL + strings.Repeat(" ", 100) + "<url><loc>http://a.test/2</loc></url></urlset>", Limits{Bytes: 120}, []string{"http://a.test/1"}, Note{TooManyBytes, 1, "http://a.test/1"}},
		{"bytes of a list", "http://a.test/1\nhttp://a.test/22", Limits{Bytes: 31}, []string{"http://a.test/1"}, Note{TooManyBytes, 1, "http://a.test/1"}},
		{"entries", "http://a.test/1\nhttp://a.test/2\nhttp://a.test/3\nhttp://a.test/4", Limits{Entries: 2}, []string{"http://a.test/1", "http://a.test/2"}, Note{TooManyEntries, 2, "http://a.test/3"}},
		{"children", "<sitemapindex><sitemap><loc>http://a.test/1</loc></sitemap><sitemap><loc>http://a.test/2</loc></sitemap></sitemapindex>", Limits{Children: 1, Entries: 5}, []string{"http://a.test/1"}, Note{TooManyChildren, 1, "http://a.test/2"}},
		{"a long url", "<urlset><url><loc>" + long + "</loc></url>" + oneURL + "</urlset>", Limits{URL: 50}, []string{"http://a.test/1"}, Note{LongURL, 1, long}},
		{"a longer url", "<urlset><url><loc>" + long + long + long + long + "</loc></url>" + oneURL + "</urlset>", Limits{URL: 50}, []string{"http://a.test/1"}, Note{LongURL, 1, (long + long + long)[:256]}},
		{"a long line", long + "\nhttp://a.test/1", Limits{URL: 50}, []string{"http://a.test/1"}, Note{LongURL, 1, long}},
		{"a line beyond a window", long + strings.Repeat("y", 3*window) + "\rhttp://a.test/1", Limits{}, []string{"http://a.test/1"}, Note{LongURL, 1, (long + strings.Repeat("y", 200))[:256]}},
		{"extras", "<urlset><url>" + image(1) + image(2) + image(3) + "<loc>http://a.test/1</loc></url></urlset>", Limits{Extras: 1}, []string{"http://a.test/1"}, Note{TooManyExtras, 2, "http://a.test/2.png"}},
		{"depth", "<urlset><url>" + strings.Repeat("<x>", 40) + "<loc>http://a.test/9</loc>" + strings.Repeat("</x>", 40) + "<loc>http://a.test/1</loc></url></urlset>", Limits{}, []string{"http://a.test/1"}, Note{TooDeep, 9, "x"}},
		{"a long title", "<urlset><url><loc>http://a.test/1</loc><news:news><news:title>" + strings.Repeat("ü", 2000) + "</news:title></news:news></url></urlset>", Limits{}, []string{"http://a.test/1"}, Note{LongText, 1, strings.Repeat("ü", 128)}},
		{"a long tag", "<urlset><url " + strings.Repeat("x ", window) + "><loc>http://a.test/1</loc></url></urlset>", Limits{}, []string{"http://a.test/1"}, Note{LongTag, 1, ("<url " + strings.Repeat("x ", 200))[:256]}},
	} {
		t.Run(c.name, func(t *testing.T) {
			all, report := readAll(t, strings.NewReader(c.text), Options{Limits: c.limits})
			assert.Equal(t, c.locs, locsOf(all))
			assert.Contains(t, report.Notes, c.want)
			assert.False(t, report.Whole())
		})
	}
}

func TestExtrasOfAnEntryHaveABoundTogether(t *testing.T) {
	long := "http://a.test/" + strings.Repeat("i", 8000)
	all, report := readText(t, "<urlset><url><loc>http://a.test/1</loc>"+strings.Repeat("<image:image><image:loc>"+long+"</image:loc></image:image>", 100)+
		strings.Repeat("<link rel='alternate' href='"+long+"'/>", 100)+"</url></urlset>")
	require.Len(t, all, 1)
	kept := len(all[0].Images) + len(all[0].Alternates)
	assert.Equal(t, entryMax/len(long)+1, kept)
	assert.Equal(t, []Note{{TooManyExtras, int64(200 - kept), long[:exampleMax]}}, report.Notes)
}

func TestWhatJustFitsIsNotCut(t *testing.T) {
	text := "<urlset>" + oneURL + oneURL + "</urlset>"
	all, report := readAll(t, strings.NewReader(text), Options{Limits: Limits{Bytes: int64(len(text)), Entries: 2, URL: len("http://a.test/1")}})
	assert.Len(t, all, 2)
	assert.Empty(t, report.Notes)
	assert.EqualValues(t, len(text), report.Bytes)
}

// A repeated reader gives a head, a piece again and again, and nothing else.
type repeated struct {
	head, piece string
	size        int64
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.size <= 0 {
		return 0, io.EOF
	}
	from := r.head
	if from == "" {
		from = r.piece
	}
	n := copy(p, from)
	r.head = from[n:]
	r.size -= int64(n)
	return n, nil
}

// TestMemoryIsConstant: of what 50 MiB hold, the URLs are allocated, and little more.
func TestMemoryIsConstant(t *testing.T) {
	const much = 50 << 20
	for _, c := range []struct {
		name, head, piece string
		size              int64
		entries           int
		allocated         uint64
	}{
		{"50 MiB of pages", "<urlset>", "<url><loc>http://a.test/1</loc><!-- " + strings.Repeat("x", 960) + " --><lastmod>2024-05-06</lastmod></url>", much, 50_000, 4 << 20},
		{"50 MiB of text", "<urlset><url><loc>http://a.test/", strings.Repeat("x", 4096), much, 0, 1 << 20},
		{"one line", "http://a.test/", strings.Repeat("x", 4096), 3 << 20, 0, 1 << 20},
		{"a section without end", "<urlset><url><loc><![CDATA[", strings.Repeat("]", 4096), 3 << 20, 0, 1 << 20},
		{"a comment without end", "<urlset><!--", strings.Repeat("-", 4096), 3 << 20, 0, 1 << 20},
		{"a doctype without end", "<!DOCTYPE x [", strings.Repeat("<!ENTITY a 'b'>", 99), 3 << 20, 0, 1 << 20},
		{"a tag without end", "<urlset><url a='", "xxxxxxxx", 3 << 20, 0, 1 << 20},
		{"tags without end", "<urlset><url>", "<x>", 300 << 10, 0, 1 << 20},
		{"references", "<urlset><url><loc>", "&amp;&b;", 1 << 20, 0, 1 << 20},
		{"images of one page", "<urlset><url><loc>http://a.test/</loc>", "<image:image><image:loc>http://a.test/i</image:loc></image:image>", 3 << 20, 1, 3 << 20},
		{"alternates of one page", "<urlset><url><loc>http://a.test/</loc>", "<link rel='alternate' href='http://a.test/" + strings.Repeat("i", 8000) + "'/>", 8 << 20, 1, 10 << 20},
		{"faults", "<urlset>", "<url><loc>http://a.test/</loc><lastmod>x</lastmod></url></url>junk", 1 << 20, 15_888, 4 << 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r := New(&repeated{c.head, c.piece, c.size}, Options{})
			for _, err := range r.Entries() {
				require.NoError(t, err)
			}
			runtime.ReadMemStats(&after)
			assert.Equal(t, c.entries, r.Report().Entries)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, c.allocated)
			assert.LessOrEqual(t, r.Report().Bytes, int64(much))
		})
	}
}

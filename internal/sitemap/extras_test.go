package sitemap

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestExtrasAreKeptApartFromTheirPage(t *testing.T) {
	all, report := readText(t, `<urlset><url>
<image:image><image:loc>http://a.test/1.png</image:loc><image:title>T &amp; U</image:title><image:caption>C</image:caption><image:geo_location>G</image:geo_location><image:license>http://a.test/l</image:license></image:image>
<image:image><image:loc>http://a.test/2.png</image:loc></image:image>
<video:video><video:content_loc>http://a.test/v.mp4</video:content_loc><video:player_loc>http://a.test/p</video:player_loc><video:thumbnail_loc>http://a.test/t.jpg</video:thumbnail_loc>
<video:title>V</video:title><video:description>D</video:description><video:duration>61</video:duration><video:publication_date>2024-05-06</video:publication_date><video:tag>x</video:tag></video:video>
<news:news><news:publication><news:name>N</news:name><news:language>en</news:language></news:publication><news:publication_date>2024-05-07</news:publication_date><news:title>A</news:title></news:news>
<xhtml:link rel="alternate" hreflang="de" href="http://a.test/de?a=1&amp;b=2"/><link rel="alternate" media="print" href=http://a.test/print /><xhtml:link rel="canonical" href="http://a.test/c"/>
<loc>http://a.test/</loc></url></urlset>`)
	require.Len(t, all, 1)
	e := all[0]
	day := func(d int) Stamp { return Stamp{time.Date(2024, 5, d, 0, 0, 0, 0, time.UTC), ToTheDay} }
	assert.Equal(t, "http://a.test/", e.Loc)
	assert.Equal(t, []Image{{"http://a.test/1.png", "T & U", "C", "G", "http://a.test/l"}, {Loc: "http://a.test/2.png"}}, e.Images)
	assert.Equal(t, []Video{{"http://a.test/v.mp4", "http://a.test/p", "http://a.test/t.jpg", "V", "D", 61 * time.Second, day(6)}}, e.Videos)
	assert.Equal(t, &News{"N", "en", "A", day(7)}, e.News)
	assert.Equal(t, []Alternate{{"http://a.test/de?a=1&b=2", "de", ""}, {"http://a.test/print", "", "print"}}, e.Alternates)
	assert.Empty(t, report.Notes)
}

// TestAnImageNeverBecomesAPage: whatever is missing around its URL.
func TestAnImageNeverBecomesAPage(t *testing.T) {
	for name, c := range map[string]struct {
		inner  string
		images int
	}{
		"no end":            {`<image:image><image:loc>http://i.test/</image:loc><loc>http://a.test/</loc>`, 1},
		"no start":          {`<image:loc>http://i.test/</image:loc><loc>http://a.test/</loc>`, 0},
		"another prefix":    {`<i:image><i:loc>http://i.test/</i:loc></i:image><loc>http://a.test/</loc>`, 1},
		"its own namespace": {`<image xmlns="http://www.google.com/schemas/sitemap-image/1.1"><loc>http://i.test/</loc></image><loc>http://a.test/</loc>`, 1},
		"behind":            {`<loc>http://a.test/</loc><image:image><image:loc>http://i.test/</image:loc>`, 1},
		"a page map":        {`<PageMap><DataObject><loc>http://i.test/</loc></DataObject></PageMap><loc>http://a.test/</loc>`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			all, _ := readText(t, `<urlset><url>`+c.inner+`</url></urlset>`)
			assert.Equal(t, []string{"http://a.test/"}, locsOf(all))
			assert.Len(t, all[0].Images, c.images)
		})
	}
}

func TestAnExtraWithoutItsPointIsCounted(t *testing.T) {
	all, report := readText(t, `<urlset><url><loc>http://a.test/</loc><image:image></image:image><video:video><video:title>x</video:title></video:video><news:news></news:news><xhtml:link rel="alternate"/></url></urlset>`)
	require.Len(t, all, 1)
	assert.Empty(t, all[0].Images)
	assert.Empty(t, all[0].Videos)
	assert.Nil(t, all[0].News)
	assert.EqualValues(t, 4, report.Count(BadExtra))
}

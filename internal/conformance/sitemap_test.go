package main

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
)

// TestJudgesOfSitemapsFindEachFault: a row that is wrong in one fact does not pass,
// and right it does.
func TestJudgesOfSitemapsFindEachFault(t *testing.T) {
	body := `<urlset><url><loc>http://a.test/m/1</loc><lastmod>2024-05-06</lastmod><changefreq>daily</changefreq><priority>0.7</priority>` +
		`<image:image><image:loc>http://a.test/i</image:loc></image:image><x:link rel="alternate" hreflang="de" href="http://a.test/de"/></url></urlset>`
	data := fstest.MapFS{"sitemap/f.xml": {Data: []byte(body)}}
	row := `{"id":"x","file":"f.xml","url":"http://a.test/m/s.xml","content_types":["text/xml"],"options":{"scope_strict":true,"namespace_strict":false,"partial":true},"expect":{"kind":"urlset","count":1,"locs":["http://a.test/m/1"],` +
		`"entries":[{"loc":"http://a.test/m/1","lastmod":"2024-05-06T00:00:00Z","changefreq":"daily","priority":0.7,"ext":{"image":[{"loc":["http://a.test/i"]}],"links":[{"href":["http://a.test/de"],"params.hreflang":["de"]}]}}]},` +
		`"alternates":[["de","http://a.test/de"]],"forbid":"root:","note":"fine"}`
	judgeRow := func(text string) string {
		return sitemapSuites[0].judge(data, json.RawMessage(text)).failure
	}
	assert.Empty(t, judgeRow(row))
	for from, to := range map[string]string{
		`"f.xml"`: `"g.xml"`, `"kind":"urlset"`: `"kind":"rss"`, `"count":1`: `"count":2`, `["http://a.test/m/1"]`: `["http://a.test/m/2"]`,
		`{"loc":"http://a.test/m/1"`: `{"loc":"http://a.test/m/2"`, `2024-05-06T00`: `2024-05-06T01`, `"daily"`: `"weekly"`, `0.7`: `0.8`,
		`[{"loc":["http://a.test/i"]}]`: `[{"loc":["http://a.test/j"]}]`, `"href":["http://a.test/de"]`: `"href":["http://a.test/fr"]`,
		`[["de"`: `[["fr"`, `"root:"`: `"a.test"`, `"fine"`: `"over the limit"`, `/m/s.xml`: `/n/s.xml`, `"kind":"urlset",`: `"kind":"error",`, `["text/xml"]`: `["text/xml","/;"]`,
	} {
		assert.Contains(t, row, from)
		assert.NotEmpty(t, judgeRow(replaceOnce(row, from, to)), "%s for %s", to, from)
	}
	refused := replaceOnce(row, `"kind":"urlset"`, `"kind":"error"`)
	assert.Empty(t, judgeRow(replaceOnce(refused, `"namespace_strict":false`, `"namespace_strict":true`)))
	data["sitemap/f.xml"].Data = []byte(strings.Replace(body, "</url>", "</url></url>", 1))
	assert.NotEmpty(t, judgeRow(refused))
	assert.Empty(t, judgeRow(replaceOnce(refused, `"partial":true`, `"partial":false`)))

	for text, passes := range map[string]bool{
		`{"value":"2024","utc":"2024-01-01T00:00:00Z"}`: true, `{"value":"2024","utc":"2025-01-01T00:00:00Z"}`: false,
		`{"value":"2024","utc":null}`: false, `{"value":"x","utc":null}`: true,
	} {
		assert.Equal(t, passes, sitemapSuites[2].judge(data, json.RawMessage(text)).failure == "", text)
	}
	long := `{"name":"x","parts":[["<urlset>",1],["<url><loc>http://a.test/</loc></url>",3],["</urlset>",1]],"expect":{"kind":"urlset","count":3}}`
	assert.Empty(t, sitemapSuites[1].judge(data, json.RawMessage(long)).failure)
	assert.NotEmpty(t, sitemapSuites[1].judge(data, json.RawMessage(strings.Replace(long, "3]", "4]", 1))).failure)
}

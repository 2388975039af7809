package bench

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func open(t *testing.T) *Site {
	site, err := Open()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, site.Close()) })
	return site
}

func TestEveryCrawlerFetchesAsManyPagesAsAsked(t *testing.T) {
	for _, c := range []Crawler{Minimal, Weir, Handled, Colly} {
		t.Run(c.Name, func(t *testing.T) {
			site := open(t)
			require.NoError(t, c.Crawl(t.Context(), site, 300, t.TempDir()))
			assert.EqualValues(t, 300, site.Served.Load())
		})
	}
}

func TestPagesAreAsLargeAsTheySayAndLinkBack(t *testing.T) {
	site := open(t)
	response, err := http.Get(site.Root())
	require.NoError(t, err)
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	assert.InDelta(t, 15<<10, len(page), 1<<10)
	assert.Equal(t, linksOnPage, bytes.Count(page, []byte("<a href=")))

	known := 0
	for i := range linksOnPage {
		if link(1000, i) < 1000 {
			known++
		}
	}
	assert.Equal(t, linksOnPage-2, known)
}

package main

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir"
	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/fetch/fetchtest"
	"github.com/weircrawl/weir/storage/memory"
)

// The crawl takes half a minute of a clock that costs nothing, uses no network
// and no disk, and every request of it is in the file.
func TestPricesAreReadOnceAndPolitely(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, err := fetchtest.Open("testdata/shop.txtar")
		require.NoError(t, err)
		mem := memory.New()
		var out strings.Builder
		err = scrape(t.Context(), weir.Config{Store: mem, Artifacts: mem, Fetch: fetch.Config{Transport: web}}, &out, "http://shop.test/")
		require.NoError(t, err)
		for name, got := range map[string]string{"output": out.String(), "requests": web.Log().String()} {
			want, ok := web.Want(name)
			require.True(t, ok)
			assert.Equal(t, want, got, name)
		}
	})
}

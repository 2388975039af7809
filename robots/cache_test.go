package robots

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/weircrawl/weir/urlnorm"
)

func TestSR2TheCacheIsBoundedInEntriesAndBytes(t *testing.T) {
	c := NewCache(CacheConfig{Entries: 1000, Bytes: 4 << 20})
	small := Parse([]byte(forbidX))
	for i := range 100_000 {
		c.Put(urlnorm.Origin(fmt.Sprintf("http://%d.example", i)), small, noon)
	}
	entries, bytes := c.Size()
	assert.Equal(t, 1000, entries)
	assert.Less(t, bytes, 4<<20)

	large := Parse([]byte("User-agent: *\n" + strings.Repeat("Disallow: /some/path/*x\n", 20_000)))
	assert.Greater(t, large.Size(), MaxBody-100)
	for i := range 100 {
		c.Put(urlnorm.Origin(fmt.Sprintf("http://large%d.example", i)), large, noon)
	}
	entries, bytes = c.Size()
	assert.LessOrEqual(t, bytes, 4<<20)
	assert.Positive(t, entries)

	c.Put("http://a.example", Rules{size: 5 << 20}, noon)
	entries, bytes = c.Size()
	assert.Zero(t, entries, "what does not fit is not held")
	assert.Zero(t, bytes)
}

func TestTheCacheDropsWhatWasNotUsedForLongest(t *testing.T) {
	c := NewCache(CacheConfig{Entries: 2})
	before := noon.Add(-time.Second)
	rules := Parse([]byte(forbidX))
	c.Put("http://a.example", rules, noon)
	c.Put("http://b.example", rules, noon)
	_, ok := c.Get("http://a.example", before)
	assert.True(t, ok)
	c.Put("http://c.example", rules, noon)
	_, ok = c.Get("http://b.example", before)
	assert.False(t, ok)
	got, ok := c.Get("http://a.example", before)
	assert.True(t, ok)
	assert.False(t, got.Decide("weirbot", "/x").Allowed)

	_, ok = c.Get("http://a.example", noon)
	assert.False(t, ok, "expired")
	c.Put("http://c.example", Rules{}, noon.Add(time.Hour))
	got, ok = c.Get("http://c.example", noon)
	assert.True(t, ok, "renewed")
	assert.True(t, got.Decide("weirbot", "/x").Allowed)
	entries, _ := c.Size()
	assert.Equal(t, 1, entries)
}

func TestTheSizeOfRulesIsAboutTheirMemory(t *testing.T) {
	for _, row := range []struct{ name, line string }{
		{"rules", "Disallow: /some/path/%d\n"},
		{"stars", "Allow: /*%d*x$\n"},
		{"short rules", "allow:/\n"},
		{"agents", "User-agent: bot%d\n"},
		{"groups", "User-agent: bot%d\nDisallow: /%d\n"},
		{"sitemaps", "Sitemap: https://a.example/%d.xml\n"},
	} {
		var b strings.Builder
		b.WriteString("User-agent: *\n")
		for i := 0; b.Len() < 50<<10; i++ {
			b.WriteString(strings.ReplaceAll(row.line, "%d", fmt.Sprint(i)))
		}
		body := []byte(b.String())
		var before, after runtime.MemStats
		held := make([]Rules, 8)
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range held {
			held[i] = Parse(body)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		took := (float64(after.HeapAlloc) - float64(before.HeapAlloc)) / float64(len(held))
		runtime.KeepAlive(held)
		assert.InDelta(t, 1, took/float64(held[0].Size()), 0.5, "%s: %.0f bytes, Size %d", row.name, took, held[0].Size())
	}
}

package robots

import (
	"fmt"
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

package robots

import (
	"container/list"
	"sync"
	"time"

	"github.com/weircrawl/weir/urlnorm"
)

// CacheConfig bounds a Cache. A zero field means its default.
type CacheConfig struct {
	Entries int // origins; default 10,000
	Bytes   int // of their rules, by Rules.Size; default 64 MiB
}

// Cache holds the rules of the origins that were asked for last, until they
// expire. It is safe for concurrent use.
type Cache struct {
	limit CacheConfig

	mu      sync.Mutex
	entries map[urlnorm.Origin]*list.Element
	order   *list.List // of cached, the last used first
	bytes   int
}

type cached struct {
	origin  urlnorm.Origin
	rules   Rules
	expires time.Time
	size    int
}

// entrySize is about what an entry takes beside its rules.
const entrySize = 256

// NewCache returns an empty cache.
func NewCache(limit CacheConfig) *Cache {
	if limit.Entries <= 0 {
		limit.Entries = 10_000
	}
	if limit.Bytes <= 0 {
		limit.Bytes = 64 << 20
	}
	return &Cache{limit: limit, entries: map[urlnorm.Origin]*list.Element{}, order: list.New()}
}

// Get returns the rules of origin, unless they are unknown or expired.
func (c *Cache) Get(origin urlnorm.Origin, now time.Time) (Rules, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[origin]
	if !ok {
		return Rules{}, false
	}
	entry := e.Value.(*cached)
	if !now.Before(entry.expires) {
		c.remove(e)
		return Rules{}, false
	}
	c.order.MoveToFront(e)
	return entry.rules, true
}

// Put keeps the rules of origin until expires, and drops what was not used for
// longest where there is no room.
func (c *Cache) Put(origin urlnorm.Origin, rules Rules, expires time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[origin]; ok {
		c.remove(e)
	}
	entry := &cached{origin: origin, rules: rules, expires: expires, size: rules.Size() + len(origin) + entrySize}
	c.entries[origin] = c.order.PushFront(entry)
	c.bytes += entry.size
	for c.order.Len() > c.limit.Entries || c.bytes > c.limit.Bytes {
		c.remove(c.order.Back())
	}
}

// Size returns how many origins are held, and about how many bytes they take.
func (c *Cache) Size() (entries, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.order.Len(), c.bytes
}

func (c *Cache) remove(e *list.Element) {
	entry := c.order.Remove(e).(*cached)
	delete(c.entries, entry.origin)
	c.bytes -= entry.size
}

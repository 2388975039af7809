package frontier

// recent is an exact, bounded memory of what the store knows, the most recent entries
// first to stay. That something is not there only the store can say, unless the run
// was begun here and all of it still fits.
// It forgets between groups only: what one group has looked up, or decided, it must
// still know when it decides.
type recent[K comparable, V any] struct {
	recent, older map[K]V
	half          int  // entries of one map
	whole         bool // every entry of the run is here: what is not is new
}

func newRecent[K comparable, V any](half int) recent[K, V] {
	return recent[K, V]{recent: map[K]V{}, half: half}
}

func (c *recent[K, V]) get(k K) (V, bool) {
	v, ok := c.recent[k]
	if ok {
		return v, true
	}
	if v, ok = c.older[k]; ok {
		c.put(k, v)
	}
	return v, ok
}

func (c *recent[K, V]) put(k K, v V) { c.recent[k] = v }

// age forgets the older half, if the recent one is full.
func (c *recent[K, V]) age() {
	if len(c.recent) >= c.half {
		c.whole = c.whole && len(c.older) == 0
		c.older, c.recent = c.recent, make(map[K]V, c.half/8)
	}
}

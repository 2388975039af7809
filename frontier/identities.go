package frontier

import (
	"hash/maphash"

	"github.com/weircrawl/weir/urlnorm"
)

// known is what memory holds of an admitted identity: enough to answer a repeat
// that raises and lowers nothing.
type known struct {
	n    uint64
	form uint32 // of its request: what formOf says
	rank uint32 // its class, and below it its depth
}

// depthBits are the bits of a rank that hold the depth; the two above hold the class.
const depthBits = 30

// ranked packs a class and a depth, of which no crawl has as many as depthBits count.
func ranked(class uint8, depth uint32) uint32 { return uint32(class)<<depthBits | depth }

func (k known) class() uint8  { return uint8(k.rank >> depthBits) }
func (k known) depth() uint32 { return k.rank & (1<<depthBits - 1) }

// formOf tells apart the requests that a rule has made one identity: but for one
// pair in four billion.
func (f *Frontier) formOf(request string) uint32 { return uint32(maphash.String(f.forms, request)) }

// whyKnown says why a reference is a duplicate: because its identity is known, or,
// where that is requested by another URL, because of the rule that folded its key.
func (f *Frontier) whyKnown(c *candidate, k known) Reason {
	rules := c.url.Folded
	if len(rules) == 0 || f.formOf(c.url.Request) == k.form {
		return ReasonKnown
	}
	return foldedBy(rules)
}

// foldedBy counts under the first rule, and names them all.
func foldedBy(rules []urlnorm.Rule) Reason {
	reason, between := Reason(rules[0]), Reason(": ")
	for _, rule := range rules[1:] {
		reason, between = reason+between+Reason(rule), " "
	}
	return cleanReason(reason)
}

// identities is an exact, bounded memory of admitted identities, the most recent
// ones first to stay. That an identity is new only the store can say, unless the
// run was begun here and all of it still fits.
// It forgets between groups only: what one group has looked up, or admitted, it
// must still know when it decides.
type identities struct {
	recent, older map[identity]known
	half          int  // entries of one map
	whole         bool // every identity of the run is here: what is not is new
}

// entryCost is what one identity takes in a Go map at its usual load.
const entryCost = 67

func newIdentities(bytes int64) identities {
	return identities{recent: map[identity]known{}, half: max(int(bytes/2/entryCost), 1)}
}

func (c *identities) get(id identity) (known, bool) {
	k, ok := c.recent[id]
	if ok {
		return k, true
	}
	if k, ok = c.older[id]; ok {
		c.put(id, k)
	}
	return k, ok
}

func (c *identities) put(id identity, k known) { c.recent[id] = k }

// age forgets the older half, if the recent one is full.
func (c *identities) age() {
	if len(c.recent) >= c.half {
		c.whole = c.whole && len(c.older) == 0
		c.older, c.recent = c.recent, make(map[identity]known, c.half/8)
	}
}

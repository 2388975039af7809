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

// identities are the admitted ones that memory holds.
type identities = recent[identity, known]

// entryCost is what one identity takes in a Go map at its usual load.
const entryCost = 67

func newIdentities(bytes int64) identities {
	return newRecent[identity, known](max(int(bytes/2/entryCost), 1))
}

package frontier

import (
	"strings"

	"github.com/weircrawl/weir/urlnorm"
)

// A hint is an identity that is read for references alone: a sitemap. It has the
// states, retries and crash safety of a page, and no slot of the page budget. Its
// key says so, so that the page at the same URL is another identity.

// hintVersion is what the version of a hint's key begins with.
const hintVersion = "hint "

func hinted(k urlnorm.Key) urlnorm.Key {
	k.Version = hintVersion + k.Version
	return k
}

func isHint(k urlnorm.Key) bool { return strings.HasPrefix(k.Version, hintVersion) }

// slot is the bound that holds c back, if its kind of slots is spent; "" if it has
// one. The target of a redirect takes over its source's.
func (h *head) slot(c *candidate, moved bool) Reason {
	b := &h.contract.Budget
	switch {
	case moved:
		return ""
	case c.ref.Hint && h.hints >= b.Hints:
		return ReasonHints
	case !c.ref.Hint && h.slots >= b.URLs:
		return ReasonURLs
	}
	return ""
}

// spend counts an admitted identity.
func (h *head) spend(k urlnorm.Key, moved bool) {
	switch {
	case moved:
		h.moved++
	case isHint(k):
		h.hints++
	default:
		h.slots++
	}
}

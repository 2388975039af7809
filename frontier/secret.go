package frontier

import (
	"strings"

	"github.com/weircrawl/weir/urlnorm"
)

// hidden stands for user information in what is kept of a reference. It is user
// information itself: the reference is refused for the same reason again.
const hidden = "***"

// hide takes the user information out of a reference that was refused for it:
// a password belongs neither into a ledger nor into a log.
func (c *candidate) hide() {
	if c.reject == Reason(urlnorm.UserInfo) {
		c.ref.Observed = withoutUser(c.ref.Observed)
	}
}

// withoutUser replaces the user information of an absolute reference. Browsers
// take any number of slashes, also backward ones, and none at all, for the two
// before it.
func withoutUser(ref string) string {
	scheme := strings.IndexByte(ref, ':') + 1
	if first := strings.IndexAny(ref, `/\`); first >= 0 && first < scheme {
		scheme = first // relative to a scheme
	}
	begin := scheme
	for begin < len(ref) && strings.IndexByte("/\\\t\r\n", ref[begin]) >= 0 {
		begin++
	}
	end := len(ref)
	if i := strings.IndexAny(ref[begin:], `/\?#`); i >= 0 {
		end = begin + i
	}
	at := strings.LastIndexByte(ref[begin:end], '@')
	if at < 0 {
		return "//" + hidden + "@" // a Normalizer of one's own reads it otherwise
	}
	return ref[:begin] + hidden + ref[begin+at:]
}

// hiddenExample is an example of a reference that was not decided, with nothing
// in it that must not be kept.
func hiddenExample(n urlnorm.Normalizer, base, ref string) string {
	if !strings.Contains(ref, "@") {
		return ref
	}
	r := resolver{normalizer: n}
	r.read(Reference{Observed: ref, Base: base})
	return r.out[0].ref.Observed
}

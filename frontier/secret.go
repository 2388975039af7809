package frontier

import (
	"strings"

	"github.com/weircrawl/weir/urlnorm"
)

// hidden stands for user information in what is kept of a reference. It is user
// information itself: the reference is refused for the same reason again.
const hidden = "***"

// hide takes the user information out of a reference that was refused, whatever
// for: a password belongs neither into a ledger nor into a log.
func (c *candidate) hide() {
	switch c.reject {
	case "":
	case Reason(urlnorm.UserInfo):
		c.ref.Observed = withoutUser(c.ref.Observed)
	default:
		c.ref.Observed = concealed(c.ref.Observed)
	}
}

// concealed returns a reference of any scheme without its user information.
func concealed(ref string) string {
	if strings.IndexByte(ref, '@') < 0 {
		return ref
	}
	begin, end, slashes := authority(ref)
	if slashes < 2 || strings.IndexByte(ref[begin:end], '@') < 0 {
		return ref // a mail address has a name and no secret
	}
	return withoutUser(ref)
}

// withoutUser replaces the user information of an absolute reference.
func withoutUser(ref string) string {
	begin, end, _ := authority(ref)
	at := strings.LastIndexByte(ref[begin:end], '@')
	if at < 0 {
		return "//" + hidden + "@" // a Normalizer of one's own reads it otherwise
	}
	return ref[:begin] + hidden + ref[begin+at:]
}

// authority returns where user, host and port of an absolute reference stand.
// Browsers take any number of slashes, also backward ones, and none at all, for
// the two before it.
func authority(ref string) (begin, end, slashes int) {
	begin = strings.IndexByte(ref, ':') + 1
	if first := strings.IndexAny(ref, `/\`); first >= 0 && first < begin {
		begin = first // relative to a scheme
	}
	for begin < len(ref) && strings.IndexByte("/\\\t\r\n", ref[begin]) >= 0 {
		if ref[begin] == '/' || ref[begin] == '\\' {
			slashes++
		}
		begin++
	}
	end = len(ref)
	if i := strings.IndexAny(ref[begin:], `/\?#`); i >= 0 {
		end = begin + i
	}
	return begin, end, slashes
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

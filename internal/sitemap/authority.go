package sitemap

import (
	"slices"
	"strings"

	"github.com/weircrawl/weir/urlnorm"
)

// A Trust says about which URLs a sitemap is believed.
type Trust uint8

// What there is to choose from.
const (
	// ByHost believes a sitemap about every URL of the hosts that it speaks for. Neither
	// folder nor scheme counts, as for the crawlers of search engines: many sites keep
	// sitemaps in a folder of their own, or have moved to https.
	ByHost Trust = iota
	// ByFolder is what sitemaps.org asks for: the same scheme, host and port, and the
	// folder of the sitemap or one below it.
	ByFolder
	// ByScope believes it about any: the scope of the crawl decides alone. It is for
	// sitemaps that the user of the crawler names.
	ByScope
)

// An Authority is what a sitemap may speak for.
type Authority struct {
	Trust Trust
	At    []urlnorm.URL    // its URL, and each that it redirected to
	Named []urlnorm.Origin // those whose robots.txt names it, or an index of it
}

// A Ruling says why an entry is followed or is not.
type Ruling string

// The rulings.
const (
	OwnFolder     Ruling = "own folder"     // of the sitemap
	OwnHost       Ruling = "own host"       // of the sitemap
	NamedByRobots Ruling = "named"          // by the robots.txt of the host (sitemaps.org, "cross submits")
	LeftToScope   Ruling = "left to scope"  // nothing is asked
	OutsideFolder Ruling = "outside folder" // refused: of the host, but not below the sitemap
	ForeignHost   Ruling = "foreign host"   // refused: nothing says that it agrees
)

// Allowed reports whether the entry is followed, as far as the sitemap counts:
// scope, robots.txt and budgets have their own say.
func (r Ruling) Allowed() bool { return r != OutsideFolder && r != ForeignHost }

// Page rules on a page that the sitemap lists.
func (a Authority) Page(u urlnorm.URL) Ruling {
	if a.Trust != ByFolder {
		return a.host(u)
	}
	if slices.ContainsFunc(a.At, func(at urlnorm.URL) bool { return below(at, u) }) {
		return OwnFolder
	}
	if slices.Contains(a.Named, u.Origin) {
		return NamedByRobots
	}
	if a.host(u) == OwnHost {
		return OutsideFolder
	}
	return ForeignHost
}

// Sitemap rules on a sitemap that the index lists. Folders do not count.
func (a Authority) Sitemap(u urlnorm.URL) Ruling { return a.host(u) }

// host rules by hosts alone.
func (a Authority) host(u urlnorm.URL) Ruling {
	same := func(o urlnorm.Origin) bool { return sameHost(o, u.Origin) }
	switch {
	case slices.ContainsFunc(a.At, func(at urlnorm.URL) bool { return same(at.Origin) }):
		return OwnHost
	case slices.ContainsFunc(a.Named, same):
		return NamedByRobots
	case a.Trust == ByScope:
		return LeftToScope
	}
	return ForeignHost
}

// Child is the authority of a sitemap that this index lists. It speaks for whom the
// index was named by; and unless folders count, for the hosts of the index, too:
// they have named it.
func (a Authority) Child(at ...urlnorm.URL) Authority {
	named := slices.Clone(a.Named)
	if a.Trust != ByFolder {
		for _, u := range a.At {
			if !slices.Contains(named, u.Origin) && len(named) < namedMax {
				named = append(named, u.Origin)
			}
		}
	}
	return Authority{Trust: a.Trust, At: at, Named: named}
}

const namedMax = 100 // however long a chain of indexes is

// sameHost reports whether two origins differ in nothing but the scheme.
func sameHost(a, b urlnorm.Origin) bool {
	return a.Host() == b.Host() && (a.Port() == b.Port() || isDefault(a) && isDefault(b))
}

func isDefault(o urlnorm.Origin) bool {
	return o.Scheme() == "http" && o.Port() == "80" || o.Scheme() == "https" && o.Port() == "443"
}

// below reports whether u stands in the folder of at.
func below(at, u urlnorm.URL) bool {
	path, _, _ := strings.Cut(at.Request, "?")
	folder := path[:strings.LastIndexByte(path, '/')+1]
	return len(folder) > len("https://") && strings.HasPrefix(u.Request, folder)
}

// Reference is what to resolve against the URL of the sitemap: Loc, which ought to
// be absolute; or behind "//" what lacks nothing but a scheme, "www.site.test/a".
func (e Entry) Reference() string {
	if !isURL([]byte(e.Loc)) && isBareURL([]byte(e.Loc)) {
		return "//" + e.Loc
	}
	return e.Loc
}

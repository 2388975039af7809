package urlnorm

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// siteRules is what rules say about one site.
type siteRules struct {
	site     string // empty where nothing is said
	version  string
	tracking map[string]bool
	classes  map[string]Class
	chosen   []Rule
}

// at returns the rules for o, and costs nothing where no site has any.
func (r rules) at(o Origin) siteRules {
	rules := siteRules{version: r.version, tracking: r.tracking}
	if len(r.params)+len(r.rules) == 0 {
		return rules
	}
	site := o.Site()
	rules.classes, rules.chosen = r.params[site], r.rules[site]
	if len(rules.classes)+len(rules.chosen) > 0 {
		rules.site = site
		rules.version += versionOf(rules.classes, rules.chosen)
	}
	return rules
}

func (r *siteRules) has(rule Rule) bool { return slices.Contains(r.chosen, rule) }

// versionOf names rules and classes, in the same way in whatever order they are:
// "+sessions.1t2+to_bare.1+3k9e48idekxif".
func versionOf(classes map[string]Class, chosen []Rule) string {
	var b strings.Builder
	for _, known := range ruleVersions {
		if slices.Contains(chosen, known.rule) {
			b.WriteString("+" + string(known.rule) + "." + known.version)
		}
	}
	if len(classes) > 0 {
		b.WriteString("+" + digest(classes))
	}
	return b.String()
}

// classWords stand before a name that is hashed.
var classWords = [...]string{Unknown: "unknown ", Tracking: "tracking ", Content: "content ", Ordered: "ordered "}

// digest is the same for equal classes in any order, so that a map need not be
// sorted for every key.
func digest(classes map[string]Class) string {
	var sum uint64
	for name, class := range classes {
		sum += newHasher.write(classWords[class&3]).write(name).sum()
	}
	return strconv.FormatUint(sum, 36)
}

// home returns the origin from which the site's own name is requested, and the rule
// that moves it there, if one does.
func (r *siteRules) home(origin string) (home string, moved Rule) {
	if r.site == "" {
		return origin, ""
	}
	start := strings.Index(origin, "://") + len("://")
	host, port, _ := strings.Cut(origin[start:], ":")
	if port != "" {
		port = ":" + port
	}
	switch {
	case r.has(FoldToBare) && host == "www."+r.site:
		return origin[:start] + r.site + port, FoldToBare
	case r.has(FoldToWWW) && !r.has(FoldToBare) && host == r.site && registrable(host):
		return origin[:start] + "www." + host + port, FoldToWWW
	}
	return origin, ""
}

// registrable reports whether a site is a name under which others can be: no
// address, no single label, no public suffix.
func registrable(site string) bool {
	is, err := publicsuffix.EffectiveTLDPlusOne(site)
	return err == nil && is == site
}

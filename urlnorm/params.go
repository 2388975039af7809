package urlnorm

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
)

// Class is what a query parameter does to a key. It never changes a request.
type Class uint8

const (
	Unknown  Class = iota // kept in place, and reported in URL.Unknown
	Tracking              // left out
	Content               // kept, whatever its place
	Ordered               // kept in place
)

// siteRules is what rules say about one site.
type siteRules struct {
	version  string
	tracking bool
	classes  map[string]Class
}

func (r rules) at(o Origin) siteRules {
	site := siteRules{version: r.version, tracking: r.tracking}
	if len(r.params) == 0 {
		return site
	}
	if classes := r.params[o.Site()]; len(classes) > 0 {
		site.classes = classes
		site.version += "+" + digest(classes)
	}
	return site
}

// digest is the same for equal classes in any order, so that a map need not be
// sorted for every key.
func digest(classes map[string]Class) string {
	var sum uint64
	for name, class := range classes {
		hash := sha256.Sum256(append([]byte{byte(class)}, name...))
		sum += binary.BigEndian.Uint64(hash[:])
	}
	return strconv.FormatUint(sum, 36)
}

// apply returns what of query belongs into a key, whether a question mark does,
// and the names that no rule classes, each as often as it occurs.
func (r siteRules) apply(query string) (kept string, any bool, unknown []string) {
	folds := false
	for pair := range strings.SplitSeq(query, "&") {
		switch name, class := r.class(pair); class {
		case Unknown:
			unknown = append(unknown, name)
		case Tracking, Content:
			folds = true
		}
	}
	if !folds {
		return query, true, unknown
	}
	kept, any = r.fold(query)
	return kept, any, unknown
}

// fold leaves Tracking out and moves Content, sorted, behind what keeps its place.
func (r siteRules) fold(query string) (kept string, any bool) {
	var placed, free []string
	for pair := range strings.SplitSeq(query, "&") {
		switch _, class := r.class(pair); class {
		case Tracking:
		case Content:
			free = append(free, pair)
		default:
			placed = append(placed, pair)
		}
	}
	slices.Sort(free)
	all := append(placed, free...)
	return strings.Join(all, "&"), len(all) > 0
}

// class looks one name=value up. An empty pair is punctuation: kept in place.
func (r siteRules) class(pair string) (name string, class Class) {
	name, _, _ = strings.Cut(pair, "=")
	if pair == "" {
		return name, Ordered
	}
	if class, ok := r.classes[name]; ok {
		return name, class
	}
	if r.tracking && tracking[name] {
		return name, Tracking
	}
	return name, Unknown
}

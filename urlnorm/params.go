package urlnorm

import (
	"slices"
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

// query returns what of u's query belongs into its key, and whether a question
// mark does, and writes down the names that no rule classes, each as often as it
// occurs.
func (r *siteRules) query(u *URL, query string) (kept string, any bool) {
	if r.has(FoldSessions) {
		query = u.fold(FoldSessions, query, withoutSessions(query))
	}
	folds := false
	for pair := range strings.SplitSeq(query, "&") {
		name, class, _ := r.class(pair)
		if class == Unknown {
			if u.Unknown == nil {
				u.Unknown = make([]string, 0, 1+strings.Count(query, "&"))
			}
			u.Unknown = append(u.Unknown, name)
		}
		folds = folds || class == Tracking || r.moves(class)
	}
	if !folds {
		return query, true
	}
	return r.sort(u, query)
}

// moves reports whether the place of a parameter means nothing.
func (r *siteRules) moves(class Class) bool {
	return class == Content || class == Unknown && r.has(FoldOrder)
}

// sort leaves out what is Tracking and puts what may move, sorted, behind what keeps
// its place.
func (r *siteRules) sort(u *URL, query string) (kept string, any bool) {
	var room [3][8]string // on the stack, enough for most
	pairs, placed, free := room[0][:0], room[1][:0], room[2][:0]
	rule := FoldOrder
	for pair := range strings.SplitSeq(query, "&") {
		_, class, why := r.class(pair)
		if class == Tracking {
			u.folded(why)
			continue
		}
		pairs = append(pairs, pair)
		if !r.moves(class) {
			placed = append(placed, pair)
			continue
		}
		free = append(free, pair)
		if class == Content {
			rule = FoldParams
		}
	}
	slices.Sort(free)
	sorted := append(placed, free...)
	if !slices.Equal(pairs, sorted) {
		u.folded(rule)
	}
	return strings.Join(sorted, "&"), len(sorted) > 0
}

// class looks one name=value up, with the rule that answers. An empty pair is
// punctuation: kept in place.
func (r *siteRules) class(pair string) (name string, class Class, why Rule) {
	name, _, _ = strings.Cut(pair, "=")
	class, known := r.classes[name]
	switch {
	case pair == "" && r.has(FoldEmpty):
		return name, Tracking, FoldEmpty
	case pair == "":
		return name, Ordered, ""
	case known:
		return name, class, FoldParams
	case r.tracking[name]:
		return name, Tracking, FoldTracking
	case r.has(FoldSessions) && isSession(name):
		return name, Tracking, FoldSessions
	case r.has(FoldOthers):
		return name, Tracking, FoldOthers
	}
	return name, Unknown, ""
}

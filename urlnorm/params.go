package urlnorm

import (
	"slices"
	"strings"
)

// Class is what a query parameter does to a key. It never changes a request.
type Class uint8

const (
	Unknown  Class = iota // kept as Ordered is, or sorted by FoldOrder, and reported in URL.Unknown
	Tracking              // left out
	Content               // kept, and sorted, behind those that keep their order
	Ordered               // kept, in their own order, before those that are sorted
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
// its order.
func (r *siteRules) sort(u *URL, query string) (kept string, any bool) {
	var room [8]string // on the stack, enough for most
	pairs := room[:0]
	for pair := range strings.SplitSeq(query, "&") {
		if _, class, why := r.class(pair); class == Tracking {
			u.folded(why)
		} else {
			pairs = append(pairs, pair)
		}
	}
	pairs = r.arranged(u, pairs)
	return strings.Join(pairs, "&"), len(pairs) > 0
}

// arranged sorts what may move, first by the classes and then by FoldOrder, too, and
// writes down which of the two it is that changed the key.
func (r *siteRules) arranged(u *URL, pairs []string) []string {
	if len(r.classes) == 0 && !r.has(FoldOrder) {
		return pairs
	}
	byClass := r.behind(pairs, func(class Class) bool { return class == Content })
	all := r.behind(pairs, r.moves)
	if slices.Equal(pairs, all) {
		return pairs
	}
	if !slices.Equal(pairs, byClass) {
		u.folded(FoldParams)
	}
	if !slices.Equal(byClass, all) {
		u.folded(FoldOrder)
	}
	return all
}

// behind returns pairs with those that move sorted behind the others.
func (r *siteRules) behind(pairs []string, moves func(Class) bool) []string {
	free, placed := make([]string, 0, len(pairs)), make([]string, 0, len(pairs))
	for _, pair := range pairs {
		if _, class, _ := r.class(pair); moves(class) {
			free = append(free, pair)
		} else {
			placed = append(placed, pair)
		}
	}
	slices.Sort(free)
	return append(placed, free...)
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

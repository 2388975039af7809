package urlnorm

import (
	"slices"
	"strings"
)

// compare fills in what follows from u.Observed and u.Request: its origin, its key,
// the rules that folded it, and the parameters that none knows. Only a rule that
// says so changes the request.
func (r rules) compare(u *URL) {
	end := originEnd(u.Request)
	origin := withoutTrailingDot(u.Request[:end])
	site := r.at(Origin(origin))
	if home, rule := site.home(origin); rule != "" {
		u.Request = home + u.Request[end:]
		origin, end = home, len(home)
		u.folded(rule)
	}
	u.Origin = Origin(origin)
	path, query, any := strings.Cut(u.Request[end:], "?")
	path = site.path(u, unescape(path))
	if any {
		query, any = site.query(u, unescape(query))
	}
	u.Key = Key{Version: site.version, Text: join(u.Request, origin, path, query, any)}
	if site.has(SplitRoutes) {
		u.Key.Text += routeOf(u.Observed)
	}
}

// folded writes down that a rule changed the key.
func (u *URL) folded(rule Rule) {
	if !slices.Contains(u.Folded, rule) {
		u.Folded = append(u.Folded, rule)
	}
}

// fold writes down whether a rule changed a part of the key, and returns the part.
func (u *URL) fold(rule Rule, before, after string) string {
	if before != after {
		u.folded(rule)
	}
	return after
}

// withoutTrailingDot drops the dot that ends a fully qualified name.
func withoutTrailingDot(origin string) string {
	end := len(origin)
	if colon := strings.LastIndexByte(origin, ':'); colon > len("https:") {
		end = colon
	}
	if origin[end-1] != '.' || strings.IndexByte("./", origin[end-2]) >= 0 {
		return origin
	}
	return origin[:end-1] + origin[end:]
}

// join puts a key together, and finds that most keys are their request, which
// then need not be copied.
func join(request, origin, path, query string, any bool) string {
	rest, same := strings.CutPrefix(request, origin)
	if same {
		rest, same = strings.CutPrefix(rest, path)
	}
	if same && (any && rest != "" && rest[1:] == query || !any && rest == "") {
		return request
	}
	if any {
		return origin + path + "?" + query
	}
	return origin + path
}

// routeOf returns the fragment of a reference if it names a page of its own, as it
// stands in a key.
func routeOf(ref string) string {
	_, fragment, _ := strings.Cut(withoutBreaks(trimControls(ref)), "#")
	if fragment == "" || fragment[0] != '!' && fragment[0] != '/' {
		return ""
	}
	return "#" + unescape(string(appendEncoded(nil, fragment, &inFragment)))
}

// Route returns the fragment that SplitRoutes put into a key, with its mark, or
// nothing: what a browser needs behind the request.
func (k Key) Route() string {
	if mark := strings.IndexByte(k.Text, '#'); mark >= 0 {
		return k.Text[mark:]
	}
	return ""
}

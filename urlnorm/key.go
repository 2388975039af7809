package urlnorm

import "strings"

// compare fills in what follows from u.Request: its origin, its key, and the
// parameters that no rule knows.
func (r rules) compare(u *URL) {
	end := originEnd(u.Request)
	origin := withoutTrailingDot(u.Request[:end])
	path, query, any := strings.Cut(u.Request[end:], "?")
	u.Origin = Origin(origin)
	site := r.at(u.Origin)
	if any {
		query, any, u.Unknown = site.apply(unescape(query))
	}
	u.Key = Key{Version: site.version, Text: join(u.Request, origin, unescape(path), query, any)}
}

// withoutTrailingDot drops the dot that ends a fully qualified name.
func withoutTrailingDot(origin string) string {
	if strings.HasSuffix(origin, ".") {
		return origin[:len(origin)-1]
	}
	if colon := strings.LastIndexByte(origin, ':'); origin[colon-1] == '.' {
		return origin[:colon-1] + origin[colon:]
	}
	return origin
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

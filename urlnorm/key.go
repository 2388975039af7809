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

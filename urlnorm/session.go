package urlnorm

import "strings"

// isSession reports whether a name is known to be a session's. ASP puts letters of
// its own behind it.
func isSession(name string) bool {
	if len(name) > maxSessionName {
		return false
	}
	name = lowerASCII(name)
	return standardParams.session[name] || strings.HasPrefix(name, "aspsessionid")
}

const maxSessionName = 32

// withoutSessions leaves out parameters of path segments, as servlets write them
// behind a semicolon.
func withoutSessions(s string) string {
	var out strings.Builder
	kept := 0
	for i := strings.IndexByte(s, ';'); i >= 0 && i < len(s); {
		name, rest := s[i+1:], len(s)
		if end := strings.IndexAny(name, ";/&"); end >= 0 {
			name, rest = name[:end], i+1+end
		}
		if name, _, ok := strings.Cut(name, "="); ok && isSession(name) {
			out.WriteString(s[kept:i])
			kept = rest
		}
		next := strings.IndexByte(s[rest:], ';')
		if next < 0 {
			break
		}
		i = rest + next
	}
	if kept == 0 {
		return s
	}
	return out.String() + s[kept:]
}

// withoutCookieless leaves out the segment that ASP.NET makes of a session: one
// letter and its value, or several, in parentheses.
func withoutCookieless(path string) string {
	at := strings.Index(path, "/(")
	if at < 0 {
		return path
	}
	segment, rest, ok := strings.Cut(path[at+2:], ")/")
	if !ok || !isCookieless(segment) {
		return path
	}
	return path[:at+1] + rest
}

func isCookieless(segment string) bool {
	for segment != "" {
		value, rest, ok := strings.Cut(segment, ")")
		if !ok || len(value) < 3 || value[0] < 'A' || value[0] > 'Z' || value[1] != '(' || !allIn(value[2:], &unreserved) {
			return false
		}
		segment = rest
	}
	return true
}

package urlnorm

import "strings"

// path returns what of u's path belongs into its key.
func (r *siteRules) path(u *URL, path string) string {
	if len(r.chosen) == 0 {
		return path
	}
	for _, rule := range pathRules {
		if r.has(rule.name) {
			path = u.fold(rule.name, path, rule.fold(path))
		}
	}
	return path
}

// pathRules are applied in this order.
var pathRules = []struct {
	name Rule
	fold func(path string) string
}{
	{FoldSessions, func(path string) string { return withoutCookieless(withoutSessions(path)) }},
	{FoldSlashes, singleSlashes},
	{FoldIndex, withoutIndex},
	{FoldTrailingSlash, withoutTrailingSlash},
	{FoldPathCase, lowerPath},
}

func singleSlashes(path string) string {
	if !strings.Contains(path, "//") {
		return path
	}
	out := make([]byte, 0, len(path))
	for i := 0; i < len(path); i++ {
		if path[i] != '/' || i == 0 || path[i-1] != '/' {
			out = append(out, path[i])
		}
	}
	return string(out)
}

// withoutIndex leaves the last segment out if it is a directory's page.
func withoutIndex(path string) string {
	slash := strings.LastIndexByte(path, '/')
	name, extension, _ := strings.Cut(lowerASCII(path[slash+1:]), ".")
	if (name == "index" || name == "default") && indexTypes[extension] {
		return path[:slash+1]
	}
	return path
}

var indexTypes = words("htm html shtml xhtml phtml php php3 php4 php5 php6 php7 asp aspx jsp jspa jspx jsf cfm cgi")

func words(line string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(line) {
		set[word] = true
	}
	return set
}

func withoutTrailingSlash(path string) string {
	if len(path) > 1 && path[len(path)-1] == '/' {
		return path[:len(path)-1]
	}
	return path
}

// lowerPath lowers the case of what is not percent-encoded.
func lowerPath(path string) string {
	out := []byte(path)
	for i := 0; i < len(out); i++ {
		if _, ok := decode(path[i:]); path[i] == '%' && ok {
			i += escapeLength - 1
		} else if 'A' <= out[i] && out[i] <= 'Z' {
			out[i] += 'a' - 'A'
		}
	}
	return string(out)
}

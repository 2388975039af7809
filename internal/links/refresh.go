package links

import "strings"

// refresh returns where the content of a refresh element leads, which is the
// page itself where it names no URL (HTML, 4.2.5.3, shared declarative refresh
// steps). The pause before it is not looked at.
func refresh(content string) (target string, ok bool) {
	rest := trimSpace(content)
	digits := span(rest, isDigit)
	if digits == 0 && !strings.HasPrefix(rest, ".") {
		return "", false
	}
	rest = rest[digits:]
	rest = rest[span(rest, func(c byte) bool { return isDigit(c) || c == '.' }):]
	if rest == "" {
		return "", true
	}
	if c := rest[0]; c != ';' && c != ',' && !isSpace(c) {
		return "", false
	}
	rest = trimSpace(rest)
	if rest != "" && (rest[0] == ';' || rest[0] == ',') {
		rest = trimSpace(rest[1:])
	}
	return refreshURL(rest), true
}

// refreshURL takes url= and quotes away, where they are complete.
func refreshURL(s string) string {
	url := s
	if len(s) >= len("url") && strings.EqualFold(s[:len("url")], "url") {
		value, ok := strings.CutPrefix(trimSpace(s[len("url"):]), "=")
		if !ok {
			return s
		}
		url = trimSpace(value)
	}
	if url == "" || url[0] != '"' && url[0] != '\'' {
		return url
	}
	quoted, _, _ := strings.Cut(url[1:], url[:1])
	return quoted
}

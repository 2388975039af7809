package links

import "strings"

// BaseOf returns the URL that the references of a page are relative to, given the
// page's own and a function that resolves the href of a base element against it.
// A base of another scheme than http is returned as it is, because nothing that is
// relative to it can be requested. One that is no URL is ignored, as are data: and
// javascript: (HTML, 4.2.3).
func (r *Result) BaseOf(page string, resolve func(href string) (string, error)) string {
	if r.Base == "" {
		return page
	}
	if base, err := resolve(r.Base); err == nil {
		return base
	}
	base := strings.TrimFunc(r.Base, func(c rune) bool { return c <= ' ' })
	switch strings.ToLower(schemeOf(base)) {
	case "", "http", "https", "data", "javascript":
		return page
	}
	return base
}

// schemeOf returns what stands before the colon of an absolute URL, or "".
func schemeOf(s string) string {
	scheme, _, ok := strings.Cut(s, ":")
	if !ok || scheme == "" || !isLetter(scheme[0]) {
		return ""
	}
	for i := range len(scheme) {
		if c := scheme[i]; !isLetter(c) && !isDigit(c) && c != '+' && c != '-' && c != '.' {
			return ""
		}
	}
	return scheme
}

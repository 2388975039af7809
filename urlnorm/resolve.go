package urlnorm

import "strings"

// resolve returns the absolute URL, without fragment, that a browser would
// request for ref on base.
func resolve(base *URL, ref string) (string, error) {
	ref = trimControls(ref)
	request, ok := resolveFast(base, ref)
	if !ok {
		var err error
		if request, err = resolveSlow(base, ref); err != nil {
			return "", err
		}
	}
	if len(request) > MaxLength {
		return "", TooLong
	}
	return request, nil
}

// trimControls removes what the URL standard ignores at both ends: C0 controls
// and spaces.
func trimControls(s string) string {
	for s != "" && s[0] <= ' ' {
		s = s[1:]
	}
	for s != "" && s[len(s)-1] <= ' ' {
		s = s[:len(s)-1]
	}
	return s
}

// originEnd returns where the origin of an absolute http(s) URL ends.
func originEnd(request string) int {
	start := strings.Index(request, "://") + len("://")
	if end := strings.IndexAny(request[start:], "/?"); end >= 0 {
		return start + end
	}
	return len(request)
}

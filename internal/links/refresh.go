package links

import (
	"bytes"
	"time"
)

// MaxDelay is the longest delay of a refresh that is kept: no reader waits longer
// for a page, so a refresh that does is a link all the same.
const MaxDelay = 24 * time.Hour

// refresh returns where the content of a refresh element leads, which is the
// page itself where it names no URL, and after how many whole seconds (HTML,
// 4.2.5.3, shared declarative refresh steps).
func refresh(content []byte) (target []byte, delay time.Duration, ok bool) {
	rest := trim(content)
	digits := span(rest, isDigit)
	if digits == 0 && !bytes.HasPrefix(rest, []byte(".")) {
		return nil, 0, false
	}
	delay = seconds(rest[:digits])
	rest = rest[digits:]
	rest = rest[span(rest, func(c byte) bool { return isDigit(c) || c == '.' }):]
	if len(rest) == 0 {
		return nil, delay, true
	}
	if !separates(rest[0]) && !isSpace(rest[0]) {
		return nil, 0, false
	}
	rest = trim(rest)
	if len(rest) > 0 && separates(rest[0]) {
		rest = trim(rest[1:])
	}
	return refreshURL(rest), delay, true
}

// separates reports whether c may stand between the delay and the URL.
func separates(c byte) bool { return c == ';' || c == ',' }

// seconds reads digits, of which there may be none, or more than a number holds.
func seconds(digits []byte) time.Duration {
	const most = int(MaxDelay / time.Second)
	n := 0
	for _, c := range digits {
		n = min(10*n+int(c-'0'), most)
	}
	return time.Duration(n) * time.Second
}

// refreshURL takes url= and quotes away, where they are complete.
func refreshURL(s []byte) []byte {
	url := s
	if len(s) >= len("url") && equalFold(s[:len("url")], "url") {
		value, ok := bytes.CutPrefix(trim(s[len("url"):]), []byte("="))
		if !ok {
			return s
		}
		url = trim(value)
	}
	if len(url) == 0 || url[0] != '"' && url[0] != '\'' {
		return url
	}
	quoted, _, _ := bytes.Cut(url[1:], url[:1])
	return quoted
}

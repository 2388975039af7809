package links

import (
	"strconv"
	"strings"
	"time"
)

// MaxDelay is the longest delay of a refresh that is kept: no reader waits longer
// for a page, so a refresh that does is a link all the same.
const MaxDelay = 24 * time.Hour

// refresh returns where the content of a refresh element leads, which is the
// page itself where it names no URL, and after how many whole seconds (HTML,
// 4.2.5.3, shared declarative refresh steps).
func refresh(content string) (target string, delay time.Duration, ok bool) {
	rest := trimSpace(content)
	digits := span(rest, isDigit)
	if digits == 0 && !strings.HasPrefix(rest, ".") {
		return "", 0, false
	}
	delay = seconds(rest[:digits])
	rest = rest[digits:]
	rest = rest[span(rest, func(c byte) bool { return isDigit(c) || c == '.' }):]
	if rest == "" {
		return "", delay, true
	}
	if c := rest[0]; c != ';' && c != ',' && !isSpace(c) {
		return "", 0, false
	}
	rest = trimSpace(rest)
	if rest != "" && (rest[0] == ';' || rest[0] == ',') {
		rest = trimSpace(rest[1:])
	}
	return refreshURL(rest), delay, true
}

// seconds reads digits, of which there may be none.
func seconds(digits string) time.Duration {
	if digits == "" {
		return 0
	}
	n, err := strconv.ParseInt(digits, 10, 32)
	if err != nil { // too many
		return MaxDelay
	}
	return min(time.Duration(n)*time.Second, MaxDelay)
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

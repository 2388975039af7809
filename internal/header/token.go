package header

import (
	"strings"

	"golang.org/x/net/http/httpguts"
)

// Characters of the grammar of RFC 9110, section 5.6.
const (
	blanks     = " \t"
	mimeBlanks = " \t\r\n" // HTTP whitespace of the Fetch standard
)

// isToken reports whether s is a token: one or more characters that need no
// quotes.
func isToken(s string) bool { return httpguts.ValidHeaderFieldName(s) }

// isDigits reports whether s is one or more digits.
func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// lower returns s with its ASCII letters in lower case.
func lower(s string) string {
	for i := range len(s) {
		if isUpper(s[i]) {
			return lowered(s)
		}
	}
	return s
}

func lowered(s string) string {
	b := []byte(s)
	for i, c := range b {
		if isUpper(c) {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

// until returns the length of s up to the first of the bytes in stops, or all of
// it.
func until(s, stops string) int {
	if i := strings.IndexAny(s, stops); i >= 0 {
		return i
	}
	return len(s)
}

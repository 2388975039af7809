package header

import (
	"strings"
	"unicode/utf8"
)

// Location returns the reference that a redirect leads to, to be resolved against
// the URL of the response. It may be empty, which is a reference to that URL
// (RFC 3986, section 4.4). It returns false where the field is absent, or has
// lines that differ: browsers refuse those, because one of them may be injected.
//
// Bytes that are not UTF-8 are percent-encoded one by one, as browsers do, so
// that a server finds the bytes that it wrote.
func Location(values []string) (reference string, ok bool) {
	for i, value := range values {
		value = strings.Trim(value, mimeBlanks)
		if i > 0 && value != reference {
			return "", false
		}
		reference = value
	}
	if !utf8.ValidString(reference) {
		reference = escapeBytes(reference)
	}
	return reference, len(values) > 0
}

// escapeBytes percent-encodes all bytes that are not ASCII.
func escapeBytes(s string) string {
	const digits = "0123456789ABCDEF"
	escaped := make([]byte, 0, 3*len(s))
	for i := range len(s) {
		if c := s[i]; c < utf8.RuneSelf {
			escaped = append(escaped, c)
		} else {
			escaped = append(escaped, '%', digits[c>>4], digits[c&15])
		}
	}
	return string(escaped)
}

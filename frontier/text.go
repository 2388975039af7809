package frontier

import (
	"strings"
	"unicode/utf8"
)

// clipText is what is kept of a text for people and for JSON: valid UTF-8 of at most
// n bytes, cut between characters, whatever bytes a page, a header or a program gave.
// What is kept of a kept text is that text, and what is kept of s[:n] is what is kept
// of s: an example that was cut to n bytes, as it was kept before, reads the same.
func clipText(s string, n int) string {
	if len(s) >= n {
		s = whole(s[:n])
	}
	if s = strings.ToValidUTF8(s, "\uFFFD"); len(s) > n {
		s = whole(s[:n])
	}
	return s
}

// whole is s without a character at its end that only begins there.
func whole(s string) string {
	for i := len(s) - 1; i >= max(len(s)-utf8.UTFMax+1, 0); i-- {
		if utf8.RuneStart(s[i]) {
			if !utf8.FullRuneInString(s[i:]) {
				return s[:i]
			}
			break
		}
	}
	return s
}

// cleanReason is r as it is kept.
func cleanReason(r Reason) Reason { return Reason(clipText(string(r), maxReason)) }

// clip cuts a reference to n bytes, and leaves them as they were written: what they
// lead to depends on each.
func clip(s string, n int) string { return s[:min(len(s), n)] }

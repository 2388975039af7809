package header

import "strings"

// cutQuoted reads the quoted string with which s begins, and returns what follows
// it. One that is not closed ends with s.
func cutQuoted(s string) (text, rest string) {
	end, escaped := 1, false
	for ; end < len(s) && s[end] != '"'; end++ {
		if s[end] == '\\' {
			escaped = true
			end++
		}
	}
	if end >= len(s) {
		text = s[1:]
	} else {
		text, rest = s[1:end], s[end+1:]
	}
	if escaped {
		text = unescape(text)
	}
	return text, rest
}

// unescape drops the backslash before each character that has one. A backslash
// before nothing stays.
func unescape(s string) string {
	text := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		text = append(text, s[i])
	}
	return string(text)
}

// appendQuoted appends text as a quoted string.
func appendQuoted(b []byte, text string) []byte {
	b = append(b, '"')
	for i := range len(text) {
		if c := text[i]; c == '"' || c == '\\' {
			b = append(b, '\\')
		}
		b = append(b, text[i])
	}
	return append(b, '"')
}

// isQuotable reports whether s can stand in quotes: tabs, printable characters,
// and bytes that are not ASCII.
func isQuotable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

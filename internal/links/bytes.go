package links

import "bytes"

// Classes of bytes at which parts of a tag end.
const (
	space uint8 = 1 << iota // HTML's ASCII white space
	slash
	greater
	equals
)

var classes = [256]uint8{' ': space, '\n': space, '\t': space, '\r': space, '\f': space, '/': slash, '>': greater, '=': equals}

func isSpace(c byte) bool { return classes[c] == space }

// spanTo returns how many leading bytes of s are in none of the classes.
func spanTo(s []byte, stops uint8) int {
	for i, c := range s {
		if classes[c]&stops != 0 {
			return i
		}
	}
	return len(s)
}

func isSpaceRune(r rune) bool { return r < 0x80 && isSpace(byte(r)) }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// trim returns s without the white space around it.
func trim(s []byte) []byte { return bytes.Trim(s, " \n\t\r\f") }

// span returns how many leading bytes of s are in the set.
func span[S string | []byte](s S, in func(byte) bool) int {
	for i := 0; i < len(s); i++ {
		if !in(s[i]) {
			return i
		}
	}
	return len(s)
}

// cut returns at most n bytes of s, cut between two characters.
func cut(s []byte, n int) string { return string(s[:boundary(s, n)]) }

// equalFold reports whether s is to, which is in lower case, but for the case of
// ASCII letters.
func equalFold(s []byte, to string) bool {
	if len(s) != len(to) {
		return false
	}
	for i, c := range s {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != to[i] {
			return false
		}
	}
	return true
}

// isData reports whether a reference is a data: URL.
func isData(s []byte) bool {
	s = s[span(s, func(c byte) bool { return c <= ' ' }):]
	return len(s) >= len("data:") && equalFold(s[:len("data:")], "data:")
}

// hasWord reports whether s, a list of words, holds word, which is in lower case,
// in any case.
func hasWord(s []byte, word string) bool {
	for w := range bytes.FieldsSeq(s) {
		if equalFold(w, word) {
			return true
		}
	}
	return false
}

package header

import (
	"iter"
	"strings"
)

// elements splits a field at its commas, whether they stand in one line or
// between lines. A comma in quotes separates nothing, and an element may be
// empty: "get, decode, and split" of the Fetch standard.
func elements(values []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for rest, more := join(values), len(values) > 0; more; {
			var element string
			element, rest, more = cutElement(rest)
			if !yield(strings.Trim(element, blanks)) {
				return
			}
		}
	}
}

// join writes a field of several lines in one.
func join(values []string) string {
	if len(values) == 1 {
		return values[0]
	}
	return strings.Join(values, ", ")
}

// cutElement cuts s at its first comma outside quotes.
func cutElement(s string) (element, rest string, found bool) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case c == ',' && !quoted:
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}

package links

import (
	"bytes"
	"iter"
	"math"
	"strconv"
)

// candidate is one image of a srcset.
type candidate struct {
	url         []byte
	descriptors []byte // "2x", "640w", "640w 480h"; none means 1x
}

// srcsetCandidates yields the images that a srcset attribute offers (HTML,
// 4.8.4.2.2, parse a srcset attribute): a comma inside a URL belongs to it, a
// trailing one ends it. A candidate whose descriptors mean nothing is dropped, as
// browsers do.
func srcsetCandidates(srcset []byte) iter.Seq[candidate] {
	return func(yield func(candidate) bool) {
		for rest := srcset; ; {
			rest = rest[span(rest, func(c byte) bool { return isSpace(c) || c == ',' }):]
			if len(rest) == 0 {
				return
			}
			var c candidate
			c, rest = cutCandidate(rest)
			if validDescriptors(c.descriptors) && !yield(c) {
				return
			}
		}
	}
}

// cutCandidate reads the candidate with which s begins.
func cutCandidate(s []byte) (c candidate, rest []byte) {
	end := span(s, func(c byte) bool { return !isSpace(c) })
	c.url, rest = s[:end], s[end:]
	if url := bytes.TrimRight(c.url, ","); len(url) < len(c.url) {
		c.url = url
		return c, rest
	}
	end = descriptorsEnd(rest)
	c.descriptors = bytes.TrimFunc(rest[:end], isSpaceRune)
	return c, rest[end:]
}

// descriptorsEnd returns the length of what follows a URL, to the comma outside
// parentheses that ends it. Parentheses are not nested.
func descriptorsEnd(s []byte) int {
	inside := false
	for i, c := range s {
		switch {
		case c == '(':
			inside = true
		case c == ')':
			inside = false
		case c == ',' && !inside:
			return i
		}
	}
	return len(s)
}

// validDescriptors reports whether descriptors are none, a density, or a width
// with a height or without.
func validDescriptors(s []byte) bool {
	var width, height, density bool
	for len(s) > 0 {
		var word []byte
		word, s = cutDescriptor(s)
		kind := word[len(word)-1]
		value := word[:len(word)-1]
		switch {
		case kind == 'w' && !width && !density && isPositive(value):
			width = true
		case kind == 'h' && !height && !density && isPositive(value):
			height = true
		case kind == 'x' && !width && !height && !density && isDensity(value):
			density = true
		default:
			return false
		}
	}
	return width || !height
}

// cutDescriptor reads the word with which s, which is not empty and has no space
// around it, begins. White space in parentheses belongs to it.
func cutDescriptor(s []byte) (word, rest []byte) {
	inside := false
	for i, c := range s {
		switch {
		case c == '(':
			inside = true
		case c == ')':
			inside = false
		case isSpace(c) && !inside:
			return s[:i], bytes.TrimLeftFunc(s[i:], isSpaceRune)
		}
	}
	return s, nil
}

// isPositive reports whether s is a valid non-negative integer and not zero
// (HTML, 2.3.4.2).
func isPositive(s []byte) bool {
	return len(s) > 0 && span(s, isDigit) == len(s) && span(s, func(c byte) bool { return c == '0' }) < len(s)
}

// isDensity reports whether s is a valid floating-point number that is not
// negative (HTML, 2.3.4.3).
func isDensity(s []byte) bool {
	unsigned := s
	if len(s) > 0 && s[0] == '-' {
		unsigned = s[1:]
	}
	whole := span(unsigned, isDigit)
	rest := unsigned[whole:]
	fraction := 0
	if len(rest) > 0 && rest[0] == '.' {
		if fraction = span(rest[1:], isDigit); fraction == 0 {
			return false
		}
		rest = rest[1+fraction:]
	}
	if whole+fraction == 0 || !isExponent(rest) {
		return false
	}
	value, _ := strconv.ParseFloat(string(s), 64) // out of range: infinite, with its sign
	return value >= 0 && !math.IsNaN(value)
}

// isExponent reports whether s may follow the digits of a number.
func isExponent(s []byte) bool {
	if len(s) == 0 {
		return true
	}
	if s[0] != 'e' && s[0] != 'E' {
		return false
	}
	s = s[1:]
	if len(s) > 0 && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	return len(s) > 0 && span(s, isDigit) == len(s)
}

package robots

import "strings"

// pattern is a path pattern in the normal form of normalize, in which no control
// byte occurs, so that two of them can stand for what is not literal.
type pattern string

const (
	star = "\x00" // any number of bytes
	end  = "\x01" // the end of the URL; only as the last byte
)

// newPattern reads the value of a rule.
func newPattern(value string) pattern {
	if !strings.ContainsAny(value, "*$") {
		return pattern(normalize(value))
	}
	value, anchored := strings.CutSuffix(value, "$")
	literals := strings.Split(value, "*")
	for i, literal := range literals {
		literals[i] = normalize(literal)
	}
	p := strings.Join(literals, star)
	if anchored {
		p += end
	}
	return pattern(p)
}

// match reports whether target, in normal form, begins as p says.
func (p pattern) match(target string) bool {
	i := 0
	for ; i < len(p) && p[i] > end[0]; i++ {
		if i == len(target) || target[i] != p[i] {
			return false
		}
	}
	return i == len(p) || p[i:].matchRest(target[i:])
}

// matchRest is match for what follows a literal. What follows a star is searched
// once, from where the last match ended: the first place that fits is as good as
// any later one.
func (p pattern) matchRest(target string) bool {
	text, anchored := strings.CutSuffix(string(p), end)
	for text != "" {
		var literal string
		literal, text = cutStar(text[len(star):])
		if anchored && text == "" {
			return strings.HasSuffix(target, literal)
		}
		var ok bool
		if _, target, ok = strings.Cut(target, literal); !ok {
			return false
		}
	}
	return !anchored || target == ""
}

// cutStar returns what stands before the first star, and the rest from there.
func cutStar(text string) (literal, rest string) {
	if i := strings.Index(text, star); i >= 0 {
		return text[:i], text[i:]
	}
	return text, ""
}

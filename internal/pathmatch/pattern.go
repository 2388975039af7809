package pathmatch

import "strings"

// A Pattern is a path pattern in the normal form of Normalize, in which no control
// byte occurs, so that two of them can stand for what is not literal.
type Pattern string

const (
	star = "\x00" // any number of bytes
	end  = "\x01" // the end of the URL; only as the last byte
)

// New reads the value of a rule.
func New(value string) Pattern {
	if !strings.ContainsAny(value, "*$") {
		return Pattern(Normalize(value))
	}
	value, anchored := strings.CutSuffix(value, "$")
	literals := strings.Split(value, "*")
	for i, literal := range literals {
		literals[i] = Normalize(literal)
	}
	p := strings.Join(literals, star)
	if anchored {
		p += end
	}
	return Pattern(p)
}

// Match reports whether target, in normal form, begins as p says.
func (p Pattern) Match(target string) bool {
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
func (p Pattern) matchRest(target string) bool {
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

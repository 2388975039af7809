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

// match reports whether target, in normal form, begins as p says. What follows a
// star is searched once, from where the last match ended: the first place that
// fits is as good as any later one.
func (p pattern) match(target string) bool {
	text, anchored := strings.CutSuffix(string(p), end)
	literal, text, more := strings.Cut(text, star)
	rest, ok := strings.CutPrefix(target, literal)
	for ok && more {
		literal, text, more = strings.Cut(text, star)
		if anchored && !more {
			return strings.HasSuffix(rest, literal)
		}
		_, rest, ok = strings.Cut(rest, literal)
	}
	return ok && (!anchored || rest == "")
}

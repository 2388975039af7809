package frontier

import (
	"bytes"
	"slices"
	"strings"
)

// maxPattern is the length of a pattern. A longer one is cut, and ends in "*": it
// stands for all that begin so.
const maxPattern = 200

// patternOf folds what tells apart the URLs that one template makes: a request's
// host and path with every number as {n}, date as {date}, UUID as {uuid}, hash as
// {hex} and session id as {id}, repeated segments once with a "+", and the sorted set of its query's
// names. It looks at the form of a segment alone, so that no value decides.
func patternOf(request string) string {
	_, rest, found := strings.Cut(request, "://")
	if !found {
		rest = request
	}
	rest, _, _ = strings.Cut(rest, "#")
	rest, query, _ := strings.Cut(rest, "?")
	host, path, _ := strings.Cut(rest, "/")
	b := make([]byte, 0, len(rest)+16)
	b = append(foldHost(b, host), '/')
	b = foldPath(b, path)
	b = foldQuery(b, query)
	return cutPattern(string(b), maxPattern)
}

// cutPattern marks what it cuts.
func cutPattern(s string, n int) string {
	if s = strings.ToValidUTF8(s, "\uFFFD"); len(s) <= n {
		return s
	}
	return clipText(s, n-1) + "*"
}

// foldHost folds the labels of a host that has a name; an address stays.
func foldHost(b []byte, host string) []byte {
	name, port := host, ""
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		name, port = host[:i], host[i:]
	}
	if strings.HasPrefix(name, "[") || strings.Trim(name, "0123456789.") == "" {
		return append(b, host...)
	}
	return append(fold(b, name), port...)
}

// maxPeriod is how many segments may repeat together.
const maxPeriod = 8

// foldPath folds each segment, and then the segments that repeat what was just
// before them: /a/b/a/b/c is /a/b+/c.
func foldPath(b []byte, path string) []byte {
	if path == "" {
		return b
	}
	var room [16]segment
	segments, folded := room[:0], make([]byte, 0, len(path)+16)
	for s := range strings.SplitSeq(path, "/") {
		at := len(folded)
		folded = foldSegment(folded, s)
		segments = append(segments, segment{text: folded[at:]})
		if p := period(segments); p > 0 {
			segments = segments[:len(segments)-p]
			segments[len(segments)-1].again = true
		}
		if len(segments) > maxPattern {
			break
		}
	}
	for i, s := range segments {
		if i > 0 {
			b = append(b, '/')
		}
		if b = append(b, s.text...); s.again {
			b = append(b, '+')
		}
	}
	return b
}

// foldSegment folds a segment, and of its parameters all but the names:
// /p;jsessionid=1F is /p;jsessionid.
func foldSegment(b []byte, s string) []byte {
	s, params, _ := strings.Cut(s, ";")
	b = fold(b, s)
	for param := range strings.SplitSeq(params, ";") {
		if name, _, _ := strings.Cut(param, "="); name != "" {
			b = fold(append(b, ';'), name)
		}
	}
	return b
}

// segment is a folded part of a path.
type segment struct {
	text  []byte
	again bool // it ends what was there more than once
}

// period is how many segments at the end are the same as those before them; an
// empty one is only the end of a path.
func period(s []segment) int {
	for p := 1; p <= maxPeriod && 2*p <= len(s); p++ {
		n := len(s)
		if len(s[n-1].text) != 0 && slices.EqualFunc(s[n-p:], s[n-2*p:n-p], segment.same) {
			return p
		}
	}
	return 0
}

func (s segment) same(t segment) bool { return bytes.Equal(s.text, t.text) }

// foldQuery appends the set of names.
func foldQuery(b []byte, query string) []byte {
	var names []string
	for pair := range strings.SplitSeq(query, "&") {
		if name, _, _ := strings.Cut(pair, "="); name != "" {
			names = append(names, string(fold(nil, name)))
		}
	}
	slices.Sort(names)
	sep := byte('?')
	for _, name := range slices.Compact(names) {
		b = append(append(b, sep), name...)
		sep = '&'
	}
	return b
}

// fold appends s with what counts or names in it folded. Escapes are letters.
func fold(b []byte, s string) []byte {
	for i := 0; i < len(s); {
		if !alnum(s[i]) {
			n := escape(s[i:])
			b = append(b, s[i:i+n]...)
			i += n
			continue
		}
		word, n := template(s[i:])
		if n == 0 {
			n = run(s[i:], alnum)
			b = foldDigits(b, s[i:i+n])
		} else {
			b = append(b, word...)
		}
		i += n
	}
	return b
}

// escape is the length of the escape that s begins with, or 1.
func escape(s string) int {
	if len(s) >= 3 && s[0] == '%' && hexDigit(s[1]) && hexDigit(s[2]) {
		return 3
	}
	return 1
}

// templates are the words that hyphens or dots may stand in.
var templates = [...]struct{ word, form string }{
	{"{uuid}", "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"},
	{"{date}", "dddd-dd-dd"},
	{"{date}", "dddd_dd_dd"},
	{"{date}", "dddd.dd.dd"},
	{"{date}", "dd-dd-dddd"},
	{"{date}", "dd.dd.dddd"},
}

// template finds what s begins with as a whole word, and its length; 0: it is a
// word of its own.
func template(s string) (string, int) {
	for _, t := range templates {
		if hasForm(s, t.form) {
			return t.word, len(t.form)
		}
	}
	n := run(s, alnum)
	switch {
	case n >= 8 && run(s, hexDigit) == n && run(s, digit) < n && strings.ContainsAny(s[:n], "0123456789"):
		return "{hex}", n
	case n >= 12 && turns(s[:n]) >= 4:
		return "{id}", n
	}
	return "", 0
}

// turns is how often a word goes from a letter to a digit, or back.
func turns(word string) int {
	n := 0
	for i := 1; i < len(word); i++ {
		if digit(word[i]) != digit(word[i-1]) {
			n++
		}
	}
	return n
}

// hasForm reports whether s begins with a word of this form: x is a hexadecimal
// digit, d a decimal one.
func hasForm(s, form string) bool {
	if len(s) < len(form) || len(s) > len(form) && alnum(s[len(form)]) {
		return false
	}
	for i := range len(form) {
		ok := s[i] == form[i]
		switch form[i] {
		case 'x':
			ok = hexDigit(s[i])
		case 'd':
			ok = digit(s[i])
		}
		if !ok {
			return false
		}
	}
	return true
}

func foldDigits(b []byte, word string) []byte {
	for i := 0; i < len(word); {
		if n := run(word[i:], digit); n > 0 {
			b = append(b, "{n}"...)
			i += n
			continue
		}
		b = append(b, word[i])
		i++
	}
	return b
}

// run is how many bytes at the beginning of s are of a kind.
func run(s string, kind func(byte) bool) int {
	n := 0
	for n < len(s) && kind(s[n]) {
		n++
	}
	return n
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func hexDigit(c byte) bool { return digit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

func alnum(c byte) bool { return digit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' }

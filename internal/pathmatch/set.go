package pathmatch

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Set is some patterns with their texts. The zero Set matches nothing.
type Set struct {
	texts    []string
	patterns []Pattern
}

// NewSet reads the patterns that an operator has written.
func NewSet(texts []string) Set {
	s := Set{texts: texts}
	for _, text := range texts {
		s.patterns = append(s.patterns, New(text))
	}
	return s
}

// Match returns the first pattern, as written, that one of some targets matches.
func (s Set) Match(targets ...string) (text string, ok bool) {
	for i, p := range s.patterns {
		for _, target := range targets {
			if p.Match(target) {
				return s.texts[i], true
			}
		}
	}
	return "", false
}

// Empty reports whether s has no pattern.
func (s Set) Empty() bool { return len(s.patterns) == 0 }

// Target returns what of a URL a pattern is compared with: its path and query in
// normal form. What has no scheme is read as a path: "x" as "/x".
func Target(url string) string { return Normalize(Cut(url)) }

// Cut returns path and query of a URL as written, without its fragment.
func Cut(url string) string {
	url, _, _ = strings.Cut(url, "#")
	if _, rest, ok := strings.Cut(url, "://"); ok && !strings.HasPrefix(url, "/") {
		url = strings.TrimLeftFunc(rest, inAuthority)
	}
	if !strings.HasPrefix(url, "/") {
		url = "/" + url
	}
	return url
}

func inAuthority(r rune) bool { return r != '/' && r != '?' }

// maxText bounds one pattern of an operator.
const maxText = 1 << 10

// Fault says why an operator's pattern can match nothing or is too long, or
// returns nil.
func Fault(text string) error {
	switch {
	case text == "":
		return errors.New("a path pattern is empty; write /private/ or /*?sort=")
	case len(text) > maxText:
		return fmt.Errorf("path pattern %.40q... has %d bytes; %d are allowed", text, len(text), maxText)
	case !utf8.ValidString(text):
		return fmt.Errorf("path pattern %.40q is no UTF-8", text)
	case text[0] != '/' && text[0] != '*':
		return fmt.Errorf("path pattern %.40q can match nothing: a path begins with /, so begin with / or *", text)
	case strings.Contains(text, "#"):
		return fmt.Errorf("path pattern %.40q can match nothing: a request has no fragment; write %%23 for the letter", text)
	}
	return nil
}

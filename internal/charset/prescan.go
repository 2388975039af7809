package charset

import (
	"bytes"
	"strings"
)

// prescanSize is how many bytes of a page the prescan reads (HTML, section
// 13.2.3.2).
const prescanSize = 1024

// A scan is what the prescan of a page has found.
type scan struct {
	name     string // of the encoding that a meta element declares, or ""
	end      int    // where that element ends
	doubtful bool   // an element came before whose text may only look like a meta element
}

// prescan finds the encoding that a page declares, as the standard's "prescan a
// byte stream to determine its encoding" does up to its fallback. It knows tags
// and comments but no elements: it takes a declaration in a script for one, which
// doubtful tells.
func prescan(page []byte) (s scan) {
	b := page[:min(len(page), prescanSize)]
	for i := 0; ; {
		start := bytes.IndexByte(b[i:], '<')
		if start < 0 {
			return s
		}
		i += start
		var ok bool
		switch rest := b[i:]; {
		case bytes.HasPrefix(rest, []byte("<!--")):
			i, ok = after(b, i+2, "-->")
		case isMeta(rest):
			var name string
			if name, i, ok = scanMeta(b, i+len("<meta")); ok && name != "" {
				s.name, s.end = name, i
				return s
			}
		case isTag(rest):
			s.doubtful = s.doubtful || isRaw(rest[1:])
			i, ok = scanTag(b, i)
		case len(rest) > 1 && strings.IndexByte("!/?", rest[1]) >= 0:
			i, ok = after(b, i+1, ">")
		default:
			i, ok = i+1, true
		}
		if !ok {
			return s
		}
	}
}

// after returns where what follows the next mark begins, and false if there is
// none from i on.
func after(b []byte, i int, mark string) (int, bool) {
	found := bytes.Index(b[i:], []byte(mark))
	return i + found + len(mark), found >= 0
}

// isMeta reports whether b begins with the start tag of a meta element.
func isMeta(b []byte) bool {
	const tag = "<meta"
	return len(b) > len(tag) && equalFold(b[:len(tag)], tag) && (isBlank(b[len(tag)]) || b[len(tag)] == '/')
}

// isTag reports whether b, which begins with "<", begins with a tag.
func isTag(b []byte) bool {
	b = bytes.TrimPrefix(b[1:], []byte("/"))
	return len(b) > 0 && isLetter(b[0])
}

// raws are the elements of which the content is text (HTML, section 13.2.5).
var raws = []string{"iframe", "noembed", "noframes", "plaintext", "script", "style", "textarea", "title", "xmp"}

// isRaw reports whether the tag of which b begins with the name is that of an
// element of raws.
func isRaw(b []byte) bool {
	for _, name := range raws {
		if len(b) > len(name) && b[0]|0x20 == name[0] && equalFold(b[:len(name)], name) && !isLetter(b[len(name)]) {
			return true
		}
	}
	return false
}

// scanTag returns where the tag at i ends, and false if b ends before.
func scanTag(b []byte, i int) (end int, ok bool) {
	for i < len(b) && !isBlank(b[i]) && b[i] != '>' {
		i++
	}
	for {
		a := scanAttribute(b, i)
		if a.state != found {
			return a.end + 1, a.state == none
		}
		i = a.end
	}
}

// scanMeta reads the attributes of a meta element from i on. It returns the
// encoding that the element declares, or "", and where it ends; false if b ends
// before.
func scanMeta(b []byte, i int) (name string, end int, ok bool) {
	var m meta
	for {
		a := scanAttribute(b, i)
		if a.state != found {
			return m.prescanned(), a.end + 1, a.state == none
		}
		m.add(a.name, a.value)
		i = a.end
	}
}

// An attribute is one step of "get an attribute".
type attribute struct {
	name, value []byte // as written
	end         int    // where the next step begins; at the ">" if there is none
	state       state
}

// A state says whether a step has found an attribute.
type state int

const (
	ended state = iota // the bytes did
	none               // the tag ends here
	found
)

// scanAttribute reads the next attribute of a tag from i on.
func scanAttribute(b []byte, i int) (a attribute) {
	for i < len(b) && (isBlank(b[i]) || b[i] == '/') {
		i++
	}
	if i == len(b) {
		return a
	}
	if b[i] == '>' {
		return attribute{end: i, state: none}
	}
	start := i
	for i++; i < len(b) && b[i] != '=' && b[i] != '/' && b[i] != '>' && !isBlank(b[i]); i++ {
	}
	a.name = b[start:i]
	i = skipBlanks(b, i)
	if i == len(b) {
		return a
	}
	if b[i] != '=' {
		a.end, a.state = i, found
		return a
	}
	i = skipBlanks(b, i+1)
	return a.scanValue(b, i)
}

// scanValue completes a by its value, which begins at i.
func (a attribute) scanValue(b []byte, i int) attribute {
	if i == len(b) {
		return a
	}
	if quote := b[i]; quote == '"' || quote == '\'' {
		length := bytes.IndexByte(b[i+1:], quote)
		if length < 0 {
			return a
		}
		a.value, a.end = b[i+1:][:length], i+1+length+1
	} else {
		start := i
		for i < len(b) && !isBlank(b[i]) && b[i] != '>' {
			i++
		}
		a.value, a.end = b[start:i], i
	}
	a.state = found
	return a
}

func skipBlanks(b []byte, i int) int {
	for i < len(b) && isBlank(b[i]) {
		i++
	}
	return i
}

func isBlank(c byte) bool {
	const set = 1<<' ' | 1<<'\n' | 1<<'\t' | 1<<'\r' | 1<<'\f'
	return c <= ' ' && set>>c&1 != 0
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// equalFold reports whether s is lower in any case. Nothing but ASCII is folded.
func equalFold[T string | []byte](s T, lower string) bool {
	if len(s) != len(lower) {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

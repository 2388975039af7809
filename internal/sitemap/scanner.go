package sitemap

import (
	"bytes"
	"io"
)

// A scanner cuts markup into tokens, and keeps no more of it than a window.
//
// A window is always filled before it is looked at, so that tokens do not depend
// on the pieces in which the text arrives.
type scanner struct {
	src   io.Reader
	buf   []byte
	r, w  int  // 0 <= r <= w <= len(buf); between them is what is not read yet
	ended bool // src has no more

	inCDATA bool
	open    bool // the text ended inside of a tag, a comment or the like
	report  *Report
}

func newScanner(src io.Reader, report *Report) *scanner {
	return &scanner{src: src, buf: make([]byte, window), report: report}
}

// A token is a piece of markup. Its bytes hold until the next token is read.
type token struct {
	kind          tokenKind
	data          []byte // text, or the attributes of a tag
	prefix, local []byte // of a tag's name, in lower case; local of a doctype
	empty         bool   // a tag that closes itself
}

type tokenKind uint8

const (
	endOfText tokenKind = iota
	characters
	cdata // characters without references
	startTag
	endTag
	doctype
)

// fill moves what is unread to the front and reads until the window is full. It
// reports whether that brought anything.
func (s *scanner) fill() bool {
	if s.ended || s.r == 0 && s.w == len(s.buf) {
		return false
	}
	before := s.w - s.r
	copy(s.buf, s.buf[s.r:s.w])
	s.r, s.w = 0, before
	for idle := 0; s.w < len(s.buf) && !s.ended; {
		n, err := s.src.Read(s.buf[s.w:])
		s.w += n
		if idle++; n > 0 {
			idle = 0
		}
		s.ended = err != nil || idle > 100
	}
	return s.w > before
}

// unread returns at least n bytes, unless the text has fewer.
func (s *scanner) unread(n int) []byte {
	if s.w-s.r < n {
		s.fill()
	}
	return s.buf[s.r:s.w]
}

// next returns the next token. Comments and instructions are none.
func (s *scanner) next() token {
	for {
		b := s.unread(1)
		switch {
		case len(b) == 0:
			s.open = s.open || s.inCDATA
			return token{}
		case s.inCDATA:
			if t, ok := s.section(); ok {
				return t
			}
		case b[0] != '<':
			n := bytes.IndexByte(b, '<')
			if n < 0 {
				n = len(b)
			}
			s.r += n
			return token{kind: characters, data: b[:n]}
		default:
			if t, ok := s.markup(); ok {
				return t
			}
		}
	}
}

// section returns a piece of a CDATA section.
func (s *scanner) section() (token, bool) {
	mark := []byte("]]>")
	b := s.unread(len(mark))
	end := bytes.Index(b, mark)
	if end < 0 && s.fill() {
		b = s.unread(1)
		end = bytes.Index(b, mark)
	}
	switch {
	case end >= 0:
		s.r += end + len(mark)
		s.inCDATA = false
	case s.ended:
		end = len(b)
		s.r += end
	default:
		end = len(b) - 2 // the next window may begin with the rest of the mark
		s.r += end
	}
	return token{kind: cdata, data: b[:end]}, end > 0
}

// markup reads what begins with "<".
func (s *scanner) markup() (token, bool) {
	b := s.unread(len("<![CDATA["))
	switch {
	case bytes.HasPrefix(b, []byte("<!--")):
		s.r += 4
		s.skipTo("-->")
	case hasPrefixFold(b, "<![cdata["):
		s.r += len("<![CDATA[")
		s.inCDATA = true
	case bytes.HasPrefix(b, []byte("<!")):
		return s.declaration(), true
	case hasPrefixFold(b, "<?xml") && len(b) > 5 && isBlank(b[5]):
		s.skipTo(">") // so that one without its second mark hides nothing
	case bytes.HasPrefix(b, []byte("<?")):
		s.skipTo("?>")
	case len(b) > 1 && beginsName(b[1]):
		return s.tag(startTag, 1)
	case len(b) > 2 && b[1] == '/' && beginsName(b[2]):
		return s.tag(endTag, 2)
	default:
		s.r++
		return token{kind: characters, data: b[:1]}, true
	}
	return token{}, false
}

// skipTo goes behind the next mark.
func (s *scanner) skipTo(mark string) {
	for {
		b := s.unread(len(mark))
		if i := bytes.Index(b, []byte(mark)); i >= 0 {
			s.r += i + len(mark)
			return
		}
		if s.r = max(s.r, s.w-len(mark)+1); !s.fill() {
			s.r, s.open = s.w, true
			return
		}
	}
}

// declaration skips "<!...>". Nothing that it defines is believed, or remembered.
func (s *scanner) declaration() token {
	s.r += 2
	t := token{kind: doctype}
	if b := s.unread(nameMax); hasPrefixFold(b, "doctype") {
		name := bytes.TrimLeft(b[len("doctype"):], blanks)
		t.local = bytes.Clone(lower(name[:min(nameMax, nameEnd(name))]))
	}
	var quote byte
	for subset := 0; ; {
		b := s.unread(4)
		if len(b) == 0 {
			s.open = true
			return t
		}
		s.r++
		switch c := b[0]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case bytes.HasPrefix(b, []byte("<!--")):
			s.r += 3
			s.skipTo("-->")
		case c == '[':
			subset++
		case c == ']':
			subset = max(0, subset-1)
		case c == '>' && subset == 0:
			return t
		}
	}
}

// tag reads a tag whose name begins at that place. There is none if the text ends
// in it.
func (s *scanner) tag(kind tokenKind, at int) (token, bool) {
	b := s.unread(1)
	end, ok := tagEnd(b)
	if !ok && s.fill() {
		b = s.unread(1)
		end, ok = tagEnd(b)
	}
	if !ok && s.ended {
		s.r, s.open = s.w, true
		return token{}, false
	}
	if !ok {
		end = len(b)
	}
	s.r += end
	t := named(kind, b[at:end])
	switch {
	case !ok:
		s.report.note(LongTag, b)
		t = s.longTag(t)
	case b[end] == '>':
		s.r++
	default:
		s.report.note(BrokenTag, b[:end])
	}
	return t, true
}

// longTag skips the rest of a tag that fills a window.
func (s *scanner) longTag(t token) token {
	t.prefix, t.local, t.data = bytes.Clone(t.prefix), bytes.Clone(t.local), nil
	for {
		b := s.unread(1)
		if i := bytes.IndexAny(b, "<>"); i >= 0 {
			t.empty = i > 0 && b[i-1] == '/'
			if s.r += i; b[i] == '>' {
				s.r++
			}
			return t
		}
		s.r = s.w
		if len(b) == 0 {
			s.open = true
			return t
		}
	}
}

// tagEnd finds the ">" that ends the tag at the start of b, or the "<" of the next
// one, which cannot stand in a tag, not even quoted.
func tagEnd(b []byte) (int, bool) {
	end := bytes.IndexByte(b, '>')
	if end > 0 && bytes.IndexByte(b[:end], '"') < 0 && bytes.IndexByte(b[:end], '\'') < 0 {
		if next := bytes.IndexByte(b[1:end], '<'); next >= 0 {
			return next + 1, true
		}
		return end, true
	}
	var quote byte
	for i := 1; i < len(b); i++ {
		switch c := b[i]; {
		case c == '<', c == '>' && quote == 0:
			return i, true
		case c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		}
	}
	return 0, false
}

// named takes a tag apart.
func named(kind tokenKind, b []byte) token {
	t := token{kind: kind, empty: b[len(b)-1] == '/'}
	n := nameEnd(b)
	name := lower(b[:min(n, nameMax)])
	if i := bytes.LastIndexByte(name, ':'); i >= 0 {
		t.prefix, name = name[:i], name[i+1:]
	}
	t.local, t.data = name, b[n:]
	return t
}

// nameEnd returns the length of the name with which b begins.
func nameEnd(b []byte) int {
	for i, c := range b {
		if isBlank(c) || c == '/' || c == '>' || c == '<' || c == '[' {
			return i
		}
	}
	return len(b)
}

// lower folds ASCII in place.
func lower(b []byte) []byte {
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return b
}

// hasPrefixFold reports whether b begins with prefix, which is in lower case.
func hasPrefixFold(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && bytes.EqualFold(b[:len(prefix)], []byte(prefix))
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }

const blanks = " \n\t\r\f"

// beginsName reports whether an element's name may begin with c.
func beginsName(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c == ':' || c >= 0x80
}

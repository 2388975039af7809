package fetch

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/weircrawl/weir/internal/header"
)

// A mending is the head of a response in a form that net/http reads: it refuses a
// whole answer for one bad line, where browsers overlook the line.
type mending struct {
	head   []byte
	lines  []fieldLine // of it
	mended int         // lines that were changed or left out
	status int         // 0 if there is none
	length int64       // of the body that follows, -1 if only its end tells
}

// mend reads a whole head, up to and with its empty line. What is right is left
// as it is, to the byte. These are mended, as browsers do:
//
//   - a line that is no header, or continues one that is none: left out
//   - blanks before a colon: left out
//   - control characters in a value: blanks (RFC 9110, section 5.5)
//   - one Content-Length said several times: said once (RFC 9112, section 6.3)
//   - a Content-Length that is no number, or beside chunks: left out
//   - a Transfer-Encoding of "identity", or "chunked" said twice: none, or once
//
// Lengths that differ stay, and are refused: nobody knows where the body ends.
//
// What scratch has room for need not be made.
func mend(raw []byte, scratch []fieldLine) mending {
	start, rest := cutLine(raw)
	m := mending{head: raw, lines: fieldLines(scratch[:0], rest), status: statusOf(start)}
	m.frame()
	for _, l := range m.lines {
		if l.changed {
			m.mended++
		}
	}
	if m.mended == 0 {
		return m
	}
	m.head = append(make([]byte, 0, len(raw)), start...)
	for _, l := range m.lines {
		m.head = append(m.head, l.text...)
	}
	m.head = append(m.head, "\r\n"...)
	return m
}

// note is how a Defect names what was mended.
func (m mending) note() string {
	switch m.mended {
	case 0:
		return ""
	case 1:
		return "header: 1 line mended"
	}
	return fmt.Sprintf("header: %d lines mended", m.mended)
}

// A fieldLine is one header, with the lines that continue it, or something else.
type fieldLine struct {
	name, value []byte
	text        []byte // as it will be written; empty if it is left out
	changed     bool
}

// fieldLines appends the lines that follow the status line.
func fieldLines(lines []fieldLine, rest []byte) []fieldLine {
	for {
		var line []byte
		line, rest = cutLine(rest)
		if blankLine(line) > 0 {
			return lines
		}
		for len(rest) > 0 && (rest[0] == ' ' || rest[0] == '\t') {
			more, after := cutLine(rest)
			line, rest = line[:len(line)+len(more)], after // they are neighbours
		}
		lines = append(lines, parseField(line))
	}
}

// parseField reads one header.
func parseField(line []byte) fieldLine {
	raw, value, found := bytes.Cut(line, []byte(":"))
	name := bytes.TrimRight(raw, " \t")
	if !found || !httpguts.ValidHeaderFieldName(string(name)) {
		return fieldLine{changed: true}
	}
	l := fieldLine{name: name, value: unfold(value), text: line}
	if len(name) < len(raw) || bytes.ContainsFunc(l.value, isControl) {
		l.write(blankControls(l.value))
	}
	return l
}

// unfold returns a value without the line breaks in it and the blanks around it.
func unfold(value []byte) []byte {
	value = bytes.Trim(value, " \t\r\n")
	if bytes.IndexByte(value, '\n') >= 0 {
		value = bytes.ReplaceAll(bytes.ReplaceAll(value, []byte("\r\n"), []byte(" ")), []byte("\n"), []byte(" "))
	}
	return value
}

// isControl reports whether r may not be in a value (RFC 9110, section 5.5).
func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

// blankControls returns value with a blank for each control character.
func blankControls(value []byte) []byte {
	value = bytes.Clone(value)
	for i, c := range value {
		if isControl(rune(c)) {
			value[i] = ' '
		}
	}
	return value
}

// write gives a line another value; without one it is left out.
func (l *fieldLine) write(value []byte) {
	l.value, l.text, l.changed = value, nil, true
	if len(value) > 0 {
		l.text = slices.Concat(l.name, []byte(": "), value, []byte("\r\n"))
	}
}

// frame mends what tells where the body ends, and notes it.
func (m *mending) frame() {
	codings, lengths := m.values("Transfer-Encoding"), m.values("Content-Length")
	m.length = -1
	switch coding := transferCoding(codings); {
	case m.status/100 == 1 && m.status != 101, m.status == 204, m.status == 304:
		m.length = 0
	case len(codings) > 0 && coding != "?":
		m.rewrite("Transfer-Encoding", coding)
		if coding != "" && len(lengths) > 0 && !plainLength(lengths) {
			m.rewrite("Content-Length", "")
		}
	case len(codings) == 0 && len(lengths) > 0:
		length, err := header.ContentLength(lengths)
		switch {
		case err != nil:
		case length < 0:
			m.rewrite("Content-Length", "")
		case !plainLength(lengths):
			m.rewrite("Content-Length", strconv.FormatInt(length, 10))
			fallthrough
		default:
			m.length = length
		}
	}
}

// plainLength reports whether there is one length, and that in digits.
func plainLength(lengths []string) bool {
	return len(lengths) == 1 && lengths[0] != "" && strings.Trim(lengths[0], "0123456789") == "" && len(lengths[0]) < 19
}

// transferCoding returns what Transfer-Encoding comes to: "chunked", nothing, or
// "?" for what neither browsers nor we undo.
func transferCoding(values []string) string {
	coding := ""
	for one := range strings.SplitSeq(strings.ToLower(strings.Join(values, ",")), ",") {
		switch one = strings.TrimSpace(one); one {
		case "", "identity":
		case "chunked":
			coding = one
		default:
			return "?"
		}
	}
	return coding
}

// values returns what the lines of one name say.
func (m *mending) values(name string) (values []string) {
	for _, l := range m.lines {
		if l.is(name) {
			values = append(values, string(l.value))
		}
	}
	return values
}

// rewrite lets the first line of a header have a value, and leaves the others
// out. A line that has it already is left as it is.
func (m *mending) rewrite(name, value string) {
	for i := range m.lines {
		if l := &m.lines[i]; l.is(name) {
			if value == "" || !strings.EqualFold(string(l.value), value) {
				l.write([]byte(value))
			}
			value = ""
		}
	}
}

func (l fieldLine) is(name string) bool {
	return len(l.name) == len(name) && strings.EqualFold(string(l.name), name)
}

// statusOf returns the status of a status line, or 0.
func statusOf(line []byte) int {
	fields := bytes.Fields(line)
	if len(fields) < 2 {
		return 0
	}
	status, _ := strconv.Atoi(string(fields[1])) // 0 is no status
	return status
}

// cutLine cuts text behind its first line feed.
func cutLine(text []byte) (line, rest []byte) {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return text[:i+1], text[i+1:]
	}
	return text, nil
}

// endOfHead returns where the head that text begins with ends, behind its empty
// line, or 0. The first from bytes of text are known to hold no end.
func endOfHead(text []byte, from int) int {
	for at := max(from-2, 0); ; {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			return 0
		}
		at += i + 1
		if n := blankLine(text[at:]); n > 0 {
			return at + n
		}
	}
}

// blankLine returns the length of an empty line at the start of text, or 0.
func blankLine(text []byte) int {
	switch {
	case bytes.HasPrefix(text, []byte("\n")):
		return 1
	case bytes.HasPrefix(text, []byte("\r\n")):
		return 2
	}
	return 0
}

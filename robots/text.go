package robots

import (
	"encoding/binary"
	"iter"
	"strings"
	"unicode/utf16"
)

// MaxBody is how much of a file counts: RFC 9309, section 2.5, asks for at least
// 500 KiB.
const MaxBody = 500 << 10

// counted returns what counts of a body: its first 500 KiB, in UTF-8. A body that is
// longer is cut behind its last whole line: half a rule would forbid, or allow,
// more than the whole one.
func counted(body []byte) string {
	counts := body[:min(len(body), MaxBody)]
	s, utf8 := decoded(counts)
	switch rest := body[len(counts):]; {
	case len(rest) == 0:
		return s
	case utf8 && (rest[0] == '\n' || rest[0] == '\r'):
		return s
	}
	return s[:1+strings.LastIndexAny(s, "\r\n")]
}

// decoded returns body without its byte order mark, and whether it is UTF-8, as
// RFC 9309 asks for, or at least not UTF-16: bytes that are no text at all stay
// what they are. UTF-16 is what Windows calls a text file; to read it as UTF-8
// would be to see no rules. Its mark alone is not believed, the first character
// must be one of ASCII, too.
func decoded(body []byte) (s string, utf8 bool) {
	switch {
	case len(body) >= 4 && body[0] == 0xFF && body[1] == 0xFE && body[3] == 0:
		return utf16Text(body[2:], binary.LittleEndian), false
	case len(body) >= 4 && body[0] == 0xFE && body[1] == 0xFF && body[2] == 0:
		return utf16Text(body[2:], binary.BigEndian), false
	}
	return strings.TrimPrefix(string(body), "\uFEFF"), true
}

func utf16Text(body []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(body)/2)
	for i := range units {
		units[i] = order.Uint16(body[2*i:])
	}
	return string(utf16.Decode(units))
}

// lines returns the lines of a text, which end with CR, LF or both.
func lines(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for more := true; more; {
			var part, line string
			part, text, more = strings.Cut(text, "\n")
			if more {
				part = strings.TrimSuffix(part, "\r")
			}
			for again := true; again; {
				line, part, again = strings.Cut(part, "\r")
				if !yield(line) {
					return
				}
			}
		}
	}
}

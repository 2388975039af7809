package urlnorm

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// appendPath writes the segments of s, and the query that may follow them, behind
// out, whose path begins at root. Dot segments are resolved, and never lead above
// the root. A query is in the page's charset.
func appendPath(out []byte, root int, s, charset string) []byte {
	for {
		end := strings.IndexAny(s, `/\?`)
		segment, more := s, false
		if end >= 0 {
			segment, more = s[:end], s[end] != '?'
		}
		dots := dotsIn(segment)
		if dots == 2 {
			out = withoutLastSegment(out, root)
		}
		if dots == 0 {
			out = appendEncoded(append(out, '/'), segment, &inPathAsIs)
		} else if !more {
			out = append(out, '/')
		}
		if end < 0 {
			return out
		}
		if s = s[end+1:]; !more {
			return appendQuery(out, s, charset)
		}
	}
}

func withoutLastSegment(out []byte, root int) []byte {
	if slash := bytes.LastIndexByte(out[root:], '/'); slash >= 0 {
		return out[:root+slash]
	}
	return out
}

// dotsIn returns 1 or 2 for a segment of that many dots, plain or encoded, and 0
// for any other.
func dotsIn(segment string) (dots int) {
	for segment != "" && dots < 3 {
		switch {
		case segment[0] == '.':
			segment = segment[1:]
		case segment[0] == '%' && isEncodedDot(segment):
			segment = segment[escapeLength:]
		default:
			return 0
		}
		dots++
	}
	return dots % 3
}

// appendEncoded writes s with the bytes outside asIs percent-encoded. What is no
// UTF-8 becomes the replacement character, as in browsers.
func appendEncoded(out []byte, s string, asIs *[256]bool) []byte {
	for i := 0; i < len(s); {
		if asIs[s[i]] {
			out = append(out, s[i])
			i++
			continue
		}
		r, width := utf8.DecodeRuneInString(s[i:])
		var buffer [utf8.UTFMax]byte
		for _, c := range buffer[:utf8.EncodeRune(buffer[:], r)] {
			out = append(out, '%', hexDigits[c>>4], hexDigits[c&15])
		}
		i += width
	}
	return out
}

const hexDigits = "0123456789ABCDEF"

// inPathAsIs, inQuery and inFragment hold the bytes that a browser leaves as they
// are: the complements of the standard's path, special-query and fragment
// percent-encode sets, among printable ASCII. inPath leaves out what plainTail looks at.
var (
	inPathAsIs = printableWithout("\"#<>?`{}\\")
	inPath     = printableWithout("\"#<>?^`{|}\\.%")
	inQuery    = printableWithout("\"#<>'")
	inFragment = printableWithout("\"<>`")
)

func printableWithout(out string) (set [256]bool) {
	for c := '!'; c <= '~'; c++ {
		set[c] = !strings.ContainsRune(out, c)
	}
	return set
}

package charset

import "unicode/utf8"

// decode returns body, which is in the encoding of that name, in UTF-8, and the
// number of its sequences to which the encoding gives no meaning, each of which
// one U+FFFD replaces. Where body was cut, the beginning of a character at its
// end is dropped.
//
// The decoders are those of the Encoding standard. What they decode by is taken
// from golang.org/x/text, see tables.go.
func decode(name string, body []byte, cut bool) (text []byte, invalid int) {
	switch name {
	case utf8Name:
		if cut {
			body = body[:len(body)-unfinished(body)]
		}
		return fixUTF8(body)
	case utf16be, utf16le:
		return decodeUTF16(body, name == utf16be, cut)
	case iso2022jp:
		return decodeISO2022JP(body, cut)
	case replacementName:
		return decodeReplacement(body)
	}
	return decodeSteps(body, cut, stepOf(name))
}

// decodeReplacement is the decoder of encodings that the web has given up because
// text in them can be read as markup that is not there (Encoding, section 14.1).
func decodeReplacement(body []byte) ([]byte, int) {
	if len(body) == 0 {
		return nil, 0
	}
	return []byte(replacement), 1
}

// A step decodes the character with which b begins, whose first byte is not
// ASCII. It returns the character and the number of bytes that it has read; of a
// cutRune the number does not count.
type step func(b []byte) (r rune, size int)

const (
	badRune rune = -1 - iota // bytes that mean nothing
	cutRune                  // b ends inside of a character
)

// decodeSteps decodes an encoding in which a byte below 0x80 that begins a
// character is ASCII.
func decodeSteps(body []byte, cut bool, next step) (text []byte, invalid int) {
	text = make([]byte, 0, room(body))
	for {
		n := ascii(body)
		text = append(text, body[:n]...)
		if body = body[n:]; len(body) == 0 {
			return text, invalid
		}
		r, size := next(body)
		if r == cutRune {
			if cut {
				return text, invalid
			}
			r, size = badRune, len(body)
		}
		if r == badRune {
			r = utf8.RuneError
			invalid++
		}
		text = appendRune(text, r)
		body = body[size:]
	}
}

// room is how many bytes are made ready for the text of body.
func room(body []byte) int { return len(body) + len(body)/2 + utf8.UTFMax }

// appendRune appends r; or, where it is beyond Unicode, the two characters of
// which it is made.
func appendRune(text []byte, r rune) []byte {
	switch {
	case r < 0x80:
		return append(text, byte(r))
	case r < 0x800:
		return append(text, 0xc0|byte(r>>6), 0x80|byte(r)&0x3f)
	case r < 0x10000:
		return append(text, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
	case r <= utf8.MaxRune:
		return utf8.AppendRune(text, r)
	}
	return appendRune(appendRune(text, r>>16), r&0xffff)
}

// pair is the rune of two characters that one code stands for.
func pair(letter, mark rune) rune { return letter<<16 | mark }

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
	case replacementName:
		return decodeReplacement(body)
	}
	return coderOf(name).decode(body, cut)
}

// decodeReplacement is the decoder of encodings that the web has given up because
// text in them can be read as markup that is not there (Encoding, section 14.1).
func decodeReplacement(body []byte) ([]byte, int) {
	if len(body) == 0 {
		return nil, 0
	}
	return []byte(replacement), 1
}

// A coder decodes one encoding.
type coder struct {
	plain func(b []byte) int // how many bytes of b come first that are ASCII, and mean that
	step  step
}

// A step decodes the character with which b begins. It returns the character and
// the number of bytes that are read with it, one at least.
type step func(b []byte) (r rune, size int)

// What a step returns that is no character.
const (
	badRune rune = -1 - iota // bytes that mean nothing
	cutRune                  // b ends inside of a character
	noRune                   // bytes that change what follows
)

func (c coder) decode(body []byte, cut bool) (text []byte, invalid int) {
	text = make([]byte, 0, len(body)+high(body)+len(replacement))
	for {
		n := c.plain(body)
		text = append(text, body[:n]...)
		for body = body[n:]; ; {
			if len(body) == 0 {
				return text, invalid
			}
			r, size := c.step(body)
			body = body[size:]
			switch {
			case r >= 0:
				text = appendRune(text, r)
			case r == cutRune && cut:
				return text, invalid
			case r != noRune:
				text = append(text, replacement...)
				invalid++
			}
			if len(body) > 0 && body[0] < utf8.RuneSelf {
				break
			}
		}
	}
}

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

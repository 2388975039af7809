package charset

import (
	"unicode/utf16"
	"unicode/utf8"
)

// stepUTF16 is the decoder of Encoding, section 14.2.1, for one order of bytes.
func stepUTF16(unit func([]byte) uint16) step {
	const low = 0xdc00 // the first of the second halves
	return func(b []byte) (rune, int) {
		if len(b) < 2 {
			return cutRune, len(b)
		}
		r := rune(unit(b))
		switch {
		case !utf16.IsSurrogate(r):
			return r, 2
		case r >= low:
			return badRune, 2
		case len(b) < 4:
			return cutRune, len(b)
		}
		if whole := utf16.DecodeRune(r, rune(unit(b[2:]))); whole != utf8.RuneError {
			return whole, 4
		}
		return badRune, 2
	}
}

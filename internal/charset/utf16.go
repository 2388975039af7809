package charset

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// decodeUTF16 is the decoder of Encoding, section 15.2.1.
func decodeUTF16(body []byte, big, cut bool) (text []byte, invalid int) {
	unit := binary.LittleEndian.Uint16
	if big {
		unit = binary.BigEndian.Uint16
	}
	text = make([]byte, 0, room(body))
	for len(body) >= 2 {
		r, size := rune(unit(body)), 2
		if utf16.IsSurrogate(r) {
			r, size = surrogate(r, body, unit)
		}
		if r == cutRune {
			break
		}
		if r == badRune {
			r = utf8.RuneError
			invalid++
		}
		text = appendRune(text, r)
		body = body[size:]
	}
	if len(body) > 0 && !cut {
		text = append(text, replacement...)
		invalid++
	}
	return text, invalid
}

// surrogate decodes the character whose first half r body begins with.
func surrogate(r rune, body []byte, unit func([]byte) uint16) (rune, int) {
	const low = 0xdc00
	switch {
	case r >= low:
		return badRune, 2
	case len(body) < 4:
		return cutRune, 0
	}
	if whole := utf16.DecodeRune(r, rune(unit(body[2:]))); whole != utf8.RuneError {
		return whole, 4
	}
	return badRune, 2
}

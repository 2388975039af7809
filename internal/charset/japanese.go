package charset

import "unicode/utf8"

// halfKatakana is the first of the narrow letters that have a code of one byte.
const halfKatakana = 0xff61

// stepShiftJIS is the decoder of Encoding, section 13.3.1.
func stepShiftJIS(jis0208 []rune) step {
	return func(b []byte) (rune, int) {
		switch lead := b[0]; {
		case lead == 0x80:
			return 0x80, 1
		case 0xa1 <= lead && lead <= 0xdf:
			return halfKatakana + rune(lead-0xa1), 1
		case lead == 0xa0 || lead > 0xfc:
			return badRune, 1
		case len(b) < 2:
			return cutRune, 0
		default:
			return atShiftJIS(jis0208, pointerShiftJIS(lead, b[1]), b[1])
		}
	}
}

func pointerShiftJIS(lead, trail byte) int {
	if lead >= 0xa0 {
		lead -= 0x40
	}
	pointer := int(lead-0x81)*188 + int(trail)
	switch {
	case 0x40 <= trail && trail <= 0x7e:
		return pointer - 0x40
	case 0x80 <= trail && trail <= 0xfc:
		return pointer - 0x41
	}
	return -1
}

// atShiftJIS is at with the codes that Windows leaves to users.
func atShiftJIS(jis0208 []rune, pointer int, trail byte) (rune, int) {
	const first, last = 8836, 10715
	if first <= pointer && pointer <= last {
		return 0xe000 + rune(pointer-first), 2
	}
	return at(jis0208, pointer, trail)
}

// stepEUCJP is the decoder of Encoding, section 13.1.1.
func stepEUCJP(jis0208, jis0212 []rune) step {
	const katakana, more = 0x8e, 0x8f
	return func(b []byte) (rune, int) {
		lead := b[0]
		switch {
		case lead != katakana && lead != more && !isEUC(lead):
			return badRune, 1
		case len(b) < 2:
			return cutRune, 0
		case lead == katakana && 0xa1 <= b[1] && b[1] <= 0xdf:
			return halfKatakana + rune(b[1]-0xa1), 2
		case lead == katakana || !isEUC(b[1]):
			return bad(b[1])
		case lead != more:
			return at(jis0208, pointerEUC(lead, b[1]), b[1])
		case len(b) < 3:
			return cutRune, 0
		}
		pointer := -1
		if isEUC(b[2]) {
			pointer = pointerEUC(b[1], b[2])
		}
		r, size := at(jis0212, pointer, b[2])
		return r, size + 1
	}
}

func isEUC(b byte) bool { return 0xa1 <= b && b <= 0xfe }

func pointerEUC(lead, trail byte) int { return int(lead-0xa1)*94 + int(trail-0xa1) }

// A jisState says what bytes of ISO-2022-JP mean.
type jisState int

const (
	jisASCII jisState = iota
	jisRoman
	jisKatakana
	jisPairs // characters of jis0208
)

// jisEscapes are what follows an escape character, and what it changes to.
var jisEscapes = map[string]jisState{"(B": jisASCII, "(J": jisRoman, "(I": jisKatakana, "$@": jisPairs, "$B": jisPairs}

// decodeISO2022JP is the decoder of Encoding, section 13.2.1.
func decodeISO2022JP(body []byte, cut bool) (text []byte, invalid int) {
	const escape = 0x1b
	jis0208 := indexJIS0208()
	text = make([]byte, 0, room(body))
	var state jisState
	escaped := false // the last thing read was an escape sequence
	for len(body) > 0 {
		var r rune
		var size int
		if body[0] == escape {
			if cut && len(body) < 3 {
				break
			}
			next, ok := jisEscapes[string(body[1:min(len(body), 3)])]
			if ok {
				state, body = next, body[3:]
				if !escaped {
					escaped = true
					continue
				}
				r = badRune // two in a row could hide something
			} else {
				r, size, escaped = badRune, 1, false
			}
		} else {
			r, size = state.decode(body, jis0208)
			escaped = false
		}
		if r == cutRune {
			if cut {
				break
			}
			r = badRune
		}
		if r == badRune {
			r = utf8.RuneError
			invalid++
		}
		text = appendRune(text, r)
		body = body[size:]
	}
	return text, invalid
}

// decode decodes the character with which b begins, which is no escape.
func (s jisState) decode(b []byte, jis0208 []rune) (r rune, size int) {
	c := b[0]
	switch {
	case s == jisKatakana && 0x21 <= c && c <= 0x5f:
		return halfKatakana + rune(c-0x21), 1
	case s == jisPairs && isJIS(c):
		return jisPair(b, jis0208)
	case s >= jisKatakana || c >= utf8.RuneSelf || c == 0x0e || c == 0x0f:
		return badRune, 1
	case s == jisRoman && c == '\\':
		return '¥', 1
	case s == jisRoman && c == '~':
		return '‾', 1
	}
	return rune(c), 1
}

// jisPair decodes the two bytes of a character of jis0208. An escape is no part of
// it.
func jisPair(b []byte, jis0208 []rune) (rune, int) {
	switch {
	case len(b) < 2:
		return cutRune, 1
	case b[1] == 0x1b:
		return badRune, 1
	case !isJIS(b[1]):
		return badRune, 2
	}
	if r := jis0208[int(b[0]-0x21)*94+int(b[1]-0x21)]; r != 0 {
		return r, 2
	}
	return badRune, 2
}

func isJIS(c byte) bool { return 0x21 <= c && c <= 0x7e }

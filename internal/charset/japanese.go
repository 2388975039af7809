package charset

// halfKatakana is the first of the narrow letters that have a code of one byte.
const halfKatakana = 0xff61

// stepShiftJIS is the decoder of Encoding, section 12.3.1.
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
			return cutRune, len(b)
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

// stepEUCJP is the decoder of Encoding, section 12.1.1.
func stepEUCJP(jis0208, jis0212 []rune) step {
	const katakana, more = 0x8e, 0x8f
	return func(b []byte) (rune, int) {
		lead := b[0]
		switch {
		case lead != katakana && lead != more && !isEUC(lead):
			return badRune, 1
		case len(b) < 2:
			return cutRune, len(b)
		case lead == katakana && 0xa1 <= b[1] && b[1] <= 0xdf:
			return halfKatakana + rune(b[1]-0xa1), 2
		case lead == katakana || !isEUC(b[1]):
			return bad(b[1])
		case lead != more:
			return at(jis0208, pointerEUC(lead, b[1]), b[1])
		case len(b) < 3:
			return cutRune, len(b)
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

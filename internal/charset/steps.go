package charset

import (
	"encoding/binary"
	"unicode/utf8"

	"golang.org/x/text/encoding/simplifiedchinese"
)

// coderOf returns the decoder of the encoding of that name.
func coderOf(name string) coder {
	switch name {
	case gbk, gb18030: // the standard has one decoder for both
		return coder{ascii, stepGB18030(indexGB18030())}
	case big5:
		return coder{ascii, stepBig5(indexBig5())}
	case eucKR:
		return coder{ascii, stepEUCKR(indexEUCKR())}
	case shiftJIS:
		return coder{ascii, stepShiftJIS(indexJIS0208())}
	case eucJP:
		return coder{ascii, stepEUCJP(indexJIS0208(), indexJIS0212())}
	case iso2022jp:
		j := jis{index: indexJIS0208()}
		return coder{j.plain, j.step}
	case utf16be:
		return coder{nothing, stepUTF16(binary.BigEndian.Uint16)}
	case utf16le:
		return coder{nothing, stepUTF16(binary.LittleEndian.Uint16)}
	}
	return coder{ascii, stepByte(byteTable(name))}
}

// nothing is the plain part of an encoding that has none.
func nothing([]byte) int { return 0 }

// stepByte is the decoder of Encoding, section 9.1.
func stepByte(table *[128]rune) step {
	return func(b []byte) (rune, int) { return table[b[0]-utf8.RuneSelf], 1 }
}

// isBytewise reports whether each byte is a character in the encoding of that name.
func isBytewise(name string) bool {
	switch name {
	case utf8Name, utf16be, utf16le, gbk, gb18030, big5, eucKR, eucJP, shiftJIS, iso2022jp, replacementName:
		return false
	}
	return true
}

// at returns what a code of two bytes means whose place in an index is pointer. An
// ASCII byte that ends a code without a meaning is not eaten: it may be the end of
// a tag.
func at(index []rune, pointer int, trail byte) (rune, int) {
	if 0 <= pointer && pointer < len(index) && index[pointer] != 0 {
		return index[pointer], 2
	}
	return bad(trail)
}

func bad(trail byte) (rune, int) {
	if trail < utf8.RuneSelf {
		return badRune, 1
	}
	return badRune, 2
}

// stepGB18030 is the decoder of Encoding, section 10.2.1.
func stepGB18030(index []rune) step {
	return func(b []byte) (rune, int) {
		switch lead := b[0]; {
		case lead == 0x80:
			return '€', 1
		case lead == 0xff:
			return badRune, 1
		case len(b) < 2:
			return cutRune, len(b)
		case isDigit(b[1]):
			return stepGB4(b)
		default:
			return at(index, pointerGB(lead, b[1]), b[1])
		}
	}
}

func pointerGB(lead, trail byte) int {
	pointer := int(lead-0x81)*190 + int(trail)
	switch {
	case 0x40 <= trail && trail <= 0x7e:
		return pointer - 0x40
	case 0x80 <= trail && trail <= 0xfe:
		return pointer - 0x41
	}
	return -1
}

// stepGB4 decodes a code of four bytes, of which two are there.
func stepGB4(b []byte) (rune, int) {
	switch {
	case len(b) < 3:
		return cutRune, len(b)
	case b[2] < 0x81 || b[2] == 0xff:
		return badRune, 1
	case len(b) < 4:
		return cutRune, len(b)
	case !isDigit(b[3]):
		return badRune, 1
	}
	switch string(b[:4]) {
	case "\x81\x35\xf4\x37": // what GB 18030-2005 has moved away
		return 0xe7c7, 4
	case "\x84\x31\xa4\x37":
		return utf8.RuneError, 4
	}
	if r := only(simplifiedchinese.GB18030.NewDecoder(), b[:4]); r != 0 {
		return r, 4
	}
	return badRune, 4
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// stepBig5 is the decoder of Encoding, section 11.1.1.
func stepBig5(index []rune) step {
	return func(b []byte) (rune, int) {
		lead := b[0]
		switch {
		case lead == 0x80 || lead == 0xff:
			return badRune, 1
		case len(b) < 2:
			return cutRune, len(b)
		}
		pointer := pointerBig5(lead, b[1])
		if r, ok := pairsBig5[pointer]; ok {
			return r, 2
		}
		return at(index, pointer, b[1])
	}
}

func pointerBig5(lead, trail byte) int {
	pointer := int(lead-0x81)*157 + int(trail)
	switch {
	case 0x40 <= trail && trail <= 0x7e:
		return pointer - 0x40
	case 0xa1 <= trail && trail <= 0xfe:
		return pointer - 0x62
	}
	return -1
}

// pairsBig5 are the codes that stand for a letter with a mark.
var pairsBig5 = map[int]rune{
	1133: pair(0xca, 0x304),
	1135: pair(0xca, 0x30c),
	1164: pair(0xea, 0x304),
	1166: pair(0xea, 0x30c),
}

// stepEUCKR is the decoder of Encoding, section 13.1.1.
func stepEUCKR(index []rune) step {
	return func(b []byte) (rune, int) {
		lead := b[0]
		switch {
		case lead == 0x80 || lead == 0xff:
			return badRune, 1
		case len(b) < 2:
			return cutRune, len(b)
		case b[1] < 0x41 || b[1] == 0xff:
			return bad(b[1])
		}
		return at(index, int(lead-0x81)*190+int(b[1]-0x41), b[1])
	}
}

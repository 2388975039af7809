package charset

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// replacement is what stands for bytes that mean nothing.
const replacement = "\uFFFD"

// fixUTF8 returns b in valid UTF-8 and the number of its sequences that were not,
// each of which one U+FFFD replaces. Valid bytes are returned as they are.
func fixUTF8(b []byte) (text []byte, invalid int) {
	valid := validPrefix(b)
	if valid == len(b) {
		return b, 0
	}
	text = make([]byte, 0, len(b)+len(b)/8+len(replacement))
	for {
		text = append(text, b[:valid]...)
		if b = b[valid:]; len(b) == 0 {
			return text, invalid
		}
		text = append(text, replacement...)
		invalid++
		b = b[subpart(b):]
		valid = validPrefix(b)
	}
}

// validPrefix returns how many bytes of b come before its first invalid sequence.
func validPrefix(b []byte) int {
	for i := 0; ; {
		if i += ascii(b[i:]); i == len(b) {
			return i
		}
		_, size := utf8.DecodeRune(b[i:])
		if size == 1 {
			return i
		}
		i += size
	}
}

// subpart returns the length of the invalid sequence with which b begins: the
// longest part that could have begun a character, or one byte (Encoding, section
// 8.1.1; Unicode, section 3.9, "maximal subparts").
func subpart(b []byte) int {
	n := 1
	for n < min(len(b), utf8.UTFMax) && !utf8.FullRune(b[:n]) {
		n++
	}
	if n > 1 && utf8.FullRune(b[:n]) {
		n-- // the last byte is what made it invalid
	}
	return n
}

// unfinished returns how many bytes at the end of b begin a character of UTF-8
// and do not end it.
func unfinished(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if end := b[len(b)-n:]; utf8.RuneStart(end[0]) {
			if utf8.FullRune(end) {
				return 0
			}
			return n
		}
	}
	return 0
}

// looksUTF8 reports whether of b's sequences of bytes that are not ASCII more are
// characters in UTF-8 than not. Text in another encoding is so by chance only
// where it is very short.
func looksUTF8(b []byte) bool {
	good, bad := 0, 0
	for {
		if b = b[ascii(b):]; len(b) == 0 {
			return good > bad
		}
		_, size := utf8.DecodeRune(b)
		if size > 1 {
			good++
		} else {
			bad++
			size = subpart(b)
		}
		b = b[size:]
	}
}

// ascii returns how many bytes of b come before the first one that is not ASCII.
func ascii(b []byte) int {
	i := 0
	for ; len(b)-i >= 8 && binary.LittleEndian.Uint64(b[i:])&highBits == 0; i += 8 {
	}
	for i < len(b) && b[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// high returns how many bytes of b are not ASCII.
func high(b []byte) (n int) {
	for ; len(b) >= 8; b = b[8:] {
		n += bits.OnesCount64(binary.LittleEndian.Uint64(b) & highBits)
	}
	for _, c := range b {
		n += int(c >> 7)
	}
	return n
}

const highBits = 0x8080808080808080

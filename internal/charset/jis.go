package charset

import "unicode/utf8"

// A jis is the decoder of ISO-2022-JP (Encoding, section 12.2.1), in which escape
// sequences change what bytes mean.
type jis struct {
	index   []rune // of jis0208
	mode    jisMode
	escaped bool // nothing came since the last change
}

// A jisMode says what bytes mean.
type jisMode int

const (
	jisASCII jisMode = iota
	jisRoman
	jisKatakana
	jisPairs // two bytes are a character
)

const escape = 0x1b

// jisEscapes are what follows an escape character, and what it changes to.
var jisEscapes = map[string]jisMode{"(B": jisASCII, "(J": jisRoman, "(I": jisKatakana, "$@": jisPairs, "$B": jisPairs}

// plain returns how many bytes of b come before a change.
func (j *jis) plain(b []byte) (n int) {
	if j.mode != jisASCII {
		return 0
	}
	for n < len(b) && isPlainJIS(b[n]) {
		n++
	}
	j.escaped = j.escaped && n == 0
	return n
}

// isPlainJIS reports whether c means itself. The two that shift in the ISO standard
// do not here.
func isPlainJIS(c byte) bool {
	return c < utf8.RuneSelf && c != escape && c != 0x0e && c != 0x0f
}

func (j *jis) step(b []byte) (rune, int) {
	if b[0] == escape {
		return j.change(b)
	}
	j.escaped = false
	switch c := b[0]; {
	case j.mode == jisKatakana && 0x21 <= c && c <= 0x5f:
		return halfKatakana + rune(c-0x21), 1
	case j.mode == jisPairs && isJIS(c):
		return j.pair(b)
	case j.mode >= jisKatakana || !isPlainJIS(c):
		return badRune, 1
	case j.mode == jisRoman && c == '\\':
		return '¥', 1
	case j.mode == jisRoman && c == '~':
		return '‾', 1
	default:
		return rune(c), 1
	}
}

// change reads an escape sequence. Two without anything between them are an error:
// they could hide what they are part of.
func (j *jis) change(b []byte) (rune, int) {
	mode, ok := jisEscapes[string(b[1:min(len(b), 3)])]
	switch again := j.escaped; {
	case ok:
		j.mode, j.escaped = mode, true
		if again {
			return badRune, 3
		}
		return noRune, 3
	case len(b) < 3:
		j.escaped = false
		return cutRune, 1
	}
	j.escaped = false
	return badRune, 1
}

// pair decodes a character of two bytes. An escape is no part of it.
func (j *jis) pair(b []byte) (rune, int) {
	switch {
	case len(b) < 2:
		return cutRune, 1
	case b[1] == escape:
		return badRune, 1
	case !isJIS(b[1]):
		return badRune, 2
	}
	if r := j.index[pointerEUC(b[0]|0x80, b[1]|0x80)]; r != 0 {
		return r, 2
	}
	return badRune, 2
}

func isJIS(c byte) bool { return 0x21 <= c && c <= 0x7e }

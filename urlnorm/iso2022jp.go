package urlnorm

import "unicode/utf8"

// iso2022JP is the encoder of ISO-2022-JP, which escapes between three sets of
// characters (Encoding standard, 12.2.2). Its JIS X 0208 is that of EUC-JP with the
// high bits off.
type iso2022JP struct {
	jis stateless
	set jisSet
}

// A jisSet is named by what escapes to it.
type jisSet string

const (
	jisASCII jisSet = ""
	jisRoman jisSet = "\x1b(J"
	jis0208  jisSet = "\x1b$B"

	toASCIISet = "\x1b(B"
)

func (e *iso2022JP) next(r rune) (string, bool) {
	switch {
	case escapes(r):
		return e.endJIS(), false
	case r < utf8.RuneSelf:
		if e.set == jisRoman && r != '\\' && r != '~' {
			return string(r), true
		}
		return e.end() + string(r), true
	case r == '\u00a5':
		return e.escape(jisRoman) + `\`, true
	case r == '\u203e':
		return e.escape(jisRoman) + "~", true
	}
	code, ok := e.jis.convert(wide(japanese(r)))
	if !ok || len(code) != 2 {
		return e.endJIS(), false
	}
	return e.escape(jis0208) + string([]byte{code[0] & 0x7f, code[1] & 0x7f}), true
}

// refused hides the characters that could be taken for an escape.
func (e *iso2022JP) refused(r rune) rune {
	if escapes(r) {
		return utf8.RuneError
	}
	return r
}

func escapes(r rune) bool { return r == 0x0e || r == 0x0f || r == 0x1b }

func (e *iso2022JP) escape(set jisSet) string {
	if e.set == set {
		return ""
	}
	e.set = set
	return string(set)
}

// end returns to ASCII.
func (e *iso2022JP) end() string {
	if e.set == jisASCII {
		return ""
	}
	e.set = jisASCII
	return toASCIISet
}

// endJIS returns to ASCII from JIS X 0208, in which no number can be written.
func (e *iso2022JP) endJIS() string {
	if e.set == jis0208 {
		return e.end()
	}
	return ""
}

// wide returns the full-width form of half-width katakana.
func wide(r rune) rune {
	if first := rune('\uff61'); r >= first && int(r-first) < len(katakana) {
		return katakana[r-first]
	}
	return r
}

var katakana = []rune("。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゛゜")

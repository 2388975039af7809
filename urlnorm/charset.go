package urlnorm

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"
)

// appendQuery writes a query in the page's charset (URL standard, 4.4, query
// state). What is percent-encoded already stays as it is.
func appendQuery(out []byte, query, charset string) []byte {
	out = append(out, '?')
	if charset == "" || allIn(query, &inQuery) {
		return appendEncoded(out, query, &inQuery)
	}
	encode := encoderOf(charset)
	if encode == nil {
		return appendEncoded(out, query, &inQuery)
	}
	for _, r := range query {
		code, ok := encode.next(r)
		out = appendBytes(out, code)
		if !ok {
			out = append(out, "%26%23"...)
			out = strconv.AppendInt(out, int64(encode.refused(r)), 10)
			out = append(out, "%3B"...)
		}
	}
	return appendBytes(out, encode.end())
}

// appendBytes writes the bytes of a legacy encoding.
func appendBytes(out []byte, code string) []byte {
	for i := 0; i < len(code); i++ {
		if c := code[i]; inQuery[c] {
			out = append(out, c)
		} else {
			out = append(out, '%', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return out
}

// An encoder writes one character after the other. next returns the bytes that
// stand for r, and false if there are none: then what it returns comes before the
// number of the character that refused names.
type encoder interface {
	next(r rune) (code string, ok bool)
	refused(r rune) rune
	end() string
}

// encoderOf returns the output encoding of a charset, or nil for UTF-8, which also
// stands for UTF-16, for encodings that are only ever read, and for what nobody
// knows (Encoding standard, 4.3).
func encoderOf(charset string) encoder {
	encoding, err := htmlindex.Get(charset)
	if err != nil {
		return nil
	}
	name, err := htmlindex.Name(encoding)
	switch {
	case err != nil, name == "utf-8", name == "replacement", strings.HasPrefix(name, "utf-16"):
		return nil
	case name == "iso-2022-jp":
		jis, _ := htmlindex.Get("euc-jp") // is there: it is in the standard
		return &iso2022JP{jis: stateless{"euc-jp", jis.NewEncoder().Transformer}}
	}
	return stateless{name, encoding.NewEncoder().Transformer}
}

// stateless is an encoding in which no character depends on the one before.
type stateless struct {
	name string
	to   transform.Transformer
}

func (s stateless) next(r rune) (string, bool) {
	if r < utf8.RuneSelf {
		return string(r), true
	}
	if s.name == "euc-jp" || s.name == "shift_jis" {
		switch r {
		case '\u00a5':
			return `\`, true
		case '\u203e':
			return "~", true
		}
		r = japanese(r)
	}
	return s.convert(r)
}

// convert leaves out what golang.org/x/text can write and the Encoding standard
// does not: JIS X 0212, the extension of Big5 for Hong Kong, one character of
// gb18030.
func (s stateless) convert(r rune) (string, bool) {
	var from, to [utf8.UTFMax]byte
	s.to.Reset()
	n, _, err := s.to.Transform(to[:], from[:utf8.EncodeRune(from[:], r)], true)
	switch {
	case err != nil, n == 0,
		s.name == "euc-jp" && to[0] == 0x8f,
		s.name == "big5" && to[0] < 0xa1,
		s.name == "gb18030" && r == '\ue5e5':
		return "", false
	}
	return string(to[:n]), true
}

func (s stateless) refused(r rune) rune { return r }

func (s stateless) end() string { return "" }

// japanese maps the minus sign to its full-width form, the only one that the
// Japanese encodings have.
func japanese(r rune) rune {
	if r == '\u2212' {
		return '\uff0d'
	}
	return r
}

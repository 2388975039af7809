package charset

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// The names of encodings that are treated in their own way.
const (
	utf8Name        = "utf-8"
	utf16be         = "utf-16be"
	utf16le         = "utf-16le"
	gbk             = "gbk"
	gb18030         = "gb18030"
	big5            = "big5"
	eucKR           = "euc-kr"
	eucJP           = "euc-jp"
	shiftJIS        = "shift_jis"
	iso2022jp       = "iso-2022-jp"
	userDefined     = "x-user-defined"
	windows1252     = "windows-1252"
	replacementName = "replacement"
)

// Name returns the name of the encoding that a label stands for, in lower case,
// or "" if the web knows no such label (Encoding, section 4.2, "get an encoding").
func Name(label string) string {
	if label == utf8Name || label == "UTF-8" {
		return utf8Name
	}
	e := lookup(label)
	if e == nil {
		return ""
	}
	name, _ := htmlindex.Name(e) // of an encoding of the index: never an error
	return name
}

// lookup returns the decoder of x/text for a label, or nil.
func lookup(label string) encoding.Encoding {
	label = strings.Trim(label, blanks)
	if label == "" || len(label) > maxLabel || !isLabel(label) {
		return nil
	}
	e, err := htmlindex.Get(label)
	if err != nil {
		return nil
	}
	return e
}

const (
	blanks   = "\t\n\f\r " // ASCII whitespace of the Infra standard
	maxLabel = 32          // bytes; the longest label has 19
)

// isLabel reports whether s has only what labels are made of, so that nothing
// else is folded into it: the Kelvin sign, for one, is a K in lower case.
func isLabel(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// readable is the encoding of a document in which an ASCII reader has found name:
// it is not in UTF-16, whatever it says.
func readable(name string) string {
	if name == utf16be || name == utf16le {
		return utf8Name
	}
	return name
}

// readableHTML is readable for a meta element, which does not declare
// x-user-defined either (HTML, section 13.2.3.2).
func readableHTML(name string) string {
	if name == userDefined {
		return windows1252
	}
	return readable(name)
}

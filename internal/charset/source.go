package charset

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Version is that of the rules by which Decide decides. It goes up with every
// change after which another encoding may be found for the same bytes.
const Version = 1

// A Source is a body and what its server has said of it.
type Source struct {
	Body  []byte
	Media string // type and subtype in lower case: "text/html"; "" is treated as that
	Label string // the charset of the Content-Type header, as it is there; "" if there is none
	Cut   bool   // the document goes on after Body
}

// What a claim may be from, in the order in which they count.
const (
	FromMark     = "bom"       // a byte order mark
	FromHeader   = "header"    // the charset of the Content-Type header
	FromMeta     = "meta"      // a meta element in the first 1024 bytes of a page
	FromXML      = "xml"       // an XML declaration
	FromLateMeta = "late meta" // a meta element behind them, which a browser finds too
	FromBytes    = "utf-8"     // nothing; but the bytes are valid UTF-8
	FromDetector = "detected"  // nothing; it is a guess at the language
	FromDefault  = "default"   // nothing
)

// A Claim is an encoding and what says that a body is in it.
type Claim struct {
	Name string // as the Encoding standard has it, in lower case
	From string // a constant
}

// A Decision is the claim that is believed.
type Decision struct {
	Claim
	Lost []Claim // of other encodings, which are not believed; two at most
}

// UTF8 returns the body in UTF-8, without a byte order mark, the decision by which
// it was read, and the number of its sequences that mean nothing in that encoding:
// one U+FFFD stands for each. The text is a part of Body where that is valid
// UTF-8. At most three bytes are returned for one that is given, and three more.
func (s Source) UTF8() (text []byte, d Decision, invalid int) {
	r := reading{Source: s}
	d = r.decide()
	body := s.Body
	if d.From == FromMark {
		body = body[len(marks[d.Name]):]
	}
	if d.Name == utf8Name && r.valid() {
		return body[:len(body)-s.unfinished()], d, 0
	}
	text, invalid = decode(d.Name, body, s.Cut)
	return text, d, invalid
}

// Decide finds the encoding of the body. See the documentation of the package for
// the rules.
func (s Source) Decide() Decision {
	r := reading{Source: s}
	return r.decide()
}

// A reading is a Source with what was found out about it.
type reading struct {
	Source
	checked, isValid bool
}

func (r *reading) decide() Decision {
	header := Claim{Name(r.Label), FromHeader}
	if name := markOf(r.Body); name != "" {
		return Claim{name, FromMark}.over(header)
	}
	own := r.declared()
	if header.Name == "" {
		return r.unlabelled(own)
	}
	if own.Name == "" && header.Name == utf8Name && !r.valid() {
		own = r.late()
	}
	if r.refutes(header, own) {
		return own.over(header)
	}
	return header.over(own)
}

// unlabelled decides where there is no header.
func (r *reading) unlabelled(own Claim) Decision {
	if own.Name == "" {
		own = r.late()
	}
	switch {
	case own.Name != "":
		return own.over()
	case r.valid():
		return Claim{utf8Name, FromBytes}.over()
	case looksUTF8(r.Body):
		return Claim{utf8Name, FromDetector}.over()
	}
	if name := detect(r.Body); name != "" {
		return Claim{name, FromDetector}.over()
	}
	return Claim{r.fallback(), FromDefault}.over()
}

// valid reports whether the body is in UTF-8.
func (r *reading) valid() bool {
	if !r.checked {
		r.checked, r.isValid = true, utf8.Valid(r.Body[:len(r.Body)-r.unfinished()])
	}
	return r.isValid
}

// unfinished returns how many bytes at the end of the body begin a character of
// UTF-8 that was cut.
func (s Source) unfinished() int {
	if !s.Cut {
		return 0
	}
	return unfinished(s.Body)
}

// over is the decision for c.
func (c Claim) over(lost ...Claim) (d Decision) {
	d.Claim = c
	for _, l := range lost {
		if l.Name != "" && l.Name != c.Name {
			d.Lost = append(d.Lost, l)
		}
	}
	return d
}

// declared returns what the body says of itself, near its start.
func (s Source) declared() Claim {
	switch s.kind() {
	case isHTML:
		if name := xmlWide(s.Body); name != "" {
			return Claim{name, FromXML}
		}
		if name := declaredMeta(s.Body); name != "" {
			return Claim{name, FromMeta}
		}
		return Claim{xmlDeclared(s.Body), FromXML}
	case isXML:
		return Claim{xmlDeclared(s.Body), FromXML}
	}
	return Claim{}
}

// declaredMeta returns the encoding of the meta element that the prescan finds;
// unless that is not one, and a true one says something else.
func declaredMeta(page []byte) string {
	s := prescan(page)
	if s.name != "" && s.doubtful {
		if name, _ := parse(page); name != "" {
			return name
		}
	}
	return s.name
}

// late returns what a page says of itself in a place where only a parser finds it.
func (s Source) late() Claim {
	if s.kind() != isHTML {
		return Claim{}
	}
	name, at := parse(s.Body)
	if at < prescanSize {
		return Claim{name, FromMeta}
	}
	return Claim{name, FromLateMeta}
}

// enough is how many sequences must be wrong in the encoding of a header for an
// encoding of single bytes to be believed, in which every text is right.
const enough = 4

// refutes reports whether the bytes speak against the header and for what the
// body says of itself: they are wrong in the one and right in the other.
func (s Source) refutes(header, own Claim) bool {
	if own.Name == "" || own.Name == header.Name || header.Name == replacementName {
		return false
	}
	_, wrong := decode(header.Name, s.Body, s.Cut)
	if wrong == 0 || header.Name == utf8Name && looksUTF8(s.Body) {
		return false
	}
	if isBytewise(own.Name) && wrong < enough {
		return false
	}
	_, wrong = decode(own.Name, s.Body, s.Cut)
	return wrong == 0
}

// fallback is the encoding of what nothing is known of: XML, section 4.3.3, and
// the default of most browsers.
func (s Source) fallback() string {
	if s.kind() == isXML {
		return utf8Name
	}
	return windows1252
}

// A kind says where a document may declare its encoding.
type kind int

const (
	isPlain kind = iota // nowhere
	isHTML
	isXML
)

func (s Source) kind() kind {
	switch m := s.Media; {
	case m == "" || m == "text/html":
		return isHTML
	case m == "text/xml" || m == "application/xml" || strings.HasSuffix(m, "+xml"):
		return isXML
	}
	return isPlain
}

// marks are the byte order marks, Encoding, section 6.
var marks = map[string]string{utf8Name: "\xef\xbb\xbf", utf16be: "\xfe\xff", utf16le: "\xff\xfe"}

// markOf returns the encoding that a byte order mark names, or "".
func markOf(b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte(marks[utf8Name])):
		return utf8Name
	case bytes.HasPrefix(b, []byte(marks[utf16be])):
		return utf16be
	case bytes.HasPrefix(b, []byte(marks[utf16le])):
		return utf16le
	}
	return ""
}

package charset

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

package charset

import "strings"

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

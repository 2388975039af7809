package charset

import "unicode/utf8"

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

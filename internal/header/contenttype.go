package header

const anyType = "*/*"

// ContentType returns the media type that the values of Content-Type declare: of
// several the last one that is a type, with the charset that one before declared
// for the same type ("extract a MIME type" of the Fetch standard). It returns
// false where none is a type.
func ContentType(values []string) (m MediaType, ok bool) {
	charset := ""
	for element := range elements(values) {
		next, valid := ParseMediaType(element)
		if !valid || next.Essence == anyType {
			continue
		}
		own, has := next.Parameter(charsetName)
		switch {
		case next.Essence != m.Essence:
			charset = own
		case !has && charset != "":
			next.Parameters = append(next.Parameters, Parameter{charsetName, charset})
		}
		m, ok = next, true
	}
	return m, ok
}

const charsetName = "charset"

// Charset returns the label of the encoding that m names, or nothing.
func (m MediaType) Charset() string {
	label, _ := m.Parameter(charsetName)
	return label
}

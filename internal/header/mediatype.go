package header

import "strings"

// MaxParameters is how many parameters of a media type or of a link are read.
const MaxParameters = 64

// A MediaType says what a body is: "text/html;charset=utf-8".
type MediaType struct {
	Essence    string // type and subtype, lower-case: "text/html"
	Parameters []Parameter
}

// A Parameter is one detail of a media type or of a link.
type Parameter struct {
	Name  string // lower-case
	Value string // as written, without its quotes
}

// ParseMediaType reads a media type as the MIME Sniffing standard, section 4.4,
// does. What is wrong with a parameter costs that parameter, and of two with one
// name the first counts. It returns false where there is no type and subtype.
func ParseMediaType(value string) (MediaType, bool) {
	value = strings.Trim(value, mimeBlanks)
	end := until(value, ";")
	essence := strings.TrimRight(value[:end], mimeBlanks)
	kind, sub, _ := strings.Cut(essence, "/")
	if !isToken(kind) || !isToken(sub) {
		return MediaType{}, false
	}
	m := MediaType{Essence: lower(essence)}
	for rest := value[end:]; rest != "" && len(m.Parameters) < MaxParameters; {
		var p Parameter
		var ok bool
		p, rest, ok = cutParameter(rest[1:])
		if _, twice := m.Parameter(p.Name); ok && !twice {
			m.Parameters = append(m.Parameters, p)
		}
	}
	return m, true
}

// cutParameter reads the parameter with which s begins, and returns the rest from
// the next semicolon on. It returns false for one that says nothing.
func cutParameter(s string) (p Parameter, rest string, ok bool) {
	s = strings.TrimLeft(s, mimeBlanks)
	end := until(s, ";=")
	p.Name, rest = lower(s[:end]), s[end:]
	if rest == "" || rest[0] == ';' {
		return p, rest, false
	}
	rest = rest[1:]
	quoted := strings.HasPrefix(rest, `"`)
	if quoted {
		p.Value, rest = cutQuoted(rest)
		rest = rest[until(rest, ";"):]
	} else {
		end := until(rest, ";")
		p.Value, rest = strings.TrimRight(rest[:end], mimeBlanks), rest[end:]
	}
	return p, rest, (quoted || p.Value != "") && isToken(p.Name) && isQuotable(p.Value)
}

// Parameter returns the value of the parameter of that lower-case name.
func (m MediaType) Parameter(name string) (string, bool) {
	return find(m.Parameters, name)
}

func find(parameters []Parameter, name string) (string, bool) {
	for _, p := range parameters {
		if p.Name == name {
			return p.Value, true
		}
	}
	return "", false
}

// String prints m as the MIME Sniffing standard, section 4.5, does.
func (m MediaType) String() string {
	if len(m.Parameters) == 0 {
		return m.Essence
	}
	text := []byte(m.Essence)
	for _, p := range m.Parameters {
		text = append(text, ';')
		text = append(text, p.Name...)
		text = appendValue(append(text, '='), p.Value)
	}
	return string(text)
}

// appendValue appends a parameter's value, in quotes where it needs them.
func appendValue(text []byte, value string) []byte {
	if isToken(value) {
		return append(text, value...)
	}
	return appendQuoted(text, value)
}

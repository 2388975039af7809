package header

import "strings"

// MaxLinks is how many links of a Link field are read.
const MaxLinks = 1000

// A Link is one link of a Link field (RFC 8288).
type Link struct {
	Target     string      // the reference between < and >, as written
	Rel        []string    // relation types, lower-case; of several rel the first counts
	Anchor     string      // what the link starts from, as written; empty for the page itself
	Parameters []Parameter // all of them in their order, rel and anchor too
}

// Links reads the values of Link. What is no link is skipped up to the next
// comma; skipped counts those, and links beyond MaxLinks.
func Links(values []string) (links []Link, skipped int) {
	rest := join(values)
	for {
		rest = strings.TrimLeft(rest, blanks+",")
		if rest == "" {
			return links, skipped
		}
		var l Link
		var ok bool
		l, rest, ok = cutLink(rest)
		if !ok || len(links) == MaxLinks {
			skipped++
			continue
		}
		links = append(links, l)
	}
}

// cutLink reads the link with which s begins, and returns the rest from the next
// comma on. A "<" without any ">" behind it ends the field.
func cutLink(s string) (l Link, rest string, ok bool) {
	if s[0] != '<' {
		_, rest, _ = cutElement(s)
		return l, rest, false
	}
	target, rest, ok := strings.Cut(s[1:], ">")
	l.Target = strings.Trim(target, mimeBlanks)
	return l, l.read(rest), ok
}

// read takes the parameters of l from s, and returns the rest from the next
// comma on (RFC 8288, appendix B.3).
func (l *Link) read(s string) (rest string) {
	for {
		s = s[until(s, ";,"):] // what a value is followed by means nothing
		if s == "" || s[0] == ',' {
			return s
		}
		var p Parameter
		p, s = cutLinkParameter(s[1:])
		if p.Name != "" && len(l.Parameters) < MaxParameters {
			l.add(p)
		}
	}
}

// cutLinkParameter reads the parameter with which s begins. Unlike one of a
// media type it may have spaces around its "=", and none, which says as much as
// an empty value.
func cutLinkParameter(s string) (p Parameter, rest string) {
	end := until(s, "=;,")
	p.Name, rest = lower(strings.Trim(s[:end], mimeBlanks)), s[end:]
	value, given := strings.CutPrefix(rest, "=")
	if !given {
		return p, rest
	}
	value = strings.TrimLeft(value, mimeBlanks)
	if strings.HasPrefix(value, `"`) {
		p.Value, rest = cutQuoted(value)
		return p, rest
	}
	end = until(value, ";,")
	p.Value, rest = strings.TrimRight(value[:end], mimeBlanks), value[end:]
	return p, rest
}

// add keeps p, and what it means if it is the first of its name.
func (l *Link) add(p Parameter) {
	if _, again := find(l.Parameters, p.Name); !again {
		switch p.Name {
		case "rel":
			l.Rel = strings.Fields(lower(p.Value))
		case "anchor":
			l.Anchor = p.Value
		}
	}
	l.Parameters = append(l.Parameters, p)
}

// Parameter returns the first value of the parameter of that lower-case name.
func (l Link) Parameter(name string) (string, bool) {
	return find(l.Parameters, name)
}

// Elsewhere reports whether l may start from another resource than the page that
// sent it: then it is not the page's link. A fragment is a part of the page. An
// anchor that names the page itself by its URL is for the caller to recognize.
func (l Link) Elsewhere() bool {
	return l.Anchor != "" && l.Anchor[0] != '#'
}

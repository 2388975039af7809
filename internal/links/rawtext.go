package links

import "bytes"

// scanRaw makes the raw text that comes next a token, and reports whether there is
// any.
func (s *scanner) scanRaw() bool {
	name := s.raw
	s.raw = ""
	end := len(s.page)
	switch name {
	case "plaintext": // nothing ends it
	case "script":
		end = scriptEnd(s.page, s.next)
	default:
		end = rawEnd(s.page, s.next, name)
	}
	s.kind, s.next, s.of, s.text = text, end, name, s.page[s.start:end]
	return s.next > s.start
}

// rawEnd returns where the end tag of name stands, or the end of the page.
func rawEnd(page []byte, at int, name string) int {
	for {
		i := bytes.IndexByte(page[at:], '<')
		if i < 0 {
			return len(page)
		}
		if at += i; isTag(page[at:], "</", name) {
			return at
		}
		at++
	}
}

// isTag reports whether s begins with a tag of this name.
func isTag(s []byte, opening, name string) bool {
	n := len(opening) + len(name)
	if len(s) <= n || string(s[:len(opening)]) != opening || !equalFold(s[len(opening):n], name) {
		return false
	}
	return isSpace(s[n]) || s[n] == '/' || s[n] == '>'
}

// scriptEnd returns where the end tag of a script stands, or the end of the page.
// A comment in a script hides a whole script element with its end tag, though not
// an end tag alone (HTML, 13.2.5.17 to 13.2.5.31).
func scriptEnd(page []byte, at int) int {
	comment, hidden := false, false
	for at < len(page) {
		rest := page[at:]
		switch {
		case !comment && bytes.HasPrefix(rest, []byte("<!--")):
			comment = true
			at += len("<!")
		case comment && bytes.HasPrefix(rest, []byte("-->")):
			comment, hidden = false, false
			at += len("-->")
		case isTag(rest, "</", "script"):
			if !hidden {
				return at
			}
			hidden = false
			at += len("</script>")
		case comment && isTag(rest, "<", "script"):
			hidden = true
			at += len("<script>")
		default:
			at++
			if i := bytes.IndexAny(page[at:], "<-"); i >= 0 {
				at += i
			} else {
				at = len(page)
			}
		}
	}
	return len(page)
}

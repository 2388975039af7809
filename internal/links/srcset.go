package links

import "iter"

// candidates yields the URLs of a srcset attribute (HTML, 4.8.4.2.1): a comma
// inside a URL belongs to it, a trailing one ends it. Descriptors are skipped
// without being judged.
func candidates(srcset []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for rest := srcset; ; {
			rest = rest[span(rest, func(c byte) bool { return isSpace(c) || c == ',' }):]
			if len(rest) == 0 {
				return
			}
			end := span(rest, func(c byte) bool { return !isSpace(c) })
			url := rest[:end]
			if rest = rest[end:]; url[len(url)-1] == ',' {
				for url[len(url)-1] == ',' {
					url = url[:len(url)-1]
				}
			} else {
				rest = rest[descriptors(rest):]
			}
			if !yield(url) {
				return
			}
		}
	}
}

// descriptors returns the length of what follows a URL, to the comma outside
// parentheses that ends it.
func descriptors(s []byte) int {
	depth := 0
	for i, c := range s {
		switch {
		case c == '(':
			depth = 1
		case c == ')':
			depth = 0
		case c == ',' && depth == 0:
			return i
		}
	}
	return len(s)
}

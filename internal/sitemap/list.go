package sitemap

import "bytes"

// A list is a sitemap of one URL a line (sitemaps.org, "Text file").
type list struct {
	*scanner
	*output
}

func (l *list) read(src source) {
	report := l.output.report
	for !l.stopped {
		line, ok := l.line(src)
		if !ok {
			break
		}
		if line = trim(line); len(line) > 0 {
			l.take(line)
		}
	}
	if report.Kind == "" && !l.stopped {
		report.Refused = Unrecognised
	}
}

// take puts the URL of a line.
func (l *list) take(line []byte) {
	report := l.output.report
	switch {
	case !isURL(line) && !isBareURL(line):
		report.note(NoURL, line)
	case len(line) > l.limits.URL:
		report.Kind = Text
		report.note(LongURL, line)
	default:
		report.Kind = Text
		l.put(Entry{Loc: report.text(line), Priority: DefaultPriority})
	}
}

// line returns the next line, or the beginning of one that fills a window. The last
// one of a text that breaks off is not whole, and left out.
func (l *list) line(src source) ([]byte, bool) {
	b := l.unread(1)
	end := bytes.IndexAny(b, "\r\n")
	if end < 0 && l.fill() {
		b = l.unread(1)
		end = bytes.IndexAny(b, "\r\n")
	}
	switch {
	case end >= 0:
		l.r += end + 1
		return b[:end], true
	case l.ended && len(b) > 0 && src.short():
		l.r = l.w
		l.output.report.note(Truncated, b)
		return nil, false
	case l.ended:
		l.r = l.w
		return b, len(b) > 0
	}
	b = bytes.Clone(b)
	for end < 0 && len(l.unread(1)) > 0 {
		rest := l.unread(1)
		if end = bytes.IndexAny(rest, "\r\n"); end >= 0 {
			l.r += end
			break
		}
		l.r = l.w
	}
	return b, true
}

// isURL reports whether b begins with a scheme and "//".
func isURL(b []byte) bool {
	i := bytes.Index(b, []byte("://"))
	if i <= 0 || i > nameMax {
		return false
	}
	for _, c := range b[:i] {
		if !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '+' || c == '-' || c == '.') {
			return false
		}
	}
	return true
}

// isBareURL reports whether b is one without its scheme, as "www.site.test/a".
func isBareURL(b []byte) bool {
	host, _, path := bytes.Cut(b, []byte("/"))
	dot := bytes.LastIndexByte(host, '.')
	return dot > 0 && dot < len(host)-1 && !bytes.ContainsAny(b, blanks) &&
		(path || hasPrefixFold(host, "www."))
}

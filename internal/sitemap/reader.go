package sitemap

import (
	"bytes"
	"io"
	"iter"
)

// Options say how a sitemap is read. The zero value is a good choice.
type Options struct {
	Label  string // the charset of the Content-Type header; "" if there is none
	Limits Limits
}

// A Reader reads one sitemap, once.
type Reader struct {
	src    io.Reader
	o      Options
	report Report
	begun  bool
}

// New returns a reader of the body of a response. Of its headers only the charset
// is of interest: what the body is, its bytes say.
func New(src io.Reader, o Options) *Reader {
	o.Limits = o.Limits.withDefaults()
	return &Reader{src: src, o: o}
}

// Report says what has become of the reading so far.
func (r *Reader) Report() Report { return r.report }

// Entries yields what the sitemap lists, in its order, as it is read. An error is
// that of the source, comes last, and takes nothing back; whatever is wrong with the
// sitemap is in the Report. A second call yields nothing.
func (r *Reader) Entries() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if r.begun {
			return
		}
		r.begun = true
		src := open(r.src, r.o.Label, r.o.Limits.Bytes, &r.report)
		s := newScanner(src, &r.report)
		out := &output{limits: r.o.Limits, report: &r.report, yield: yield}
		read(s, out, src)
		if err := src.account(&r.report, []byte(out.last)); err != nil && !out.stopped {
			yield(Entry{}, err)
		}
	}
}

// read finds out which form it is, and reads that.
func read(s *scanner, out *output, src source) {
	head := s.unread(headMax)
	head = trimLeft(head[:min(len(head), headMax)])
	switch {
	case out.report.Refused != "":
	case len(head) == 0 && len(trimLeft(s.unread(window))) == 0 && s.ended:
		out.report.Refused = Empty
	case len(head) == 0, head[0] == '<', holdsMarkup(head):
		a := assembler{scanner: s, output: out}
		a.read()
		a.finish(src.short())
	case bytes.IndexByte(head, 0) >= 0:
		out.report.Refused = Binary
	case head[0] == '{', head[0] == '[':
		out.report.Refused = JSON
	default:
		l := list{scanner: s, output: out}
		l.read(src)
	}
}

// holdsMarkup reports whether a text that does not begin with markup goes on with
// a sitemap: "Warning: ... <?xml".
func holdsMarkup(head []byte) bool {
	for rest := head; ; {
		i := bytes.IndexByte(rest, '<')
		if i < 0 {
			return false
		}
		rest = rest[i:]
		for _, begin := range []string{"<?xml", "<urlset", "<sitemapindex", "<rss", "<feed", "<html", "<!doctype"} {
			if hasPrefixFold(rest, begin) {
				return true
			}
		}
		rest = rest[1:]
	}
}

// An output takes entries, and lets as many through as there may be.
type output struct {
	limits  Limits
	report  *Report
	yield   func(Entry, error) bool
	stopped bool   // nobody wants more
	last    string // URL that was yielded
}

// put yields e, which is complete, unless there are too many.
func (o *output) put(e Entry) {
	switch {
	case e.Child && o.report.Children == o.limits.Children:
		o.report.note(TooManyChildren, []byte(e.Loc))
		return
	case !e.Child && o.report.Entries == o.limits.Entries:
		o.report.note(TooManyEntries, []byte(e.Loc))
		return
	case e.Child:
		o.report.Children++
	default:
		o.report.Entries++
	}
	e.N = o.report.Entries + o.report.Children
	o.last = e.Loc
	o.stopped = !o.yield(e, nil)
}

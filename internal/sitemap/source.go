package sitemap

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/text/encoding/htmlindex"

	"github.com/weircrawl/weir/internal/charset"
)

// A source is the text of a sitemap in UTF-8, unpacked.
type source struct {
	io.Reader
	outer  *bounded   // what was given
	layers []*bounded // what came out of each gzip
}

// open finds out how src is packed and encoded, from its bytes.
func open(src io.Reader, label string, limit int64, report *Report) source {
	s := source{outer: &bounded{in: src, left: limit}}
	in := bufio.NewReaderSize(s.outer, headMax)
	for len(s.layers) < layersMax && isGzip(in) {
		layer := &bounded{in: &member{in: in}, left: limit}
		s.layers = append(s.layers, layer)
		in = bufio.NewReaderSize(layer, headMax)
	}
	report.Layers = len(s.layers)
	if isGzip(in) {
		report.Refused = Binary
	}
	s.Reader, report.Charset = decoded(in, label)
	return s
}

// isGzip tells by the magic bytes: names and types lie (S-M1).
func isGzip(in *bufio.Reader) bool {
	magic, _ := in.Peek(3) // what is there
	return len(magic) == 3 && magic[0] == 0x1f && magic[1] == 0x8b && magic[2] == 8
}

// decoded reads in as UTF-8, without a byte order mark.
func decoded(in *bufio.Reader, label string) (io.Reader, string) {
	head, err := in.Peek(headMax) // what is there
	d := charset.Source{
		Body:  bytes.TrimLeft(head, "\t\n\r "), // which some sites write before a declaration
		Media: mediaOf(head), Label: label, Cut: err == nil,
	}.Decide()
	if mark := markOf(head); d.From == charset.FromMark && mark > 0 {
		_, _ = in.Discard(mark) // Peek has seen it
	}
	if d.Name == "utf-8" {
		return in, d.Name
	}
	e, err := htmlindex.Get(d.Name)
	if err != nil { // not an encoding of the web: a decision always is one
		return in, d.Name
	}
	return e.NewDecoder().Reader(in), d.Name
}

// mediaOf says by which rules an encoding is looked for.
func mediaOf(head []byte) string {
	for _, b := range head {
		switch b {
		case '<', 0, 0xef, 0xfe, 0xff:
			return "application/xml"
		case ' ', '\t', '\r', '\n':
			continue
		}
		break
	}
	return "text/plain"
}

// markOf returns the length of the byte order mark at the start of head.
func markOf(head []byte) int {
	for _, mark := range []string{"\xef\xbb\xbf", "\xfe\xff", "\xff\xfe"} {
		if bytes.HasPrefix(head, []byte(mark)) {
			return len(mark)
		}
	}
	return 0
}

// account puts what became of the bytes into the report, and returns the error of
// whoever gave them.
func (s source) account(report *Report, last []byte) error {
	report.Bytes = s.all()[len(s.layers)].n
	for _, b := range s.all() {
		if b.more {
			report.note(TooManyBytes, last)
		}
		if b.err == errBehind {
			report.note(BehindGzip, last)
		}
		if b.damaged() && b != s.outer {
			report.note(DamagedGzip, []byte(b.err.Error()))
		}
		if b.more || b.damaged() { // what comes out of it is short for that reason
			break
		}
	}
	return s.outer.err
}

// short reports whether bytes are missing at the end.
func (s source) short() bool {
	return slices.ContainsFunc(s.all(), func(b *bounded) bool { return b.more || b.damaged() })
}

func (s source) all() []*bounded { return append([]*bounded{s.outer}, s.layers...) }

// A bounded reader ends after so many bytes, and knows whether there were more.
type bounded struct {
	in   io.Reader
	left int64
	n    int64 // bytes read
	more bool
	err  error // what ended it early
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left == 0 {
		var next [1]byte
		n, err := io.ReadFull(b.in, next[:])
		b.more = b.more || n > 0
		b.fail(err)
		return 0, io.EOF
	}
	n, err := b.in.Read(p[:min(int64(len(p)), b.left)])
	b.n += int64(n)
	b.left -= int64(n)
	b.fail(err)
	if err != nil {
		err = io.EOF
	}
	return n, err
}

// damaged reports whether it broke off.
func (b *bounded) damaged() bool { return b.err != nil && b.err != errBehind }

func (b *bounded) fail(err error) {
	if b.err == nil && err != nil && !errors.Is(err, io.EOF) {
		b.err = err
	}
}

// errBehind ends a layer behind whose last member there is something else.
var errBehind = errors.New("bytes after the last member")

// A member reads gzip, member by member.
type member struct {
	in *bufio.Reader
	z  *gzip.Reader
}

func (m *member) Read(p []byte) (int, error) {
	for empty := 0; ; {
		if m.z == nil {
			if err := m.begin(); err != nil {
				return 0, err
			}
		}
		n, err := m.z.Read(p)
		if errors.Is(err, io.EOF) {
			err = m.next()
		}
		if n > 0 || err != nil {
			return n, err
		}
		if empty++; empty == membersMax {
			return 0, errMembers
		}
	}
}

// begin reads the first header.
func (m *member) begin() (err error) {
	m.z, err = gzip.NewReader(m.in)
	if err == nil {
		m.z.Multistream(false)
	}
	return noEOF(err)
}

// next reads the header of a further member.
func (m *member) next() error {
	if _, err := m.in.Peek(1); err != nil {
		return io.EOF
	}
	if !isGzip(m.in) {
		return errBehind
	}
	err := m.z.Reset(m.in)
	m.z.Multistream(false)
	return noEOF(err)
}

// noEOF makes a layer that ends where it must not a damaged one.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// errMembers ends a layer that is nothing but headers.
var errMembers = errors.New("too many members without a byte in them")

const membersMax = 1000 // without a byte

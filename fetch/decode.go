package fetch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

const (
	codingsMax = 3       // codings of one body that are undone
	zstdWindow = 8 << 20 // RFC 9659: what a zstd decoder for the web must support, and may stop at
	scratchMax = 2 << 20 // buffers above this size are not kept
)

// errWaste ends a body that yields more bytes between two codings than its
// decoded form may have.
var errWaste = errors.New("more bytes between codings than the body may have")

// codingsOf returns the codings of a body in the order in which they were
// applied, without those that change nothing.
func codingsOf(header http.Header) []string {
	values := header["Content-Encoding"]
	if len(values) == 0 {
		return nil
	}
	var codings []string
	for name := range strings.SplitSeq(strings.ToLower(strings.Join(values, ",")), ",") {
		if name = strings.TrimSpace(name); name != "" && name != "identity" {
			codings = append(codings, strings.TrimPrefix(name, "x-"))
		}
	}
	return codings
}

// pools keeps decoders and buffers for the next body.
type pools struct {
	buffers, scratch, gzip, zlib, flate, brotli, zstd sync.Pool
}

func newPools() *pools {
	return &pools{
		buffers: sync.Pool{New: func() any { return bufio.NewReader(nil) }},
		scratch: sync.Pool{New: func() any { b := make([]byte, 0, 64<<10); return &b }},
		gzip:    sync.Pool{New: func() any { return new(gzip.Reader) }},
		flate:   sync.Pool{New: func() any { return flate.NewReader(nil) }},
		brotli:  sync.Pool{New: func() any { return brotli.NewReader(nil) }},
	}
}

// read reads at most limit bytes of in into a slice of just their length.
func (p *pools) read(in io.Reader, limit int64) ([]byte, error) {
	scratch := p.scratch.Get().(*[]byte)
	buf, err := readInto((*scratch)[:0], in, limit)
	body := bytes.Clone(buf)
	if cap(buf) <= scratchMax {
		*scratch = buf
		p.scratch.Put(scratch)
	}
	return body, err
}

// An unpacking is a body whose codings are being undone.
type unpacking struct {
	out    io.Reader
	defect string // found before the first byte
	left   bool   // a coding is left that cannot be undone
	done   []func()
}

// close gives all decoders back.
func (u *unpacking) close() {
	for _, done := range u.done {
		done()
	}
}

// unpack undoes codings, the last one first. A coding that is not known, or that
// the body plainly does not have, is a defect, and what is there is delivered as
// it is.
func (p *pools) unpack(codings []string, in io.Reader, between int64) *unpacking {
	u := &unpacking{out: in}
	if len(codings) > codingsMax {
		u.defect, u.left = fmt.Sprintf("content-encoding: %d codings", len(codings)), true
		return u
	}
	for i := len(codings) - 1; i >= 0; i-- {
		if i < len(codings)-1 {
			u.out = &bounded{u.out, between}
		}
		if !p.undo(u, codings[i]) {
			return u
		}
	}
	return u
}

// undo puts the decoder of one coding on top of u. It reports whether the next
// one makes sense.
func (p *pools) undo(u *unpacking, coding string) bool {
	buffered := p.buffers.Get().(*bufio.Reader)
	buffered.Reset(u.out)
	u.done = append(u.done, func() { buffered.Reset(nil); p.buffers.Put(buffered) })
	u.out = buffered
	if start, _ := buffered.Peek(1); len(start) == 0 {
		return false // an empty body has no coding, and an error comes again
	}
	decoder, err := p.decoder(u, coding, buffered)
	switch {
	case err == errPlain:
		u.defect = coding + ": the body is not compressed"
		return true
	case err == errUnknown:
		u.defect, u.left = fmt.Sprintf("content-encoding: unknown coding %q", coding), true
		return false
	case err != nil:
		decoder = broken{err}
	}
	u.out = stage{coding, decoder}
	return true
}

var (
	errPlain   = errors.New("body does not begin as its coding does")
	errUnknown = errors.New("unknown coding")
)

// decoder returns a decoder for in, taken from a pool, and has it given back
// when u is closed.
func (p *pools) decoder(u *unpacking, coding string, in *bufio.Reader) (io.Reader, error) {
	switch coding {
	case "gzip":
		if !begins(in, "\x1f\x8b") {
			return nil, errPlain
		}
		z := p.gzip.Get().(*gzip.Reader)
		u.done = append(u.done, func() { p.gzip.Put(z) })
		return z, z.Reset(in)
	case "deflate":
		return p.inflate(u, in)
	case "br":
		b := p.brotli.Get().(*brotli.Reader)
		if !wideBrotli(in) {
			u.done = append(u.done, func() { p.brotli.Put(b) })
		}
		return b, b.Reset(in)
	case "zstd":
		if !begins(in, "\x28\xb5\x2f\xfd") && !begins(in, "\x50\x2a\x4d\x18") {
			return nil, errPlain
		}
		return p.zstandard(u, in)
	}
	return nil, errUnknown
}

// wideBrotli reports whether a body asks for a window of 8 or 16 MiB (RFC 7932,
// section 9.1). It gets it, as far as its blocks are that long, because tools ask
// for it without need; but its decoder is not kept.
func wideBrotli(in *bufio.Reader) bool {
	start, _ := in.Peek(1)
	return len(start) == 1 && start[0]&1 == 1 && start[0]>>1&7 >= 6
}

// inflate decodes what RFC 9110 calls deflate, with its zlib header, and what
// many servers send under that name, without.
func (p *pools) inflate(u *unpacking, in *bufio.Reader) (io.Reader, error) {
	if head, _ := in.Peek(2); len(head) < 2 || head[0]&0x0f != 8 || (uint(head[0])<<8|uint(head[1]))%31 != 0 {
		f := p.flate.Get().(io.ReadCloser)
		u.done = append(u.done, func() { p.flate.Put(f) })
		return f, f.(flate.Resetter).Reset(in, nil)
	}
	if z, ok := p.zlib.Get().(io.ReadCloser); ok {
		u.done = append(u.done, func() { p.zlib.Put(z) })
		return z, z.(zlib.Resetter).Reset(in, nil)
	}
	z, err := zlib.NewReader(in)
	if err == nil {
		u.done = append(u.done, func() { p.zlib.Put(z) })
	}
	return z, err
}

// zstandard decodes in this goroutine: a decoder that is dropped leaves none.
func (p *pools) zstandard(u *unpacking, in *bufio.Reader) (io.Reader, error) {
	z, ok := p.zstd.Get().(*zstd.Decoder)
	if !ok {
		var err error
		z, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdWindow), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, err
		}
	}
	u.done = append(u.done, func() {
		if z.Reset(nil) == nil { // lets go of the body
			p.zstd.Put(z)
		}
	})
	return z, z.Reset(in)
}

// begins reports whether the next bytes of in are magic.
func begins(in *bufio.Reader, magic string) bool {
	start, _ := in.Peek(len(magic))
	return string(start) == magic
}

// A stage names the coding that an error comes from.
type stage struct {
	coding string
	io.Reader
}

func (s stage) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil && err != io.EOF && !errors.Is(err, errWaste) {
		err = fmt.Errorf("%s: %w", s.coding, err)
	}
	return n, err
}

// broken is a decoder that failed before it began.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

// bounded is a reader that fails beyond a number of bytes.
type bounded struct {
	io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errWaste
	}
	n, err := b.Reader.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

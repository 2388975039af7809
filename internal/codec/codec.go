package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// ErrDamaged means that a value is not what Seal made: its checksum, its version
// or its length is wrong.
var ErrDamaged = errors.New("codec: damaged value")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A Writer appends fields to one value. The zero Writer must not be used: begin
// with NewWriter.
type Writer struct {
	b     []byte
	words map[string]uint64
}

// NewWriter begins a value of the given version, in buf's memory if it has room.
func NewWriter(version byte, buf []byte) *Writer {
	return &Writer{b: append(buf[:0], version)}
}

// Version is that of the value.
func (w *Writer) Version() byte { return w.b[0] }

// Len is the size of the value so far, without its checksum.
func (w *Writer) Len() int { return len(w.b) }

// Byte appends one byte.
func (w *Writer) Byte(v byte) { w.b = append(w.b, v) }

// Bool appends one truth value.
func (w *Writer) Bool(v bool) {
	if v {
		w.Byte(1)
		return
	}
	w.Byte(0)
}

// Uint appends v in as few bytes as it needs.
func (w *Writer) Uint(v uint64) { w.b = binary.AppendUvarint(w.b, v) }

// Int appends v in as few bytes as it needs, small negatives too.
func (w *Writer) Int(v int64) { w.b = binary.AppendVarint(w.b, v) }

// Fixed appends v in eight bytes.
func (w *Writer) Fixed(v uint64) { w.b = binary.BigEndian.AppendUint64(w.b, v) }

// Raw appends v without its length, which the reader must know.
func (w *Writer) Raw(v []byte) { w.b = append(w.b, v...) }

// String appends v with its length.
func (w *Writer) String(v string) {
	w.Uint(uint64(len(v)))
	w.b = append(w.b, v...)
}

// Bytes appends v with its length.
func (w *Writer) Bytes(v []byte) {
	w.Uint(uint64(len(v)))
	w.b = append(w.b, v...)
}

// Word appends v in full the first time and as a number afterwards: for the few
// words that repeat within one value.
func (w *Writer) Word(v string) {
	if n, ok := w.words[v]; ok {
		w.Uint(n)
		return
	}
	if w.words == nil {
		w.words = make(map[string]uint64)
	}
	w.words[v] = uint64(len(w.words)) + 1
	w.Uint(0)
	w.String(v)
}

// Seal appends the checksum and returns the value. Nothing may be appended after.
func (w *Writer) Seal() []byte {
	return binary.BigEndian.AppendUint32(w.b, crc32.Checksum(w.b, castagnoli))
}

// A Reader takes fields from one value in the order in which they were written.
// After a fault every field is zero; Close says so once.
type Reader struct {
	Version byte

	b     []byte
	words []string
	err   error
}

// NewReader checks the value's checksum and that its version is at most newest.
func NewReader(v []byte, newest byte) *Reader {
	r := &Reader{}
	if len(v) < 5 {
		r.err = fmt.Errorf("%w: %d bytes", ErrDamaged, len(v))
		return r
	}
	body, sum := v[:len(v)-4], binary.BigEndian.Uint32(v[len(v)-4:])
	if crc32.Checksum(body, castagnoli) != sum {
		r.err = fmt.Errorf("%w: checksum", ErrDamaged)
		return r
	}
	if r.Version = body[0]; r.Version == 0 || r.Version > newest {
		r.err = fmt.Errorf("%w: version %d, this code knows up to %d", ErrDamaged, r.Version, newest)
		return r
	}
	r.b = body[1:]
	return r
}

// Close returns the first fault, among them bytes that nobody read.
func (r *Reader) Close() error {
	if r.err == nil && len(r.b) > 0 {
		r.err = fmt.Errorf("%w: %d bytes too many", ErrDamaged, len(r.b))
	}
	return r.err
}

// More reports whether fields are left.
func (r *Reader) More() bool { return r.err == nil && len(r.b) > 0 }

// Err returns the first fault so far.
func (r *Reader) Err() error { return r.err }

func (r *Reader) fail() {
	if r.err == nil {
		r.err = fmt.Errorf("%w: cut short", ErrDamaged)
	}
	r.b = nil
}

// Byte takes one byte.
func (r *Reader) Byte() byte {
	if len(r.b) < 1 {
		r.fail()
		return 0
	}
	v := r.b[0]
	r.b = r.b[1:]
	return v
}

// Bool takes one truth value.
func (r *Reader) Bool() bool { return r.Byte() != 0 }

// Uint takes what Writer.Uint appended.
func (r *Reader) Uint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

// Int takes what Writer.Int appended.
func (r *Reader) Int() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

// Fixed takes what Writer.Fixed appended.
func (r *Reader) Fixed() uint64 {
	b := r.Raw(8)
	if b == nil {
		return 0
	}
	return binary.BigEndian.Uint64(b)
}

// Raw takes n bytes; they share the value's memory.
func (r *Reader) Raw(n int) []byte {
	if n < 0 || len(r.b) < n {
		r.fail()
		return nil
	}
	v := r.b[:n:n]
	r.b = r.b[n:]
	return v
}

// String takes what Writer.String appended.
func (r *Reader) String() string { return string(r.sized()) }

// Bytes takes a copy of what Writer.Bytes appended; nil for none.
func (r *Reader) Bytes() []byte {
	v := r.sized()
	if len(v) == 0 {
		return nil
	}
	return append([]byte(nil), v...)
}

func (r *Reader) sized() []byte {
	n := r.Uint()
	if n > uint64(len(r.b)) {
		r.fail()
		return nil
	}
	return r.Raw(int(n))
}

// Word takes what Writer.Word appended.
func (r *Reader) Word() string {
	n := r.Uint()
	if n == 0 {
		v := r.String()
		r.words = append(r.words, v)
		return v
	}
	if n > uint64(len(r.words)) {
		r.fail()
		return ""
	}
	return r.words[n-1]
}

// Rest takes all bytes that are left; they share the value's memory.
func (r *Reader) Rest() []byte {
	v := r.b
	r.b = nil
	return v
}

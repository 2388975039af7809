package dir

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/weircrawl/weir/storage"
)

const (
	family = "weir artifact "
	first  = family + "1\n" // the first line of every file; the number is the format's version
	hexes  = 40             // length of a name: 160 bits of SHA-256
)

// An encoded artifact is a file's content, its name, and its payload's digest.
type encoded struct {
	name   string
	head   []byte // all that stands before the payload
	body   []byte
	digest storage.Digest
}

// encode returns the one file that a makes. Equal artifacts make equal files.
func encode(a storage.Artifact) encoded {
	e := encoded{body: a.Body, digest: storage.Sum(a.Body)}
	h := make([]byte, 0, 256+len(a.URL)+len(a.Request)+len(a.Header))
	h = append(h, first...)
	h = quoted(h, "url: ", a.URL)
	h = quoted(h, "type: ", a.Type)
	h = quoted(h, "truncated: ", a.Truncated)
	h = number(h, "time: ", a.Time.UnixMicro())
	h = number(h, "request: ", int64(len(a.Request)))
	h = number(h, "header: ", int64(len(a.Header)))
	h = number(h, "body: ", int64(len(a.Body)))
	h = append(append(append(h, "digest: "...), e.digest...), "\n\n"...)
	e.head = append(append(h, a.Request...), a.Header...)
	sum := sha256.Sum256(e.head)
	e.name = hex.EncodeToString(sum[:])[:hexes]
	return e
}

func quoted(b []byte, key, text string) []byte {
	return append(strconv.AppendQuoteToASCII(append(b, key...), text), '\n')
}

func number(b []byte, key string, n int64) []byte {
	return append(strconv.AppendInt(append(b, key...), n, 10), '\n')
}

// ref returns the reference under which e can be opened.
func (e encoded) ref() storage.Ref {
	return storage.Ref{Segment: e.name, Length: int64(len(e.head) + len(e.body)), Digest: e.digest}
}

// decode reads the file that r refers to. It takes exactly what encode makes for
// r: anything else is storage.ErrCorrupt, or storage.ErrVersion. The artifact
// shares file's memory.
func decode(r storage.Ref, file []byte) (storage.Artifact, error) {
	if v, found := version(file); found && family+v+"\n" != first {
		return storage.Artifact{}, fmt.Errorf("%w: format %s, this program reads %q", storage.ErrVersion, v, first)
	}
	a, err := parse(file)
	if err != nil {
		return storage.Artifact{}, fmt.Errorf("%w: %w", storage.ErrCorrupt, err)
	}
	if e := encode(a); e.ref() != r || !bytes.HasPrefix(file, e.head) {
		return storage.Artifact{}, fmt.Errorf("%w: content does not match the reference", storage.ErrCorrupt)
	}
	return a, nil
}

// version returns the number in the first line.
func version(file []byte) (v string, found bool) {
	rest, ours := bytes.CutPrefix(file, []byte(family))
	number, _, ended := bytes.Cut(rest[:min(len(rest), 8)], []byte("\n"))
	return string(number), ours && ended && len(number) > 0 && len(bytes.Trim(number, "0123456789")) == 0
}

// parse cuts a file into its fields without judging whether they belong together.
func parse(file []byte) (a storage.Artifact, err error) {
	head, rest, _ := bytes.Cut(file, []byte("\n\n"))
	lines := strings.Split(string(head), "\n")
	if len(lines) != 9 {
		return a, fmt.Errorf("head has %d lines", len(lines))
	}
	var fault error
	field := func(i int, key string) string {
		text, found := strings.CutPrefix(lines[i], key)
		if !found {
			fault = fmt.Errorf("line %d is not %q", i+1, key)
		}
		return text
	}
	text := func(i int, key string) string {
		s, err := strconv.Unquote(field(i, key))
		fault = errors.Join(fault, err)
		return s
	}
	integer := func(i int, key string) int64 {
		n, err := strconv.ParseInt(field(i, key), 10, 64)
		fault = errors.Join(fault, err)
		return n
	}
	block := func(n int64) (b []byte) {
		if n < 0 || n > int64(len(rest)) {
			fault = errors.Join(fault, fmt.Errorf("block of %d bytes, %d are left", n, len(rest)))
			return nil
		}
		b, rest = rest[:n:n], rest[n:]
		return b
	}
	a.URL, a.Type, a.Truncated = text(1, "url: "), text(2, "type: "), text(3, "truncated: ")
	a.Time = time.UnixMicro(integer(4, "time: ")).UTC()
	a.Request, a.Header = block(integer(5, "request: ")), block(integer(6, "header: "))
	a.Body = block(integer(7, "body: "))
	if len(rest) > 0 {
		fault = errors.Join(fault, fmt.Errorf("%d bytes too many", len(rest)))
	}
	return a, fault
}

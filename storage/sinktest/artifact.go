package sinktest

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/weircrawl/weir/storage"
)

// exchange returns the n-th of endlessly many artifacts, all different.
func exchange(n int) storage.Artifact {
	return storage.Artifact{
		URL:     fmt.Sprintf("http://a.test/page/%d", n),
		Type:    "text/html",
		Time:    time.UnixMicro(1_700_000_000_000_000 + int64(n)).UTC(),
		Request: fmt.Appendf(nil, "GET /page/%d HTTP/1.1\r\nHost: a.test\r\n\r\n", n),
		Header:  fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nX-Number: %d\r\n\r\n", n),
		Body:    bytes.Repeat(fmt.Appendf(nil, "<p>page %d</p>\n", n), 1+n%100),
	}
}

// oddities are artifacts that a careless encoding loses.
func oddities() []storage.Artifact {
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	base := exchange(0)
	with := func(name string, change func(*storage.Artifact)) storage.Artifact {
		a := base
		a.URL += "?" + name
		change(&a)
		return a
	}
	return []storage.Artifact{
		{},
		with("empty body", func(a *storage.Artifact) { a.Body = nil }),
		with("resource", func(a *storage.Artifact) { a.Request, a.Header = nil, nil }),
		with("every byte", func(a *storage.Artifact) { a.Request, a.Header, a.Body = every, every, every }),
		with("not UTF-8 \xff\x00\r\n\n", func(a *storage.Artifact) { a.Type = "text/\xfe; charset=\"x\"\n" }),
		with("cut by length", func(a *storage.Artifact) { a.Truncated = "length" }),
		with("cut by time", func(a *storage.Artifact) { a.Truncated = "time" }),
		with("long URL "+strings.Repeat("u", 8<<10), func(*storage.Artifact) {}),
		with("before 1970", func(a *storage.Artifact) { a.Time = time.UnixMicro(-1).UTC() }),
		with("far away", func(a *storage.Artifact) { a.Time = time.Date(12345, 1, 1, 0, 0, 0, 0, time.UTC) }),
		with("body like a header", func(a *storage.Artifact) { a.Body = []byte("\n\n\r\n\r\nHTTP/1.1 200 OK\r\n\r\n") }),
		with("large", func(a *storage.Artifact) { a.Body = bytes.Repeat(every, 40<<10) }),
	}
}

// difference names the first field in which got is not want.
func difference(want, got storage.Artifact) string {
	switch {
	case got.URL != want.URL:
		return fmt.Sprintf("URL is %q, want %q", got.URL, want.URL)
	case got.Type != want.Type:
		return fmt.Sprintf("Type is %q, want %q", got.Type, want.Type)
	case got.Truncated != want.Truncated:
		return fmt.Sprintf("Truncated is %q, want %q", got.Truncated, want.Truncated)
	case got.Time != want.Time:
		return fmt.Sprintf("Time is %v, want %v", got.Time, want.Time)
	}
	for _, block := range []struct {
		name      string
		got, want []byte
	}{{"Request", got.Request, want.Request}, {"Header", got.Header, want.Header}, {"Body", got.Body, want.Body}} {
		if !bytes.Equal(block.got, block.want) {
			return fmt.Sprintf("%s has %d bytes %.60q, want %d bytes %.60q", block.name, len(block.got), block.got, len(block.want), block.want)
		}
	}
	return ""
}

// clone returns a with slices of its own.
func clone(a storage.Artifact) storage.Artifact {
	a.Request, a.Header, a.Body = bytes.Clone(a.Request), bytes.Clone(a.Header), bytes.Clone(a.Body)
	return a
}

// scribble overwrites every slice of a.
func scribble(a storage.Artifact) {
	for _, b := range [][]byte{a.Request, a.Header, a.Body} {
		for i := range b {
			b[i] ^= 0xff
		}
	}
}

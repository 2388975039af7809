package charset

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestThePrescanFindsWhatAMetaElementDeclares(t *testing.T) {
	for _, c := range []struct{ page, name string }{
		{`<meta charset=gbk>`, "gbk"},
		{`<META/CHARSET = "GBK" />`, "gbk"},
		{"<meta\fcharset='\n gbk\t'>", "gbk"},
		{`<metacharset=gbk>`, ""},
		{`<meta charset>`, ""},
		{`<meta =charset=gbk>`, ""},
		{`<meta charset=gbk`, ""},
		{`<meta charset=gbk/>`, ""},
		{`<meta charset=none><meta charset=gbk>`, "gbk"},
		{`<meta charset=none charset=gbk>`, ""},
		{`<meta charset="gbk><p>"</p>`, ""},
		{"<meta char\xc5\xbfet=gbk>", ""},
		{"<meta charset=\xe2\x84\xaaoi8-r>", ""},
		{`<meta charset=iso-2022-kr>`, "replacement"},
		{`<meta charset=unicodefffe>`, "utf-8"},
		{`<meta charset=x-user-defined>`, "windows-1252"},
		{`<meta http-equiv=Content-Type content="text/html; charset=gbk">`, "gbk"},
		{`<meta content="text/html; charset=gbk" http-equiv=Content-Type>`, "gbk"},
		{`<meta content="text/html; charset=gbk">`, ""},
		{"<meta http-equiv='content\rtype' content='charset=gbk'>", ""},
		{`<meta charset="gbk"`, ""},
		{`<meta content="text/html; charset=gbk" charset=koi8-r>`, "koi8-r"},
		{`<meta content="text/html; charset=gbk" http-equiv=content-type charset=none>`, ""},
		{`<meta http-equiv=refresh http-equiv=content-type content="charset=gbk">`, ""},
		{`<meta http-equiv=content-type content="charsetcharset=gbk">`, "gbk"},
		{`<meta http-equiv=content-type content="charset CHARSET = 'gbk'x">`, "gbk"},
		{`<meta http-equiv=content-type content="charset='gbk">`, ""},
		{`<meta http-equiv=content-type content="charset=gbk;x">`, "gbk"},
		{`<meta http-equiv=content-type content="charset="><meta charset=gbk>`, "gbk"},
		{`<!--><meta charset=gbk>-->`, "gbk"},
		{`<!-- <meta charset=koi8-r> --><meta charset=gbk>`, "gbk"},
		{`<!-- <meta charset=gbk>`, ""},
		{`<!doctype "><meta charset=gbk>`, "gbk"},
		{`<?php <meta charset=koi8-r>?><meta charset=gbk>`, "gbk"},
		{`</ <meta charset=koi8-r><meta charset=gbk>`, "gbk"},
		{`</p title="<meta charset=koi8-r>"><meta charset=gbk>`, "gbk"},
		{`<p/title="<meta charset=koi8-r>"><meta charset=gbk>`, "gbk"},
		{`<1><meta charset=gbk>`, "gbk"},
		{strings.Repeat(" ", prescanSize-len("<meta charset=gbk>")) + `<meta charset=gbk>`, "gbk"},
		{strings.Repeat(" ", prescanSize-len("<meta charset=gbk>")+1) + `<meta charset=gbk>`, ""},
	} {
		assert.Equal(t, c.name, prescan([]byte(c.page)).name, c.page)
		assert.Equal(t, c.name, slowPrescan([]byte(c.page)), "slowly: %s", c.page)
	}
}

func TestAnXMLDeclarationIsReadAsBrowsersDo(t *testing.T) {
	long := strings.Repeat(" ", 4096)
	for _, c := range []struct{ document, name string }{
		{`<?xml version="1.0" encoding="windows-1251"?>`, "windows-1251"},
		{`<?xml version='1.0' encoding='cp1251'?>`, "windows-1251"},
		{"<?xml encoding\x00=\x1f'windows-1251'>", "windows-1251"},
		{`<?xmlencoding="windows-1251">`, "windows-1251"},
		{`<?xml otherencoding="windows-1251"?>`, "windows-1251"},
		{`<?xml <meta charset="gbk" encoding="windows-1251">`, "windows-1251"},
		{`<?xml encoding="windows-1251" encoding="gbk"?>`, "windows-1251"},
		{`<?xml encoding="utf-16"?>`, "utf-8"},
		{`<?xml encoding="x-user-defined"?>`, "x-user-defined"},
		{`<?xml encoding="csiso2022kr"?>`, "replacement"},
		{`<?xml ` + long + `encoding="windows-1251"` + long + `?>`, "windows-1251"},
		{`<?XML encoding="windows-1251"?>`, ""},
		{`<?xml ENCODING="windows-1251"?>`, ""},
		{` <?xml encoding="windows-1251"?>`, ""},
		{`<!-- --><?xml encoding="windows-1251"?>`, ""},
		{`<?xml encoding="windows-1251"?`, ""},
		{`<?xml>encoding="windows-1251"?>`, ""},
		{`<?xml encoding="windows-1251>"`, ""},
		{`<?xml encoding=""?>`, ""},
		{`<?xml encoding=" gbk"?>`, ""},
		{"<?xml encoding=\"gbk\xff\"?>", ""},
		{`<?xml encoding="UTF-32"?>`, ""},
		{`<?xml encoding=windows-1251?>`, ""},
		{`<?xml encoding="windows-1251'?>`, ""},
		{`<?xml encodingencoding="windows-1251"?>`, ""},
		{`<?xml encoding="none" encoding="windows-1251"?>`, ""},
		{"<\x00?\x00x\x00", "utf-16le"},
		{"<\x00?\x00", ""},
		{"\x00<\x00?\x00x", "utf-16be"},
		{"\x00<\x00?\x00X", ""},
	} {
		assert.Equal(t, c.name, xmlDeclared([]byte(c.document)), "%.80q", c.document)
	}
}

// TestThePrescanIsTheStandards: on pages made of what matters to it.
func TestThePrescanIsTheStandards(t *testing.T) {
	parts := rapid.SampledFrom([]string{"<", ">", "/", "!", "--", "<!--", "-->", "?", "=", "'", "\"", " ", "\t", "\f", "<meta ", "<META/",
		"meta", "charset", "CHARSET=", "content=", "http-equiv=", "content-type", "gbk", "utf-16", "none", ";", "x", "é", "<p ", "</p",
		"<script>", "<meta charset=gbk>", "<meta http-equiv=content-type content='charset=koi8-r'>", strings.Repeat("x", 300)})
	rapid.Check(t, func(t *rapid.T) {
		page := []byte(strings.Join(rapid.SliceOfN(parts, 0, 30).Draw(t, "parts"), ""))
		assert.Equal(t, slowPrescan(page), prescan(page).name, "%q", page)
	})
}

func FuzzThePrescanIsTheStandards(f *testing.F) {
	f.Add([]byte(`<!-- --><p a='>' b><meta/charset = "gbk" http-equiv=content-type content=charset=koi8-r>`))
	f.Fuzz(func(t *testing.T, page []byte) {
		if want, got := slowPrescan(page), prescan(page).name; got != want {
			t.Fatalf("%q: want %q, got %q", page, want, got)
		}
	})
}

// slowPrescan is the algorithm as HTML, section 13.2.3.2, has it, step by step.
func slowPrescan(page []byte) (name string) {
	s := slow{bytes: page[:min(len(page), prescanSize)]}
	defer func() {
		if p := recover(); p != nil && p != errOut {
			panic(p)
		}
	}()
	for ; ; s.position++ {
		switch {
		case s.points("<!--"):
			s.position += 4
			for !(s.byte() == '>' && bytes.HasSuffix(s.bytes[:s.position], []byte("--"))) {
				s.position++
			}
		case s.pointsMeta():
			s.position += 5
			if name := s.meta(); name != "" {
				return name
			}
		case s.pointsTag():
			for !s.in("\t\n\f\r >") {
				s.position++
			}
			for {
				if _, _, ok := s.attribute(); !ok {
					break
				}
			}
		case s.points("<!"), s.points("</"), s.points("<?"):
			for s.byte() != '>' {
				s.position++
			}
		default:
			s.byte()
		}
	}
}

// A slow points to a byte of a page.
type slow struct {
	bytes    []byte
	position int
}

// errOut aborts: there are no more bytes.
const errOut = "out of bytes"

func (s *slow) byte() byte {
	if s.position >= len(s.bytes) {
		panic(errOut)
	}
	return s.bytes[s.position]
}

func (s *slow) in(set string) bool { return strings.IndexByte(set, s.byte()) >= 0 }

func (s *slow) points(text string) bool { return bytes.HasPrefix(s.bytes[s.position:], []byte(text)) }

func (s *slow) pointsMeta() bool {
	rest := s.bytes[s.position:]
	return len(rest) > 5 && string(bytes.ToLower(rest[:5])) == "<meta" && strings.IndexByte("\t\n\f\r /", rest[5]) >= 0
}

func (s *slow) pointsTag() bool {
	rest, ok := bytes.CutPrefix(s.bytes[s.position:], []byte("<"))
	rest = bytes.TrimPrefix(rest, []byte("/"))
	return ok && len(rest) > 0 && ('a' <= rest[0] && rest[0] <= 'z' || 'A' <= rest[0] && rest[0] <= 'Z')
}

// meta is the steps for a meta element; "" means to go on.
func (s *slow) meta() string {
	const unset, failure = "unset", ""
	list := map[string]bool{}
	gotPragma, charset := false, unset
	var needPragma *bool
	need := func(b bool) { needPragma = &b }
	for {
		name, value, ok := s.attribute()
		if !ok {
			break
		}
		if list[name] {
			continue
		}
		list[name] = true
		switch name {
		case "http-equiv":
			if value == "content-type" {
				gotPragma = true
			}
		case "content":
			if found := slowContent(value); found != failure && charset == unset {
				charset = found
				need(true)
			}
		case "charset":
			charset = Name(value)
			need(false)
		}
	}
	switch {
	case needPragma == nil, *needPragma && !gotPragma, charset == failure:
		return ""
	case charset == "utf-16le" || charset == "utf-16be":
		return "utf-8"
	case charset == "x-user-defined":
		return "windows-1252"
	}
	return charset
}

// attribute is "get an attribute".
func (s *slow) attribute() (name, value string, ok bool) {
	for s.in("\t\n\f\r /") {
		s.position++
	}
	if s.byte() == '>' {
		return "", "", false
	}
	for !(s.byte() == '=' && name != "") {
		if s.in("\t\n\f\r ") {
			for s.in("\t\n\f\r ") {
				s.position++
			}
			if s.byte() != '=' {
				return name, "", true
			}
			break
		}
		if s.in("/>") {
			return name, "", true
		}
		name += slowLower(s.byte())
		s.position++
	}
	s.position++
	for s.in("\t\n\f\r ") {
		s.position++
	}
	if s.in(`"'`) {
		quote := s.byte()
		for {
			s.position++
			if s.byte() == quote {
				s.position++
				s.byte()
				return name, value, true
			}
			value += slowLower(s.byte())
		}
	}
	for !s.in("\t\n\f\r >") {
		value += slowLower(s.byte())
		s.position++
	}
	return name, value, true
}

func slowLower(b byte) string {
	if 'A' <= b && b <= 'Z' {
		b += 0x20
	}
	return string([]byte{b})
}

// slowContent is "extracting a character encoding from a meta element", of a text
// in lower case.
func slowContent(s string) string {
	const blanks = "\t\n\f\r "
	position := 0
	for {
		i := strings.Index(s[position:], "charset")
		if i < 0 {
			return ""
		}
		position += i + len("charset")
		for position < len(s) && strings.IndexByte(blanks, s[position]) >= 0 {
			position++
		}
		if position < len(s) && s[position] == '=' {
			break
		}
	}
	position++
	for position < len(s) && strings.IndexByte(blanks, s[position]) >= 0 {
		position++
	}
	if position == len(s) {
		return ""
	}
	if quote := s[position]; quote == '"' || quote == '\'' {
		end := strings.IndexByte(s[position+1:], quote)
		if end < 0 {
			return ""
		}
		return Name(s[position+1:][:end])
	}
	end := position
	for end < len(s) && strings.IndexByte(blanks+";", s[end]) < 0 {
		end++
	}
	return Name(s[position:end])
}

package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/internal/charset"
)

// encodingSuites judge what html says of charsets.
var encodingSuites = []suite{
	table("html/encoding.jsonl", nil, judgeEncoding),
	table("html/encoding_labels.jsonl", nil, judgeLabel),
	table("html/w3lib.jsonl", nil, judgeW3libEncoding).named("html/w3lib encoding"),
}

// An encodingRow is a page and the encoding in which a browser reads it.
type encodingRow struct {
	ID       string
	B64      []byte
	Declared string // the Content-Type header, if there is one
	Encoding string // empty if nothing declares one
}

func judgeEncoding(_ fs.FS, row encodingRow) verdict {
	header := http.Header{}
	if row.Declared != "" {
		header.Set("Content-Type", row.Declared)
	}
	_, got := fetch.UTF8(header, row.B64)
	want := strings.ToLower(row.Encoding)
	switch {
	case want == "" && !isDeclared(got):
		return verdict{id: row.ID}
	case want == "windows-1252" && got.From == charset.FromBytes: // their default, where bytes in UTF-8 are not looked for
		return verdict{id: row.ID}
	}
	v := compare(row.ID, want, got.Name)
	if v.failure != "" {
		v.failure += " from " + got.From
	}
	return v
}

// isDeclared reports whether an encoding is what the prescan or one before it
// finds.
func isDeclared(c fetch.Charset) bool {
	return slices.Contains([]string{charset.FromMark, charset.FromHeader, charset.FromMeta, charset.FromXML}, c.From)
}

type labelRow struct{ Label, Name string }

func judgeLabel(_ fs.FS, row labelRow) verdict {
	return compare(row.Label, strings.ToLower(row.Name), charset.Name(row.Label))
}

// A w3libEncodingRow is a call of a function of w3lib. What it takes is text, or bytes.
type w3libEncodingRow struct {
	Fn, Test string
	Text     json.RawMessage
	Result   json.RawMessage
}

func judgeW3libEncoding(_ fs.FS, row w3libEncodingRow) verdict {
	text, ok := row.text()
	var want string
	if !ok || json.Unmarshal(row.Result, &want) != nil {
		return verdict{foreign: true}
	}
	var got string
	switch row.Fn {
	case "html_body_declared_encoding":
		got = declared(nil, text)
	case "http_content_type_encoding":
		got = declared(http.Header{"Content-Type": {strings.TrimPrefix(string(text), "Content-Type:")}}, nil)
	case "resolve_encoding":
		got = charset.Name(string(text))
	default:
		return verdict{foreign: true}
	}
	v := compare(row.Fn+" "+show(string(text)), want, codec(got))
	if row.Fn == "html_body_declared_encoding" && declares(text) != (want != "") {
		v.reason = "w3lib's regular expressions see what a tokenizer of HTML does not, or stop at the body (html5lib's he-015, he-019 and he-057 contradict them)"
	}
	return v
}

func declared(header http.Header, body []byte) string {
	_, c := fetch.UTF8(header, body)
	if !isDeclared(c) {
		return ""
	}
	return c.Name
}

// declares reports whether a page has a declaration, as an independent tokenizer of
// HTML sees it. w3lib's regular expressions take "< meta" for a tag, need no
// http-equiv, and stop at the body.
func declares(page []byte) bool {
	if bytes.HasPrefix(page, []byte("<?xml")) {
		return true
	}
	z := html.NewTokenizer(bytes.NewReader(page))
	for z.Next() != html.ErrorToken {
		has := map[string]string{}
		token := z.Token()
		for _, a := range token.Attr {
			has[a.Key] = strings.ToLower(a.Val)
		}
		if token.Type != html.EndTagToken && token.Data == "meta" && (has["charset"] != "" || has["http-equiv"] == "content-type") {
			return true
		}
	}
	return false
}

// text returns what the function is given.
func (r w3libEncodingRow) text() ([]byte, bool) {
	var text string
	if json.Unmarshal(r.Text, &text) == nil {
		return []byte(text), true
	}
	var bytes struct{ B64 []byte }
	err := json.Unmarshal(r.Text, &bytes)
	return bytes.B64, err == nil
}

// codec returns the name by which w3lib calls an encoding of the web: that of
// Python's codec for the largest one that it is part of.
func codec(name string) string {
	if codec, ok := codecs[name]; ok {
		return codec
	}
	if number, ok := strings.CutPrefix(name, "windows-"); ok {
		return "cp" + number
	}
	if number, ok := strings.CutPrefix(name, "iso-8859-"); ok {
		return "iso8859-" + number
	}
	return name
}

var codecs = map[string]string{
	"big5": "big5hkscs", "euc-jp": "euc_jp", "euc-kr": "cp949", "gbk": "gb18030", "ibm866": "cp866",
	"iso-2022-jp": "iso2022_jp", "iso-8859-8-i": "iso8859-8", "macintosh": "mac-roman", "shift_jis": "cp932",
	"utf-16be": "utf-16-be", "utf-16le": "utf-16-le", "x-mac-cyrillic": "mac-cyrillic",
}

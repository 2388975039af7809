// Package sheet answers how a text of the web is written into a cell of a table, so
// that whoever opens the table sees a text and nothing else.
//
// A spreadsheet takes a cell that begins with =, +, - or @ for a formula, and what a
// crawl finds is anybody's text. [Text] writes such a text as a JSON string, in
// quotation marks, and likewise one that has control characters, is no UTF-8 or begins
// with a quotation mark: "=1+1". [Parse] reads either form back.
//
// It guarantees that no cell begins a formula or a line, and that Parse returns every
// text as it was, with U+FFFD for each byte that is no UTF-8. Commas and the quotation
// marks around a cell are the table's own affair.
package sheet

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text is text as it is, or as a JSON string if a program could take it for more
// than a text, or not give it back.
func Text(text string) string {
	first, _ := utf8.DecodeRuneInString(text)
	if !strings.ContainsRune("=+-@＝＋－＠\"", first) && !strings.ContainsFunc(text, odd) {
		return text
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string cannot fail
	return strings.TrimSuffix(b.String(), "\n")
}

func odd(r rune) bool { return unicode.IsControl(r) || r == utf8.RuneError }

// Parse undoes Text. A cell that begins with a quotation mark and is no JSON string is
// an error.
func Parse(cell string) (text string, err error) {
	if !strings.HasPrefix(cell, `"`) {
		return cell, nil
	}
	err = json.Unmarshal([]byte(cell), &text)
	return text, err
}

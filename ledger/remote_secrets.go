package ledger

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The shortest secrets that are looked for.
const (
	minAnywhere = 4 // bytes: within any text; a shorter one is in any text by chance, and is hidden as a whole word
	minAddress  = 4 // bytes, of a header: a whole word of an address; a shorter one is in any number
	minWithin   = 8 // bytes: within any address
)

// keys are the headers that a caller has set, and their words: nobody else may see
// them.
func (m *Remote) keys() []string {
	var keys []string
	for name, values := range m.Header {
		if name = http.CanonicalHeaderKey(name); name == "Accept" || name == "User-Agent" {
			continue
		}
		for _, value := range values {
			words := strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" \t,;=", r) })
			if strings.HasSuffix(name, "Authorization") && len(words) > 1 {
				words = words[1:] // the first is the scheme: Bearer
			}
			keys = append(append(keys, value), words...)
		}
	}
	return forms(keys)
}

// parameters are the values in the query of URL: one may be a key.
func (m *Remote) parameters() []string {
	var values []string
	if base, err := url.Parse(m.URL); err == nil {
		for _, list := range base.Query() {
			values = append(values, list...)
		}
	}
	return forms(values)
}

// forms are texts as they may stand in another: as they are, in an address and in
// JSON.
func forms(texts []string) []string {
	var all []string
	for _, text := range texts {
		for _, form := range []string{text, url.QueryEscape(text), url.PathEscape(text)} {
			quoted, _ := json.Marshal(form) // a text always has one
			all = append(all, form, string(quoted[1:len(quoted)-1]))
		}
	}
	return all
}

// hide is text without what Header and the query of URL have.
func (m *Remote) hide(text string) string {
	return without(text, slices.Concat(m.keys(), m.parameters()), minAnywhere)
}

// tells reports that an address, or a name, holds a key of the request.
func (m *Remote) tells(text string) bool {
	keys := slices.DeleteFunc(m.keys(), func(key string) bool { return len(key) < minAddress })
	long := slices.DeleteFunc(m.parameters(), func(value string) bool { return len(value) < minWithin })
	return without(text, slices.Concat(keys, long), minWithin) != text
}

// without replaces secrets in text: those of at least the given length wherever
// they stand, shorter ones where they stand as whole words.
func without(text string, secrets []string, anywhere int) string {
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) }) // one may begin with another
	var out strings.Builder
	for at := 0; at < len(text); {
		n := 0
		for _, secret := range secrets {
			if secret != "" && strings.HasPrefix(text[at:], secret) && (len(secret) >= anywhere || whole(text, at, at+len(secret))) {
				n = len(secret)
				break
			}
		}
		if n > 0 {
			out.WriteString("[redacted]")
			at += n
			continue
		}
		out.WriteByte(text[at])
		at++
	}
	return out.String()
}

// whole reports that text[from:to] is a word, and no part of one.
func whole(text string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	after, _ := utf8.DecodeRuneInString(text[to:])
	return !inWord(before) && !inWord(after)
}

func inWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// maxExcerpt is how much of a body an error has.
const maxExcerpt = 120

func (m *Remote) excerpt(body []byte) string {
	text := m.hide(string(body[:min(len(body), 4<<10)])) // before it is cut, or a part of a secret could stay
	return strings.ToValidUTF8(text[:min(len(text), maxExcerpt)], "\uFFFD")
}

// quote is a text of the service as an error may have it.
func (m *Remote) quote(text string) string {
	return strconv.Quote(clip(m.hide(text[:min(len(text), 4<<10)])))
}

// An ownError has a text of ours: what is in it of the service is quoted.
type ownError struct{ error }

func (e ownError) Unwrap() error { return e.error }

// discreet is err, or what of it may be seen.
func (m *Remote) discreet(err error) error {
	if own := (ownError{}); errors.As(err, &own) {
		return own
	}
	if text := m.hide(err.Error()); text != err.Error() {
		return &redacted{text, err}
	}
	return err
}

// redacted is an error whose own text nobody may see.
type redacted struct {
	text string
	err  error
}

func (r *redacted) Error() string        { return r.text }
func (r *redacted) Is(target error) bool { return errors.Is(r.err, target) }
func (r *redacted) As(target any) bool   { return errors.As(r.err, target) }

package sitemap

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A Report is what a reading has come to. It is complete when the reading is.
type Report struct {
	Kind      Kind    // "" if it is no sitemap
	Refused   Refusal // why it is none; "" if it is one
	Namespace string  // that of the root, as it is declared
	Charset   string  // name of the encoding
	Layers    int     // of gzip
	Bytes     int64   // after unpacking, in that encoding
	Entries   int     // pages that were yielded
	Children  int     // sitemaps that were yielded
	Notes     []Note  // one a fault, in the order in which they were met
}

// A Refusal says why a text is no sitemap at all.
type Refusal string

// The refusals.
const (
	Empty        Refusal = "empty"
	HTML         Refusal = "html" // a page in place of a sitemap
	JSON         Refusal = "json"
	Binary       Refusal = "binary"
	Unrecognised Refusal = "unrecognised" // no root, and no line that is a URL
)

// A Note counts one fault.
type Note struct {
	Fault   Fault
	Count   int64
	Example string // the first; cut to 256 bytes, valid UTF-8
}

// A Fault is something that was overlooked, repaired, left out or cut off.
type Fault string

// What a bound has cut off.
const (
	TooManyBytes    Fault = "bytes"    // the rest was not read; the example is the last URL before it
	TooManyEntries  Fault = "entries"  // pages
	TooManyChildren Fault = "children" // sitemaps
	TooManyExtras   Fault = "extras"   // alternates, images, videos or news of an entry
	LongURL         Fault = "long url" // an entry or an extra
	LongText        Fault = "long text"
	LongTag         Fault = "long tag"
	TooDeep         Fault = "depth" // elements
)

// What was wrong with the text. Nothing but the text concerned is lost.
const (
	Truncated      Fault = "truncated"       // it ends in the middle; a value that was not whole is left out
	DamagedGzip    Fault = "damaged gzip"    // likewise
	BehindGzip     Fault = "behind gzip"     // bytes after the last member
	Junk           Fault = "junk"            // text or elements where none belong
	StrayEnd       Fault = "stray end"       // the end of an entry that was not begun
	MissingEnd     Fault = "missing end"     // of an entry or a field before the next one
	AnotherRoot    Fault = "another root"    // entries of all are read
	BrokenTag      Fault = "broken tag"      // it ends where the next one begins
	UnknownEntity  Fault = "unknown entity"  // kept as it is written; no definition is read
	InvalidText    Fault = "invalid text"    // bytes that mean nothing became U+FFFD
	MisplacedEntry Fault = "misplaced entry" // a page in an index, or a sitemap among pages
)

// What was wrong with an entry.
const (
	NoLoc         Fault = "no loc"   // it is left out
	NoURL         Fault = "no url"   // a line of a list; it is left out
	BareLoc       Fault = "bare loc" // its URL stands outside of loc
	BadLastMod    Fault = "bad lastmod"
	BadChangeFreq Fault = "bad changefreq"
	BadPriority   Fault = "bad priority"
	BadExtra      Fault = "bad extra" // without the URL or the name that it is about
)

// Count returns how often a fault was met.
func (r Report) Count(f Fault) int64 {
	for _, n := range r.Notes {
		if n.Fault == f {
			return n.Count
		}
	}
	return 0
}

// Whole reports whether everything was read, and was well-formed as far as a reader
// has to know. A caller that takes all or nothing asks this.
func (r Report) Whole() bool {
	return r.Refused == "" && !slices.ContainsFunc(r.Notes, func(n Note) bool {
		return slices.Contains(unwhole, n.Fault)
	})
}

var unwhole = []Fault{
	TooManyBytes, TooManyEntries, TooManyChildren, TooManyExtras, LongURL, LongText, LongTag, TooDeep,
	Truncated, DamagedGzip, StrayEnd, MissingEnd, BrokenTag, UnknownEntity, InvalidText,
}

// note counts a fault.
func (r *Report) note(f Fault, example []byte) {
	for i := range r.Notes {
		if r.Notes[i].Fault == f {
			r.Notes[i].Count++
			return
		}
	}
	r.Notes = append(r.Notes, Note{f, 1, exampleOf(example)})
}

// exampleOf copies what a reader of a report takes in.
func exampleOf(b []byte) string {
	if len(b) > exampleMax {
		b = b[:exampleMax]
		for n := range utf8.UTFMax {
			if utf8.RuneStart(b[len(b)-1-n]) {
				if !utf8.FullRune(b[len(b)-1-n:]) {
					b = b[:len(b)-1-n]
				}
				break
			}
		}
	}
	return cutText(strings.ToValidUTF8(string(b), "\ufffd"), exampleMax)
}

// cutText returns at most limit bytes of valid text, and whole characters.
func cutText(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

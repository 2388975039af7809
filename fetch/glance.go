package fetch

import (
	"bytes"

	"golang.org/x/net/html"
)

// A glance is what one pass over the start of a page shows: how much there is to
// read and to follow, and what its tags and scripts say, apart from its text. An
// article that quotes a mark has it in its text.
type glance struct {
	text      int    // bytes of text a reader sees, runs of space not counted
	links     int    // anchors that lead somewhere
	passwords int    // inputs of type password
	code      []byte // tags, comments and scripts, one after the other
}

// What a page that is nothing but a wall has at most.
const (
	hollowText  = 2 << 10
	hollowLinks = 10
)

// hollow reports whether there is next to nothing on the page.
func (g glance) hollow() bool { return g.text <= hollowText && g.links <= hollowLinks }

// look reads a page once. It is called for the few pages that have a mark.
func look(page []byte) glance {
	var g glance
	z := html.NewTokenizer(bytes.NewReader(page))
	for unseen := false; ; {
		kind := z.Next()
		if kind != html.TextToken {
			g.code = append(g.code, z.Raw()...)
		}
		switch kind {
		case html.ErrorToken:
			return g
		case html.TextToken:
			if unseen {
				g.code = append(g.code, z.Raw()...)
			} else {
				g.text += len(bytes.Join(bytes.Fields(z.Raw()), []byte(" ")))
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, attributes := z.TagName()
			unseen = string(name) == "script" || string(name) == "style"
			g.tag(string(name), attributes, z)
		case html.EndTagToken:
			unseen = false
		}
	}
}

// tag counts one start tag.
func (g *glance) tag(name string, attributes bool, z *html.Tokenizer) {
	for attributes && (name == "a" || name == "input") {
		var key, value []byte
		key, value, attributes = z.TagAttr()
		switch {
		case name == "a" && string(key) == "href":
			g.links++
		case name == "input" && string(key) == "type" && bytes.EqualFold(value, []byte("password")):
			g.passwords++
		}
	}
}

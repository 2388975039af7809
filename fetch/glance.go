package fetch

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// A glance is what one pass over the start of a page shows: how much there is to
// read and to follow, and what its tags and scripts say, apart from its text. An
// article that quotes a mark has it in its text, or in data for its scripts.
type glance struct {
	text      int    // bytes of text a reader sees, runs of space not counted
	links     int    // anchors that lead somewhere
	inForms   int    // those of them that are in a form, from its start to its end
	passwords int    // inputs of type password
	logins    int    // those of them that are in a form which is sent to a login
	fields    int    // inputs to be filled in, passwords among them
	code      []byte // tags, comments and scripts, one after the other

	inside  content
	form    bool // a form is open
	login   bool // it is sent to a login
	pending int  // links since it was opened
}

// content is what the text between two tags is.
type content int

const (
	toRead content = iota // prose
	toRun                 // a script or a style
	toLoad                // data for scripts
)

// What a page that is nothing but a wall has at most.
const (
	hollowText  = 2 << 10
	hollowLinks = 10
	bareText    = 512
)

// hollow reports whether there is next to nothing on the page.
func (g glance) hollow() bool { return g.text <= hollowText && g.links <= hollowLinks }

// bare reports whether there is no more on the page than the words around a form.
func (g glance) bare() bool { return g.text <= bareText && g.links <= hollowLinks }

// look reads a page once. It is called for the few pages that have a mark.
func look(page []byte) glance {
	var g glance
	z := html.NewTokenizer(bytes.NewReader(page))
	for {
		kind := z.Next()
		if kind == html.TextToken {
			g.read(z.Raw())
			continue
		}
		g.code = append(g.code, z.Raw()...)
		switch kind {
		case html.ErrorToken:
			return g
		case html.StartTagToken, html.SelfClosingTagToken:
			g.start(z)
		case html.EndTagToken:
			name, _ := z.TagName()
			g.end(string(name))
		}
	}
}

// read takes a text for what it is.
func (g *glance) read(text []byte) {
	switch g.inside {
	case toRead:
		g.text += len(bytes.Join(bytes.Fields(text), []byte(" ")))
	case toRun:
		g.code = append(g.code, text...)
	}
}

// start takes a start tag for what it opens or counts as.
func (g *glance) start(z *html.Tokenizer) {
	name, more := z.TagName()
	tag := string(name)
	g.inside = toRead
	switch tag {
	case "a":
		if _, leads := attribute(z, more, "href"); leads {
			g.links++
			g.pending++
		}
	case "input":
		kind, _ := attribute(z, more, "type")
		g.input(strings.ToLower(kind))
	case "textarea":
		g.fields++
	case "form":
		g.close()
		action, _ := attribute(z, more, "action")
		g.form, g.login, g.pending = true, sentToLogin(action), 0
	case "script":
		kind, _ := attribute(z, more, "type")
		g.inside = toLoad
		if isScript(strings.ToLower(kind)) {
			g.inside = toRun
		}
	case "style":
		g.inside = toRun
	}
}

// end takes an end tag for what it closes.
func (g *glance) end(tag string) {
	g.inside = toRead
	if tag == "form" {
		g.close()
	}
}

// close ends an open form, and leaves in it what came since its start.
func (g *glance) close() {
	if g.form {
		g.inForms += g.pending
	}
	g.form, g.login = false, false
}

// input counts an input by its type.
func (g *glance) input(kind string) {
	switch kind {
	case "password":
		g.passwords++
		if g.login {
			g.logins++
		}
		g.fields++
	case "", "text", "email", "search", "tel", "url", "number":
		g.fields++
	}
}

// isScript reports whether a script of this type is run (HTML, "prepare the
// script element"); also those that are renamed to be run later.
func isScript(kind string) bool {
	return kind == "" || kind == "module" || strings.Contains(kind, "javascript") || strings.Contains(kind, "ecmascript")
}

// attribute returns an attribute of the tag at which z is.
func attribute(z *html.Tokenizer, more bool, name string) (string, bool) {
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		if string(key) == name {
			return string(value), true
		}
	}
	return "", false
}

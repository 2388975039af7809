package weir

import (
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Doc returns the page as a document, parsed when it is first called; it is
// never nil. Flattened says that it is nested too deeply to be parsed as it is.
func (p *Page) Doc() *goquery.Document {
	if p.doc == nil {
		root, err := html.Parse(strings.NewReader(p.Text()))
		if err != nil { // 512 open elements
			root, p.Flattened = flat(p.Text()), true
		}
		p.doc = goquery.NewDocumentFromNode(root)
	}
	return p.doc
}

// maxNesting is how deep elements of a flattened document are nested.
const maxNesting = 500

// flat builds a document from tokens alone. Elements that are nested deeper than
// maxNesting become siblings, in the order of the page; nothing is lost.
func flat(text string) *html.Node {
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	open := []*html.Node{body}
	tokens := html.NewTokenizer(strings.NewReader(text))
	for kind := tokens.Next(); kind != html.ErrorToken; kind = tokens.Next() {
		token := tokens.Token()
		switch kind {
		case html.TextToken:
			open[len(open)-1].AppendChild(&html.Node{Type: html.TextNode, Data: token.Data})
		case html.StartTagToken, html.SelfClosingTagToken:
			open = opened(open, token)
		case html.EndTagToken:
			open = closed(open, token.Data)
		}
	}
	return documentOf(body)
}

// opened adds an element to the innermost open one, and opens it.
func opened(open []*html.Node, token html.Token) []*html.Node {
	node := &html.Node{Type: html.ElementNode, Data: token.Data, DataAtom: token.DataAtom, Attr: token.Attr}
	open = open[:min(len(open), maxNesting)]
	open[len(open)-1].AppendChild(node)
	if token.Type == html.SelfClosingTagToken || slices.Contains(voids, token.DataAtom) {
		return open
	}
	return append(open, node)
}

// closed ends the innermost open element of this name, and those inside it.
func closed(open []*html.Node, name string) []*html.Node {
	for i := len(open) - 1; i > 0; i-- {
		if open[i].Data == name {
			return open[:i]
		}
	}
	return open
}

func documentOf(body *html.Node) *html.Node {
	document := &html.Node{Type: html.DocumentNode}
	root := &html.Node{Type: html.ElementNode, Data: "html", DataAtom: atom.Html}
	document.AppendChild(root)
	root.AppendChild(body)
	return document
}

// voids are the elements that hold nothing.
var voids = []atom.Atom{atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input,
	atom.Link, atom.Meta, atom.Param, atom.Source, atom.Track, atom.Wbr}

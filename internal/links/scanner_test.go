package links

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
)

// FuzzTokensAreThoseOfTheTokenizer holds the scanner to golang.org/x/net/html.
func FuzzTokensAreThoseOfTheTokenizer(f *testing.F) {
	for _, seed := range []string{
		`<!doctype html><a href="x" HREF=y>t &amp; u</a >`, `<a b c=d/><p/ e='f"g' =h == i=>`, `</ x><//><?x?><!x><!-->a--><!--b--!>c`,
		`<!--->a`, `<!---->a`, `<!--a--!b-->c`, `<!--a--!-->b`, `a < b <3 </3 <`, `a</`, `<title>a</titl></TITLE >b`, `<textarea>&lt;</textarea/>`,
		`<script>a</script>b`, `<script></SCRIPT/x>`, `<style><!--</style>-->`, `<xmp><a></xmp><plaintext><a></plaintext>`, `<noscript><a href=x></noscript>`,
		`<a href=x&lt>`, `<a href="a&ampb&amp=c&notit;&#x41;&#0;&#128;&fjlig;&semi;">`, "<a href='\r\n\x00\r' h\x00ef=x>", "<a href=\"x", `<a href=x `, `<a b=`, "<iframe\n>x</iframe\f>", `<svg/>`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, page []byte) {
		if lower := bytes.ToLower(page); bytes.Contains(lower, []byte("<!--")) && bytes.Contains(lower, []byte("<script")) {
			t.Skip() // TestACommentInAScriptHidesAScript
		}
		want, got := tokenized(page), scanned(page)
		require.Equal(t, want, got, "%q", page)
	})
}

// tokenized lists the tags and texts of page, one a line.
func tokenized(page []byte) []string {
	lines := lister{}
	z := html.NewTokenizer(bytes.NewReader(page))
	for offset := 0; ; {
		token := z.Next()
		length := len(z.Raw())
		switch token {
		case html.ErrorToken:
			return lines.end()
		case html.TextToken:
			lines.text(z.Text())
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			if string(name) == "noscript" {
				z.NextIsNotRawText()
			}
			line := fmt.Sprintf("%d <%s", offset, name)
			for more {
				var key, value []byte
				key, value, more = z.TagAttr()
				line += fmt.Sprintf(" %s=%q", key, value)
			}
			lines.add(line)
		case html.EndTagToken:
			name, _ := z.TagName()
			lines.add(fmt.Sprintf("%d </%s", offset, name))
		}
		offset += length
	}
}

// scanned lists them as the scanner sees them.
func scanned(page []byte) []string {
	lines := lister{}
	for s := (scanner{page: page}); ; {
		switch s.scan() {
		case nothing:
			return lines.end()
		case text:
			lines.text(decodeText(s.text, s.isRaw()))
		case startTag:
			line := fmt.Sprintf("%d <%s", s.start, tokenName(s.name))
			seen := map[string]bool{}
			for s.tag.scan() {
				if key := tokenName(s.tag.key); key != "" && !seen[key] {
					line += fmt.Sprintf(" %s=%q", key, decode(s.tag.value))
					seen[key] = true
				}
			}
			if s.finishTag() {
				lines.add(line)
			}
		case endTag:
			if !s.finishTag() {
				continue
			}
			lines.add(fmt.Sprintf("%d </%s", s.start, tokenName(s.name)))
		}
	}
}

// tokenName writes a name as the tokenizer does.
func tokenName(name []byte) string {
	out := []byte(strings.ReplaceAll(string(name), "\x00", "\uFFFD"))
	for i, c := range out {
		if 'A' <= c && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
	}
	return string(out)
}

// lister joins neighbouring texts, and makes line ends one, as folding does.
type lister struct {
	lines   []string
	pending string
}

func (l *lister) text(s []byte) {
	l.pending += string(s)
}

func (l *lister) add(line string) {
	if l.pending != "" {
		text := strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "\uFFFD").Replace(l.pending)
		l.lines = append(l.lines, fmt.Sprintf("%q", text))
	}
	l.pending = ""
	l.lines = append(l.lines, line)
}

func (l *lister) end() []string {
	l.add("end")
	return l.lines
}

func TestACommentInAScriptHidesAScript(t *testing.T) {
	for _, row := range []struct{ page, links string }{
		{`<script><!-- <script> </script><a href=no> --></script><a href=yes>`, "yes"},
		{`<script><!-- a < b <script> </script><a href=no> --></script><a href=yes>`, "yes"},
		{`<script><!-- </script><a href=yes>`, "yes"},
		{`<script><!--> <script> </script><a href=yes>`, "yes"},
		{`<script><!--- <script></script ></script><a href=yes>`, "yes"},
		{`<script><!-- <scripts> </script><a href=yes>`, "yes"},
		{`<script><!-- <script> <a href=no>`, ""},
		{`<script>"<!--" "<script>" "-->" </script><a href=yes>`, "yes"},
		{`<script> <script> </script><a href=yes>`, "yes"},
	} {
		assert.Equal(t, row.links, strings.Join(observed(Extract([]byte(row.page), Options{}).Links), " "), row.page)
	}
}

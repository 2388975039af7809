package links

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAShadowRootIsAPartOfThePage(t *testing.T) {
	for page, want := range map[string]string{
		`<x-card><template shadowrootmode="open"><a href=in></template></x-card><a href=out>`:                             "in out",
		`<p><template shadowRootMode=CLOSED><a href=in></template><a href=out>`:                                           "in out",
		`<p><template shadowrootmode=open><p><template shadowrootmode=open><a href=in></template><a href=mid>`:            "in mid",
		`<p><template shadowrootmode=open><template><a href=no></template><a href=in></template><a href=out>`:             "in out",
		`<p><template shadowrootmode=open><svg></template><title>x</title><a href=out>`:                                   "out",
		`<p><template shadowrootmode=open><svg><style/></svg><a href=in></template><a href=out>`:                          "in out",
		`<p><svg><template shadowrootmode=open><a href=in /></svg><a href=out>`:                                           "in out",
		`<p><template shadowrootmode=open></template></template><a href=out>`:                                             "out",
		`<p><template shadowrootmode><a href=no></template><template shadowrootmode=x><a href=no></template><a href=out>`: "out",
		`<p><template shadowroot=open><a href=no></template><a href=out>`:                                                 "out",
		`<p><template><div><template shadowrootmode=open><a href=no></template><a href=no></div></template><a href=out>`:  "out",
		`<head><template shadowrootmode=open><a href=no></template></head><body><a href=out>`:                             "out",
		`<p><template shadowrootmode=open><frameset><frame src=no></frameset></template><frameset><frame src=no>`:         "",
	} {
		assert.Equal(t, want, strings.Join(observed(Extract([]byte(page), Options{}).Links), " "), page)
	}
	xml := `<div><template shadowrootmode="open"><a href="no"/></template><a href="out"/></div>`
	assert.Equal(t, []string{"out"}, observed(Extract([]byte(xml), Options{XML: true}).Links))
}

func TestABaseInAShadowRootIsNotThePages(t *testing.T) {
	page := `<p><template shadowrootmode=open><base href=no></template><base href=yes>`
	assert.Equal(t, "yes", Extract([]byte(page), Options{}).Base)
}

func TestAShadowRootKeepsLinksApart(t *testing.T) {
	for page, want := range map[string]string{
		`<a href=1>1<x-y><template shadowrootmode=open>2</template></x-y>3</a>4`:                         "123",
		`<a href=1>1<x-y><template shadowrootmode=open><a href=2>2</template></x-y>3</a>4`:               "123 2",
		`<a href=1>1<x-y><template shadowrootmode=open>2</a>3</template></x-y>4</a>5`:                    "1234",
		`<table><td><a href=1>1<x-y><template shadowrootmode=open>2</table>3</template></x-y>4</table>5`: "1234",
		`<table><td><a href=1>1<x-y><template shadowrootmode=open><td>2</template></x-y>3<td>4</table>5`: "123",
		`<table><td><a href=1>1<svg><template shadowrootmode=open></table>2`:                             "1",
		`<p><template shadowrootmode=open><table><td><a href=1>1</template>2`:                            "1",
		`<p><template shadowrootmode=open><svg><a href=1>1</template>2<svg><a href=3>3</svg>4`:           "1 3",
	} {
		var texts []string
		for _, l := range Extract([]byte(page), Options{}).Links {
			texts = append(texts, l.Text)
		}
		assert.Equal(t, want, strings.Join(texts, " "), page)
	}
}

package weir

import (
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/frontier"
)

// linksOf returns what the links of a response lead to, with their rules.
func linksOf(media, body string, header http.Header) (all []string) {
	for _, l := range pageOf(Budget{}, fetch.Response{MediaType: media, Body: []byte(body), Header: header}).Links() {
		all = append(all, l.Rule+" "+l.URL)
	}
	return all
}

func TestALinkOfTheHeaderIsRelativeToThePageAndNotToItsBase(t *testing.T) {
	header := http.Header{"Link": {`<2>; rel=next, </c>; rel=canonical`}}
	assert.Equal(t, []string{"header[rel=next] http://a.test/x/2", "header[rel=canonical] http://a.test/c", "a http://b.test/1"},
		linksOf("text/html", `<base href="http://b.test/"><a href=1>`, header))
	assert.Equal(t, []string{"header[rel=next] http://a.test/x/2", "header[rel=canonical] http://a.test/c"},
		linksOf("application/pdf", `<a href=1>`, header), "what is no page has its header all the same")
}

func TestRelativeLinksOfABaseThatIsNotOfTheWebLeadNowhere(t *testing.T) {
	assert.Equal(t, []string{"a ", "a http://b.test/"}, linksOf("text/html", `<base href="about:blank"><a href=1><a href="http://b.test/">`, nil))
	assert.Equal(t, []string{"a http://a.test/x/1"}, linksOf("text/html", `<base href="http://[/"><a href=1>`, nil), "an invalid base is none")
}

func TestXHTMLIsReadAsXMLOnlyWhereItIsServedAsSuch(t *testing.T) {
	body := `<html><head><script src="s"/></head><body><a href="1"/></body></html>`
	assert.Equal(t, []string{"script http://a.test/x/s", "a http://a.test/x/1"}, linksOf("application/xhtml+xml", body, nil))
	assert.Equal(t, []string{"script http://a.test/x/s"}, linksOf("text/html", body, nil))
}

func TestWhatIsKnownOfALinkReachesTheHandler(t *testing.T) {
	p := pageOf(Budget{}, fetch.Response{Body: []byte(`<link rel=alternate hreflang=de type=text/html href=d><meta http-equiv=refresh content="5;url=r"><img srcset="i 2x"><a href=a rel=nofollow>t</a>`)})
	got := p.Links()
	assert.Equal(t, []string{"de", "text/html"}, []string{got[0].Hreflang, got[0].Type})
	assert.True(t, got[0].InHead && !got[3].InHead)
	assert.Equal(t, "5s", got[1].Delay.String())
	assert.Equal(t, "2x", got[2].Descriptor)
	assert.True(t, got[3].NoFollow && !got[2].NoFollow)
	assert.Equal(t, "t", got[3].Text)
}

func TestEveryDirectiveIsReportedToTheHandler(t *testing.T) {
	p := pageOf(Budget{}, fetch.Response{Body: []byte(`<meta name=robots content="noarchive, max-snippet: 20">`), Header: http.Header{"X-Robots-Tag": {"otherbot: noindex", "weirbot: nosnippet"}}})
	assert.Equal(t, []Directive{{"nosnippet", "", "weirbot"}, {"noarchive", "", ""}, {"max-snippet", "20", ""}}, p.Directives())
	assert.False(t, p.NoIndex())
}

func TestTheNextPageIsFollowedAndAnotherFormOfThePageIsNot(t *testing.T) {
	w := web(t, `-- http://a.test/robots.txt --
-- http://a.test/ --
HTTP 200
Link: <2>; rel=next, <canonical>; rel=canonical

<base href="/b/"><link rel=next href=3><link rel=alternate hreflang=de href=de><link rel=prefetch href=p>
-- http://a.test/2 --
-- http://a.test/b/3 --
<link rel=prev href=/b/4>
-- http://a.test/b/4 --
`)
	synctest.Test(t, func(t *testing.T) {
		c := crawlWeb(t, w, nil, "http://a.test/")
		assert.Equal(t, []string{"http://a.test/", "http://a.test/2", "http://a.test/b/3", "http://a.test/b/4"}, c.requested())
		assert.Contains(t, c.receipt.Decided, frontier.Tally{Decision: frontier.PolicyStop, Reason: frontier.ReasonKind, Count: 3, Example: "canonical"})
	})
}

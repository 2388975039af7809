package weir

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/storage/memory"
	"github.com/weircrawl/weir/urlnorm"
)

// pageOf is a page outside of a crawl.
func pageOf(budget Budget, response fetch.Response) *Page {
	r := &run{cfg: Config{UserAgent: "weirbot/1.0", Normalizer: urlnorm.Standard{}}, agent: "weirbot", budget: budget.WithDefaults()}
	if response.MediaType == "" {
		response.MediaType = "text/html"
	}
	return newPage(r, frontier.Lease{URL: "http://a.test/x/y", Limit: 1 << 20}, response, frontier.Evidence{})
}

func TestEveryReferenceIsOfferedOrNamed(t *testing.T) {
	p := pageOf(Budget{}, fetch.Response{Body: []byte(`<base href="/docs/"> <frameset><frame src="four"></frameset>
		<a href="one">1</a> <area href="two"> <iframe src="three"></iframe>
		<meta http-equiv=refresh content="0;url=five"> <img src="logo.png"> <link rel=stylesheet href="s.css">
		<a href="six" rel="nofollow ugc">6</a> <a href="seven">7</a>`)})
	require.NoError(t, p.Follow("eight#top"))
	asked, _ := p.seal()
	refs, overflow := p.references(asked, func(p *Page, l Link) bool { return l.URL != "http://a.test/docs/seven" })
	got := map[string]frontier.Reason{}
	for _, ref := range refs {
		assert.Equal(t, "http://a.test/docs/", ref.Base, ref.Observed)
		got[ref.Rule+" "+ref.Observed] = ref.Refused
	}
	assert.Equal(t, map[string]frontier.Reason{
		"follow eight#top": "", "a one": "", "area two": "", "iframe three": "", "frame four": "", "meta[refresh] five": "",
		"img logo.png": frontier.ReasonKind, "link[rel=stylesheet] s.css": frontier.ReasonKind,
		"a six": ReasonNoFollow, "a seven": ReasonFollow,
	}, got)
	assert.Zero(t, overflow)
}

func TestAPageThatAsksNotToBeFollowedIsNotFollowed(t *testing.T) {
	for name, response := range map[string]fetch.Response{
		"meta":   {Body: []byte(`<meta name=robots content="noindex,nofollow"><a href=/a>a</a>`)},
		"header": {Body: []byte(`<a href=/a>a</a>`), Header: http.Header{"X-Robots-Tag": {"none"}}},
		"agent":  {Body: []byte(`<meta name=WeirBot content="none"><a href=/a>a</a>`)},
	} {
		t.Run(name, func(t *testing.T) {
			p := pageOf(Budget{}, response)
			refs, _ := p.references(nil, nil)
			require.Len(t, refs, 1)
			assert.Equal(t, ReasonNoFollow, refs[0].Refused)
			assert.True(t, p.NoIndex())
			assert.True(t, p.Links()[0].NoFollow)
		})
	}
}

func TestReferencesBeyondTheBoundAreCountedWithTheFirst(t *testing.T) {
	body := []byte(`<a href=/1>1</a><a href=/22>2</a><a href=/3>3</a><a href=/4>4</a>`)
	p := pageOf(Budget{References: 2}, fetch.Response{Body: body})
	refs, overflow := p.references(nil, nil)
	assert.Len(t, refs, 2)
	assert.Equal(t, frontier.Overflow{Count: 2, Example: "/3"}, overflow)

	p = pageOf(Budget{References: 3}, fetch.Response{Body: body})
	refs, overflow = p.references([]frontier.Reference{{Observed: "/0"}}, nil)
	assert.Len(t, refs, 3, "what the handler asked for comes first")
	assert.Equal(t, frontier.Overflow{Count: 2, Example: "/3"}, overflow)

	p = pageOf(Budget{ReferenceBytes: 5}, fetch.Response{Body: body})
	refs, overflow = p.references(nil, nil)
	assert.Len(t, refs, 2)
	assert.Equal(t, frontier.Overflow{Count: 2, Example: "/3"}, overflow)
}

func TestLinksAreResolvedAsBrowsersDo(t *testing.T) {
	p := pageOf(Budget{}, fetch.Response{Body: []byte(`<a href=" z?q=1#f " rel=next>see  <b>this</b></a><a href="http://a.test:99999/">bad</a>`)})
	links := p.Links()
	require.Len(t, links, 2)
	assert.Equal(t, Link{URL: "http://a.test/x/z?q=1", Observed: " z?q=1#f ", Rule: "a", Rel: "next", Text: "see this"}, links[0])
	assert.Empty(t, links[1].URL)
}

func TestOnlyHTMLHasLinks(t *testing.T) {
	for media, want := range map[string]int{"text/html": 1, "application/xhtml+xml": 1, "text/plain": 0, "application/pdf": 0} {
		p := pageOf(Budget{}, fetch.Response{MediaType: media, Body: []byte(`<a href=/1>1</a>`)})
		assert.Len(t, p.Links(), want, media)
	}
}

func TestDocIsNeverEmptyHoweverDeepThePageIs(t *testing.T) {
	deep := strings.Repeat("<div>", 1024) + `<a href="/in">deep</a>` + strings.Repeat("</div>", 1024) + `<p class=last>end</p>`
	p := pageOf(Budget{}, fetch.Response{Body: []byte(deep)})
	assert.Equal(t, "deep", p.Doc().Find("a").Text())
	assert.Equal(t, "end", p.Doc().Find("p.last").Text())
	assert.Equal(t, 1024, p.Doc().Find("div").Length())
	assert.True(t, p.Flattened)
	assert.Len(t, p.Links(), 1)

	p = pageOf(Budget{}, fetch.Response{Body: []byte("<title>a</title><p>b")})
	assert.Equal(t, "a", p.Doc().Find("title").Text())
	assert.False(t, p.Flattened)
	assert.Same(t, p.Doc(), p.Doc())
}

func TestTextIsUTF8(t *testing.T) {
	for _, c := range []struct{ name, contentType, body, want string }{
		{"plain", "text/html", "<p>abc", "<p>abc"},
		{"valid UTF-8 without a word", "text/html", "<p>Привет", "<p>Привет"},
		{"UTF-8 with a mark", "", "\xef\xbb\xbf<p>é", "<p>é"},
		{"UTF-16 with a mark", "", "\xff\xfe<\x00p\x00>\x00\xe9\x00", "<p>é"},
		{"header", "text/html; charset=ISO-8859-1", "caf\xe9", "café"},
		{"meta", "text/html", `<meta charset=windows-1251>` + "\xcf\xf0\xe8\xe2\xe5\xf2", `<meta charset=windows-1251>Привет`},
		{"unquoted meta", "text/html", "<META http-equiv=Content-Type content=\"text/html; charset=gb2312\">\xd6\xd0\xce\xc4", "<META http-equiv=Content-Type content=\"text/html; charset=gb2312\">中文"},
		{"header before meta", "text/html; charset=utf-8", "<meta charset=gbk>é", "<meta charset=gbk>é"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := pageOf(Budget{}, fetch.Response{Header: http.Header{"Content-Type": {c.contentType}}, Body: []byte(c.body)})
			assert.Equal(t, c.want, p.Text())
		})
	}
}

func TestEmitKeepsWithinItsBounds(t *testing.T) {
	p := pageOf(Budget{Records: 2, RecordBytes: 10}, fetch.Response{})
	require.NoError(t, p.Emit("n", 1))
	var limit *LimitError
	require.ErrorAs(t, p.Emit("n", "123456789"), &limit)
	assert.Equal(t, LimitError{Bound: "record_bytes", Got: 14, Most: 10}, *limit)
	require.NoError(t, p.Emit("n", 2))
	require.ErrorAs(t, p.Emit("n", 3), &limit)
	assert.Equal(t, LimitError{Bound: frontier.ReasonRecords, Got: 3, Most: 2}, *limit)
	require.ErrorContains(t, p.Emit("n", func() {}), "unsupported type")

	_, records := p.seal()
	assert.Equal(t, []frontier.Record{{Kind: "n", Data: []byte("1")}, {Kind: "n", Data: []byte("2")}}, records)
	assert.ErrorIs(t, p.Emit("n", 1), ErrPageClosed)
	assert.ErrorIs(t, p.Follow("/x"), ErrPageClosed)
}

func TestFollowKeepsWithinItsBound(t *testing.T) {
	p := pageOf(Budget{References: 2}, fetch.Response{})
	var limit *LimitError
	require.ErrorAs(t, p.Follow("/1", "/2", "/3"), &limit)
	asked, _ := p.seal()
	assert.Len(t, asked, 2)
}

func TestHeaderOfAStoredResponseIsReadBack(t *testing.T) {
	h := parseHeader([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Two: a\r\nX-Two: b\r\n\r\n"))
	assert.Equal(t, http.Header{"Content-Type": {"text/html"}, "X-Two": {"a", "b"}}, h)
	assert.Empty(t, parseHeader(nil))
}

func TestAKindThatNoRowCanHoldIsRefusedInOnPage(t *testing.T) {
	p := pageOf(Budget{}, fetch.Response{})
	require.NoError(t, p.Emit(strings.Repeat("k", 256), 1))
	assert.ErrorContains(t, p.Emit(strings.Repeat("k", 257), 1), "the kind has 257 bytes")
	assert.ErrorContains(t, p.Emit("", 1), "the kind has 0 bytes")
	_, records := p.seal()
	assert.Len(t, records, 1, "what was emitted before is kept")
}

func TestAKindThatIsTooLongFailsItsPageAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mem := web(t, twoPages), memory.New()
		cfg := over(w, mem)
		cfg.OnPage = func(_ context.Context, p *Page) error {
			if p.URL == "http://a.test/bad" {
				return p.Emit(strings.Repeat("k", 257), 1)
			}
			return nil
		}
		_, err := Run(t.Context(), cfg, "http://a.test/")
		require.NoError(t, err)
		assert.Contains(t, results(t, mem), "failed {handler} http://a.test/bad")
	})
}

func TestACharacterThatWasCutWithThePageIsLeftOut(t *testing.T) {
	p := &Page{Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: []byte("caf\xc3"), Truncated: "length"}
	assert.Equal(t, "caf", p.Text())
	assert.Zero(t, p.Charset().Invalid)
	p = &Page{Header: p.Header, Body: p.Body}
	assert.Equal(t, "caf\uFFFD", p.Text())
	assert.Equal(t, 1, p.Charset().Invalid)
}

package weir

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/weircrawl/weir/fetch"
)

// Cases J of cases/faults.md: what a handler reads of a page.

// read crawls one page, and returns its text and encoding as a handler sees them.
// The body stays as received.
func read(t *testing.T, contentType, body string) (text string, charset fetch.Charset) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := crawl(t, "-- http://a.test/ --\nHTTP 200\nContent-Type: "+contentType+"\n\n"+body, func(cfg *Config) {
			cfg.OnPage = func(_ context.Context, p *Page) error {
				text, charset = p.Text(), p.Charset()
				assert.Equal(t, body, string(p.Body))
				return nil
			}
		}, "http://a.test/")
		assert.Equal(t, body, string(c.artifact("http://a.test/").Body), "the bytes are kept as they came")
	})
	return text, charset
}

func TestSJ1APageMaySayItsCharsetItself(t *testing.T) {
	const meta = `<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">`
	text, charset := read(t, "text/html", meta+"\xcf\xf0\xe8\xe2\xe5\xf2\n")
	assert.Equal(t, meta+"Привет\n", text)
	assert.Equal(t, "windows-1251", charset.Name)
	assert.Equal(t, "meta", charset.From)
	assert.NotZero(t, charset.Version, "the decision can be made again by a later version")
}

func TestSJ2AMetaElementNeedsNoQuotes(t *testing.T) {
	const meta = `<META http-equiv=Content-Type content="text/html; charset=gb2312">`
	text, charset := read(t, "text/html", meta+"\xd6\xd0\xce\xc4\n")
	assert.Equal(t, meta+"中文\n", text)
	assert.Equal(t, "meta", charset.From)
}

func TestSJ3AHeaderWinsUnlessTheBytesContradictIt(t *testing.T) {
	const meta = `<meta charset=gbk>`
	text, charset := read(t, "text/html; charset=utf-8", meta+"\xd6\xd0\xce\xc4\n")
	assert.Equal(t, meta+"中文\n", text)
	assert.Equal(t, "gbk", charset.Name)
	assert.Equal(t, "meta", charset.From)
	assert.Equal(t, []fetch.Charset{{Name: "utf-8", From: "header"}}, charset.Lost, "and says so")

	text, charset = read(t, "text/html; charset=utf-8", meta+"中文\n")
	assert.Equal(t, meta+"中文\n", text)
	assert.Equal(t, "utf-8", charset.Name)
	assert.Equal(t, "header", charset.From)
}

func TestSJ1ACharsetDecidesWhatALinkSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := web(t, "-- http://a.test/robots.txt --\n-- http://a.test/* --\nhere")
		assert.NoError(t, w.Handle("http://a.test/", http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "text/html")
			_, _ = rw.Write([]byte("<meta charset=windows-1251><a href=\"/\xcf\xf0\">x</a>"))
		})))
		c := crawlWeb(t, w, nil, "http://a.test/")
		assert.Equal(t, []string{"http://a.test/", "http://a.test/%D0%9F%D1%80"}, c.requested())
	})
}

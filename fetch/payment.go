package fetch

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// scriptsMax is how many blocks of structured data are read.
const scriptsMax = 16

// payment returns the mark of a page that says of itself that it is to be paid
// for: schema.org's isAccessibleForFree is false, both of the page and of the
// part that a cssSelector names. By that a site tells a search engine that what
// it hides from readers is no cloaking; it is in the page or is not, and in
// neither case is it ours. Source:
// developers.google.com/search/docs/appearance/structured-data/paywalled-content
func (f facts) payment() string {
	if f.status != http.StatusOK || !f.isHTML() {
		return ""
	}
	page := f.start()
	if !bytes.Contains(page, []byte("isAccessibleForFree")) {
		return ""
	}
	told := works{page: f.asked}
	for range scriptsMax {
		var script []byte
		if script, page = nextData(page); script == nil {
			break
		}
		var data any
		if json.Unmarshal(script, &data) == nil {
			told.add(data)
		}
	}
	if told.paid() {
		return "schema.org: isAccessibleForFree: false"
	}
	return ""
}

// nextData returns the next block of structured data of a page, nil if there is
// none, and what follows it.
func nextData(page []byte) (script, rest []byte) {
	_, page, _ = bytes.Cut(page, []byte("application/ld+json"))
	_, page, _ = bytes.Cut(page, []byte(">"))
	script, rest, found := bytes.Cut(page, []byte("</script"))
	if !found {
		return nil, nil
	}
	return script, rest
}

// works counts what a page describes as something to read, apart from what has
// the address of another page: that is a teaser.
type works struct {
	page                 target
	here, herePaid       int // with the address of the page
	nowhere, nowherePaid int // without an address
}

// paid reports whether the page is to be paid for: one of its works, or all of
// those that may be its.
func (w works) paid() bool {
	if w.here > 0 {
		return w.herePaid > 0
	}
	return w.nowhere > 0 && w.nowherePaid == w.nowhere
}

// add counts data, those of a list, or those of a graph.
func (w *works) add(data any) {
	switch data := data.(type) {
	case []any:
		for _, one := range data {
			w.add(one)
		}
	case map[string]any:
		w.count(data)
		w.add(data["@graph"])
	}
}

// count counts data if it describes something to read.
func (w *works) count(data map[string]any) {
	if data["isAccessibleForFree"] == nil && !isArticle(data["@type"]) {
		return
	}
	paid := 0
	if notFree(data) && hides(data["hasPart"]) {
		paid = 1
	}
	switch place := address(data); {
	case place == "":
		w.nowhere++
		w.nowherePaid += paid
	case w.page.hasPath(place):
		w.here++
		w.herePaid += paid
	}
}

// isArticle reports whether one of schema.org's types is an article.
func isArticle(kind any) bool {
	switch kind := kind.(type) {
	case []any:
		return slices.ContainsFunc(kind, isArticle)
	case string:
		return strings.HasSuffix(kind, "Article") || strings.HasSuffix(kind, "Posting")
	}
	return false
}

// address returns the address of what data describes, empty without one. A name
// within the page is none.
func address(data map[string]any) string {
	for _, key := range []string{"url", "mainEntityOfPage", "@id"} {
		value := data[key]
		if entity, ok := value.(map[string]any); ok {
			value = entity["@id"]
		}
		if place, ok := value.(string); ok && place != "" && place[0] != '#' {
			return place
		}
	}
	return ""
}

// hasPath reports whether an address leads to the path of t, on whatever host: a
// site has several, and names one.
func (t target) hasPath(address string) bool {
	page, err := url.Parse(t.String())
	if err != nil {
		return false
	}
	to, err := page.Parse(address)
	return err == nil && strings.TrimRight(to.Path, "/") == strings.TrimRight(page.Path, "/")
}

// hides reports whether a part of the page is not free.
func hides(part any) bool {
	switch part := part.(type) {
	case []any:
		for _, one := range part {
			if hides(one) {
				return true
			}
		}
	case map[string]any:
		return notFree(part) && part["cssSelector"] != nil
	}
	return false
}

// notFree reports whether isAccessibleForFree is false, in one of the forms in
// which sites write it.
func notFree(data map[string]any) bool {
	switch free := data["isAccessibleForFree"].(type) {
	case bool:
		return !free
	case string:
		return strings.EqualFold(free[strings.LastIndexByte(free, '/')+1:], "false")
	}
	return false
}

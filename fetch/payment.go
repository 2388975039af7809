package fetch

import (
	"bytes"
	"encoding/json"
	"net/http"
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
	for range scriptsMax {
		var script []byte
		if script, page = nextData(page); script == nil {
			return ""
		}
		var data any
		if json.Unmarshal(script, &data) == nil && paid(data) {
			return "schema.org: isAccessibleForFree: false"
		}
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

// paid reports whether data, one of a list, or one of a graph, is to be paid for.
func paid(data any) bool {
	switch data := data.(type) {
	case []any:
		for _, one := range data {
			if paid(one) {
				return true
			}
		}
	case map[string]any:
		return notFree(data) && hides(data["hasPart"]) || paid(data["@graph"])
	}
	return false
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

package fetch

import (
	"net/http"

	"github.com/weircrawl/weir/internal/header"
)

// mediaType returns the type that a response declares, in lower case and without
// parameters. Where it declares none, or something that is no type, the body's
// first bytes tell, as they tell a browser.
func mediaType(h http.Header, body []byte) string {
	if declared, ok := header.ContentType(h["Content-Type"]); ok {
		return declared.Essence
	}
	if len(body) == 0 {
		return ""
	}
	guess, _ := header.ParseMediaType(http.DetectContentType(body))
	return guess.Essence
}

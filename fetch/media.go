package fetch

import (
	"net/http"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// mediaType returns the type that a response declares, in lower case and without
// parameters. Where it declares none, or something that is no type, the body's
// first bytes tell, as they tell a browser.
func mediaType(header http.Header, body []byte) string {
	if declared := essence(header.Get("Content-Type")); declared != "" {
		return declared
	}
	if len(body) == 0 {
		return ""
	}
	return essence(http.DetectContentType(body))
}

// essence returns type and subtype of a media type, or nothing if it has not
// both.
func essence(value string) string {
	value, _, _ = strings.Cut(value, ";")
	kind, sub, ok := strings.Cut(strings.TrimSpace(value), "/")
	if !ok || !httpguts.ValidHeaderFieldName(kind) || !httpguts.ValidHeaderFieldName(sub) {
		return ""
	}
	return strings.ToLower(kind + "/" + sub)
}

// parameter returns the value of a media type's first parameter of that name, as
// the MIME standard of the WHATWG reads it: unquoted, and whatever comes before.
func parameter(value, name string) string {
	_, rest, _ := strings.Cut(value, ";")
	for rest != "" {
		var key, text string
		rest = strings.TrimLeft(rest, " \t\r\n;")
		end := strings.IndexAny(rest, ";=")
		if end < 0 {
			return ""
		}
		key = rest[:end]
		if rest[end] == ';' {
			rest = rest[end+1:]
			continue
		}
		text, rest = parameterValue(rest[end+1:])
		if strings.EqualFold(key, name) && text != "" {
			return text
		}
	}
	return ""
}

// parameterValue splits a parameter's value from what follows it.
func parameterValue(text string) (value, rest string) {
	if !strings.HasPrefix(text, `"`) {
		value, rest, _ = strings.Cut(text, ";")
		return strings.TrimRight(value, " \t\r\n"), rest
	}
	var unquoted strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '"':
			_, rest, _ = strings.Cut(text[i+1:], ";")
			return unquoted.String(), rest
		case text[i] == '\\' && i+1 < len(text):
			i++
		}
		unquoted.WriteByte(text[i])
	}
	return unquoted.String(), ""
}

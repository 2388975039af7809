package links

import (
	"bytes"

	"golang.org/x/net/html"
)

// maxEncoded is the longest value in which character references are decoded. What
// is longer cannot be a URL that is short enough.
const maxEncoded = 64 << 10

// decode returns an attribute's value as browsers see it: references decoded, line
// ends made one, NUL replaced. Most values are what they look like, or have &amp;
// alone.
func decode(value []byte) []byte {
	if bytes.IndexByte(value, '&') < 0 && bytes.IndexByte(value, '\r') < 0 && bytes.IndexByte(value, 0) < 0 || len(value) > maxEncoded {
		return value
	}
	if amp := []byte("&amp;"); bytes.Count(value, []byte("&")) == bytes.Count(value, amp) && !bytes.ContainsAny(value, "\r\x00") {
		return bytes.ReplaceAll(value, amp, []byte("&"))
	}
	tag := append([]byte("<a b="), quoted(value)...)
	z := html.NewTokenizer(bytes.NewReader(append(tag, '>')))
	z.Next()
	_, decoded, _ := z.TagAttr()
	return decoded
}

// quoted puts value into quotes that do not occur in it. A value with both has
// stood without.
func quoted(value []byte) []byte {
	for _, quote := range []byte{'"', '\''} {
		if bytes.IndexByte(value, quote) < 0 {
			return append(append([]byte{quote}, value...), quote)
		}
	}
	return value
}

// decodeText returns text as browsers see it.
func decodeText(text []byte, isRaw bool) []byte {
	if isRaw {
		return bytes.ReplaceAll(text, []byte{0}, []byte("\uFFFD"))
	}
	if bytes.IndexByte(text, '&') < 0 {
		return text
	}
	return []byte(html.UnescapeString(string(text)))
}

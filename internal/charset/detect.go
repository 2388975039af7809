package charset

import (
	"github.com/wlynxg/chardet"
)

const (
	detectSize = 4 << 10 // bytes that are given to the detector, which needs a millisecond for them
	detectSure = 0.8     // confidence of a guess that is taken
)

// detect guesses the encoding of bytes that nobody has declared and that are not
// UTF-8, or returns "": a guess that is not sure is worth less than the default.
func detect(body []byte) string {
	body = body[ascii(body):]
	guess := chardet.Detect(body[:min(len(body), detectSize)])
	if guess.Confidence < detectSure {
		return ""
	}
	name := Name(guess.Charset)
	switch name {
	case utf8Name, replacementName, userDefined:
		return ""
	case "x-mac-cyrillic": // the letters of a short text are the same, and the web has none of those
		return "windows-1251"
	}
	return name
}

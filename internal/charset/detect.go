package charset

import "github.com/wlynxg/chardet"

const (
	detectSize  = 4 << 10 // bytes that are given to the detector, which needs a millisecond for them
	detectLeast = 6       // bytes that are not ASCII, without which a guess is none
	detectSure  = 0.8     // confidence of a guess that is taken
)

// detect guesses the encoding of bytes that nobody has declared and that are not
// UTF-8, or returns "": a guess that is not sure is worth less than the default.
func detect(body []byte) string {
	body = body[ascii(body):]
	body = body[:min(len(body), detectSize)]
	if high(body) < detectLeast {
		return ""
	}
	guess := chardet.Detect(body)
	if guess.Confidence < detectSure {
		return ""
	}
	return guessed(guess.Charset)
}

// guessed returns the encoding of the web that is meant by a name of the detector.
func guessed(label string) string {
	const johab = "KS_C_5601-1987" // by this name, which the web has for another one
	if label == johab {
		return ""
	}
	switch name := Name(label); name {
	case "x-mac-cyrillic": // the letters of a short text are the same, and the web has none of those
		return "windows-1251"
	case utf8Name, utf16be, utf16le, replacementName:
		return "" // refuted, or not to be had without a declaration
	default:
		return name
	}
}

package charset

import "bytes"

// xmlDeclared returns the encoding that an XML declaration at the start of a
// document names, or "": also HTML may have one (HTML, section 13.2.3.2, "get an
// XML encoding").
func xmlDeclared(document []byte) string {
	if name := xmlWide(document); name != "" {
		return name
	}
	if !bytes.HasPrefix(document, []byte("<?xml")) {
		return ""
	}
	document = document[:min(len(document), lateSize)]
	end := bytes.IndexByte(document, '>')
	at := bytes.Index(document, []byte("encoding"))
	if end < 0 || at < 0 || at > end {
		return ""
	}
	return readable(Name(xmlLabel(document[at+len("encoding") : end])))
}

// xmlWide returns the form of UTF-16 in which a document begins with "<?x".
func xmlWide(document []byte) string {
	switch {
	case bytes.HasPrefix(document, []byte("<\x00?\x00x\x00")):
		return utf16le
	case bytes.HasPrefix(document, []byte("\x00<\x00?\x00x")):
		return utf16be
	}
	return ""
}

// xmlLabel returns the label in what follows the word "encoding", or "".
func xmlLabel(b []byte) string {
	b, ok := bytes.CutPrefix(trimControls(b), []byte("="))
	b = trimControls(b)
	if !ok || len(b) == 0 || b[0] != '"' && b[0] != '\'' {
		return ""
	}
	label, _, closed := bytes.Cut(b[1:], b[:1])
	if !closed || !isLabel(string(label)) {
		return ""
	}
	return string(label)
}

// trimControls drops control characters and blanks at the start of b.
func trimControls(b []byte) []byte {
	for len(b) > 0 && b[0] <= ' ' {
		b = b[1:]
	}
	return b
}

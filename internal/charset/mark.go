package charset

import "bytes"

// marks are the byte order marks, Encoding, section 6.
var marks = map[string]string{utf8Name: "\xef\xbb\xbf", utf16be: "\xfe\xff", utf16le: "\xff\xfe"}

// markOf returns the encoding that a byte order mark names, or "".
func markOf(b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte(marks[utf8Name])):
		return utf8Name
	case bytes.HasPrefix(b, []byte(marks[utf16be])):
		return utf16be
	case bytes.HasPrefix(b, []byte(marks[utf16le])):
		return utf16le
	}
	return ""
}

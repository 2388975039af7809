package urlnorm

import "strings"

// unescape decodes the percent-encoding of unreserved characters and writes the
// rest with upper-case digits (RFC 3986, section 6.2.2). A percent sign that
// encodes nothing stays as written, and so does an encoding whose decoded form
// would complete one: "%%41" must not become "%A".
func unescape(s string) string {
	first := firstUnsettled(s)
	if first < 0 {
		return s
	}
	out := make([]byte, first, len(s))
	copy(out, s)
	stray := -escapeLength // where out holds the last stray percent sign
	if before := strings.LastIndexByte(s[:first], '%'); before >= 0 {
		stray = before // or an encoding, which is too long ago to matter
	}
	for i := first; i < len(s); i++ {
		if s[i] != '%' {
			out = append(out, s[i])
			continue
		}
		decoded, ok := decode(s[i:])
		switch {
		case !ok:
			stray = len(out)
			out = append(out, '%')
			continue
		case unreserved[decoded] && !completes(out, stray, decoded):
			out = append(out, decoded)
		default:
			out = append(out, '%', upper(s[i+1]), upper(s[i+2]))
		}
		i += escapeLength - 1
	}
	return string(out)
}

// firstUnsettled returns where the first encoding stands that unescape changes, or -1.
func firstUnsettled(s string) int {
	for i := strings.IndexByte(s, '%'); i >= 0 && i < len(s); i++ {
		if s[i] != '%' {
			continue
		}
		if c, ok := decode(s[i:]); ok {
			if unreserved[c] || s[i+1] != upper(s[i+1]) || s[i+2] != upper(s[i+2]) {
				return i
			}
			i += escapeLength - 1
		}
	}
	return -1
}

// completes reports whether c, written next, could become part of an encoding that
// the percent sign at stray begins.
func completes(out []byte, stray int, c byte) bool {
	switch len(out) - stray {
	case 1:
		return digit(c) < 16
	case 2:
		return digit(c) < 16 && digit(out[stray+1]) < 16
	}
	return false
}

const escapeLength = len("%41")

// decode returns the byte that s, which begins with a percent sign, encodes.
func decode(s string) (byte, bool) {
	if len(s) < escapeLength {
		return 0, false
	}
	high, low := digit(s[1]), digit(s[2])
	return high<<4 | low, high < 16 && low < 16
}

// percentDecode decodes every encoded byte.
func percentDecode(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' {
			if decoded, ok := decode(s[i:]); ok {
				c = decoded
				i += escapeLength - 1
			}
		}
		out = append(out, c)
	}
	return string(out)
}

// digit returns the value of a hexadecimal digit, or 255.
func digit(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 255
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'f' {
		return c - 0x20
	}
	return c
}

// unreserved is RFC 3986, section 2.3.
var unreserved = setOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

func setOf(in string) (set [256]bool) {
	for i := 0; i < len(in); i++ {
		set[in[i]] = true
	}
	return set
}

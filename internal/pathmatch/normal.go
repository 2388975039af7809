package pathmatch

import "strings"

// Normalize brings a path, or a literal part of a pattern, to the form in which
// both are compared (RFC 9309, section 2.2.2): encodings of unreserved
// characters, of * and of $ are decoded, other encodings are in upper case, and
// octets that are neither reserved nor unreserved are encoded. A percent sign
// that encodes nothing stays, and so does an encoding whose decoded form would
// complete one: "/%2%41" does not become "/%2A". An apostrophe is decoded, too:
// browsers encode it in a query (URL Standard, special-query percent-encode set),
// so that a rule which names one would match nothing that is requested.
func Normalize(s string) string {
	i := settled(s)
	if i == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 8)
	b.WriteString(s[:i])
	for ; i < len(s); i++ {
		octet, encoded := s[i], false
		if octet == '%' {
			if decoded, ok := decode(s[i:]); ok {
				octet, encoded = decoded, true
				i += 2
			}
		}
		if keep(octet, encoded) && !(encoded && completes(b.String(), octet)) {
			b.WriteByte(octet)
		} else {
			b.Write([]byte{'%', hexDigits[octet>>4], hexDigits[octet&15]})
		}
	}
	return b.String()
}

// settled returns the length of what Normalize leaves as it is, at the start of s.
func settled(s string) int {
	for i := 0; i < len(s); i++ {
		switch {
		case plain[s[i]]:
		case s[i] != '%':
			return i
		default:
			octet, ok := decode(s[i:])
			if ok && (keep(octet, true) && !completes(s[:i], octet) || s[i+1] >= 'a' || s[i+2] >= 'a') {
				return i
			}
			if ok {
				i += 2
			}
		}
	}
	return len(s)
}

const hexDigits = "0123456789ABCDEF"

// keep reports whether an octet is written as itself.
func keep(octet byte, encoded bool) bool {
	if encoded {
		return unreserved[octet] || octet == '*' || octet == '$' || octet == '\''
	}
	return plain[octet] || octet == '%'
}

// completes reports whether octet, written behind out, which is normal, could become
// part of an encoding that a percent sign at the end of out begins.
func completes(out string, octet byte) bool {
	n := len(out)
	switch {
	case digit(octet) == 255 || n == 0:
		return false
	case out[n-1] == '%':
		return true
	}
	return n > 1 && out[n-2] == '%' && digit(out[n-1]) < 16
}

func decode(s string) (byte, bool) {
	if len(s) < len("%41") {
		return 0, false
	}
	high, low := digit(s[1]), digit(s[2])
	return high<<4 | low, high < 16 && low < 16
}

func digit(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 255
}

// RFC 3986, sections 2.2 and 2.3.
var (
	unreserved = setOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
	plain      = setOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#[]@!$&'()*+,;=")
)

func setOf(in string) (set [256]bool) {
	for i := 0; i < len(in); i++ {
		set[in[i]] = true
	}
	return set
}

package urlnorm

import (
	"strings"

	"golang.org/x/net/idna"
)

// toASCII maps a domain to lower case and punycode, as the URL standard asks for: a
// name that is ASCII already is not looked into, right or wrong.
func toASCII(domain string) (string, error) {
	if isASCII(domain) {
		return lowerASCII(domain), nil
	}
	return domains.ToASCII(strings.Map(sinceUnicode15, domain))
}

// domains is UTS 46 without transition, with the checks that the URL standard asks
// for: joiners and direction, but neither hyphens nor lengths nor STD 3.
var domains = idna.New(
	idna.MapForLookup(),
	idna.Transitional(false),
	idna.StrictDomainName(false),
	idna.CheckHyphens(false),
	idna.CheckJoiners(true),
	idna.BidiRule(),
	idna.VerifyDNSLength(false),
)

// sinceUnicode15 is what UTS 46 maps or ignores since revisions 31 and 33 that the
// tables of x/net/idna, which are of Unicode 15 before Go 1.27, still refuse or map
// otherwise. What newer tables say of the results is the same.
func sinceUnicode15(r rune) rune {
	switch {
	case r < 0x4c0:
		return r
	case 0x10a0 <= r && r <= 0x10c5 || r == 0x10c7 || r == 0x10cd: // Georgian capitals
		return r - 0x10a0 + 0x2d00
	case 0x115f <= r && r <= 0x1160, 0x17b4 <= r && r <= 0x17b5, r == 0x180e, r == 0x3164, r == 0xffa0,
		0x206a <= r && r <= 0x206f, 0x2061 <= r && r <= 0x2063, 0x1d173 <= r && r <= 0x1d17a:
		return -1 // invisible
	}
	if to, ok := mappedSinceUnicode15[r]; ok {
		return to
	}
	return r
}

var mappedSinceUnicode15 = map[rune]rune{
	0x4c0:  0x4cf,  // Cyrillic palochka
	0x1e9e: 0xdf,   // capital sharp s
	0x2132: 0x214e, // turned F
	0x2183: 0x2184, // reversed C
	// CJK compatibility ideographs of Corrigendum 4
	0x2f868: 0x36fc, 0x2f874: 0x5f53, 0x2f91f: 0x243ab, 0x2f95f: 0x7aee, 0x2f9bf: 0x45d7,
}

// lowerASCII lowers the case of ASCII letters alone: those of other scripts are
// for IDNA to map.
func lowerASCII(s string) string {
	for i := 0; i < len(s); i++ {
		if 'A' <= s[i] && s[i] <= 'Z' {
			return strings.Map(func(r rune) rune {
				if 'A' <= r && r <= 'Z' {
					r += 'a' - 'A'
				}
				return r
			}, s)
		}
	}
	return s
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

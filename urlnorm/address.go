package urlnorm

import (
	"net/netip"
	"strconv"
	"strings"
)

// parseIPv6 returns what stands between brackets as browsers write it.
func parseIPv6(text string) (string, error) {
	address, err := netip.ParseAddr(text)
	if err != nil || address.Zone() != "" || !address.Is6() {
		return "", BadHost
	}
	return "[" + formatIPv6(address) + "]", nil
}

// formatIPv6 differs from netip in an IPv4 address that is mapped into IPv6, which
// browsers write in hexadecimal pieces like any other.
func formatIPv6(address netip.Addr) string {
	if !address.Is4In6() {
		return address.String()
	}
	b := address.As16()
	high, low := uint64(b[12])<<8|uint64(b[13]), uint64(b[14])<<8|uint64(b[15])
	return "::ffff:" + strconv.FormatUint(high, 16) + ":" + strconv.FormatUint(low, 16)
}

// endsInNumber reports whether host can only be an IPv4 address: its last label is
// a number, decimal or hexadecimal.
func endsInNumber(host string) bool {
	host = strings.TrimSuffix(host, ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	if digits, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(digits, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// parseIPv4 reads an address of one to four numbers, each decimal, octal or
// hexadecimal, of which the last fills what is left.
func parseIPv4(host string) (string, error) {
	parts := strings.Split(strings.TrimSuffix(host, "."), ".")
	if len(parts) > 4 {
		return "", BadHost
	}
	var address uint64
	for i, part := range parts {
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (5 - len(parts))
		}
		number, err := parseNumber(part)
		if err != nil || number >= 1<<bits {
			return "", BadHost
		}
		address = address<<bits | number
	}
	return netip.AddrFrom4([4]byte{byte(address >> 24), byte(address >> 16), byte(address >> 8), byte(address)}).String(), nil
}

// parseNumber reads a number as C does: 0x is hexadecimal, a leading 0 octal. A
// prefix alone is zero.
func parseNumber(s string) (uint64, error) {
	if digits, ok := strings.CutPrefix(s, "0x"); ok {
		return strconv.ParseUint("0"+digits, 16, 64)
	}
	if len(s) > 1 && s[0] == '0' {
		return strconv.ParseUint(s, 8, 64)
	}
	return strconv.ParseUint(s, 10, 64)
}

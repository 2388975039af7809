package urlnorm

import (
	"strconv"
	"strings"
)

// resolveFast answers for references made of ordinary characters only, and
// declines everything on which the URL standard has something to say: controls,
// backslashes, inner dot segments, upper-case or international hosts, numbers
// that might be an address, default ports. Where it answers, it answers as
// resolveSlow does.
func resolveFast(base *URL, ref string) (request string, ok bool) {
	if len(ref) > MaxLength {
		return "", false
	}
	if hash := strings.IndexByte(ref, '#'); hash >= 0 {
		ref = ref[:hash]
	}
	if strings.HasPrefix(ref, "http") {
		if end, ok := plainOrigin(ref); ok {
			return plainAbsolute(ref, end)
		}
	}
	if base == nil {
		return "", false
	}
	end, ok := plainOrigin(base.Request)
	if !ok || end == len(base.Request) || !plainTail(base.Request[end:]) {
		return "", false
	}
	return plainRelative(base.Request, end, ref)
}

// plainAbsolute completes an absolute reference whose origin ends at end.
func plainAbsolute(ref string, end int) (string, bool) {
	if end == len(ref) {
		return ref + "/", true
	}
	return ref, plainTail(ref[end:])
}

// plainRelative resolves ref on a plain base whose origin ends at end.
func plainRelative(base string, end int, ref string) (string, bool) {
	switch {
	case ref == "":
		return base, true
	case strings.HasPrefix(ref, "//"):
		scheme := base[:strings.IndexByte(base, ':')+1]
		if hostEnd, ok := plainOrigin(scheme + ref); ok {
			return plainAbsolute(scheme+ref, hostEnd)
		}
		return "", false
	case ref[0] == '/':
		return base[:end] + ref, plainTail(ref)
	case ref[0] == '?':
		return withoutQuery(base) + ref, plainQuery(ref[1:])
	case hasColonInFirstSegment(ref): // a scheme, perhaps
		return "", false
	}
	base = withoutQuery(base)
	directory := base[:strings.LastIndexByte(base, '/')+1]
	for {
		if rest, ok := strings.CutPrefix(ref, "./"); ok {
			ref = rest
		} else if rest, ok := strings.CutPrefix(ref, "../"); ok {
			ref, directory = rest, parent(directory, end)
		} else {
			return directory + ref, plainTail(ref)
		}
	}
}

// parent returns the directory above directory, never above the root that
// follows the origin.
func parent(directory string, originEnd int) string {
	if len(directory) == originEnd+1 {
		return directory
	}
	directory = directory[:len(directory)-1]
	return directory[:strings.LastIndexByte(directory, '/')+1]
}

func withoutQuery(s string) string {
	if mark := strings.IndexByte(s, '?'); mark >= 0 {
		return s[:mark]
	}
	return s
}

func hasColonInFirstSegment(ref string) bool {
	colon := strings.IndexByte(ref, ':')
	return colon >= 0 && !strings.ContainsAny(ref[:colon], "/?")
}

// plainOrigin reports whether s begins with an origin that a browser would write
// the same way, and where that ends.
func plainOrigin(s string) (end int, ok bool) {
	start, defaultPort := 0, ""
	switch {
	case strings.HasPrefix(s, "http://"):
		start, defaultPort = len("http://"), "80"
	case strings.HasPrefix(s, "https://"):
		start, defaultPort = len("https://"), "443"
	default:
		return 0, false
	}
	end = len(s)
	if slash := strings.IndexByte(s[start:], '/'); slash >= 0 {
		end = start + slash
	}
	host, port, hasPort := strings.Cut(s[start:end], ":")
	return end, plainHost(host) && (!hasPort || port != defaultPort && plainPort(port))
}

func plainPort(port string) bool {
	if port == "" || port[0] < '1' || port[0] > '9' {
		return false
	}
	_, err := strconv.ParseUint(port, 10, 16)
	return err == nil
}

// plainTail reports whether a path with its query stands as it is in a browser's
// serialization. A dot at the start of a segment is left to the slow path.
func plainTail(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case inPath[c]:
		case c == '.' && i > 0 && s[i-1] != '/':
		case c == '%' && !isEncodedDot(s[i:]):
		case c == '?':
			return plainQuery(s[i+1:])
		default:
			return false
		}
	}
	return true
}

func plainQuery(s string) bool {
	for i := 0; i < len(s); i++ {
		if !inQuery[s[i]] {
			return false
		}
	}
	return true
}

func isEncodedDot(s string) bool {
	return len(s) > 2 && s[1] == '2' && s[2]|0x20 == 'e'
}

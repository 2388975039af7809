package robots

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// How long a record may be used (RFC 9309, section 2.4: cache control may be
// followed, 24 hours at most). Many servers say max-age=0 about every file; a
// robots.txt before every page would serve nobody.
const (
	maxLifetime = 24 * time.Hour
	minLifetime = 5 * time.Minute
)

// lifetime returns how long a response with this header, received at that time,
// may be used: what it may be used at all (RFC 9111, section 4.2.1) less its age
// when it came.
func lifetime(h http.Header, received time.Time) time.Duration {
	life, ok := controlled(h)
	if !ok {
		life = expiring(h, received)
	}
	return min(max(life-age(h), minLifetime), maxLifetime)
}

// controlled returns the shortest time that directives of Cache-Control allow, and
// whether any speaks of one.
func controlled(h http.Header) (life time.Duration, ok bool) {
	life = longest
	for _, line := range h.Values("Cache-Control") {
		for directive := range strings.SplitSeq(line, ",") {
			name, value, _ := strings.Cut(strings.ToLower(strings.TrimSpace(directive)), "=")
			switch name {
			case "no-store", "no-cache":
				return 0, true
			case "max-age":
				if allowed, valid := seconds(value); valid {
					life, ok = min(life, allowed), true
				}
			}
		}
	}
	return life, ok
}

// expiring returns the time up to Expires. A date that cannot be read has passed
// (RFC 9111, section 5.3).
func expiring(h http.Header, received time.Time) time.Duration {
	values := h.Values("Expires")
	if len(values) == 0 {
		return maxLifetime
	}
	expires, err := http.ParseTime(values[0])
	if err != nil {
		return 0
	}
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		received = date
	}
	return expires.Sub(received)
}

// age returns how long a cache on the way has kept the response.
func age(h http.Header) time.Duration {
	age, _ := seconds(h.Get("Age"))
	return age
}

// longest is what delta-seconds that are too many count as (RFC 9111, section
// 1.2.2).
const longest = 1 << 31 * time.Second

// seconds reads delta-seconds, also quoted ones. Nonsense is as good as nothing.
func seconds(value string) (_ time.Duration, ok bool) {
	value = strings.Trim(strings.TrimSpace(value), `"`)
	if value == "" || strings.Trim(value, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseUint(value, 10, 31)
	if err != nil {
		return longest, true
	}
	return time.Duration(n) * time.Second, true
}

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

// lifetime returns how long a response with this header may be used.
func lifetime(h http.Header) time.Duration {
	life := maxLifetime
	for _, line := range h.Values("Cache-Control") {
		for directive := range strings.SplitSeq(line, ",") {
			life = min(life, allowedBy(directive))
		}
	}
	return max(life, minLifetime)
}

// allowedBy returns how long one directive of Cache-Control allows.
func allowedBy(directive string) time.Duration {
	name, value, _ := strings.Cut(strings.ToLower(strings.TrimSpace(directive)), "=")
	switch name {
	case "no-store", "no-cache":
		return 0
	case "max-age":
		seconds, err := strconv.ParseUint(strings.Trim(value, `"`), 10, 32)
		if err == nil {
			return time.Duration(seconds) * time.Second
		}
	}
	return maxLifetime
}

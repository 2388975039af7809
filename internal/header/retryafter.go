package header

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Forever is a wait that is longer than a Duration can say.
const Forever = time.Duration(math.MaxInt64)

// RetryAfter returns how long a value of Retry-After asks to wait from now on:
// seconds, or until a date. A date in the past asks for no wait. It returns false
// for what is neither, and never wraps: see Forever.
func RetryAfter(value string, now time.Time) (wait time.Duration, ok bool) {
	value = strings.Trim(value, blanks)
	if isDigits(value) {
		return seconds(value), true
	}
	at, ok := Date(value, now)
	if !ok {
		return 0, false
	}
	return max(at.Sub(now), 0), true // Sub ends at Forever
}

func seconds(digits string) time.Duration {
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n > int64(Forever/time.Second) {
		return Forever
	}
	return time.Duration(n) * time.Second
}

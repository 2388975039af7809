package fetch

import (
	"fmt"
	"slices"
	"time"

	"github.com/weircrawl/weir/internal/header"
)

// retryMax is the longest wait that an origin is granted.
const retryMax = time.Hour

// retryAfter decides on the values of Retry-After. A wait beyond retryMax is
// clamped, what makes no sense or contradicts itself is no wait, and the note
// tells either.
func retryAfter(values []string, now time.Time) (time.Duration, string) {
	values = slices.Compact(slices.Clone(values))
	if len(values) == 0 {
		return 0, ""
	}
	if len(values) > 1 {
		return 0, fmt.Sprintf("ignored: %d different Retry-After headers", len(values))
	}
	wait, ok := header.RetryAfter(values[0], now)
	switch {
	case !ok:
		return 0, fmt.Sprintf("ignored: %.64q is neither seconds nor a date", values[0])
	case wait > retryMax:
		return retryMax, fmt.Sprintf("clamped: %.64q", values[0])
	}
	return wait, ""
}

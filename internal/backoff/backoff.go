// Package backoff says how long to wait before another attempt: a pure bound
// that doubles, and full jitter below it.
package backoff

import (
	"math/rand/v2"
	"time"
)

const (
	First    = time.Second      // bound of the first wait
	Max      = 15 * time.Minute // bound of every wait
	MaxAsked = time.Hour        // the longest wait that a site is granted (Retry-After)
)

// Bound is the longest wait before the attempt that follows the given number of
// failures, from 1.
func Bound(failures int) time.Duration {
	if failures < 1 {
		return 0
	}
	if failures > 20 {
		return Max
	}
	return min(First<<(failures-1), Max)
}

// Jitter is a wait drawn evenly from zero to the bound.
func Jitter(failures int) time.Duration {
	b := Bound(failures)
	if b == 0 {
		return 0
	}
	return rand.N(b) + 1
}

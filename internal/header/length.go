package header

import (
	"errors"
	"strconv"
)

// ErrLengths means that a response declares two different lengths. Where its body
// ends is unknown, so nothing of it may be used (RFC 9112, section 6.3).
var ErrLengths = errors.New("header: different lengths in Content-Length")

// ContentLength returns the length that the values of Content-Length declare, in
// as many lines and list elements as there are; -1 if there is none, or one that
// is no number. The error is ErrLengths ("extract a length" of the Fetch
// standard).
func ContentLength(values []string) (int64, error) {
	first, any := "", false
	for element := range elements(values) {
		if any && element != first {
			return -1, ErrLengths
		}
		first, any = element, true
	}
	length, err := strconv.ParseInt(first, 10, 64)
	if err != nil || !isDigits(first) {
		return -1, nil // no number, or one that cannot be counted to
	}
	return length, nil
}

package fetch

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// retryMax is the longest wait that an origin is granted.
const retryMax = time.Hour

// retryAfter reads Retry-After: seconds, or any form of an HTTP date. A wait
// beyond retryMax is clamped, what makes no sense is no wait, and the note tells
// either.
func retryAfter(values []string, now time.Time) (time.Duration, string) {
	if len(values) == 0 {
		return 0, ""
	}
	if len(values) > 1 {
		return 0, fmt.Sprintf("ignored: %d Retry-After headers", len(values))
	}
	text := strings.TrimSpace(values[0])
	wait, ok := waitOf(text, now)
	switch {
	case !ok:
		return 0, fmt.Sprintf("ignored: %.64q is neither seconds nor a date", text)
	case wait > retryMax:
		return retryMax, fmt.Sprintf("clamped: %.64q", text)
	}
	return max(wait, 0), "" // a date in the past asks for no wait
}

func waitOf(text string, now time.Time) (time.Duration, bool) {
	if isDigits(text) {
		seconds, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			seconds = int64(2 * retryMax / time.Second) // too many to count
		}
		return time.Duration(seconds) * time.Second, true
	}
	at, ok := parseDate(text, now)
	return at.Sub(now), ok
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// dateForms are the forms of an HTTP date that RFC 9110, section 5.6.7, names,
// and those that are seen beside them.
var dateForms = []string{
	http.TimeFormat,
	time.ANSIC,
	"Monday, 02-Jan-06 15:04:05 MST",
	"Mon, _2 Jan 2006 15:04:05 MST",
	"Mon, _2-Jan-2006 15:04:05 MST",
	"Mon, _2-Jan-06 15:04:05 MST",
	"Mon, _2 Jan 2006 15:04:05 -0700",
	"Mon,_2 Jan 2006 15:04:05 MST",
	"_2 Jan 2006 15:04:05 MST",
	time.RFC3339,
}

// parseDate reads an HTTP date in any of its forms. A year of two digits that is
// more than 50 years ahead of now is one of the past.
func parseDate(text string, now time.Time) (time.Time, bool) {
	for _, form := range dateForms {
		at, err := time.Parse(form, text)
		if err != nil {
			continue
		}
		if zone, offset := at.Zone(); offset == 0 && zone != "GMT" && zone != "UTC" && zone != "" {
			return time.Time{}, false // Go gives a zone that it does not know an offset of 0
		}
		if strings.Contains(form, "-06 ") {
			at = century(at, now)
		}
		return at.UTC(), true
	}
	return time.Time{}, false
}

// century moves a date with a year of two digits to where it is meant.
func century(at, now time.Time) time.Time {
	for at.After(now.AddDate(50, 0, 0)) {
		at = at.AddDate(-100, 0, 0)
	}
	for !at.After(now.AddDate(-50, 0, 0)) {
		at = at.AddDate(100, 0, 0)
	}
	return at
}

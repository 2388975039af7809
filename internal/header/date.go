package header

import (
	"strings"
	"time"
)

// Date reads an HTTP date in any form of RFC 9110, section 5.6.7, and in those
// that are seen beside them: a day of one digit, dashes, any case, no weekday or
// a wrong one, UTC, a zone in figures, ISO 8601. A year of two digits that would
// be more than 50 years ahead of now is one of the past. What cannot be placed,
// such as the name of another zone, makes it no date.
func Date(text string, now time.Time) (time.Time, bool) {
	text = strings.Trim(text, blanks)
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.UTC(), true
	}
	text, zone := cutZone(text)
	var m moment
	for token := range tokens(text) {
		if !isWhole(token) || !m.take(token) && nameIn(weekdays, token) < 0 {
			return time.Time{}, false
		}
	}
	switch m.yearDigits {
	case 4:
		return m.in(m.year, zone)
	case 2:
		return m.in(m.century(now), zone)
	}
	return time.Time{}, false
}

// isWhole reports whether token is a number, a time or a word, and nothing hangs
// on it.
func isWhole(token string) bool {
	figures := strings.Trim(token, "0123456789:")
	return figures == "" || figures == token
}

// cutZone cuts off the zone with which a date ends: "GMT" or "UTC", "-0500", or
// both in one word. Without one a date is in GMT.
func cutZone(text string) (date string, zone *time.Location) {
	start := strings.LastIndexAny(text, blanks) + 1
	name, offset := text[start:], ""
	if i := strings.IndexAny(name, "+-"); i >= 0 {
		name, offset = name[:i], name[i:]
	}
	if name != "" && !strings.EqualFold(name, "GMT") && !strings.EqualFold(name, "UTC") {
		return text, time.UTC
	}
	zone, ok := zoneAt(offset)
	if !ok {
		return text, time.UTC
	}
	return text[:start], zone
}

// zoneAt returns the zone of an offset as "-0500", or GMT for none.
func zoneAt(offset string) (*time.Location, bool) {
	if offset == "" {
		return time.UTC, true
	}
	n, digits := number(offset[1:])
	if len(offset) != len("-0500") || digits != 4 || n/100 > 23 || n%100 > 59 {
		return nil, false
	}
	east := (n/100*60 + n%100) * 60
	if offset[0] == '-' {
		east = -east
	}
	return time.FixedZone("", east), true
}

// century places a year of two digits within 50 years of now.
func (m *moment) century(now time.Time) int {
	year := now.Year()/100*100 + m.year
	switch at := m.at(year, time.UTC); {
	case at.After(now.AddDate(50, 0, 0)):
		return year - 100
	case !at.After(now.AddDate(-50, 0, 0)):
		return year + 100
	}
	return year
}

// CookieDate reads the Expires of a cookie as RFC 6265, section 5.1.1, tells user
// agents to: time, day, month and year are found wherever they stand, and the
// rest, its zone too, is ignored.
func CookieDate(text string) (time.Time, bool) {
	var m moment
	for token := range tokens(text) {
		m.take(token)
	}
	year := m.year
	switch {
	case year < 70:
		year += 2000
	case year < 100:
		year += 1900
	case year <= 1600:
		return time.Time{}, false
	}
	return m.in(year, time.UTC)
}

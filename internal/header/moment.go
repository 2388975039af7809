package header

import (
	"iter"
	"strings"
	"time"
)

// A moment is a date and a time as a header names it, before anybody asks for its
// zone and its century. Its parts are found one by one, in any order, as RFC
// 6265, section 5.1.1, finds them.
type moment struct {
	day, month, year           int
	hour, minute, second       int
	yearDigits                 int  // 0 until a year is found
	hasDay, hasMonth, hasClock bool // what else is found
}

// take makes token the first part of m that is missing and that it can be. It
// returns false for a token that is none.
func (m *moment) take(token string) bool {
	switch {
	case !m.hasClock && m.takeClock(token):
	case !m.hasDay && m.takeDay(token):
	case !m.hasMonth && m.takeMonth(token):
	case m.yearDigits == 0 && m.takeYear(token):
	default:
		return false
	}
	return true
}

func (m *moment) takeClock(token string) (ok bool) {
	var n [3]int
	for i := range n {
		if i > 0 {
			if token, ok = strings.CutPrefix(token, ":"); !ok {
				return false
			}
		}
		var digits int
		if n[i], digits = number(token); digits < 1 || digits > 2 {
			return false
		}
		token = token[digits:]
	}
	m.hour, m.minute, m.second, m.hasClock = n[0], n[1], n[2], true
	return true
}

func (m *moment) takeDay(token string) bool {
	n, digits := number(token)
	if digits < 1 || digits > 2 {
		return false
	}
	m.day, m.hasDay = n, true
	return true
}

func (m *moment) takeMonth(token string) bool {
	i := nameIn(months, token)
	m.month, m.hasMonth = i+1, i >= 0
	return i >= 0
}

func (m *moment) takeYear(token string) bool {
	n, digits := number(token)
	if digits < 2 || digits > 4 {
		return false
	}
	m.year, m.yearDigits = n, digits
	return true
}

// Names by their first three letters.
const (
	months   = "janfebmaraprmayjunjulaugsepoctnovdec"
	weekdays = "montuewedthufrisatsun"
)

// number reads the digits with which s begins, and counts them. Of very many the
// number means nothing.
func number(s string) (n, digits int) {
	for digits < len(s) && '0' <= s[digits] && s[digits] <= '9' {
		n = n*10 + int(s[digits]-'0')
		digits++
	}
	return n, digits
}

// nameIn returns which of the names, of three letters each, token begins with, in
// any case, or -1.
func nameIn(names, token string) int {
	if len(token) < 3 {
		return -1
	}
	for i := 0; i < len(names); i += 3 {
		if strings.EqualFold(names[i:i+3], token[:3]) {
			return i / 3
		}
	}
	return -1
}

// at returns the time that m names in a year and a zone. What does not exist,
// such as 30 February, becomes what comes after it.
func (m *moment) at(year int, zone *time.Location) time.Time {
	return time.Date(year, time.Month(m.month), m.day, m.hour, m.minute, m.second, 0, zone)
}

// in returns the time that m names in a year and a zone, or false if there is
// none: no 30 February, and no leap second.
func (m *moment) in(year int, zone *time.Location) (time.Time, bool) {
	at := m.at(year, zone)
	found := m.hasDay && m.hasMonth && m.hasClock && m.yearDigits > 0
	if !found || m.hour > 23 || m.minute > 59 || m.second > 59 || at.Day() != m.day {
		return time.Time{}, false
	}
	return at.UTC(), true
}

// tokens yields what stands between the separators of RFC 6265, section 5.1.1:
// all printable characters of ASCII but letters, digits and the colon.
func tokens(text string) iter.Seq[string] { return strings.FieldsFuncSeq(text, separates) }

func separates(r rune) bool {
	return r == '\t' || ' ' <= r && r <= '/' || ';' <= r && r <= '@' || '[' <= r && r <= '`' || '{' <= r && r <= '~'
}

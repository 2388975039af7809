package sitemap

import (
	"strings"
	"time"

	"github.com/weircrawl/weir/internal/header"
)

// A Stamp is the time of which a sitemap speaks, and how exactly it does.
type Stamp struct {
	Time  time.Time // UTC; the first instant of a year, month, day or minute
	Exact Exactness
}

// IsZero reports whether there is none.
func (s Stamp) IsZero() bool { return s.Exact == 0 }

// An Exactness is the smallest unit that is written.
type Exactness uint8

// From the coarsest.
const (
	ToTheYear Exactness = 1 + iota
	ToTheMonth
	ToTheDay   // whose zone is unknown: it may begin half a day earlier or later
	ToTheLocal // a time of day without a zone, taken for UTC: it may be half a day off
	ToTheMinute
	ToTheSecond // or to a part of it
)

// ParseStamp reads a time in the forms of W3C-DTF
// (https://www.w3.org/TR/NOTE-datetime), in those that sites write in their place
// (a space for the "T", an offset without colon, no zone, one digit for a month or a
// day, no dashes, slashes), and in those of mail and HTTP, which RSS has (RFC 822,
// RFC 1123), with their zone.
func ParseStamp(text string) (Stamp, bool) {
	text = strings.TrimFunc(text, isSpace)
	if len(text) > stampMax {
		return Stamp{}, false
	}
	if s, ok := parseISO(text); ok {
		return s, true
	}
	text, ok := withOffset(text)
	if !ok {
		return Stamp{}, false
	}
	at, ok := header.Date(text, centuries)
	if !ok || at.Year() < 1 || at.Year() > 9999 {
		return Stamp{}, false
	}
	return Stamp{at.UTC(), ToTheSecond}, true
}

const stampMax = 64 // bytes

// centuries places years of two digits as RFC 2822, section 4.3: 1950 to 2049.
var centuries = time.Date(1999, 12, 31, 0, 0, 0, 0, time.UTC)

// withOffset replaces the name of a zone with which a date ends (RFC 822, section
// 5.1) by what it means. Without a zone it is no date of mail.
func withOffset(text string) (string, bool) {
	i := strings.LastIndexByte(text, ' ') + 1
	for _, zone := range zones {
		if strings.EqualFold(text[i:], zone[0]) {
			return text[:i] + zone[1], true
		}
	}
	return text, i > 0 && strings.IndexByte("+-", text[min(i, len(text)-1)]) >= 0
}

var zones = [][2]string{
	{"GMT", "+0000"}, {"UTC", "+0000"}, {"UT", "+0000"}, {"Z", "+0000"}, {"EST", "-0500"}, {"EDT", "-0400"}, {"CST", "-0600"},
	{"CDT", "-0500"}, {"MST", "-0700"}, {"MDT", "-0600"}, {"PST", "-0800"}, {"PDT", "-0700"},
}

// parseISO reads "2006[-01[-02[T15:04[:05[.9]][zone]]]]".
func parseISO(text string) (s Stamp, ok bool) {
	p := figures{text}
	year, ok := p.number(4, 4)
	if !ok || len(text) > stampMax {
		return s, false
	}
	month, day, exact, ok := p.date()
	if !ok {
		return s, false
	}
	at := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if year == 0 || at.Day() != day || int(at.Month()) != month {
		return s, false
	}
	if p.rest == "" {
		return Stamp{at, exact}, true
	}
	since, exact, ok := p.clock()
	if !ok {
		return s, false
	}
	return Stamp{at.Add(since), exact}, true
}

// figures reads the parts of a date one after the other.
type figures struct{ rest string }

// number reads a number of so many digits.
func (p *figures) number(least, most int) (n int, ok bool) {
	digits := 0
	for digits < len(p.rest) && digits < most && '0' <= p.rest[digits] && p.rest[digits] <= '9' {
		n = n*10 + int(p.rest[digits]-'0')
		digits++
	}
	if digits < least {
		return 0, false
	}
	p.rest = p.rest[digits:]
	return n, true
}

// mark reads one of these characters.
func (p *figures) mark(any string) (c byte, ok bool) {
	if p.rest == "" || strings.IndexByte(any, p.rest[0]) < 0 {
		return 0, false
	}
	c, p.rest = p.rest[0], p.rest[1:]
	return c, true
}

// date reads what follows the year.
func (p *figures) date() (month, day int, exact Exactness, ok bool) {
	if p.rest == "" {
		return 1, 1, ToTheYear, true
	}
	mark, dashed := p.mark("-/")
	if !dashed {
		month, ok = p.number(2, 2)
		if ok {
			day, ok = p.number(2, 2)
		}
		return month, day, ToTheDay, ok
	}
	if month, ok = p.number(1, 2); !ok || p.rest == "" {
		return month, 1, ToTheMonth, ok
	}
	if _, ok = p.mark(string(mark)); ok {
		day, ok = p.number(1, 2)
	}
	return month, day, ToTheDay, ok
}

// clock reads the time of day and its zone, as the time since the day began.
func (p *figures) clock() (since time.Duration, exact Exactness, ok bool) {
	if _, ok := p.mark("Tt "); !ok {
		return 0, 0, false
	}
	hour, ok1 := p.number(1, 2)
	_, ok2 := p.mark(":")
	minute, ok3 := p.number(2, 2)
	if !ok1 || !ok2 || !ok3 || hour > 23 || minute > 59 {
		return 0, 0, false
	}
	since, exact = time.Duration(hour)*time.Hour+time.Duration(minute)*time.Minute, ToTheMinute
	if _, ok := p.mark(":"); ok {
		second, ok := p.number(2, 2)
		if !ok || second > 60 { // a leap second is the first of the next minute
			return 0, 0, false
		}
		since, exact = since+time.Duration(second)*time.Second+p.fraction(), ToTheSecond
	}
	east, zoned, ok := p.zone()
	if !zoned {
		exact = ToTheLocal
	}
	return since - east, exact, ok
}

// fraction reads that of a second, to the nanosecond.
func (p *figures) fraction() (f time.Duration) {
	if _, ok := p.mark(".,"); !ok {
		return 0
	}
	for unit := time.Second / 10; p.rest != "" && '0' <= p.rest[0] && p.rest[0] <= '9'; unit /= 10 {
		f += time.Duration(p.rest[0]-'0') * unit
		p.rest = p.rest[1:]
	}
	return f
}

// zone reads "Z", "UTC", "GMT", "+02:00", "+0200", "+02" or nothing.
func (p *figures) zone() (east time.Duration, zoned, ok bool) {
	p.rest = strings.TrimLeft(p.rest, " ")
	switch {
	case p.rest == "":
		return 0, false, true
	case strings.EqualFold(p.rest, "z"), strings.EqualFold(p.rest, "utc"), strings.EqualFold(p.rest, "gmt"):
		return 0, true, true
	}
	sign, ok1 := p.mark("+-")
	hours, ok2 := p.number(2, 2)
	_, _ = p.mark(":") // or not
	minutes := 0
	if p.rest != "" {
		minutes, ok = p.number(2, 2)
	} else {
		ok = true
	}
	if !ok || !ok1 || !ok2 || p.rest != "" || hours > 23 || minutes > 59 {
		return 0, true, false
	}
	east = time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	if sign == '-' {
		east = -east
	}
	return east, true, true
}

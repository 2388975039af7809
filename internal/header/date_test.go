package header

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestADateIsReadInEveryForm(t *testing.T) {
	const none = ""
	cases := []struct{ text, want string }{
		{"Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"},
		{"Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z"},
		{"Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z"},
		{"sun,6 nov 1994 8:49:37", "1994-11-06T08:49:37Z"},
		{" Sun, 06 Nov 1994 08:49:37\tutc ", "1994-11-06T08:49:37Z"},
		{"Sun, 06 Nov 1994 03:49:37 -0500", "1994-11-06T08:49:37Z"},
		{"Sun, 06 Nov 1994 14:19:37 GMT+0530", "1994-11-06T08:49:37Z"},
		{"08:49:37 06-Nov-2010", "2010-11-06T08:49:37Z"},
		{"1994-11-06T08:49:37Z", "1994-11-06T08:49:37Z"},
		{"1994-11-06T08:49:37.5+01:00", "1994-11-06T07:49:37Z"},
		{"Mon, 01 Jan 0001 00:00:00 GMT", "0001-01-01T00:00:00Z"},
		{"Sat, 29 Feb 2020 00:00:00 GMT", "2020-02-29T00:00:00Z"},

		{"Fri, 29-Feb-28 00:00:00 GMT", "2028-02-29T00:00:00Z"},

		{"Fri, 29-Feb-27 00:00:00 GMT", none},
		{"Wed, 31 Feb 2026 00:00:00 GMT", none},
		{"Wed, 00 Feb 2026 00:00:00 GMT", none},
		{"Wed, 01 Feb 2026 24:00:00 GMT", none},
		{"Wed, 01 Feb 2026 00:60:00 GMT", none},
		{"Wed, 01 Feb 2026 00:00:60 GMT", none},
		{"Wed, 01 Feb 2026 00:00 GMT", none},
		{"Wed, 01 Feb 2026 00:00:000 GMT", none},
		{"Wed, 01 Feb 2026", none},
		{"Wed, Feb 2026 00:00:00 GMT", none},
		{"Wed, 01 2026 00:00:00 GMT", none},
		{"Wed, 01 Feb 00:00:00 GMT", none},
		{"Wed, 01 Feb 106 00:00:00 GMT", none}, // 2006, as counted from 1900
		{"Wed, 01 Feb 20266 00:00:00 GMT", none},
		{"Wed, 01 Feb 2026 00:00:00 EST", none},
		{"Wed, 01 Feb 2026 00:00:00EST", none},
		{"Wed, 01 Feb 2026 00:00:00 PM", none},
		{"Wed, 01 Feb 2026 00:00:00 -2500", none},
		{"Wed, 01 Feb 2026 00:00:00 -0060", none},
		{"Wed, 01 Feb 2026 00:00:00 -05:00", none},
		{"Wed, 01 Feb 2026 00:00:00 -05x0", none},
		{"Wed, 01 Feb 2026 00:00:00 2027 GMT", none},
		{"Wed, 1st Feb 2026 00:00:00 GMT", none},
		{"1770000000", none},
		{"GMT", none},
		{"-0500", none},
		{"", none},
	}
	for _, c := range cases {
		at, ok := Date(c.text, now)
		got := none
		if ok {
			got = at.Truncate(time.Second).Format(time.RFC3339)
		} else {
			assert.Zero(t, at, c.text)
		}
		assert.Equal(t, c.want, got, c.text)
	}
}

func TestAYearOfTwoDigitsIsWithinFiftyYears(t *testing.T) {
	cases := []struct {
		now, text string
		year      int
	}{
		{"2026-01-02T03:04:05Z", "Friday, 02-Jan-76 03:04:05 GMT", 2076},
		{"2026-01-02T03:04:05Z", "Friday, 02-Jan-76 03:04:06 GMT", 1976},
		{"2080-01-02T03:04:05Z", "Friday, 02-Jan-30 03:04:05 GMT", 2130},
		{"2080-01-02T03:04:05Z", "Friday, 02-Jan-30 03:04:06 GMT", 2030},
		{"2050-12-31T00:00:00Z", "Friday, 02-Jan-00 03:04:05 GMT", 2000 + 100},
	}
	for _, c := range cases {
		now, err := time.Parse(time.RFC3339, c.now)
		require.NoError(t, err)
		at, ok := Date(c.text, now)
		assert.True(t, ok, c.text)
		assert.Equal(t, c.year, at.Year(), "%s in %s", c.text, c.now)
	}
}

func TestTheDateOfACookieIsFoundWhereverItsPartsStand(t *testing.T) {
	cases := []struct{ text, want string }{
		{"Thu, 01-Jan-70 00:00:00 GMT", "1970-01-01T00:00:00Z"},
		{"Thu, 01-Jan-69 00:00:00 GMT", "2069-01-01T00:00:00Z"},
		{"Fri, 01-Jan-99 00:00:00 GMT", "1999-01-01T00:00:00Z"},
		{"2017 April 15 21:01:22 -0400", "2017-04-15T21:01:22Z"},
		{"15-Sat, Apr 21:01:22x GMT 17", "2017-04-15T21:01:22Z"},
		{"Sat, 15-Apr-17 21:01:22 11:22:33", "2017-04-15T21:01:22Z"},
		{"Mon, 01 Jan 1600 00:00:00 GMT", ""},
		{"Mon, 30-Feb-2011 00:00:00 GMT", ""},
		{"15 Apr 21:01:22", ""},
		{"never", ""},
	}
	for _, c := range cases {
		at, ok := CookieDate(c.text)
		got := ""
		if ok {
			got = at.Format(time.RFC3339)
		} else {
			assert.Zero(t, at, c.text)
		}
		assert.Equal(t, c.want, got, c.text)
	}
}

// TestADateThatIsPrintedIsReadBack, in each of the three forms that RFC 9110 has
// for it, and as the date of a cookie.
func TestADateThatIsPrintedIsReadBack(t *testing.T) {
	const rfc850 = "Monday, 02-Jan-06 15:04:05 GMT"
	rapid.Check(t, func(t *rapid.T) {
		first, last := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
		at := time.Unix(rapid.Int64Range(first.Unix(), last.Unix()).Draw(t, "time"), 0).UTC()
		for _, form := range []string{"Mon, 02 Jan 2006 15:04:05 GMT", time.ANSIC, time.RFC1123Z, time.RFC3339} {
			got, ok := Date(at.Format(form), now)
			if !ok || !got.Equal(at) {
				t.Fatalf("%s: %v, %v", at.Format(form), got, ok)
			}
		}
		then := at.AddDate(rapid.IntRange(-49, 49).Draw(t, "years"), 0, 0)
		if got, ok := Date(at.Format(rfc850), then); !ok || !got.Equal(at) {
			t.Fatalf("%s in %v: %v, %v", at.Format(rfc850), then, got, ok)
		}
		if got, ok := CookieDate(at.Format(time.RFC1123)); at.Year() > 1600 && (!ok || !got.Equal(at)) {
			t.Fatalf("%s in a cookie: %v, %v", at.Format(time.RFC1123), got, ok)
		}
	})
}

func FuzzADateIsOneThatCanBePrinted(f *testing.F) {
	for _, text := range fromTable(f, "http/dates.jsonl", "value") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, read := range map[string]func(string) (time.Time, bool){
			"Date":       func(s string) (time.Time, bool) { return Date(s, now) },
			"CookieDate": CookieDate,
		} {
			at, ok := read(text)
			if !ok || at.Nanosecond() != 0 || at.Year() < 1601 || at.Year() > 9999 {
				continue // ISO 8601 has fractions and offsets that leave the calendar
			}
			if again, ok := read(at.Format("Mon, 02 Jan 2006 15:04:05 GMT")); !ok || !again.Equal(at) {
				t.Errorf("%s(%q) is %v, and printed %v, %v", name, text, at, again, ok)
			}
		}
	})
}

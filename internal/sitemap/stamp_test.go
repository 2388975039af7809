package sitemap

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestEveryFormOfATimeIsReadAsExactlyAsItIsWritten(t *testing.T) {
	for _, c := range []struct {
		text, want string
		exact      Exactness
	}{
		{"2024", "2024-01-01T00:00:00Z", ToTheYear},
		{"2024-05", "2024-05-01T00:00:00Z", ToTheMonth},
		{"2024-05-06", "2024-05-06T00:00:00Z", ToTheDay},
		{"2024-05-06T07:08Z", "2024-05-06T07:08:00Z", ToTheMinute},
		{"2024-05-06T07:08+02:00", "2024-05-06T05:08:00Z", ToTheMinute},
		{"2024-05-06T07:08:09Z", "2024-05-06T07:08:09Z", ToTheSecond},
		{"2024-05-06T07:08:09.5-01:30", "2024-05-06T08:38:09.5Z", ToTheSecond},
		{"2024-12-31T23:59:60Z", "2025-01-01T00:00:00Z", ToTheSecond},
		{" 2024-05-06\u00a0", "2024-05-06T00:00:00Z", ToTheDay},
		{"2024-5-6", "2024-05-06T00:00:00Z", ToTheDay},
		{"2024/05/06", "2024-05-06T00:00:00Z", ToTheDay},
		{"20240506", "2024-05-06T00:00:00Z", ToTheDay},
		{"2024-05-06t07:08:09z", "2024-05-06T07:08:09Z", ToTheSecond},
		{"2024-05-06 07:08:09", "2024-05-06T07:08:09Z", ToTheLocal},
		{"2024-05-06T07:08", "2024-05-06T07:08:00Z", ToTheLocal},
		{"2024-05-06 07:08:09 UTC", "2024-05-06T07:08:09Z", ToTheSecond},
		{"2024-05-06T07:08:09+0200", "2024-05-06T05:08:09Z", ToTheSecond},
		{"2024-05-06T07:08:09 +02", "2024-05-06T05:08:09Z", ToTheSecond},
		{"2024-05-06T07:08:09,123456789123Z", "2024-05-06T07:08:09.123456789Z", ToTheSecond},
		{"Thu, 05 Jan 2017 12:34:50 GMT", "2017-01-05T12:34:50Z", ToTheSecond},
		{"5 Jan 17 12:34:50 EST", "2017-01-05T17:34:50Z", ToTheSecond},
		{"Thu, 05 Jan 1995 12:34:50 -0100", "1995-01-05T13:34:50Z", ToTheSecond},
	} {
		s, ok := ParseStamp(c.text)
		assert.True(t, ok, c.text)
		assert.Equal(t, c.want, s.Time.Format(time.RFC3339Nano), c.text)
		assert.Equal(t, c.exact, s.Exact, c.text)
		assert.Equal(t, time.UTC, s.Time.Location())
	}
	for _, text := range []string{
		"", "-", "24", "0000", "20245", "2024-", "2024-13", "2024-00-01", "2024-02-30", "2024-05-06T", "2024-05-06T24:00Z", "2024-05-06T07", "2024-05-06T07:60Z",
		"2024-05-06T07:08:61Z", "2024-05-06T07:08+24:00", "2024-05-06T07:08+", "2024-05-06T07:08Zx", "2024-05-06x", "2024-05/06", "202405", "2024050", "-2024", "1714982889",
		"today", "Thu, 05 Jan 2017 12:34:50", "Thu, 05 Jan 2017 12:34:50 XYZ", "2024-05-06T07:08:09." + strings.Repeat("9", 99) + "Z",
	} {
		s, ok := ParseStamp(text)
		assert.False(t, ok, text)
		assert.True(t, s.IsZero(), text)
	}
}

// FuzzATimeIsReadAsItIsWritten: whatever time.Format writes, in any zone.
func FuzzATimeIsReadAsItIsWritten(f *testing.F) {
	f.Add(int64(1714982889), int64(5), int16(90))
	f.Fuzz(func(t *testing.T, seconds, nanos int64, east int16) {
		at := time.Unix(seconds%(1<<37), nanos).In(time.FixedZone("", int(east)%(23*60)*60))
		if at.Year() < 1 || at.Year() > 9999 {
			return // it has no four digits, which every layout needs
		}
		for layout, exact := range map[string]Exactness{
			"2006": ToTheYear, "2006-01": ToTheMonth, "2006-01-02": ToTheDay, "2006-01-02T15:04Z07:00": ToTheMinute,
			time.RFC3339: ToTheSecond, time.RFC3339Nano: ToTheSecond, time.RFC1123Z: ToTheSecond, "2006-01-02 15:04:05 -0700": ToTheSecond,
		} {
			text := at.Format(layout)
			want, err := time.Parse(layout, text)
			if err != nil {
				continue // package time does not read what it has written: nothing says what is right
			}
			got, ok := ParseStamp(text)
			if !ok || !got.Time.Equal(want) || got.Exact != exact {
				t.Errorf("%q: got %v, %v", text, got, ok)
			}
		}
	})
}

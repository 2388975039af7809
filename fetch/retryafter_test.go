package fetch

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestRetryAfterIsBoundedAndNonsenseIsAbsent(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	cases := []struct {
		value string
		wait  time.Duration
		note  string // how the note begins
	}{
		{"0", 0, ""},
		{"1", time.Second, ""},
		{" 120 ", 2 * time.Minute, ""},
		{"007", 7 * time.Second, ""},
		{"3600", time.Hour, ""},
		{"3601", time.Hour, "clamped"},
		{"31536000", time.Hour, "clamped"},
		{"99999999999999999999", time.Hour, "clamped"},
		{"Fri, 02 Jan 2026 03:05:05 GMT", time.Minute, ""},
		{"Friday, 02-Jan-26 03:05:05 GMT", time.Minute, ""},
		{"Fri Jan  2 03:05:05 2026", time.Minute, ""},
		{"fri, 2 jan 2026 03:05:05 GMT", time.Minute, ""},
		{"Fri, 02 Jan 2026 03:05:05 UTC", time.Minute, ""},
		{"Thu, 01 Jan 2026 22:05:05 -0500", time.Minute, ""},
		{"2026-01-02T03:05:05Z", time.Minute, ""},
		{"Fri, 02 Jan 2026 03:00:00 GMT", 0, ""},
		{"Thu, 01 Jan 1970 00:00:00 GMT", 0, ""},
		{"Sunday, 06-Nov-94 08:49:37 GMT", 0, ""}, // 1994: 68 years ahead is the past
		{"Fri, 31 Dec 9999 23:59:59 GMT", time.Hour, "clamped"},
		{"-5", 0, "ignored"},
		{"5s", 0, "ignored"},
		{"0x10", 0, "ignored"},
		{"", 0, "ignored"},
		{"soon", 0, "ignored"},
		{"120, 60", 0, "ignored"},
		{"1e3", 0, "ignored"},
		{"120;x", 0, "ignored"},
		{"1.5", 0, "ignored"},
		{"Fri, 02 Jan 2026 03:60:05 GMT", 0, "ignored"},
		{"Fri, 02 Foo 2026 03:05:05 GMT", 0, "ignored"},
		{"Fri, 02 Jan 2026 03:05:05 XYZ", 0, "ignored"},
	}
	for _, c := range cases {
		wait, note := retryAfter([]string{c.value}, now)
		assert.Equal(t, c.wait, wait, c.value)
		assert.True(t, strings.HasPrefix(note, c.note) && (note == "") == (c.note == ""), "%q: note %q", c.value, note)
	}
	wait, note := retryAfter(nil, now)
	assert.Zero(t, wait)
	assert.Empty(t, note, "absent is no nonsense")
	_, note = retryAfter([]string{"1", "2"}, now)
	assert.Contains(t, note, "ignored")
}

func FuzzRetryAfterStaysInBounds(f *testing.F) {
	f.Add("120", int64(0))
	f.Add("Sunday, 06-Nov-94 08:49:37 GMT", int64(1<<40))
	f.Fuzz(func(t *testing.T, value string, unix int64) {
		now := time.Unix(unix%(1<<38), 0)
		wait, note := retryAfter([]string{value}, now)
		if wait < 0 || wait > retryMax || len(note) > 400 {
			t.Fatalf("%q at %v: %v, %q", value, now, wait, note)
		}
	})
}

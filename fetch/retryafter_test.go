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
		values []string
		wait   time.Duration
		note   string // how the note begins
	}{
		{nil, 0, ""}, // absent is no nonsense
		{[]string{" 120 "}, 2 * time.Minute, ""},
		{[]string{"120", "120"}, 2 * time.Minute, ""},
		{[]string{"3600"}, time.Hour, ""},
		{[]string{"3601"}, time.Hour, `clamped: "3601"`},
		{[]string{"99999999999999999999"}, time.Hour, "clamped"},
		{[]string{"Fri, 31 Dec 9999 23:59:59 GMT"}, time.Hour, "clamped"},
		{[]string{"Fri, 02 Jan 2026 03:05:05 GMT"}, time.Minute, ""},
		{[]string{"Fri, 02 Jan 2026 03:00:00 GMT"}, 0, ""},
		{[]string{"soon"}, 0, `ignored: "soon"`},
		{[]string{"120, 60"}, 0, "ignored"},
		{[]string{"120", "60"}, 0, "ignored: 2 different"},
		{[]string{"120", "60", "120"}, 0, "ignored: 3 different"},
	}
	for _, c := range cases {
		wait, note := retryAfter(c.values, now)
		assert.Equal(t, c.wait, wait, c.values)
		assert.True(t, strings.HasPrefix(note, c.note) && (note == "") == (c.note == ""), "%q: note %q", c.values, note)
	}
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

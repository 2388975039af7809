package header

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestAWaitIsSecondsOrUntilADate(t *testing.T) {
	cases := []struct {
		value string
		wait  time.Duration
		ok    bool
	}{
		{"0", 0, true},
		{"120", 2 * time.Minute, true},
		{"\t007 ", 7 * time.Second, true},
		{"31536000", 365 * 24 * time.Hour, true},
		{"9223372036", 9223372036 * time.Second, true},
		{"9223372037", Forever, true},
		{"99999999999999999999", Forever, true},
		{"Fri, 02 Jan 2026 03:05:05 GMT", time.Minute, true},
		{"Friday, 02-Jan-26 03:05:05 GMT", time.Minute, true},
		{"Fri Jan  2 03:05:05 2026", time.Minute, true},
		{"2026-01-02T03:05:05Z", time.Minute, true},
		{"Fri, 02 Jan 2026 03:00:00 GMT", 0, true},
		{"Thu, 01 Jan 1970 00:00:00 GMT", 0, true},
		{"Fri, 31 Dec 9999 23:59:59 GMT", Forever, true},
		{"-5", 0, false},
		{"+5", 0, false},
		{"5s", 0, false},
		{"1.5", 0, false},
		{"1e3", 0, false},
		{"0x10", 0, false},
		{"120, 60", 0, false},
		{"120;x", 0, false},
		{"soon", 0, false},
		{"", 0, false},
	}
	for _, c := range cases {
		wait, ok := RetryAfter(c.value, now)
		assert.Equal(t, c.wait, wait, c.value)
		assert.Equal(t, c.ok, ok, c.value)
	}
}

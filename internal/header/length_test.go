package header

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestALengthIsOneNumberHoweverOftenItIsSaid(t *testing.T) {
	cases := []struct {
		name   string
		values []string
		want   int64
		err    error
	}{
		{"none", nil, -1, nil},
		{"one", []string{" 42 "}, 42, nil},
		{"zero", []string{"0"}, 0, nil},
		{"a list", []string{"42,42,\t42 "}, 42, nil},
		{"lines", []string{"42", "42", "42, 42"}, 42, nil},
		{"the largest", []string{"9223372036854775807"}, math.MaxInt64, nil},
		{"too large to count", []string{"9223372036854775808"}, -1, nil},
		{"no number", []string{"42s"}, -1, nil},
		{"no number, twice", []string{"x, x"}, -1, nil},
		{"a sign", []string{"+42"}, -1, nil},
		{"empty", []string{""}, -1, nil},
		{"two in a list", []string{"42,30"}, -1, ErrLengths},
		{"two in lines", []string{"42", "30"}, -1, ErrLengths},
		{"an empty one beside", []string{"42,"}, -1, ErrLengths},
		{"the same number written in another way", []string{"042, 42"}, -1, ErrLengths},
	}
	for _, c := range cases {
		got, err := ContentLength(c.values)
		assert.Equal(t, c.want, got, c.name)
		assert.Equal(t, c.err, err, c.name)
	}
}

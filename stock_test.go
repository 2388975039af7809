package weir

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestTheReserveIsWhatWorkersUseDuringACommit(t *testing.T) {
	const workers = 10
	for _, c := range []struct {
		name        string
		used        int // leases that workers begin while a grant commits
		least, most int // size of the stock in the end
	}{
		{"slow sites", 0, 30, 30},
		{"a fast disk", 15, 35, 45},
		{"a slow disk", 55, 75, 85},
		{"a very slow disk", 1000, 90, 90},
	} {
		for _, size := range []int{newStock(workers).size, newStock(workers).most()} {
			s := stock{workers, size}
			for range 100 {
				reserved := s.size - 2*workers // one lot is at work, one is asked for
				s.size += s.change(workers, workers, max(reserved-c.used, 0))
			}
			assert.GreaterOrEqual(t, s.size, c.least, "%s, from %d", c.name, size)
			assert.LessOrEqual(t, s.size, c.most, "%s, from %d", c.name, size)
		}
	}
}

func TestWhereURLsAreFewTheReserveDoesNotGrow(t *testing.T) {
	assert.Zero(t, newStock(10).change(10, 9, 0))
}

func TestTheReserveHasBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newStock(rapid.IntRange(1, 1000).Draw(t, "workers"))
		least := s.size
		for range 30 {
			asked := rapid.IntRange(1, 500).Draw(t, "asked")
			s.size += s.change(asked, rapid.IntRange(0, asked).Draw(t, "got"), rapid.IntRange(0, s.size).Draw(t, "left"))
			if s.size < least || s.size > s.most() {
				t.Fatalf("%+v", s)
			}
		}
	})
}

func TestTheReserveGrowsFastAndShrinksSlowly(t *testing.T) {
	s := stock{workers: 64, size: 64 * 5}
	assert.Equal(t, 64, s.change(64, 64, 0))
	assert.Equal(t, -5, s.change(64, 64, 200))
}

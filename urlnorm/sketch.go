package urlnorm

import (
	"math"
	"slices"
)

// A sketch counts distinct hashes in bounded memory: exactly up to sketchSize, and
// beyond that by how densely the smallest of them lie (k minimum values), which is
// off by about 1/sqrt(sketchSize).
type sketch struct {
	least []uint64 // ascending; the sketchSize smallest at most
	over  bool     // larger ones were seen
}

const (
	sketchSize  = 256
	sketchError = 1.0 / 16
)

func (s *sketch) add(hash uint64) {
	at, known := slices.BinarySearch(s.least, hash)
	switch {
	case known:
	case len(s.least) < sketchSize:
		s.least = slices.Insert(s.least, at, hash)
	case at == sketchSize:
		s.over = true
	default:
		s.over = true
		copy(s.least[at+1:], s.least[at:])
		s.least[at] = hash
	}
}

// count returns how many distinct hashes were added, and whether that is exact.
func (s *sketch) count() (n int64, exact bool) {
	if !s.over {
		return int64(len(s.least)), true
	}
	largest := max(s.least[sketchSize-1], 1)
	estimate := (sketchSize - 1) * (math.MaxUint64 / float64(largest))
	return int64(min(estimate, math.MaxInt32)), false
}

// A hasher is FNV-1a with a last step that spreads it over all 64 bits, so that it
// can be written piece by piece without allocating.
type hasher uint64

const newHasher hasher = 14695981039346656037

func (h hasher) write(s string) hasher {
	for i := 0; i < len(s); i++ {
		h = (h ^ hasher(s[i])) * 1099511628211
	}
	return h
}

func (h hasher) sum() uint64 {
	x := uint64(h)
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

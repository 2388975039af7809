package links

import "strings"

// arena makes strings that share memory, so that a page of many links takes few
// allocations. Whoever keeps one string keeps up to arenaSize bytes.
type arena struct{ chunk strings.Builder }

const arenaSize = 4 << 10

// cut returns at most n bytes of s, cut between two characters.
func (a *arena) cut(s []byte, n int) string {
	if s = s[:boundary(s, n)]; len(s) == 0 {
		return ""
	}
	if a.chunk.Cap()-a.chunk.Len() < len(s) {
		a.chunk = strings.Builder{}
		a.chunk.Grow(max(len(s), arenaSize))
	}
	start := a.chunk.Len()
	a.chunk.Write(s)
	return a.chunk.String()[start:]
}

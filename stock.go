package weir

// A stock is how many leases a run has in hand at most. A grant is a commit, and
// a commit may take as long as many pages: so leases are taken for as many pages
// as there are workers at a time, while a reserve lies ready. The reserve grows
// where workers have used it up before the next grant came, and shrinks where
// they have not, because a lease in reserve keeps its origin waiting. Where fewer
// URLs are ready than workers it is empty.
type stock struct {
	workers int
	size    int // leases in hand at most
}

// Leases in reserve, for each worker. The reserve grows by one for each worker at
// a time and shrinks so many times slower, because commits take unequal times.
const (
	minReserve = 2
	maxReserve = 8
	shrink     = 16
)

func newStock(workers int) stock { return stock{workers, workers * (1 + minReserve)} }

// most is the largest size of all.
func (s stock) most() int { return s.workers * (1 + maxReserve) }

// change says by how much the size should change after a grant of got leases,
// where asked were wanted and left still lay in reserve.
func (s stock) change(asked, got, left int) int {
	switch {
	case got == asked && left == 0:
		return min(s.workers, s.most()-s.size)
	case left > s.workers:
		return -min(1+s.workers/shrink, left-s.workers, s.size-s.workers*(1+minReserve))
	}
	return 0
}

package ledger

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"

	"github.com/weircrawl/weir/frontier"
)

// seen is a set of identities. An identity of ours takes little more than a bit,
// because the URLs of an origin are numbered without gaps; any other takes 16
// bytes of its hash.
type seen struct {
	cells  map[cell]uint64
	hashes map[[16]byte]struct{}
}

// cell stands for 64 URLs of one origin.
type cell struct {
	partition     uint16
	run           uint32
	origin, block uint64
}

func newSeen() *seen {
	return &seen{cells: map[cell]uint64{}, hashes: map[[16]byte]struct{}{}}
}

// add puts id into the set, and reports whether it is new there.
func (s *seen) add(id string) bool {
	if own, ok := parseIdentity(id); ok {
		at, bit := cell{own.Partition, own.Run, own.Origin, own.Ordinal / 64}, uint64(1)<<(own.Ordinal%64)
		fresh := s.cells[at]&bit == 0
		s.cells[at] |= bit
		return fresh
	}
	return s.hash(id)
}

// hash puts word into the set under its hash alone.
func (s *seen) hash(word string) bool {
	if s.has(word) {
		return false
	}
	s.hashes[short(word)] = struct{}{}
	return true
}

// has reports whether word was put into the set by hash.
func (s *seen) has(word string) bool {
	_, ok := s.hashes[short(word)]
	return ok
}

func short(word string) [16]byte {
	sum := sha256.Sum256([]byte(word))
	return [16]byte(sum[:16])
}

// identity names the URL of id in its run: the attempt's name without its
// generation.
func identity(id frontier.LeaseID) string {
	return fmt.Sprintf("%d.%d.%016x.%x", id.Partition, id.Run, id.Origin, id.Ordinal)
}

// parseIdentity reads what identity writes, and nothing else.
func parseIdentity(s string) (frontier.LeaseID, bool) {
	parts := strings.Split(s, ".")
	if len(parts) != 4 {
		return frontier.LeaseID{}, false
	}
	partition, err1 := strconv.ParseUint(parts[0], 10, 16)
	run, err2 := strconv.ParseUint(parts[1], 10, 32)
	origin, err3 := strconv.ParseUint(parts[2], 16, 64)
	ordinal, err4 := strconv.ParseUint(parts[3], 16, 64)
	id := frontier.LeaseID{Partition: uint16(partition), Run: uint32(run), Origin: origin, Ordinal: ordinal}
	for _, err := range []error{err1, err2, err3, err4} {
		if err != nil {
			return frontier.LeaseID{}, false
		}
	}
	return id, identity(id) == s
}

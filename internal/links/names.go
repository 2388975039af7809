package links

import "iter"

// names finds what belongs to a name in any case, without copying the name.
type names[T any] [256][]named[T]

type named[T any] struct {
	name  string // lower-case
	value T
}

// maxName is the longest name of an element or attribute that is looked at.
const maxName = 14

func newNames[T any](all iter.Seq2[string, T]) (n names[T]) {
	for name, value := range all {
		h := hash([]byte(name))
		n[h] = append(n[h], named[T]{name, value})
	}
	return n
}

// find returns the value of a name, or other.
func (n *names[T]) find(name []byte, other T) T {
	if len(name) == 0 || len(name) > maxName {
		return other
	}
	for _, known := range n[hash(name)] {
		if equalFold(name, known.name) {
			return known.value
		}
	}
	return other
}

// hash is the same for all cases of a name, which is not empty.
func hash(name []byte) uint8 {
	first, middle, last := name[0]&0x1f, name[len(name)/2]&0x1f, name[len(name)-1]&0x1f
	return first + middle<<2 + last<<3 + uint8(len(name))<<6
}

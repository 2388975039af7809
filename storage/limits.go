package storage

import "fmt"

// Bounds that every Store shares. They are the same on every engine, so that a
// history that one store accepts is accepted by all.
const (
	maxFenceName  = 64
	maxFenceOwner = 128
	maxFenceValue = 1 << 10
	maxSpaceName  = 32
	maxKey        = 256
)

// CheckCommit is for the first line of a Store's Commit: it answers ErrTooLarge,
// naming what is out of bounds, if f, one of ops or all of them together are more
// than the contract or l allows.
func (l Limits) CheckCommit(f Fence, ops []Op) error {
	if err := f.Check(); err != nil {
		return err
	}
	if len(f.Value) > maxFenceValue {
		return tooLarge("value of fence "+f.Name, len(f.Value), maxFenceValue)
	}
	var space string
	size := 0
	for i := range ops {
		op := &ops[i]
		if op.Space.Name != space { // a batch is mostly runs of one space
			if err := op.Space.Check(); err != nil {
				return err
			}
			space = op.Space.Name
		}
		if len(op.Key) < 1 || len(op.Key) > maxKey {
			return tooLarge("key in space "+space, len(op.Key), maxKey)
		}
		if len(op.Value) > l.Value {
			return tooLarge("value in space "+space, len(op.Value), l.Value)
		}
		size += len(op.Key) + len(op.Value)
	}
	if size > l.Batch {
		return tooLarge("batch", size, l.Batch)
	}
	return nil
}

// Check answers ErrTooLarge if the names in f are not what a Store takes.
func (f Fence) Check() error {
	if len(f.Name) < 1 || len(f.Name) > maxFenceName {
		return tooLarge("name of a fence", len(f.Name), maxFenceName)
	}
	if len(f.Owner) < 1 || len(f.Owner) > maxFenceOwner {
		return tooLarge("owner of fence "+f.Name, len(f.Owner), maxFenceOwner)
	}
	return nil
}

// Check answers ErrTooLarge if the name of s is not 1 to 32 bytes of a-z.
func (s Space) Check() error {
	if len(s.Name) < 1 || len(s.Name) > maxSpaceName {
		return tooLarge("name of a space", len(s.Name), maxSpaceName)
	}
	for i := range len(s.Name) {
		if c := s.Name[i]; c < 'a' || c > 'z' {
			return fmt.Errorf("%w: name of space %q is not of a-z", ErrTooLarge, s.Name)
		}
	}
	return nil
}

// Check answers ErrTooLarge if r names no valid space, or is a range without a
// limit.
func (r ReadRequest) Check() error {
	if r.Keys == nil && r.Limit < 1 {
		return fmt.Errorf("%w: a range of space %q needs a limit of 1 or more", ErrTooLarge, r.Space.Name)
	}
	return r.Space.Check()
}

func tooLarge(what string, got, limit int) error {
	return fmt.Errorf("%w: %s has %d bytes of at most %d", ErrTooLarge, what, got, limit)
}

package bolt

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"github.com/weircrawl/weir/storage"
)

// write makes f and ops durable in one transaction, and only then f what the
// store answers. The caller has the turn.
func (s *Store) write(f storage.Fence, ops []storage.Op) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	err := s.guard(func() error {
		tx, err := s.begin(true)
		if err != nil {
			s.doubt = err
			return err
		}
		defer s.rollback(tx)
		if err := s.batch.apply(tx, f, ops); err != nil {
			return err
		}
		id := tx.ID()
		if err := s.commit(tx); err != nil {
			s.doubt = err
			return noSpace(err)
		}
		s.acked.Store(int64(id))
		return nil
	})
	if err == nil {
		s.fences.Set(f, time.Now())
	}
	return err
}

// A batch is the working memory of one write, kept for the next.
type batch struct {
	order []int32 // positions in ops, in the order of applying
	rows  []byte  // sealed values, which bbolt uses until the transaction ends
}

// keepRows bounds the working memory that is kept between writes.
const keepRows = 4 << 20

// apply puts f and ops into tx, in the order of spaces and keys: then ops that
// touch the same page follow each other, and only the last op of a key is done.
func (b *batch) apply(tx *bbolt.Tx, f storage.Fence, ops []storage.Op) error {
	key := fenceKey(f.Name)
	if err := tx.Bucket(metaBucket).Put(key, seal(nil, key, fenceRow(f))); err != nil {
		return err
	}
	b.sort(ops)
	b.reserve(ops)
	var (
		bucket *bbolt.Bucket
		space  string // whose bucket it is
	)
	for i, n := range b.order {
		op := &ops[n]
		if i+1 < len(b.order) && compare(op, &ops[b.order[i+1]]) == 0 {
			continue
		}
		if op.Space.Name != space {
			var err error
			space = op.Space.Name
			if bucket, err = bucketOf(tx, op.Space); err != nil {
				return fmt.Errorf("space %s: %w", op.Space.Name, err)
			}
		}
		if err := b.do(bucket, op); err != nil {
			return fmt.Errorf("space %s: %w", op.Space.Name, err)
		}
	}
	return nil
}

func (b *batch) do(bucket *bbolt.Bucket, op *storage.Op) error {
	if op.Delete {
		return bucket.Delete(op.Key)
	}
	start := len(b.rows)
	b.rows = seal(b.rows, op.Key, op.Value)
	return bucket.Put(op.Key, b.rows[start:len(b.rows):len(b.rows)])
}

// sort sets b.order. Of the same key, the later op stays the later.
func (b *batch) sort(ops []storage.Op) {
	b.order = b.order[:0]
	for n := range ops {
		b.order = append(b.order, int32(n))
	}
	slices.SortFunc(b.order, func(m, n int32) int {
		return cmp.Or(compare(&ops[m], &ops[n]), int(m-n))
	})
}

// compare orders ops by space and key.
func compare(a, b *storage.Op) int {
	if a.Space.Name != b.Space.Name {
		return strings.Compare(a.Space.Name, b.Space.Name)
	}
	return bytes.Compare(a.Key, b.Key)
}

// reserve makes room for the sealed values of ops.
func (b *batch) reserve(ops []storage.Op) {
	size := 0
	for i := range ops {
		size += len(ops[i].Value) + sealSize
	}
	if size > cap(b.rows) || cap(b.rows) > keepRows {
		b.rows = make([]byte, 0, size)
	}
	b.rows = b.rows[:0]
}

// bucketOf returns the bucket of a space. Growing keys fill their pages; bbolt
// otherwise leaves half of each for keys to come between.
func bucketOf(tx *bbolt.Tx, space storage.Space) (*bbolt.Bucket, error) {
	name := []byte(space.Name)
	bucket := tx.Bucket(name)
	if bucket == nil {
		var err error
		if bucket, err = tx.CreateBucket(name); err != nil {
			return nil, err
		}
	}
	if space.Use == storage.Append {
		bucket.FillPercent = 1
	}
	return bucket, nil
}

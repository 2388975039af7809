package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"go.etcd.io/bbolt"

	"github.com/weircrawl/weir/storage"
)

// Read implements storage.Store. The values of one result share their memory.
func (s *Store) Read(ctx context.Context, requests ...storage.ReadRequest) ([]storage.ReadResult, error) {
	for _, r := range requests {
		if err := r.Check(); err != nil {
			return nil, fmt.Errorf("bolt: read: %w", err)
		}
	}
	results := make([]storage.ReadResult, len(requests))
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		for i, r := range requests {
			if err := answer(tx, r, &results[i]); err != nil {
				return fmt.Errorf("space %s: %w", r.Space.Name, err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("bolt: read: %w", err)
	}
	return results, nil
}

// errUnsettled means that the newest transaction in the file is not, or not yet,
// an acknowledged one.
var errUnsettled = errors.New("bolt: a commit is in flight")

// view runs f on the acknowledged state. While a commit is being synced, that
// state can no longer be reached and the next one may not be shown: view then
// waits for its turn.
func (s *Store) view(ctx context.Context, f func(*bbolt.Tx) error) error {
	if err := ctx.Err(); err != nil && !s.isClosed() {
		return err
	}
	err := s.look(f)
	if !errors.Is(err, errUnsettled) {
		return err
	}
	if err := s.take(ctx); err != nil {
		return err
	}
	give := sync.OnceFunc(s.give)
	defer give()
	return s.look(func(tx *bbolt.Tx) error {
		give() // tx has begun, and sees what it sees
		return f(tx)
	})
}

// look runs f in one short transaction, unless the file shows more than what was
// acknowledged.
func (s *Store) look(f func(*bbolt.Tx) error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return storage.ErrClosed
	}
	if s.db == nil {
		return errUnsettled
	}
	return s.guard(func() error {
		tx, err := s.begin(false)
		if err != nil {
			return errors.Join(errUnsettled, err)
		}
		defer s.rollback(tx)
		if int64(tx.ID()) > s.acked.Load() {
			return errUnsettled
		}
		return f(tx)
	})
}

// answer copies what r asks for out of tx.
func answer(tx *bbolt.Tx, r storage.ReadRequest, result *storage.ReadResult) error {
	bucket := tx.Bucket([]byte(r.Space.Name))
	switch {
	case r.Keys != nil:
		result.Keys, result.Values = r.Keys, make([][]byte, len(r.Keys))
		if bucket == nil {
			return nil
		}
		return points(bucket.Cursor(), result)
	case bucket == nil:
		return nil
	default:
		return pairs(bucket.Cursor(), r, result)
	}
}

// points fills in the values of result's keys.
func points(c *bbolt.Cursor, result *storage.ReadResult) error {
	size := 0
	for i, key := range result.Keys {
		found, row := c.Seek(key)
		if found == nil || !bytes.Equal(found, key) {
			if err := absent(c, key, found, row); err != nil {
				return err
			}
			continue
		}
		value, err := unseal(key, row)
		if err != nil {
			return err
		}
		result.Values[i] = value
		size += len(value)
	}
	copyOut(make([]byte, 0, size), result.Values)
	return nil
}

// absent tells whether key is not there, or hidden by damage: c stands where key
// would be, before the pair found. A search that went wrong ends beside a pair
// that led it there, and that pair is damaged or out of order.
func absent(c *bbolt.Cursor, key, found, row []byte) error {
	if found != nil {
		if _, err := unseal(found, row); err != nil {
			return err
		}
		if bytes.Compare(found, key) < 0 {
			return disordered(found, key)
		}
	}
	before, row := c.Prev()
	if before == nil {
		return nil
	}
	if bytes.Compare(before, key) >= 0 {
		return disordered(key, before)
	}
	_, err := unseal(before, row)
	return err
}

// pairs fills in the pairs of the range r.
func pairs(c *bbolt.Cursor, r storage.ReadRequest, result *storage.ReadResult) error {
	key, row := c.Seek(r.From)
	if len(r.From) > 0 && !bytes.Equal(key, r.From) {
		if err := absent(c, r.From, key, row); err != nil {
			return err
		}
		key, row = c.Seek(r.From) // where absent found it
	}
	size := 0
	for last := []byte(nil); key != nil && len(result.Keys) < r.Limit; key, row = c.Next() {
		value, err := unseal(key, row)
		if err != nil {
			return err
		}
		if bytes.Compare(last, key) >= 0 {
			return disordered(last, key)
		}
		if r.To != nil && bytes.Compare(key, r.To) >= 0 {
			break
		}
		last = key
		result.Keys = append(result.Keys, key)
		result.Values = append(result.Values, value)
		size += len(key) + len(value)
	}
	buffer := copyOut(make([]byte, 0, size), result.Keys)
	copyOut(buffer, result.Values)
	return nil
}

func disordered(before, after []byte) error {
	return corrupt("key %x stands before %x", before, after)
}

// copyOut replaces each slice of the mapped file by a copy in buffer, which has
// room for all of them, and which they share without reaching into each other.
func copyOut(buffer []byte, slices [][]byte) []byte {
	for i, slice := range slices {
		if slice == nil {
			continue
		}
		start := len(buffer)
		buffer = append(buffer, slice...)
		slices[i] = buffer[start:len(buffer):len(buffer)]
	}
	return buffer
}

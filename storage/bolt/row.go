package bolt

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"go.etcd.io/bbolt"

	"github.com/weircrawl/weir/storage"
)

// The bucket of the store itself. Its name is that of no space.
var (
	metaBucket  = []byte("_meta")
	versionKey  = []byte("version")
	fencePrefix = []byte("fence/")
)

// version is the format of everything in the file. Its row is sealed, and stands
// in the same place, in every version.
const version = "weir 1"

// A value is stored with the CRC-32C of its key and itself behind it. bbolt has a
// checksum for its two meta pages only.
const sealSize = crc32.Size

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal appends value and its seal to dst.
func seal(dst, key, value []byte) []byte {
	dst = append(dst, value...)
	return binary.BigEndian.AppendUint32(dst, checksum(key, value))
}

// unseal returns the value in row, which lies in the mapped file. A row that is
// longer than any value is damaged, and is not read to its end to find out.
func unseal(key, row []byte) ([]byte, error) {
	if len(row) < sealSize || len(row) > limits.Value+sealSize {
		return nil, corrupt("the value of key %x has %d bytes", key, len(row))
	}
	value, sum := row[:len(row)-sealSize], row[len(row)-sealSize:]
	if binary.BigEndian.Uint32(sum) != checksum(key, value) {
		return nil, corrupt("the value of key %x has another checksum", key)
	}
	return value, nil
}

func checksum(key, value []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, value)
}

// loadFences checks the version of the file and fills the table of fences. No
// fence has time left: its owner was another process, and is gone.
func (s *Store) loadFences(tx *bbolt.Tx) error {
	meta := tx.Bucket(metaBucket)
	if meta == nil {
		return fmt.Errorf("%w: it is a bbolt file, but not of this library", storage.ErrVersion)
	}
	found, err := unseal(versionKey, meta.Get(versionKey))
	if err != nil {
		return err
	}
	if string(found) != version {
		return fmt.Errorf("%w: %q, and this library reads %q", storage.ErrVersion, found, version)
	}
	if err := tx.ForEach(isSpace); err != nil {
		return err
	}
	return meta.ForEach(func(key, row []byte) error {
		if string(key) == string(versionKey) {
			return nil
		}
		f, err := parseFence(key, row)
		if err == nil {
			s.fences.Set(f, longAgo)
		}
		return err
	})
}

// isSpace tells whether a bucket is one of this store. The page that holds their
// names has no checksum, and a space whose name is damaged would seem empty.
func isSpace(name []byte, bucket *bbolt.Bucket) error {
	if bucket == nil {
		return corrupt("%q is no bucket", name)
	}
	if err := (storage.Space{Name: string(name)}).Check(); err != nil && !bytes.Equal(name, metaBucket) {
		return corrupt("bucket %q is no space", name)
	}
	return nil
}

// fenceKey returns the key of the row of a fence.
func fenceKey(name string) []byte {
	return append(fencePrefix[:len(fencePrefix):len(fencePrefix)], name...)
}

// fenceRow returns what is kept of f, not yet sealed: everything but the TTL.
func fenceRow(f storage.Fence) []byte {
	row := binary.BigEndian.AppendUint64(nil, f.Generation)
	row = binary.BigEndian.AppendUint64(row, f.Sequence)
	row = append(row, byte(len(f.Owner)))
	row = append(row, f.Owner...)
	return append(row, f.Value...)
}

func parseFence(key, row []byte) (f storage.Fence, err error) {
	row, err = unseal(key, row)
	if err != nil {
		return f, err
	}
	const head = 8 + 8 + 1
	if len(key) <= len(fencePrefix) || len(row) < head || len(row) < head+int(row[head-1]) {
		return f, corrupt("the row of fence %q cannot be read", key)
	}
	owner := head + int(row[head-1])
	return storage.Fence{
		Name:       string(key[len(fencePrefix):]),
		Generation: binary.BigEndian.Uint64(row),
		Sequence:   binary.BigEndian.Uint64(row[8:]),
		Owner:      string(row[head:owner]),
		Value:      row[owner:],
	}, nil
}

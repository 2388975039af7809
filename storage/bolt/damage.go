package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"

	"github.com/weircrawl/weir/storage"
)

// What bbolt's file format says, as far as it is needed to find damage before
// bbolt maps the file, and to copy the state of one transaction. Numbers are in
// the byte order of the machine.
//
//	page: id uint64, flags uint16, count uint16, overflow uint32
//	meta: page, magic uint32, version uint32, page size uint32, flags uint32,
//	      root uint64, sequence uint64, freelist uint64, pages uint64,
//	      transaction uint64, FNV-1a of the meta so far uint64
//	freelist: page, [count uint64 if page.count is 0xffff], ids uint64...
const (
	pageHeader   = 16
	metaSize     = 80
	magic        = 0xED0CDAED
	formatNumber = 2
	metaFlag     = 0x04
	freelistFlag = 0x10
	manyFree     = 0xFFFF
	minPage      = 1 << 10
	maxPage      = 16 << 20
)

var native = binary.NativeEndian

// A meta is one of the two pages that name the state of a transaction.
type meta struct {
	page     [metaSize]byte
	pageSize int64
	freelist uint64
	pages    uint64 // of the file that belong to the state; the rest is room
	txid     uint64
}

// inspectFile inspects the file at path. It does not change it.
func inspectFile(path string) (meta, error) {
	f, err := os.Open(path)
	if err != nil {
		return meta{}, err
	}
	defer f.Close() // read only: nothing to lose
	info, err := f.Stat()
	if err != nil {
		return meta{}, err
	}
	if !info.Mode().IsRegular() {
		return meta{}, errors.New("not a regular file")
	}
	return inspect(f, info.Size())
}

// inspect tells whether what bbolt relies on when it opens a file is sound, and
// returns the newest meta. Both metas must be: a write of one cannot tear, because
// it lies in one disk sector, and falling back to the older one would silently
// drop a commit that was acknowledged.
func inspect(r io.ReaderAt, size int64) (meta, error) {
	first, err := readMeta(r, size, 0, 0)
	if err != nil {
		return meta{}, fmt.Errorf("first meta page: %w", err)
	}
	second, err := readMeta(r, size, 1, first.pageSize)
	if err != nil {
		return meta{}, fmt.Errorf("second meta page: %w", err)
	}
	if second.pageSize != first.pageSize {
		return meta{}, corrupt("meta pages with page sizes %d and %d", first.pageSize, second.pageSize)
	}
	newest := first
	if second.txid > first.txid {
		newest = second
	}
	return newest, newest.checkFreelist(r)
}

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %s", storage.ErrCorrupt, fmt.Sprintf(format, args...))
}

func readMeta(r io.ReaderAt, size, id, pageSize int64) (m meta, err error) {
	if _, err := r.ReadAt(m.page[:], id*pageSize); err != nil {
		return m, unreadable(err)
	}
	switch p := m.page[:]; {
	case native.Uint32(p[16:]) != magic:
		return m, corrupt("no bbolt file")
	case native.Uint64(p[72:]) != metaSum(m.page):
		return m, corrupt("another checksum")
	case native.Uint32(p[20:]) != formatNumber:
		return m, fmt.Errorf("%w: bbolt format %d", storage.ErrVersion, native.Uint32(p[20:]))
	case native.Uint64(p) != uint64(id) || native.Uint16(p[8:]) != metaFlag:
		return m, corrupt("page %d with flags %#x", native.Uint64(p), native.Uint16(p[8:]))
	}
	m.pageSize = int64(native.Uint32(m.page[24:]))
	m.freelist = native.Uint64(m.page[48:])
	m.pages = native.Uint64(m.page[56:])
	m.txid = native.Uint64(m.page[64:])
	if m.pageSize < minPage || m.pageSize > maxPage || m.pageSize&(m.pageSize-1) != 0 {
		return m, corrupt("page size %d", m.pageSize)
	}
	if m.pages > uint64(size/m.pageSize) {
		return m, corrupt("cut short: %d bytes of %d pages of %d", size, m.pages, m.pageSize)
	}
	return m, nil
}

// older returns m's page as it would be back transactions ago.
func (m meta) older(back uint64) [metaSize]byte {
	page := m.page
	native.PutUint64(page[0:], (m.txid-back)%2)
	native.PutUint64(page[64:], m.txid-back)
	native.PutUint64(page[72:], metaSum(page))
	return page
}

func metaSum(page [metaSize]byte) uint64 {
	sum := fnv.New64a()
	_, _ = sum.Write(page[pageHeader : metaSize-8])
	return sum.Sum64()
}

// checkFreelist tells whether the list of free pages is one. bbolt would write to
// whatever it names.
func (m meta) checkFreelist(r io.ReaderAt) error {
	if m.freelist < 2 || m.freelist >= m.pages {
		return corrupt("freelist on page %d of %d", m.freelist, m.pages)
	}
	var header [pageHeader + 8]byte
	if _, err := r.ReadAt(header[:], int64(m.freelist)*m.pageSize); err != nil {
		return unreadable(err)
	}
	overflow := uint64(native.Uint32(header[12:]))
	if native.Uint64(header[:]) != m.freelist || native.Uint16(header[8:]) != freelistFlag || m.freelist+overflow >= m.pages {
		return corrupt("page %d is no freelist", m.freelist)
	}
	count, skip := uint64(native.Uint16(header[10:])), int64(pageHeader)
	if count == manyFree {
		count, skip = native.Uint64(header[pageHeader:]), pageHeader+8
	}
	room := (int64(overflow)+1)*m.pageSize - skip
	if count > uint64(room/8) {
		return corrupt("freelist of %d pages in %d bytes", count, room)
	}
	ids := make([]byte, count*8)
	if _, err := r.ReadAt(ids, int64(m.freelist)*m.pageSize+skip); err != nil {
		return unreadable(err)
	}
	return m.checkFree(ids, m.freelist, m.freelist+overflow)
}

// checkFree tells whether ids ascend among the pages that can be free: neither
// the metas nor the freelist itself.
func (m meta) checkFree(ids []byte, first, last uint64) error {
	previous := uint64(1)
	for ; len(ids) > 0; ids = ids[8:] {
		id := native.Uint64(ids)
		if id <= previous || id >= m.pages || id >= first && id <= last {
			return corrupt("freelist names page %d after %d, of %d", id, previous, m.pages)
		}
		previous = id
	}
	return nil
}

// unreadable tells a file that ends too early from a disk that fails.
func unreadable(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return corrupt("cut short")
	}
	return err
}
